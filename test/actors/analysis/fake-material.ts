// What the fake index tells of files as material: frames that were committed, each with the same vector, and nobody seen.
import type { indexContract } from '../../../actors/index/contract.ts';
import { storeErrors } from '../../../actors/index/store/contract.ts';
import type { Handlers } from '../../../runtime/actor.ts';

const dimensions = 2;
const vectorsOf = (count: number) => Float32Array.from({ length: count * dimensions }, (_, i) => (i + 1) % 2);

export function materialHandlers(committed: ReadonlyMap<string, { frames: number[] }>) {
  return {
    analysed_by: ({ hashes }) => ({
      models: hashes.map((hash) => (committed.has(hash) ? ['fake'] : [])),
    }),
    stored_vectors: ({ hash_str, from, most }) => {
      const stored = committed.get(hash_str);
      if (stored === undefined) throw storeErrors.NOT_ANALYZED(hash_str);
      const left = stored.frames.filter((frame) => frame >= from);
      const frames = Int32Array.from(left.slice(0, most));
      return { dimensions, frames, vectors: vectorsOf(frames.length), next: left[most] ?? null };
    },
    sample_vectors: ({ most }) => {
      const frames = [...committed.values()].flatMap((stored) => stored.frames).slice(0, most);
      return { dimensions: frames.length === 0 ? 0 : dimensions, vectors: vectorsOf(frames.length) };
    },
    people_in: () => ({ people: [] }),
  } satisfies Partial<Handlers<typeof indexContract>>;
}

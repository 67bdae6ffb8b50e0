// Facts about files that the fake index has as material: frames that were committed, in pages of a few, and
// the people who are said to be seen.
import type { indexContract } from '../../../actors/index/contract.ts';
import { storeErrors } from '../../../actors/index/store/contract.ts';
import type { Handlers } from '../../../runtime/actor.ts';

const dimensions = 2;
/** Frames of one message at most. */
const page = 4;

interface Shown {
  readonly cluster_job_name: string;
  readonly cluster_id: string;
  readonly person: string;
  readonly is_named: boolean;
}

export interface MaterialWorld {
  /** The visual models by which a content is analysed; `fake` where nothing is said. */
  readonly analysedBy: Map<string, string[]>;
  /** Contents whose vectors are damaged. */
  readonly damaged: Set<string>;
  /** People who are seen in every content, for its first two seconds. */
  readonly seen: Shown[];
}

export const noMaterial = (): MaterialWorld => ({ analysedBy: new Map(), damaged: new Set(), seen: [] });

type Committed = ReadonlyMap<string, { readonly frames: number[]; readonly sums: number[] }>;

export function materialHandlers(committed: Committed, world: MaterialWorld) {
  const vectorsOf = (sums: readonly number[]) => Float32Array.from(sums.flatMap((sum) => [sum, 1]));
  return {
    analysed_by: ({ hashes }) => ({
      models: hashes.map((hash) => world.analysedBy.get(hash) ?? (committed.has(hash) ? ['fake'] : [])),
    }),
    stored_vectors: ({ hash_str, from, most }) => {
      if (world.damaged.has(hash_str)) throw storeErrors.STORE_DAMAGED(hash_str);
      const stored = committed.get(hash_str);
      if (stored === undefined) throw storeErrors.NOT_ANALYZED(hash_str);
      const count = Math.min(most, page);
      const at = stored.frames.findIndex((frame) => frame >= from);
      const frames = at < 0 ? [] : stored.frames.slice(at, at + count);
      const vectors = vectorsOf(stored.sums.slice(at, at + count));
      return {
        dimensions,
        frames: Int32Array.from(frames),
        vectors,
        cuts: Int32Array.from(frames.slice(0, 1)),
        next: stored.frames[at + count] ?? null,
      };
    },
    sample_vectors: ({ most }) => {
      const sums = [...committed.values()].flatMap((stored) => stored.sums).slice(0, most);
      return { dimensions: sums.length === 0 ? 0 : dimensions, vectors: vectorsOf(sums) };
    },
    named_faces: ({ hashes }) => ({ people: hashes.map(() => []), unreadable: [] }),
    people_in: () => ({
      people: world.seen.map((one) => ({ ...one, ranges: [[0, 2]] as [number, number][] })),
    }),
  } satisfies Partial<Handlers<typeof indexContract>>;
}

// Messages of the log as JSON has them, and what of them each replica begins by itself.
import type { Reply } from '../../runtime/contract.ts';
import { toFields } from '../../runtime/errors.ts';
import type { Ref } from '../../runtime/ref.ts';
import type { indexContract } from '../index/contract.ts';
import { ofMachine, type ReplicaAnswer, type Write } from '../index/replica/contract.ts';

type Index = Ref<typeof indexContract>;
type Begun = Reply<typeof indexContract, 'begin_clustering'>;

/** Key in JSON for numbers of 32 bits. */
const packedKey = 'int32_base64';

/** A copy that JSON keeps. */
export function packed(write: Write): Write {
  return mapped(write, (value) =>
    value instanceof Int32Array
      ? { [packedKey]: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') }
      : value,
  );
}

export function revived(write: Write): Write {
  return mapped(write, (value) => {
    const text = (value as Readonly<Record<string, unknown>> | null)?.[packedKey];
    if (typeof text !== 'string') return value;
    const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
    return new Int32Array(bytes.buffer);
  });
}

function mapped(write: Write, map: (value: unknown) => unknown): Write {
  return write.map(({ name, request }) => ({
    name,
    request: Object.fromEntries(Object.entries(request).map(([key, value]) => [key, map(value)])),
  }));
}

/**
 * Applies a write; a clustering is begun before in steps, between which searches are answered, and commits
 * what another engine has found for the same entries.
 */
export async function begunHere(
  index: Index,
  cache_dir: string,
  write: Write,
  apply: (write: Write | null) => Promise<ReplicaAnswer>,
): Promise<ReplicaAnswer> {
  const [first, second] = write;
  if (first?.name !== 'begin_clustering' || second === undefined) return apply(write);
  const request = { ...first.request, cache_dir } as never;
  let clustering: number | null = null;
  try {
    for (let isDone = false; !isDone; ) {
      const begun: object = clustering === null ? request : { ...(request as object), begun: clustering };
      const answer: Begun = await index.ask('begin_clustering', begun as never);
      ({ clustering, done: isDone } = answer);
    }
    return await apply([{ ...second, request: { ...second.request, clustering } }]);
  } catch (error) {
    const refusal = toFields(error);
    if (ofMachine.has(refusal.status)) throw error;
    await apply(null);
    return { answer: null, refusal };
  } finally {
    if (clustering !== null) await index.ask('end_clustering', { clustering }).catch(() => {});
  }
}

// Handlers of a folder that follows the library of a cluster. It takes changes of the log, and nothing else.
import { createHash, randomBytes } from 'node:crypto';
import { type Handlers, Sent, type Turn } from '../../../runtime/actor.ts';
import type { Contract, Request } from '../../../runtime/contract.ts';
import { engineErrors, toFields } from '../../../runtime/errors.ts';
import type { indexContract } from '../contract.ts';
import { adoptAll } from '../store/adopt.ts';
import { storeErrors } from '../store/contract.ts';
import type { StoreParts } from '../store/handlers.ts';
import type { RootsState } from '../store/roots-file.ts';
import { Store } from '../store/store.ts';
import {
  ofMachine,
  type ReplicaAnswer,
  type replicaMessages,
  type SmallName,
  smallNames,
  type Write,
  type WriteMessage,
  type WriteName,
  workNames,
  writeNames,
} from './contract.ts';

/** The change that is being applied; what is stored meanwhile has its time and ids, in every replica. */
export class Following {
  /** Milliseconds since 1970; null while none is. */
  at: number | null = null;
  #drawn = 0;
  #seed = '';

  /** `seed`: of the ids that are made meanwhile. */
  async during<T>(at: number, seed: string, work: () => Promise<T>): Promise<T> {
    this.at = at;
    this.#seed = seed;
    this.#drawn = 0;
    try {
      return await work();
    } finally {
      this.at = null;
    }
  }

  /** The same for work that is done at once; another change may begin meanwhile. */
  now<T>(at: number, seed: string, work: () => T): T {
    const before = [this.at, this.#seed, this.#drawn] as const;
    [this.at, this.#seed, this.#drawn] = [at, seed, 0];
    try {
      return work();
    } finally {
      [this.at, this.#seed, this.#drawn] = before;
    }
  }

  /** At random, but the same ones in every replica. */
  bytes(count: number): Buffer {
    if (this.at === null) return randomBytes(count);
    return createHash('sha256')
      .update(`${this.#seed} ${this.#drawn++}`)
      .digest()
      .subarray(0, count);
  }
}

/** In the place of folders: one that is open already, of which handlers answer at once. */
export class OneFolder {
  #store: Store | null = null;

  during<T>(store: Store, work: () => T): T {
    this.#store = store;
    try {
      return work();
    } finally {
      this.#store = null;
    }
  }

  with<T>(_folder: string, use: (store: Store) => T): T {
    return use(this.#store!);
  }
}

export interface ReplicaParts extends StoreParts {
  readonly following: Following;
  readonly roots: (() => RootsState) | null;
  /** The folder of `small`. */
  readonly oneFolder: OneFolder;
}

/** Handlers of small messages, which are answered at once. */
type SmallHandlers = Pick<Handlers<typeof indexContract>, SmallName>;

type WriteHandlers = Pick<Handlers<typeof indexContract>, WriteName | 'abort_summary'>;

export function replicaHandlers(
  parts: ReplicaParts,
  writes: WriteHandlers,
  small: SmallHandlers,
): Handlers<Contract<typeof replicaMessages>> {
  const { folders, following, roots } = parts;
  return {
    apply_small: async (request, turn) => {
      try {
        return await folders.with(request.cache_dir, (store) =>
          applySmall(parts, small, store, request, turn),
        );
      } catch (error) {
        // The state in memory may contain changes that did not take place.
        await folders.abandon(request.cache_dir);
        throw error;
      }
    },
    followed: ({ cache_dir }) => folders.with(cache_dir, (store) => store.replica),
    follow: ({ cache_dir, library }) =>
      following.during(Date.now(), library, () =>
        folders.with(cache_dir, (store) => {
          const { replica } = store;
          if (replica?.library === library) return replica;
          if (replica !== null) {
            throw storeErrors.OTHER_LIBRARY(
              `${cache_dir} follows the library of another cluster: choose another folder with --cache-dir`,
            );
          }
          if (store.media.hashes().length > 0) {
            throw storeErrors.OTHER_LIBRARY(
              `${cache_dir} holds analyses already: choose an empty folder with --cache-dir`,
            );
          }
          const begun = { library, seq: 0, at_ms: 0 };
          store.noteReplica(() => begun);
          return begun;
        }),
      ),
    apply: ({ cache_dir, library, seq, at_ms, from, write }, turn) =>
      following.during(at_ms, `${library} ${seq}`, async () => {
        const source = from === null ? null : new Store(from, roots === null ? {} : { roots });
        try {
          const isNew = await folders.with(cache_dir, (store) => {
            expectFollowing(store, cache_dir, library);
            return seq > store.replica!.seq;
          });
          if (!isNew) return nothing;
          if (source !== null) await folders.with(cache_dir, (store) => adoptAll(store, source));
          const written = write === null ? nothing : await applied(writes, cache_dir, write, turn);
          await folders.with(cache_dir, (store) => store.noteReplica(() => ({ library, seq, at_ms })));
          return written;
        } finally {
          await source?.close();
        }
      }),
  };
}

/** ms after which other turns have theirs. */
const LONGEST = 50;

function applySmall(
  { following, oneFolder }: ReplicaParts,
  small: SmallHandlers,
  store: Store,
  { cache_dir, library, changes }: Request<Contract<typeof replicaMessages>, 'apply_small'>,
  turn: Turn,
): { written: ReplicaAnswer[] } {
  expectFollowing(store, cache_dir, library);
  const since = performance.now();
  const knownSeq = store.replica!.seq;
  const written: ReplicaAnswer[] = [];
  const apply = (write: WriteMessage): ReplicaAnswer => {
    const name = smallNames.find((candidate) => candidate === write.name);
    if (name === undefined) throw engineErrors.INVALID_MESSAGE(`${write.name} is no small change`);
    try {
      const reply = small[name]({ ...write.request, cache_dir } as never, turn);
      if (reply instanceof Promise) throw engineErrors.INVALID_MESSAGE(`${name} is not applied at once`);
      return { ...nothing, answer: reply instanceof Sent ? reply.value : reply };
    } catch (error) {
      return refused(error);
    }
  };
  const applyAll = () => {
    for (const { seq, at_ms, write } of changes) {
      if (written.length > 0 && performance.now() - since > LONGEST) break;
      const isNew = write !== null && seq > knownSeq;
      const applyOne = () => following.now(at_ms, `${library} ${seq}`, () => apply(write!));
      written.push(isNew ? applyOne() : nothing);
    }
    const { seq, at_ms } = changes[written.length - 1]!;
    return seq > knownSeq ? { library, seq, at_ms } : store.replica!;
  };
  following.now(changes[0]!.at_ms, library, () => oneFolder.during(store, () => store.noteReplica(applyAll)));
  return { written };
}

function expectFollowing({ replica }: Store, cache_dir: string, library: string): void {
  if (replica?.library !== library)
    throw storeErrors.OTHER_LIBRARY(`${cache_dir} does not follow this library`);
}

/** Errors of this machine alone are thrown. */
function refused(error: unknown): ReplicaAnswer {
  const refusal = toFields(error);
  if (ofMachine.has(refusal.status)) throw error;
  return { ...nothing, refusal };
}

const nothing: ReplicaAnswer = { answer: null, refusal: null };

/** STORE_TOO_NEW for what this version does not know, and what has to do with this machine alone. */
async function applied(
  writes: WriteHandlers,
  cache_dir: string,
  write: Write,
  turn: Turn,
): Promise<ReplicaAnswer> {
  let answer: unknown = null;
  let begun: Record<string, unknown> = {};
  try {
    for (const { name: said, request } of write) {
      const name = [...writeNames, ...workNames].find((candidate) => candidate === said);
      if (name === undefined)
        throw storeErrors.STORE_TOO_NEW(
          `The cluster has a change ${said}: update framehound on this machine`,
        );
      const reply = await writes[name]({ ...request, ...begun, cache_dir } as never, turn);
      answer = reply instanceof Sent ? reply.value : reply;
      if (request === write[0]!.request) begun = numberIn(answer);
    }
    return { ...nothing, answer };
  } catch (error) {
    if ('stage' in begun) await writes.abort_summary({ ...begun, keep: false } as never, turn);
    return refused(error);
  }
}

function numberIn(answer: unknown): Record<string, unknown> {
  const { stage } = answer as { readonly stage?: number };
  return stage === undefined ? {} : { stage };
}

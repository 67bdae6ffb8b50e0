// What the index answers about following the library of a cluster. A folder that does takes changes of the
// log, and nothing else.
import { type Handlers, Sent, type Turn } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import { toFields } from '../../../runtime/errors.ts';
import type { indexContract } from '../contract.ts';
import { adoptAll } from '../store/adopt.ts';
import { storeErrors } from '../store/contract.ts';
import type { StoreParts } from '../store/handlers.ts';
import type { Roots } from '../store/roots-file.ts';
import { Store } from '../store/store.ts';
import { type replicaMessages, type Write, type WriteName, type Written, writeNames } from './contract.ts';

/** The change that is being applied; what is stored meanwhile has its time, in every replica. */
export class Following {
  /** Milliseconds since 1970; null while none is. */
  at: number | null = null;

  async during<T>(at: number, work: () => Promise<T>): Promise<T> {
    this.at = at;
    try {
      return await work();
    } finally {
      this.at = null;
    }
  }
}

export interface ReplicaParts extends StoreParts {
  readonly following: Following;
  readonly roots: (() => Roots) | null;
}

/** What answers the messages of the log. */
export type Writes = Pick<Handlers<typeof indexContract>, WriteName>;

export function replicaHandlers(
  { folders, following, roots }: ReplicaParts,
  writes: Writes,
): Handlers<Contract<typeof replicaMessages>> {
  return {
    followed: ({ cache_dir }) => folders.with(cache_dir, (store) => store.replica),
    follow: ({ cache_dir, library }) =>
      following.during(Date.now(), () =>
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
          const begun = { library, seq: 0 };
          store.noteReplica(begun);
          return begun;
        }),
      ),
    apply: ({ cache_dir, library, seq, at_ms, from, write }, turn) =>
      following.during(at_ms, async () => {
        const source = from === null ? null : new Store(from, roots === null ? {} : { roots });
        try {
          const isNew = await folders.with(cache_dir, ({ replica }) => {
            if (replica?.library !== library)
              throw storeErrors.OTHER_LIBRARY(`${cache_dir} does not follow this library`);
            return seq > replica.seq;
          });
          if (!isNew) return nothing;
          if (source !== null) await folders.with(cache_dir, (store) => adoptAll(store, source));
          const written = write === null ? nothing : await applied(writes, cache_dir, write, turn);
          await folders.with(cache_dir, (store) => store.noteReplica({ library, seq }));
          return written;
        } finally {
          await source?.close();
        }
      }),
  };
}

const nothing: Written = { answer: null, refusal: null };

/** STORE_TOO_NEW for what this version does not know, and what has to do with this machine alone. */
async function applied(writes: Writes, cache_dir: string, write: Write, turn: Turn): Promise<Written> {
  const name = writeNames.find((known) => known === write.name);
  if (name === undefined)
    throw storeErrors.STORE_TOO_NEW(
      `The cluster has a change ${write.name}: update framehound on this machine`,
    );
  try {
    const answer = await writes[name]({ ...write.request, cache_dir } as never, turn);
    return { ...nothing, answer: answer instanceof Sent ? answer.value : answer };
  } catch (error) {
    const refusal = toFields(error);
    if (ofMachine.has(refusal.status)) throw error;
    return { ...nothing, refusal };
  }
}

/** Statuses of errors that the same message may not meet elsewhere, or later. */
const ofMachine: ReadonlySet<number> = new Set([499, 503, 507]);

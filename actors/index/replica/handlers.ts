// What the index answers about following the library of a cluster. A folder that does takes changes of the
// log, and nothing else.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import { adoptAll } from '../store/adopt.ts';
import { storeErrors } from '../store/contract.ts';
import type { StoreParts } from '../store/handlers.ts';
import type { Roots } from '../store/roots-file.ts';
import { Store } from '../store/store.ts';
import type { replicaMessages } from './contract.ts';

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

export function replicaHandlers({
  folders,
  following,
  roots,
}: ReplicaParts): Handlers<Contract<typeof replicaMessages>> {
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
    adopt: ({ cache_dir, library, seq, at_ms, from }) =>
      following.during(at_ms, async () => {
        const source = from === null ? null : new Store(from, roots === null ? {} : { roots });
        try {
          return await folders.with(cache_dir, (store) => {
            const { replica } = store;
            if (replica?.library !== library)
              throw storeErrors.OTHER_LIBRARY(`${cache_dir} does not follow this library`);
            if (seq <= replica.seq) return {};
            if (source !== null) adoptAll(store, source);
            store.noteReplica({ library, seq });
            return {};
          });
        } finally {
          await source?.close();
        }
      }),
  };
}

// Searches that begin together are scanned together.
import type { IndexFolders } from '../folders.ts';
import type { LoadedVectors } from './loaded.ts';
import { type Answer, searchAll, type VisualSearch } from './search.ts';

export class Passes {
  readonly #folders: IndexFolders;
  #waiting: (PromiseWithResolvers<Answer> & Asked)[] = [];

  constructor(folders: IndexFolders) {
    this.#folders = folders;
  }

  join(request: Asked): Promise<Answer> {
    const waiting = { ...Promise.withResolvers<Answer>(), ...request };
    this.#waiting.push(waiting);
    // All of them wait by the end of the turn of the event loop in which they begin.
    if (this.#waiting.length === 1) setImmediate(() => void this.#run());
    return waiting.promise;
  }

  async #run(): Promise<void> {
    const all = this.#waiting;
    this.#waiting = [];
    for (const [loaded, some] of Map.groupBy(all, (request) => request.loaded)) {
      const searches = some.map(({ search }) => search);
      try {
        const answers = await this.#folders.with(some[0]!.cache_dir, (store) =>
          searchAll(
            loaded.searched(store, () => {}),
            searches,
          ),
        );
        for (const [i, answer] of answers.entries()) {
          if (answer instanceof Error) some[i]!.reject(answer);
          else some[i]!.resolve(answer);
        }
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
  }
}

interface Asked {
  readonly loaded: LoadedVectors;
  readonly cache_dir: string;
  readonly search: VisualSearch;
}

// Listens for changes in the folders that are watched, where the system tells of them. A feed that fails is
// begun again after a while: polls find everything without it.
import type { Clock } from '../../../runtime/clock.ts';
import type { Log } from '../../../runtime/log.ts';
import type { Ref } from '../../../runtime/ref.ts';
import type { watcherContract } from '../contract.ts';
import { retryWait } from './schedule.ts';
import type { Watched } from './watched.ts';

export interface ChangeFeedParts {
  readonly watcher: Ref<typeof watcherContract>;
  readonly clock: Clock;
  readonly log: Log;
}

type Listened = { readonly id: string; readonly folder_path: string }[];

export class ChangeFeed {
  readonly #parts: ChangeFeedParts;
  readonly #tell: (id: string) => void;
  #key = '';
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  /** `tell` is called with the id of a folder in which something changed. */
  constructor(parts: ChangeFeedParts, tell: (id: string) => void) {
    this.#parts = parts;
    this.#tell = tell;
  }

  /** Listens in these folders, and in no others. */
  follow(folders: Iterable<Watched>): void {
    const listened = [...folders].map(({ id, folder }) => ({ id, folder_path: folder.folder_path }));
    const key = JSON.stringify(listened);
    if (key === this.#key) return;
    this.#key = key;
    this.#stop.abort();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const before = this.#running;
    this.#running = before.then(() => this.#listen(listened, signal));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Never rejects. */
  async #listen(folders: Listened, signal: AbortSignal): Promise<void> {
    if (folders.length === 0) return;
    const { watcher, clock, log } = this.#parts;
    const wake = new Wake(clock);
    const stop = () => wake.news();
    signal.addEventListener('abort', stop, { once: true });
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        for await (const { id } of watcher.feed('changes', { folders }, { signal })) {
          failures = 1;
          this.#tell(id);
        }
      } catch (error) {
        if (!signal.aborted) log.debug('changes in watch folders are not told', { error });
      }
      if (!signal.aborted) await wake.wait(retryWait(failures));
    }
    signal.removeEventListener('abort', stop);
  }
}

// The pause of a loop: it ends after a while, or at once when somebody has news.

export class Wake {
  readonly #clock: Clock;
  #go: (() => void) | null = null;
  #hasNews = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the pause, or the next one when there is none now. */
  news(): void {
    this.#hasNews = true;
    this.#go?.();
  }

  /** Resolves after `ms`, null being never; true when there was news first. */
  async wait(ms: number | null): Promise<boolean> {
    if (!this.#hasNews) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#go = resolve;
      const disarm = ms === null ? () => {} : this.#clock.after(Math.max(0, ms), resolve);
      await promise;
      disarm();
      this.#go = null;
    }
    const hadNews = this.#hasNews;
    this.#hasNews = false;
    return hadNews;
  }
}

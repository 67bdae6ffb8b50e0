// The folders that are watched now: those of the configuration that are enabled. What was found in them is
// recorded after a while.
import type { Clock } from '../../../runtime/clock.ts';
import { toFields } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import type { Configuration, ConfigurationFile } from './configuration.ts';
import { type Homes, ownFolders } from './places.ts';
import { type StatsFiles, Watched } from './watched.ts';

export interface FolderSetParts {
  readonly configuration: ConfigurationFile;
  readonly stats: StatsFiles;
  readonly homes: Homes;
  readonly clock: Clock;
  /** Unix seconds. */
  readonly now: () => number;
  readonly log: Log;
}

export interface FolderListener {
  edited(watched: Watched, isOtherWork: boolean): void;
  /** `isRemoved`: it is no watch folder any more; else it is not enabled. */
  dropped(watched: Watched, isRemoved: boolean): void;
}

/**
 * Counts and failures are recorded so soon after they changed, the time of the last poll alone much later.
 */
const SAVE_MS = 5_000;
const SAVE_LATER_MS = 300_000;

export class FolderSet {
  readonly #parts: FolderSetParts;
  readonly #listener: FolderListener;
  readonly #folders = new Map<string, Watched>();
  #known: Configuration | null = null;
  /** Folders that are left out of every listing. */
  skip: readonly string[] = [];
  /** Why the configuration cannot be read; the last one holds. */
  fault: string | null = null;
  #disarm: (() => void) | null = null;
  #isClosed = false;

  constructor(parts: FolderSetParts, listener: FolderListener) {
    this.#parts = parts;
    this.#listener = listener;
  }

  all(): Iterable<Watched> {
    return this.#folders.values();
  }

  get(id: string): Watched | undefined {
    return this.#folders.get(id);
  }

  /** Takes over what changed in the configuration; false when nothing did. */
  refresh(): boolean {
    let now: Configuration;
    try {
      now = this.#parts.configuration.read();
      this.fault = null;
    } catch (error) {
      const { message } = toFields(error);
      if (this.fault !== message)
        this.#parts.log.error('the watch folders cannot be read', { error: message });
      this.fault = message;
      return false;
    }
    if (now === this.#known) return false;
    this.#known = now;
    this.skip = ownFolders(now.watch_folders, this.#parts.homes);
    this.#adopt(now);
    return true;
  }

  #adopt({ watch_folders }: Configuration): void {
    const { homes, clock, stats } = this.#parts;
    const ids = new Set(watch_folders.map(({ id }) => id));
    const enabled = new Map(watch_folders.filter((one) => one.enabled).map((one) => [one.id, one]));
    for (const watched of [...this.#folders.values()]) {
      if (!enabled.has(watched.id)) this.#drop(watched, !ids.has(watched.id));
    }
    for (const [id, folder] of enabled) {
      const watched = this.#folders.get(id);
      if (watched === undefined) {
        this.#folders.set(id, new Watched(folder, homes, stats.read(id), clock.now()));
      } else if (JSON.stringify(watched.folder) !== JSON.stringify(folder)) {
        this.#listener.edited(watched, watched.edit(folder, homes, clock.now()));
      }
    }
  }

  #drop(watched: Watched, isRemoved: boolean): void {
    const { stats } = this.#parts;
    watched.isGone = true;
    this.#folders.delete(watched.id);
    if (isRemoved) stats.remove(watched.id);
    else stats.write(watched.id, watched.record);
    this.#listener.dropped(watched, isRemoved);
  }

  saveLater(): void {
    if (
      this.#isClosed ||
      this.#disarm !== null ||
      ![...this.#folders.values()].some(({ unsaved }) => unsaved !== null)
    )
      return;
    this.#disarm = this.#parts.clock.after(SAVE_MS, () => {
      this.#disarm = null;
      const now = this.#parts.clock.now();
      this.#save(({ unsaved, savedAt }) => unsaved === 'soon' || now - savedAt >= SAVE_LATER_MS);
    });
  }

  /** Records everything that is not recorded yet. */
  close(): void {
    this.#isClosed = true;
    this.#disarm?.();
    this.#disarm = null;
    this.#save(() => true);
  }

  #save(isDue: (watched: Watched) => boolean): void {
    for (const watched of this.#folders.values()) {
      if (watched.unsaved === null || !isDue(watched)) continue;
      if (!this.#parts.stats.write(watched.id, watched.record)) continue;
      watched.unsaved = null;
      watched.savedAt = this.#parts.clock.now();
    }
  }
}

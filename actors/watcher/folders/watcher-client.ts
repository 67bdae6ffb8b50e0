// What the watcher is told and asked about a folder. A watcher that was started anew knows nothing: the
// folder is opened again, and what was asked is asked once more.
import { join } from 'node:path';
import type { Clock } from '../../../runtime/clock.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { Mutex } from '../../../runtime/sync/mutex.ts';
import { type BatchSize, type PollReport, type watcherContract, watcherErrors } from '../contract.ts';
import { watchErrors } from './contract.ts';
import type { Looks } from './looks.ts';
import { isFilled, type Plan, planText } from './request-of.ts';
import type { Watched } from './watched.ts';

export function ledgerOf(folder: string, id: string): string {
  return join(folder, `${id}.ledger`);
}

export interface WatcherClientParts {
  readonly watcher: Ref<typeof watcherContract>;
  /** Of the ledgers. */
  readonly folder: string;
  readonly looks: Looks;
  readonly clock: Clock;
}

export interface Listing {
  readonly report: PollReport;
  /** ms, without what came before: a watcher that starts, other folders that are listed. */
  readonly took: number;
}

export class WatcherClient {
  readonly #parts: WatcherClientParts;
  /** Over all folders. */
  readonly #polls = new Mutex();

  constructor(parts: WatcherClientParts) {
    this.#parts = parts;
  }

  /** Lists the folder. FOLDER_AWAY, CACHE_DIR_MISSING, LEDGER_UNWRITABLE, CANCELLED. */
  async poll(watched: Watched, skip: readonly string[], signal: AbortSignal): Promise<Listing> {
    await watched.lock.run(() => this.#open(watched));
    return this.#openedAgain(
      watched,
      () => watched.lock.run(() => this.#open(watched)),
      () => this.#list(watched, skip, signal),
    );
  }

  /** Files to work on, and the plan by which they are taken. FOLDER_NOT_OPEN when the watcher began anew. */
  async take(watched: Watched, size: BatchSize) {
    await watched.lock.run(() => this.#open(watched));
    const plan = watched.opened;
    if (plan === null) throw watcherErrors.FOLDER_NOT_OPEN(`${watched.id} is not watched any more`);
    const { files, counts } = await this.#parts.watcher.ask('take', { id: watched.id, ...size });
    return { files, counts, plan };
  }

  /** Tells what the watcher was not told yet; what it cannot be told now stays owed. */
  sendReports(watched: Watched, skip: readonly string[], signal: AbortSignal): Promise<void> {
    return watched.lock.run(async () => {
      while (watched.unsent.length > 0 && !watched.isGone) {
        const { plan } = watched.unsent[0]!;
        const same = watched.unsent.filter((one) => planText(one.plan) === planText(plan));
        const files = same.flatMap((one) => one.files);
        // The first results are what fills an empty analysis folder.
        if (watched.opened === null || plan.store === null) await this.#open(watched);
        if (!watched.isListed) await this.#openAndList(watched, skip, signal);
        await this.#openedAgain(
          watched,
          () => this.#openAndList(watched, skip, signal),
          async () => {
            const by = isFilled(plan, watched.opened!) ? watched.opened! : plan;
            const report = { id: watched.id, plan: planText(by), files };
            watched.count((await this.#parts.watcher.ask('report', report)).counts);
          },
        );
        for (const one of same) watched.unsent.splice(watched.unsent.indexOf(one), 1);
      }
    });
  }

  async close(watched: Watched, remove: boolean): Promise<void> {
    const { id } = watched;
    watched.opened = null;
    await this.#parts.watcher.ask('close', { id, ledger: ledgerOf(this.#parts.folder, id), remove });
  }

  async #openedAgain<T>(watched: Watched, open: () => Promise<void>, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!watcherErrors.FOLDER_NOT_OPEN.is(error) || watched.isGone) throw error;
      watched.opened = null;
      await open();
      return ask();
    }
  }

  /**
   * A watcher that began anew has to see the files before it can be told of them. FOLDER_AWAY until a poll
   * finds the folder.
   */
  async #openAndList(watched: Watched, skip: readonly string[], signal: AbortSignal): Promise<void> {
    if (watched.away) throw watcherErrors.FOLDER_AWAY(`${watched.folder.folder_path} cannot be listed`);
    await this.#open(watched);
    await this.#list(watched, skip, signal);
  }

  async #list(watched: Watched, skip: readonly string[], signal: AbortSignal): Promise<Listing> {
    const { excluded_extensions, excluded_filename_globs, excluded_folder_globs } = watched.folder;
    const exclusions = { excluded_extensions, excluded_filename_globs, excluded_folder_globs };
    const request = { id: watched.id, exclusions, skip: [...skip] };
    const { watcher, clock } = this.#parts;
    const list = async () => {
      const began = clock.now();
      const report = await watcher.ask('poll', request, { signal });
      watched.isListed = true;
      return { report, took: clock.now() - began };
    };
    return this.#polls.run(list, { signal });
  }

  /** Does nothing when it is open under the plan of now. */
  async #open(watched: Watched): Promise<void> {
    const plan = await this.#planOf(watched);
    const { id, opened } = watched;
    if (watched.isGone || (opened !== null && planText(opened) === planText(plan))) return;
    const { folder_path } = watched.folder;
    const ledger = ledgerOf(this.#parts.folder, id);
    const keeps = opened !== null && isFilled(opened, plan);
    const request = { id, folder_path, ledger, plan: planText(plan), keeps };
    const { counts } = await this.#parts.watcher.ask('open', request);
    watched.open(plan, counts, keeps);
  }

  /** CACHE_DIR_MISSING for an analysis folder that is away: it would be taken for an empty one. */
  async #planOf({ folder, cache, work }: Watched): Promise<Plan> {
    const { looks } = this.#parts;
    if (folder.cache_dir !== null) {
      const look = await looks.folder(cache);
      if (look.kind !== 'folder') throw away(cache, look.why);
    }
    const store = await looks.store(cache);
    if (store === null) throw away(cache, 'does not answer');
    return { work, store: store.id };
  }
}

function away(cache: string, why: string) {
  return watchErrors.CACHE_DIR_MISSING(`The analysis folder ${cache} ${why}`, { field: 'cache_dir' });
}

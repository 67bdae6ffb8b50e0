// Watch folders that machines have in common: one of them watches, and each tells how that stands. When it is
// gone, or cannot read a folder that others can, another one goes on.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Type } from 'typebox';
import type { Clock } from '../../runtime/clock.ts';
import { reasonOf } from '../../runtime/errors.ts';
import { replaceFile } from '../../runtime/files/atomic-write.ts';
import { readJsonNow } from '../../runtime/files/json-file.ts';
import type { FileClaim } from '../../runtime/files/lock.ts';
import type { Log } from '../../runtime/log.ts';
import { withTexts } from '../index/store/path-map.ts';
import type { RootsState } from '../index/store/roots-file.ts';
import {
  type OwnWatch,
  type WatchClaims,
  type WatchFolderList,
  type WatchFolders,
  WatchStatus,
  watchErrors,
} from '../watcher/folders/contract.ts';
import type { Lease, Leases } from './leases.ts';

const LEASE = 'watch-folders';
/** Begins the names by which machines say that they can read all folders. */
const ABLE = 'watch-able:';

/** How often it is looked who watches, and told how the service stands. */
const TEND_MS = 2_000;

const Told = Type.Object({ version: Type.Literal(1), status: WatchStatus });

export interface CommonWatchParts {
  /** `watch-folders` of the home folder. */
  readonly folder: string;
  readonly leases: Pick<Leases, 'take' | 'isTaken'>;
  readonly roots: () => RootsState;
  /** True if this machine takes over what others have watched. */
  readonly resumes: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export class CommonWatch implements WatchFolders {
  readonly #parts: CommonWatchParts;
  readonly #service: OwnWatch;
  readonly #mark = `${ABLE}${randomUUID()}`;
  #claim: Lease | null = null;
  /** Lets another machine watch. */
  #giveUp = () => {};
  /** It says that it can. */
  #able: Lease | null = null;
  #reads = false;
  #isTaken = false;
  #isClosed = false;
  #lastText = '';
  #complained = '';
  #disarm = () => {};

  /** `open`: the service of this machine, which watches when its claim is granted. */
  constructor(parts: CommonWatchParts, open: (claims: WatchClaims) => OwnWatch) {
    this.#parts = parts;
    this.#service = open({ claim: (onLost) => this.#take(onLost), other: () => null });
  }

  async #take(onLost: () => void): Promise<FileClaim> {
    const { leases, log } = this.#parts;
    await this.#tellAble();
    if (await this.#isUnfit()) throw watchedElsewhere();
    const lease = await leases.take(LEASE, () => {
      this.#claim = null;
      log.warn('watching ends: this machine cannot tell the others any more that it watches');
      onLost();
    });
    if (lease === null) throw watchedElsewhere();
    this.#claim = lease;
    this.#giveUp = () => {
      log.info('another machine watches, which can read all watch folders');
      this.#claim = null;
      onLost();
      void lease.release();
    };
    const release = () => {
      this.#claim = null;
      void lease.release();
    };
    return { release };
  }

  async list(): Promise<WatchFolderList> {
    const { watch_folders, service_status: localStatus } = await this.#service.list();
    const service_status = this.#statusOr(localStatus);
    const { folder_stats } = service_status;
    const folders = watch_folders.map((folder) => {
      const { last_poll_time = 0, files_analyzed: files_analyzed_count = 0 } = folder_stats[folder.id] ?? {};
      return { ...folder, last_poll_time, files_analyzed_count };
    });
    return { watch_folders: folders, service_status };
  }

  async status(): Promise<WatchStatus> {
    return this.#statusOr(await this.#service.status());
  }

  add: WatchFolders['add'] = (folder, signal) => this.#service.add(folder, signal);

  change: WatchFolders['change'] = (id, changes, signal) => this.#service.change(id, changes, signal);

  remove: WatchFolders['remove'] = (id) => this.#service.remove(id);

  /** On whichever machine. */
  async start(): Promise<WatchStatus> {
    await this.#service.record(true);
    await this.#service.start().catch((error: unknown) => {
      if (!watchErrors.WATCHED_ELSEWHERE.is(error)) throw error;
      this.#isTaken = true;
    });
    await this.#tell();
    return this.status();
  }

  async stop(): Promise<WatchStatus> {
    if (this.#claim === null) await this.#service.record(false);
    else await this.#service.stop();
    await this.#tell();
    return this.status();
  }

  async resume(): Promise<void> {
    if (this.#isClosed) return;
    await this.#tend();
    if (!this.#isClosed) this.#disarm = this.#parts.clock.after(TEND_MS, () => void this.resume());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#disarm();
    await this.#service.close();
    await this.#able?.release();
  }

  async #tend(): Promise<void> {
    const { resumes, leases, log } = this.#parts;
    try {
      const running = this.#service.isRecorded;
      await this.#tellAble();
      if (!running && this.#claim !== null) await this.#service.stop();
      else if (this.#claim !== null && (await this.#isUnfit())) this.#giveUp();
      else if (running && resumes && this.#claim === null) await this.#takeOver();
      this.#isTaken = this.#claim !== null || (await leases.isTaken(LEASE));
      await this.#tell();
      this.#complained = '';
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== this.#complained) log.warn('watch folders cannot be tended', { reason });
      this.#complained = reason;
    }
  }

  async #takeOver(): Promise<void> {
    if (await this.#parts.leases.isTaken(LEASE)) return;
    await this.#service.start().catch((error: unknown) => {
      if (!watchErrors.WATCHED_ELSEWHERE.is(error) && !watchErrors.NOT_WATCHING.is(error)) throw error;
    });
  }

  async #tellAble(): Promise<void> {
    const { resumes, leases } = this.#parts;
    this.#reads = await this.#service.reads();
    if (resumes && this.#reads && !this.#isClosed) {
      this.#able ??= await leases.take(this.#mark, () => {
        this.#able = null;
      });
      return;
    }
    await this.#able?.release();
    this.#able = null;
  }

  /** It cannot read a folder, and another machine can read all of them. */
  async #isUnfit(): Promise<boolean> {
    return !this.#reads && (await this.#parts.leases.isTaken(ABLE));
  }

  /** Publishes the state of the watching node. */
  async #tell(): Promise<void> {
    if (this.#claim === null) return;
    const { paths } = this.#parts.roots();
    const status = withTexts(await this.#service.status(), (text) => paths.stored(text));
    const text = JSON.stringify({ version: 1, status });
    if (text === this.#lastText) return;
    replaceFile(this.#path, text, { flush: false, folderMode: 0o777 });
    this.#lastText = text;
  }

  /** That of the machine that watches; `localStatus`: how this one stands. */
  #statusOr(localStatus: WatchStatus): WatchStatus {
    const commonStatus = this.#claim === null ? readJsonNow(Told, this.#path)?.status : undefined;
    if (commonStatus === undefined) return localStatus;
    const { paths } = this.#parts.roots();
    const status = withTexts(commonStatus, (text) => paths.shown(text));
    const sharedStats = Object.entries(status.folder_stats).filter(([id]) => id in localStatus.folder_stats);
    const folder_stats = { ...localStatus.folder_stats, ...Object.fromEntries(sharedStats) };
    return this.#isTaken ? { ...status, folder_stats } : { ...localStatus, folder_stats };
  }

  get #path(): string {
    return join(this.#parts.folder, 'status.json');
  }
}

function watchedElsewhere(): Error {
  return watchErrors.WATCHED_ELSEWHERE('Another machine of the cluster watches the folders');
}

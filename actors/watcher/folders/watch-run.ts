// The service while it runs: one loop lists the folders, one works on what is ready, and a feed tells of
// changes. Trouble with one folder pauses that folder; the others go on.
import { engineErrors, toFields } from '../../../runtime/errors.ts';
import { analysisErrors } from '../../analysis/contract.ts';
import { watcherErrors } from '../contract.ts';
import { ChangeFeed, Wake } from './change-feed.ts';
import type { WatchState } from './contract.ts';
import type { EndedFile } from './ends.ts';
import { FolderSet, type FolderSetParts } from './folder-set.ts';
import { Batch, type BatchEnd, type BatchParts } from './folder-task.ts';
import type { Plan } from './request-of.ts';
import { nextPoll, nextState, nextToWork, retryWait, type Trigger, whyIdle } from './schedule.ts';
import type { Watched } from './watched.ts';
import { WatcherClient, type WatcherClientParts } from './watcher-client.ts';

export interface WatchRunParts
  extends Omit<BatchParts, 'client' | 'report'>,
    FolderSetParts,
    WatcherClientParts {
  /** ms */
  readonly interval: number;
}

/** How often the configuration is looked at. */
const LOOK_MS = 5_000;
/** How long a folder rests whose task somebody has stopped. */
const STOPPED_MS = 60_000;
/** How long the end of the engine waits for what is being recorded. */
const CLOSE_MS = 2_000;

export class WatchRun {
  state: WatchState = 'running';
  /** Of `paused`: when it is tried again. */
  until: number | null = null;
  /** Files that were analysed or failed. */
  processed = 0;
  batch: Batch | null = null;
  readonly folders: FolderSet;
  /** Resolves when it has stopped; it never rejects. */
  readonly ended: Promise<void>;
  readonly #parts: WatchRunParts;
  readonly #client: WatcherClient;
  readonly #closed = new AbortController();
  readonly #pollWake: Wake;
  readonly #workWake: Wake;
  readonly #changes: ChangeFeed;
  readonly #unsubscribe: () => void;
  #isSlotTaken = false;
  #slotFailures = 0;
  #turn = 0;

  constructor(parts: WatchRunParts) {
    this.#parts = parts;
    const { clock, watcher, tasks, log } = parts;
    this.#client = new WatcherClient(parts);
    this.#pollWake = new Wake(clock);
    this.#workWake = new Wake(clock);
    this.#changes = new ChangeFeed({ watcher, clock, log }, (id) => this.#changed(id));
    this.folders = new FolderSet(parts, {
      edited: (watched, isOtherWork) => this.#edited(watched, isOtherWork),
      dropped: (watched, isRemoved) => this.#dropped(watched, isRemoved),
    });
    this.#unsubscribe = tasks.subscribe((task_id, { type }) => {
      if (type === 'end' && task_id !== this.batch?.task_id) this.#slotFree();
    });
    this.ended = Promise.all([this.#pollLoop(), this.#workLoop()]).then(() => this.#end());
  }

  /** Reads the configuration anew; a poll that runs does not delay it. */
  refresh(): void {
    if (this.state === 'stopped') return;
    this.#lookAtConfiguration();
    this.#wake();
  }

  #lookAtConfiguration(): void {
    if (this.folders.refresh()) this.#changes.follow(this.folders.all());
  }

  /** Files that are being worked on are finished. */
  stop(): void {
    this.#fire('stop');
    this.batch?.finish();
    for (const { polling } of this.folders.all()) polling?.abort();
    this.#wake();
  }

  /** Withdraws a stop; false when it has ended already. */
  start(): boolean {
    if (this.state === 'stopped') return false;
    this.#fire('start');
    this.#wake();
    return true;
  }

  /**
   * The engine ends: nothing is begun or waited for any more. What is known is recorded, if that is quick.
   * Never rejects.
   */
  async close(): Promise<void> {
    this.#fire('engine stops');
    for (const { polling } of this.folders.all()) polling?.abort();
    this.#closed.abort();
    this.#wake();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const disarm = this.#parts.clock.after(CLOSE_MS, resolve);
    await Promise.race([this.ended, late]);
    disarm();
  }

  #fire(trigger: Trigger): void {
    const before = this.state;
    this.state = nextState(before, trigger);
    if (this.state !== 'paused') this.until = null;
    if (this.state !== before) this.#parts.log.debug('watching', { state: this.state, because: trigger });
  }

  #wake(): void {
    this.#pollWake.news();
    this.#workWake.news();
  }

  #changed(id: string): void {
    this.folders.get(id)?.changed(this.#parts.clock.now());
    this.#pollWake.news();
  }

  #edited(watched: Watched, isOtherWork: boolean): void {
    this.#fire('folder edited');
    // A poll by the old exclusions says nothing any more.
    watched.polling?.abort();
    if (isOtherWork && this.batch?.watched === watched) this.batch.finish();
    this.#wake();
  }

  #dropped(watched: Watched, isRemoved: boolean): void {
    this.#fire('folder removed');
    watched.polling?.abort();
    if (this.batch?.watched === watched) this.batch.finish();
    this.#wake();
    void this.#close(watched, isRemoved);
  }

  async #pollLoop(): Promise<void> {
    const { clock } = this.#parts;
    while (this.state !== 'stopped') {
      if (this.state === 'stopping') {
        await this.#pollWake.wait(null);
        continue;
      }
      this.#lookAtConfiguration();
      const next = nextPoll(this.folders.all());
      const wait = next === null ? LOOK_MS : next.pollAt - clock.now();
      if (next !== null && wait <= 0) await this.#poll(next);
      else await this.#pollWake.wait(Math.min(wait, LOOK_MS));
    }
  }

  async #poll(watched: Watched): Promise<void> {
    const { clock, now: unix, interval, log } = this.#parts;
    const polling = new AbortController();
    watched.polling = polling;
    try {
      const { report, took } = await this.#client.poll(watched, this.folders.skip, polling.signal);
      if (watched.isGone || polling.signal.aborted) return;
      watched.polled(report, { now: clock.now(), took, time: unix(), interval });
    } catch (error) {
      if (watched.isGone || polling.signal.aborted) return;
      const isFirst = watched.pollFailed(error, clock.now());
      if (isFirst)
        log.warn('a watch folder cannot be listed', { id: watched.id, error: toFields(error).message });
    } finally {
      watched.polling = null;
      this.folders.saveLater();
      this.#workWake.news();
    }
  }

  async #workLoop(): Promise<void> {
    while (this.state !== 'stopped') {
      if (this.state === 'stopping') {
        this.#fire('current work finished');
        this.#pollWake.news();
        break;
      }
      await this.#payDue();
      await this.#workOn();
    }
  }

  async #workOn(): Promise<void> {
    if (this.state === 'stopping' || this.state === 'stopped') return;
    const { clock, tasks } = this.#parts;
    const next = nextToWork(this.folders.all(), clock.now());
    if (next === null) await this.#idle();
    else if (tasks.busy) await this.#waitForSlot();
    else await this.#serve(next);
  }

  async #idle(): Promise<void> {
    const now = this.#parts.clock.now();
    const { trigger, until } = whyIdle(this.folders.all(), now);
    this.#fire(trigger);
    if (this.state === 'paused') this.until = until;
    // What is due is being listed: the end of that is news.
    const wait = until === null || until <= now ? null : until - now;
    if (!(await this.#workWake.wait(wait))) this.#fire('retry due');
  }

  async #waitForSlot(): Promise<void> {
    this.#fire('slot taken');
    this.#isSlotTaken = true;
    const wait = retryWait(this.#slotFailures + 1);
    this.until = this.#parts.clock.now() + wait;
    if (await this.#workWake.wait(wait)) return;
    this.#slotFailures++;
    this.#fire('retry due');
  }

  #slotFree(): void {
    if (!this.#isSlotTaken) return;
    this.#isSlotTaken = false;
    this.#slotFailures = 0;
    this.#fire('slot free');
    this.#workWake.news();
  }

  async #serve(watched: Watched): Promise<void> {
    const { clock, log } = this.#parts;
    watched.served = ++this.#turn;
    const report: BatchParts['report'] = (of, plan, ended) => this.#report(of, plan, ended);
    const batch = new Batch({ ...this.#parts, client: this.#client, report }, watched);
    this.batch = batch;
    this.#fire('work begins');
    this.#isSlotTaken = false;
    try {
      this.#served(batch, await batch.run(this.#closed.signal, () => clock.now()));
    } catch (error) {
      if (this.#closed.signal.aborted || watched.isGone) return;
      this.#notServed(watched, error);
      log.debug('a watch folder cannot be worked on', { id: watched.id, error });
    } finally {
      this.batch = null;
      this.folders.saveLater();
    }
  }

  #served({ watched }: Batch, end: BatchEnd): void {
    const { clock, tasks, log } = this.#parts;
    const now = clock.now();
    this.#slotFailures = 0;
    if (end?.fault) {
      log.warn('a watch folder is worked on later', { id: watched.id, error: end.fault.message });
      watched.pause(new Error(end.fault.message), now);
    } else if (watched.unsent.length === 0) watched.wentWell();
    // Whoever begins a task of their own takes the slot; whoever only stops this one wants it to stop for a
    // while.
    if (end?.isHandedBack && !end.fault && !tasks.busy) watched.rest(now, STOPPED_MS);
  }

  #notServed(watched: Watched, error: unknown): void {
    const now = this.#parts.clock.now();
    if (analysisErrors.ANOTHER_TASK.is(error) || engineErrors.CANCELLED.is(error)) {
      watched.rest(now, retryWait(1));
      return;
    }
    if (watcherErrors.FOLDER_NOT_OPEN.is(error)) {
      watched.opened = null;
      watched.ready = 0;
      watched.pollAt = now;
      this.#pollWake.news();
      return;
    }
    watched.pause(error, now);
  }

  async #report(watched: Watched, plan: Plan, ended: readonly EndedFile[]): Promise<void> {
    if (ended.length === 0 || watched.isGone) return;
    const files = watched.note(ended, this.#parts.now());
    this.processed += files.filter(({ end }) => end === 'analyzed' || end === 'failed').length;
    watched.unsent.push({ plan, files });
    await this.#pay(watched);
    this.folders.saveLater();
  }

  /** What could not be told before. */
  async #payDue(): Promise<void> {
    const now = this.#parts.clock.now();
    for (const watched of this.folders.all()) {
      if (watched.unsent.length === 0 || (watched.retryAt ?? now) > now) continue;
      await this.#pay(watched);
      if (watched.unsent.length === 0) watched.wentWell();
    }
  }

  async #pay(watched: Watched): Promise<void> {
    try {
      await this.#client.sendReports(watched, this.folders.skip, this.#closed.signal);
    } catch (error) {
      if (watched.isGone || this.#closed.signal.aborted) return;
      this.#parts.log.warn('what was done in a watch folder cannot be recorded', { id: watched.id, error });
      watched.pause(error, this.#parts.clock.now());
    }
  }

  async #end(): Promise<void> {
    this.#unsubscribe();
    await this.#changes.close();
    this.folders.close();
    if (this.#closed.signal.aborted) return;
    for (const watched of this.folders.all()) {
      if (watched.opened !== null && !this.#closed.signal.aborted) await this.#close(watched, false);
    }
  }

  /** A watcher that is gone has nothing open. */
  async #close(watched: Watched, remove: boolean): Promise<void> {
    try {
      await this.#client.close(watched, remove);
    } catch (error) {
      this.#parts.log.warn('a watch folder cannot be closed', { id: watched.id, error });
    }
  }
}

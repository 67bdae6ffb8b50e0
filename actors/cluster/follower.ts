// Follows the log: brings what other engines found into the replica of this machine, change by change, then
// tells who listens. While the database or the shared folder is away it waits, and searches go on.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';
import { engineErrors, toFields } from '../../runtime/errors.ts';
import { rm, rmSync } from '../../runtime/files/names.ts';
import type { Log } from '../../runtime/log.ts';
import type { Ref } from '../../runtime/ref.ts';
import { Condition } from '../../runtime/sync/locks.ts';
import type { indexContract } from '../index/contract.ts';
import { type ReplicaAnswer, smallNames, type Write } from '../index/replica/contract.ts';
import { tidyInSteps } from '../index/store/compact-in-steps.ts';
import { databaseFile } from '../index/store/names.ts';
import { transferErrors } from '../library/transfer/contract.ts';
import { Alarm } from './alarm.ts';
import { clusterErrors } from './contract.ts';
import type { Database, ReplicaPosition } from './database.ts';
import type { ClusterExchange, Sealed } from './exchange.ts';
import { type ChangeBody, type ClusterChange, changeChannel, changesAfter } from './log.ts';
import type { RootPaths } from './places.ts';
import { listSnapshots } from './snapshots.ts';
import { begunHere, revived } from './written.ts';

/** Prefix of copies of results until the replica has them. */
const copyPrefix = 'change-';
/** Changes read at once. */
const TOGETHER = 100;
/** ms until the log is looked at without a notice, and until something that failed is tried again. */
const LOOK_EVERY = 1_000;
/** Attempts at a folder of results that is not what was sealed. */
const ATTEMPTS = 10;

export interface FollowerParts {
  readonly database: Database;
  readonly exchange: ClusterExchange;
  readonly index: Ref<typeof indexContract>;
  readonly places: RootPaths;
  readonly library: string;
  /** The replica. */
  readonly cacheDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeId: string;
  /** Called with each change when the replica has it, one after the other. */
  onChange(change: ClusterChange, written: ReplicaAnswer): Promise<void>;
  /** The log was cut before the replica had it, so it is not followed any more. */
  onCutOff(): void;
}

export class Follower {
  readonly #parts: FollowerParts;
  readonly #stop = new AbortController();
  readonly #moved = new Condition();
  readonly #alarm: Alarm;
  #position: ReplicaPosition;
  #latest: number;
  #missed = 0;
  #over: Promise<void> = Promise.resolve();
  #isUntidy = false;
  #tidying: Promise<void> | null = null;

  /** `position`: where the replica stands. */
  constructor(parts: FollowerParts, position: ReplicaPosition) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock);
    this.#position = position;
    this.#latest = position.seq;
  }

  /** The last change that the replica has. */
  get applied(): number {
    return this.#position.seq;
  }

  get position(): ReplicaPosition {
    return this.#position;
  }

  /** The last change that is known to be there. */
  get latest(): number {
    return Math.max(this.#latest, this.applied);
  }

  /** Changes whose results could not be read. */
  get missed(): number {
    return this.#missed;
  }

  begin(): void {
    const { cacheDir } = this.#parts;
    // Copies of results that a killed engine left.
    const leftovers = existsSync(cacheDir)
      ? readdirSync(cacheDir).filter((name) => name.startsWith(copyPrefix))
      : [];
    for (const name of leftovers) rmSync(join(cacheDir, name), { recursive: true, force: true });
    this.#parts.database.listen(changeChannel, (text) => {
      this.#latest = Math.max(this.#latest, Number(text));
      this.#alarm.ring();
    });
    const follow = async () => {
      const isMore = await this.#step();
      if (!isMore) this.#tidy();
      return isMore;
    };
    const complain = (error: string) =>
      this.#parts.log.error('the log of the cluster cannot be followed', { error });
    this.#over = this.#alarm.repeat(LOOK_EVERY, this.#stop.signal, follow, complain);
  }

  /** Resolves when the replica has this change. CANCELLED. */
  async until(seq: number, signal: AbortSignal): Promise<void> {
    this.#latest = Math.max(this.#latest, seq);
    const either = AbortSignal.any([signal, this.#stop.signal]);
    while (this.applied < seq) {
      if (either.aborted) throw engineErrors.CANCELLED();
      await this.#moved.wait(either);
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#over;
    await this.#tidying;
  }

  /** Frees what removed and replaced results take, while changes are applied. */
  #tidy(): void {
    if (!this.#isUntidy || this.#tidying !== null) return;
    const { index, cacheDir } = this.#parts;
    this.#isUntidy = false;
    this.#tidying = tidyInSteps(index, cacheDir, this.#stop.signal)
      // The next change tries again.
      .catch(() => {})
      .finally(() => {
        this.#tidying = null;
      });
  }

  /** True when there may be more. */
  async #step(): Promise<boolean> {
    const { database, library, cacheDir } = this.#parts;
    const { applied } = this;
    const page = await changesAfter(database.anyVersion, library, this.#position, TOGETHER);
    const { cut, last, tables, changes } = page;
    // It could take a change for another one, and would not be equal to other replicas any more.
    database.expectSupported(tables);
    if (cut > applied) return this.#leave(cut, 'the log was cut while this machine was away', cut);
    if (!page.stands)
      return this.#leave(cut, 'the database is another one than this machine had followed', applied);
    if (!existsSync(databaseFile(cacheDir)))
      return this.#leave(cut, 'the analysis folder was removed', applied);
    const next = changes[0]?.seq ?? last + 1;
    if (next > applied + 1) return this.#overLeap(cut, applied + 1, next - 1);
    const end = gapIn(changes);
    for (let at = 0; at < end; ) {
      this.#stop.signal.throwIfAborted();
      const some = changes.slice(at, Math.min(end, smallUntil(changes, at)));
      const written = some.length > 0 ? await this.#applySmall(some) : [await this.#apply(changes[at]!)];
      for (const outcome of written) await this.#has(changes[at++]!, outcome);
    }
    return end < changes.length || changes.length === TOGETHER;
  }

  /** Changes that the database has lost, though nobody cut them: a snapshot may have them. */
  async #overLeap(cut: number, first: number, last: number): Promise<boolean> {
    const { database, library, log } = this.#parts;
    const lost = `the log lacks changes ${first} to ${last}`;
    const [snapshot] = await listSnapshots(database, library);
    if (snapshot !== undefined && snapshot.seq >= last) return this.#leave(cut, lost, last);
    log.error(`${lost}, and no snapshot has them: what they held is missing here`, { first, last });
    this.#missed += last - first + 1;
    await this.#noteMissed();
    this.#position = { seq: last, at_ms: 0 };
    this.#moved.notifyAll();
    return true;
  }

  async #has(change: ClusterChange, written: ReplicaAnswer): Promise<void> {
    this.#latest = Math.max(this.#latest, change.seq);
    this.#position = { seq: change.seq, at_ms: change.at_ms };
    await this.#tell(change, written);
    this.#isUntidy ||= frees(change.body);
    this.#moved.notifyAll();
  }

  /** Applies changes that are flushed together. Returns their results, or rejects with the first error. */
  async #applySmall(changes: readonly ClusterChange[]): Promise<readonly ReplicaAnswer[]> {
    const { index, places, cacheDir: cache_dir, library } = this.#parts;
    const all = places.own(changes).map(({ seq, at_ms, body }) => {
      const [write = null] = body.kind === 'write' ? revived(body.write) : [];
      return { seq, at_ms, write };
    });
    const small = { cache_dir, library, changes: all };
    const { written } = await index.ask('apply_small', small, { lane: 'now' });
    return written;
  }

  /** A new process starts from a snapshot, or from the beginning of the log, where that is there. */
  async #leave(cut: number, why: string, change: number): Promise<false> {
    const { database, library, exchange, log, onCutOff } = this.#parts;
    const [snapshot] = await listSnapshots(database, library);
    if (snapshot === undefined && cut > 0)
      throw clusterErrors.SNAPSHOT_DAMAGED(`The log begins behind change ${cut}, and there is no snapshot`);
    if (snapshot !== undefined) await exchange.expectSealed(snapshot.sealed);
    log.warn(`${why}: it takes the whole library again`, { change });
    this.#stop.abort();
    onCutOff();
    return false;
  }

  /** A change that is not told is one of the replica all the same. */
  async #tell(change: ClusterChange, written: ReplicaAnswer): Promise<void> {
    try {
      await this.#parts.onChange(change, written);
    } catch (error) {
      this.#parts.log.warn('a change could not be reported', {
        change: change.seq,
        reason: toFields(error).message,
      });
    }
  }

  async #apply({ seq, at_ms, body }: ClusterChange): Promise<ReplicaAnswer> {
    const { index, places, exchange, cacheDir: cache_dir, library } = this.#parts;
    const sealed = 'sealed' in body ? body.sealed : null;
    const from = sealed === null ? null : await this.#take(sealed, seq);
    const isLibrary = body.kind === 'library';
    if (from !== null && isLibrary) await exchange.merge(from, cache_dir);
    const change = { cache_dir, library, seq, at_ms, from: isLibrary ? null : from };
    const write = body.kind === 'write' ? revived(places.own(body.write)) : null;
    const apply = (localWrite: Write | null) =>
      index.ask('apply', { ...change, write: localWrite }, { lane: 'now' });
    const written = await (write === null ? apply(null) : begunHere(index, cache_dir, write, apply));
    if (from !== null) await rm(from, { recursive: true, force: true });
    return written;
  }

  /** An incomplete replica is not used for a snapshot. */
  async #noteMissed(): Promise<void> {
    const { database, nodeId } = this.#parts;
    await database.query('update framehound.node set missed = missed + 1 where id = $1', [nodeId]);
  }

  /** Null where it cannot be had any more. */
  async #take(sealed: Sealed, seq: number): Promise<string | null> {
    const { exchange, cacheDir, log } = this.#parts;
    const { signal } = this.#stop;
    const into = join(cacheDir, `${copyPrefix}${seq}`);
    if (existsSync(databaseFile(into))) return into;
    for (let attempt = 1; ; ) {
      try {
        await exchange.take(sealed, into, signal);
        return into;
      } catch (error) {
        signal.throwIfAborted();
        // A folder that is away comes back; files that are damaged stay so.
        if (transferErrors.LIBRARY_DAMAGED.is(error) && ++attempt > ATTEMPTS) {
          log.error('what a worker found is damaged in the shared folder, and is missing here', {
            change: seq,
            reason: error.message,
          });
          this.#missed++;
          await this.#noteMissed();
          return null;
        }
        log.warn('what a worker found cannot be read yet', {
          change: seq,
          reason: toFields(error).message,
        });
        await this.#alarm.wait(LOOK_EVERY, signal);
      }
    }
  }
}

const small: ReadonlySet<string> = new Set(smallNames);

/** The end of those at the beginning that follow each other. */
function gapIn(changes: readonly ClusterChange[]): number {
  const end = changes.findIndex(({ seq }, at) => at > 0 && seq !== changes[at - 1]!.seq + 1);
  return end === -1 ? changes.length : end;
}

/** The end of the small changes that begin at `from`. */
function smallUntil(changes: readonly ClusterChange[], from: number): number {
  const isSmall = ({ body }: ClusterChange) =>
    body.kind === 'write'
      ? body.write.length === 1 && small.has(body.write[0]!.name)
      : body.kind === 'task' || body.sealed === null;
  const end = changes.findIndex((change, at) => at >= from && !isSmall(change));
  return end === -1 ? changes.length : end;
}

const freeing = ['remove_media', 'delete_people', 'remove_summaries', 'commit_summary'];

/** True if the change may leave data of before. */
function frees(body: ChangeBody): boolean {
  if (body.kind === 'write') return body.write.some(({ name }) => freeing.includes(name));
  return body.kind === 'results' && body.standing.end !== null;
}

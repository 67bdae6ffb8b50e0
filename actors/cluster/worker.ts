// Takes jobs, analyses their files into a folder of their own, and commits: one transaction makes the results
// count and ends the job. So whoever lost a job changes nothing any more.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';
import { toFields } from '../../runtime/errors.ts';
import { makeFolder } from '../../runtime/files/folder.ts';
import { rm } from '../../runtime/files/names.ts';
import type { Log } from '../../runtime/log.ts';
import type { Ref } from '../../runtime/ref.ts';
import type { Analysis, AnalysisRequest, EarlierRuns, WorkResult } from '../analysis/contract.ts';
import type { Amounts } from '../analysis/progress.ts';
import type { indexContract } from '../index/contract.ts';
import { peopleErrors } from '../index/people/contract.ts';
import type { Root } from '../index/roots/contract.ts';
import { storeErrors } from '../index/store/contract.ts';
import { databaseFile } from '../index/store/names.ts';
import { transferErrors } from '../library/transfer/contract.ts';
import { Alarm } from './alarm.ts';
import { clusterErrors } from './contract.ts';
import { type Database, deadQueue, fileQueue, jobChannel, type TakenJob } from './database.ts';
import { type ClusterExchange, openPlace, resultPlace, type Sealed } from './exchange.ts';
import type { Follower } from './follower.ts';
import { attachmentsOf, cutJob, facesFound, goOn, workersNow } from './jobs.ts';
import { isOvertaken, lastChange, lockLibrary, noteContents } from './log.ts';
import type { RunningNode } from './node.ts';
import { amountsOf, progressNotices } from './notices.ts';
import { type JobWork, piecesOf, requestOf, resultWithoutWork, steps } from './pieces.ts';
import { type RootPaths, readableIn } from './places.ts';
import { addResults, readRequest, readTask, standingAfter } from './task-rows.ts';

/** ms: until the queue is looked at, between two signs of life, and at most between jobs that fail. */
const [LOOK_EVERY, KEEP_EVERY, LONGEST_PAUSE] = [1_000, 3_000, 30_000];
/** ms that a job of several files should take: those of other tasks wait for it. */
const SLICE = 3_000;
/** Times that a clustering is made again because of corrections. */
const CLUSTER_AGAIN = 4;
/** Temporary errors of the shared folder: it is away, or full. */
const passing = [clusterErrors.SHARED_FOLDER, transferErrors.TRANSFER_FAILED, storeErrors.STORE_FULL];
/** Tasks whose requests are kept: those that take turns. */
const REQUESTS = 4;

export interface WorkerParts {
  readonly database: Database;
  readonly exchange: ClusterExchange;
  readonly follower: Follower;
  readonly node: Pick<RunningNode, 'isDraining'>;
  readonly places: RootPaths;
  /** Roots of this machine. */
  roots(): Promise<Root[]>;
  readonly analysis: Pick<Analysis, 'run'>;
  /** Index for work on files, which goes into a separate folder. */
  readonly files: Index;
  /** The same for work on the whole library, which is of the replica. */
  readonly whole: Index;
  readonly library: string;
  /** The replica. */
  readonly cacheDir: string;
  readonly nodeId: string;
  /** Where files are analysed, absolute: emptied at the beginning. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}

type Index = Ref<typeof indexContract>;

/** Result of a job. */
interface Outcome {
  /** The last change that the replica had when it was begun. */
  readonly since: number;
  readonly results: readonly WorkResult[];
  readonly amounts: Readonly<Record<string, Amounts>>;
  readonly sealed: Sealed | null;
}

/**
 * `lost`: somebody else has the job, or nobody any more. `overtaken`: it has to be done again; nothing was
 * changed.
 */
type CommitEnd = 'committed' | 'lost' | 'overtaken';

/** Work of a job; paths are by root. */
interface TakenWork extends JobWork {
  readonly task: string;
  /** Run of the task: a root that became known may change its paths when it is resumed. */
  readonly run: string;
}

export class Worker {
  readonly #parts: WorkerParts;
  readonly #stop = new AbortController();
  readonly #alarm: Alarm;
  /** Paths by root. */
  #working: readonly string[] = [];
  #over: Promise<void> = Promise.resolve();
  readonly #requests = new Map<string, AnalysisRequest>();
  /** ms that each file of the last job took; before it the machine is taken for a slow one. */
  #perFile = SLICE / 2;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock);
  }

  get working(): readonly string[] {
    return this.#working;
  }

  begin(): void {
    this.#parts.database.listen(jobChannel, () => this.#alarm.ring());
    this.#over = this.#run();
  }

  /** Its job is given back. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }

  async #run(): Promise<void> {
    const { folder, log } = this.#parts;
    const { signal } = this.#stop;
    // Removes remains of a killed engine.
    await rm(folder, { recursive: true, force: true });
    for (let faults = 0; !signal.aborted; ) {
      let pause = LOOK_EVERY;
      try {
        const isMore = await this.#next();
        faults = 0;
        if (isMore) continue;
      } catch (error) {
        if (!signal.aborted && !clusterErrors.DATABASE_AWAY.is(error)) {
          log.error('a job failed', { error: toFields(error).message });
          // A fault of this machine may not affect others, which get the jobs.
          pause = Math.min(LONGEST_PAUSE, LOOK_EVERY * 2 ** ++faults);
        }
      }
      await this.#alarm.wait(pause, signal);
    }
  }

  /** False when there was nothing to do. */
  async #next(): Promise<boolean> {
    const { database, node, follower, library } = this.#parts;
    if (node.isDraining) return false;
    const waiting = await database.waiting(library);
    if (waiting.jobs) {
      // A node that cannot follow the log takes no jobs.
      await follower.until(waiting.needed, this.#stop.signal);
      const roots = readableIn(await this.#parts.roots());
      const job = await database.takeJob({ library, ...follower.position, roots });
      if (job !== null) {
        await this.#work(job);
        return true;
      }
    }
    const dead = waiting.dead ? await database.takeDeadJob() : null;
    if (dead !== null) await this.#giveUp(dead);
    return dead !== null;
  }

  async #work(job: TakenJob): Promise<void> {
    const { database, exchange, clock, log } = this.#parts;
    const lost = new AbortController();
    const endKeeping = this.#keep(job, lost);
    const folder = join(this.#parts.folder, `${job.id}-${job.retryCount}`);
    try {
      const work = await this.#slice(job.id, await this.#workOf(job.id));
      if (work === null) {
        await database.transact((sql) => database.endJob(sql, fileQueue, job));
        return;
      }
      this.#working = work.paths;
      const since = clock.now();
      const outcome = await this.#found(job, work, folder, lost.signal);
      if (work.step === steps.files) this.#perFile = (clock.now() - since) / work.paths.length;
      // The transaction decides whether the job is still ours, because its answer may have been lost.
      const end = await this.#endOf(job, work, outcome);
      if (end === 'committed') {
        await this.#dropLeftovers(job);
        return;
      }
      if (end === 'overtaken') {
        const reason = 'what it was made of has changed meanwhile: it is done again';
        log.info(reason, { job: job.id });
        await database.giveBackJob(job, reason);
      } else log.warn('another worker has the job by now, or it was cancelled', { job: job.id });
      await exchange.drop(resultPlace(job));
    } finally {
      endKeeping();
      this.#working = [];
      await rm(folder, { recursive: true, force: true });
    }
  }

  /**
   * Removes what earlier attempts at an ended job left in the shared folder. One that was killed after it
   * had sealed its results did not remove them, and none can commit any more.
   */
  async #dropLeftovers(job: TakenJob): Promise<void> {
    const { exchange } = this.#parts;
    if (job.retryCount > 0) await exchange.drop(openPlace(job.data.job));
    for (let retryCount = 0; retryCount < job.retryCount; retryCount++)
      await exchange.drop(resultPlace({ id: job.id, retryCount }));
  }

  /** Null when the job was lost meanwhile. A fault gives it back. */
  async #found(job: TakenJob, work: TakenWork, folder: string, lost: AbortSignal): Promise<Outcome | null> {
    try {
      return await this.#analyse(job, work, folder, AbortSignal.any([this.#stop.signal, lost]));
    } catch (error) {
      if (lost.aborted) return null;
      const { database, exchange, log } = this.#parts;
      const isStopped = this.#stop.signal.aborted;
      if (isStopped && work.step === steps.files) {
        await exchange.keepOpen(job.data.job, folder).catch((fault: unknown) => {
          log.warn('interrupted work cannot be kept, so it begins again', {
            reason: toFields(fault).message,
          });
        });
      }
      const given = isStopped ? database.returnJob(job) : database.giveBackJob(job, toFields(error).message);
      await given.catch(() => {
        // It comes back when its heartbeat is missed.
      });
      throw error;
    }
  }

  /** Null when its task has ended. */
  async #workOf(job: string): Promise<TakenWork | null> {
    const [work] = await this.#parts.database.query<TakenWork>(
      `select task, started::text as run, step, paths, name
        from framehound.job j join framehound.task t on t.id = j.task where j.id = $1 and not j.ended`,
      [job],
    );
    return work ?? null;
  }

  /** The files that this worker is at for a short time only; the others are for whoever comes next. */
  async #slice(id: string, work: TakenWork | null): Promise<TakenWork | null> {
    const count = Math.max(1, Math.floor(SLICE / this.#perFile));
    if (work === null || work.step !== steps.files || work.paths.length <= count) return work;
    const { database, library } = this.#parts;
    const isCut = await database.transact(async (sql) => {
      // A cancelled task ends both jobs.
      await lockLibrary(sql, library);
      return cutJob(sql, database, { ...work, id }, count);
    });
    return isCut ? { ...work, paths: work.paths.slice(0, count) } : null;
  }

  /** Signs of life, until the answer is called. */
  #keep(job: TakenJob, lost: AbortController): () => void {
    const { database, clock } = this.#parts;
    let disarm = () => {};
    let isOver = false;
    const beat = () => {
      disarm = clock.after(KEEP_EVERY, async () => {
        // While the database is away nobody else can take it either.
        const isOurs = await database.keepJob(job).catch(() => true);
        if (!isOurs) lost.abort();
        if (!isOver && isOurs) beat();
      });
    };
    beat();
    return () => {
      isOver = true;
      disarm();
    };
  }

  async #analyse(job: TakenJob, work: TakenWork, folder: string, signal: AbortSignal): Promise<Outcome> {
    const { database, library, places, analysis, follower, files, whole } = this.#parts;
    const [isOfFiles, isClosing] = [work.step === steps.files, work.step === steps.closings];
    // Work on the library needs the results of files, which may also be the reason for another attempt.
    if (!isOfFiles || job.retryCount > 0) await follower.until(await lastChange(database, library), signal);
    const since = follower.applied;
    const request = await this.#requestFor(work, folder);
    makeFolder(folder);
    if (isOfFiles && job.retryCount > 0) await this.#parts.exchange.takeOpen(job.data.job, folder);
    for (const { number, bytes } of isClosing ? await attachmentsOf(database, work.task) : [])
      writeFileSync(join(folder, `${number}`), bytes, { mode: 0o600 });
    const results: WorkResult[] = [];
    const tell = progressNotices(this.#parts, work.task, job.id, await workersNow(database));
    const report = await analysis.run(
      {
        ...{ task_id: work.task, request, isWithoutClosings: isOfFiles },
        earlier: job.retryCount > 0 ? madeBefore(request) : null,
        attachment: (number) => join(folder, `${number}`),
      },
      {
        signal,
        index: isOfFiles ? files : whole,
        onEvent: (event) => {
          if (event.type !== 'result') tell(event);
          // Files of a clustering have their results already.
          else if (!isClosing || event.result.closing) results.push(event.result);
        },
      },
    );
    signal.throwIfAborted();
    const hasFound = isOfFiles && existsSync(databaseFile(folder));
    const sealed = hasFound ? await this.#sealed(job, folder, signal) : null;
    const amounts = isClosing ? {} : amountsOf(report.progress);
    return { since, results: places.shared(results), amounts, sealed };
  }

  async #requestFor(work: TakenWork, folder: string): Promise<AnalysisRequest> {
    const { database, places, cacheDir } = this.#parts;
    const request = await this.#asked(work);
    const pathsWithFaces = work.step === steps.closings ? await facesFound(database, work.task) : [];
    const cache_dir = work.step === steps.files ? folder : cacheDir;
    return { ...places.own(requestOf(request, work, new Set(pathsWithFaces))), cache_dir };
  }

  /** Request of a task, by root. It does not change in one run, and is large if it has many files. */
  async #asked({ task, run }: TakenWork): Promise<AnalysisRequest> {
    const key = `${task} ${run}`;
    const cachedRequest = this.#requests.get(key);
    if (cachedRequest !== undefined) return cachedRequest;
    const request = (await readRequest(this.#parts.database, task))!;
    this.#requests.set(key, request);
    const [oldest] = this.#requests.keys();
    if (this.#requests.size > REQUESTS) this.#requests.delete(oldest!);
    return request;
  }

  /** Results wait until the shared folder can be written. */
  async #sealed(job: TakenJob, folder: string, signal: AbortSignal): Promise<Sealed> {
    const { exchange, log } = this.#parts;
    for (let isTold = false; ; isTold = true) {
      try {
        return await exchange.seal(resultPlace(job), folder, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!passing.some((maker) => maker.is(error))) throw error;
        if (!isTold) log.warn('the shared folder cannot be written', { reason: toFields(error).message });
        await this.#alarm.wait(LOOK_EVERY, signal);
      }
    }
  }

  async #endOf(job: TakenJob, work: TakenWork, outcome: Outcome | null): Promise<CommitEnd> {
    if (outcome === null) return 'lost';
    const isOutdated = ({ error }: WorkResult) => error?.code === peopleErrors.CLUSTERING_CHANGED.code;
    if (job.retryCount < CLUSTER_AGAIN && outcome.results.some(isOutdated)) return 'overtaken';
    return this.#persist(job, work, outcome);
  }

  /** Results wait while the database is away. */
  async #persist(job: TakenJob, work: TakenWork, outcome: Outcome): Promise<CommitEnd> {
    const { signal } = this.#stop;
    for (;;) {
      try {
        return await this.#commit(fileQueue, job, work, outcome);
      } catch (error) {
        signal.throwIfAborted();
        if (!clusterErrors.DATABASE_AWAY.is(error)) throw error;
        await this.#alarm.wait(LOOK_EVERY, signal);
      }
    }
  }

  #commit(queue: string, job: TakenJob, work: TakenWork, outcome: Outcome): Promise<CommitEnd> {
    const { database, library, nodeId: node } = this.#parts;
    const { since, results, amounts, sealed } = outcome;
    const { job: id } = job.data;
    const ofFiles = work.step === steps.files ? results : [];
    const contents = ofFiles.flatMap(({ hash_str: hash, path }) => (hash === null ? [] : [{ hash, path }]));
    const { task: task_id } = work;
    return database.transact(async (sql) => {
      await lockLibrary(sql, library);
      const [row] = await sql.query<{ ended: boolean; attempt: number | null }>(
        'select ended, attempt from framehound.job where id = $1',
        [id],
      );
      // An attempt to commit whose answer was lost.
      if (row?.ended === true) return row.attempt === job.retryCount ? 'committed' : 'lost';
      if (await isOvertaken(sql, library, contents, since)) return 'overtaken';
      const task = await readTask(sql, task_id, true);
      if (task === null || !(await database.endJob(sql, queue, job))) return 'lost';
      await sql.query('update framehound.job set ended = true, attempt = $2 where id = $1', [
        id,
        job.retryCount,
      ]);
      const isLast = !(await goOn(sql, database, task_id, work.step));
      const standing = standingAfter(task, { results, amounts, isLast });
      const seq = await addResults(sql, { library, node }, task, { job: id, results, sealed, standing });
      await noteContents(sql, library, contents, seq);
      return 'committed';
    });
  }

  /** It was tried often enough: its work fails. */
  async #giveUp(dead: TakenJob): Promise<void> {
    const { database } = this.#parts;
    const work = await this.#workOf(dead.data.job);
    if (work === null) {
      await database.transact((sql) => database.endJob(sql, deadQueue, dead));
      return;
    }
    const request = await this.#asked(work);
    const { code, meaning } = clusterErrors.GIVEN_UP;
    const results = piecesOf(request)(work).map((piece) =>
      resultWithoutWork(piece, 'failed', { code, message: `${piece.path}: ${meaning.toLowerCase()}` }),
    );
    const nothing = { since: 0, amounts: {}, sealed: null };
    await this.#commit(deadQueue, dead, work, { ...nothing, results });
  }
}

/**
 * For a job whose worker was lost: a summary of that name is the one that it made. One that is to replace
 * another is made again.
 */
function madeBefore({ summary_jobs, force }: AnalysisRequest): EarlierRuns {
  const replaced = new Set(summary_jobs.filter((job) => job.replace_existing).map(({ path }) => path));
  const finished = (type: string, path: string) => type === 'summary' && !force && !replaced.has(path);
  return { percentage: 0, finished };
}

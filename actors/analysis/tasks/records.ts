// The record of every task, in the home folder, for this engine and all others that share it:
//
//   <id>.request.json    what was asked for, written once
//   <id>.<run>.json      how a run stands; written by the engine that runs it, and by no other
//   <id>.results.ndjson  the results of its files
//
// An engine that creates the file of the next run has the task, so of two that resume it at once one wins. A
// run whose engine has ended without ending the run is interrupted.
import { statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { reasonOf } from '../../../runtime/errors.ts';
import { createFile, flushFolder, replaceFile } from '../../../runtime/files/atomic-write.ts';
import { makeFolder } from '../../../runtime/files/folder.ts';
import { type JsonFields, readJson } from '../../../runtime/files/json-file.ts';
import { isAlive, LockHolder } from '../../../runtime/files/lock.ts';
import { discardSync, rmSync } from '../../../runtime/files/names.ts';
import type { Log } from '../../../runtime/log.ts';
import { type PathMap, withTexts } from '../../index/store/path-map.ts';
import { type AnalysisRequest, analysisErrors, type ResultPage, type WorkResult } from '../contract.ts';
import { amountFields, count, fileResult, noneDone, workKey, workResult } from '../result.ts';
import { requestSchema } from '../schemas.ts';
import type { StageKind } from '../stages/kind.ts';
import {
  type FileResult,
  type TaskDetail,
  type TaskSnapshot,
  type TaskSource,
  type TaskState,
  taskSnapshot,
} from './contract.ts';
import {
  type Attachments,
  attachmentPath,
  openResults,
  readFailures,
  readPage,
  readResults,
  removeAttachments,
  replaceResults,
  writeAttachments,
} from './results.ts';
import { newTask, nowhere } from './run-tally.ts';

function taskRecord(kinds: readonly StageKind[]) {
  return Type.Object({
    version: Type.Literal(1),
    /** An engine: a process may start several, one after the other. */
    owner: LockHolder,
    /** Unix seconds; a run that goes on is saved every few seconds. */
    saved: Type.Number(),
    task: taskSnapshot(kinds),
  });
}

interface TaskRecord extends Omit<Static<ReturnType<typeof taskRecord>>, 'task'> {
  readonly task: TaskSnapshot;
}

/** A run that this engine has. */
export interface ActiveRun {
  readonly task: TaskSnapshot;
  readonly request: AnalysisRequest;
  /** Results of earlier runs by `workKey`; null in the first run. *Owned by the caller.* */
  readonly earlier: Map<string, WorkResult> | null;
  /** Work in quarantine is tried again. */
  readonly retries?: boolean;
  /** Path of what came with the request. */
  attachment(number: number): string;
  append(result: WorkResult): void;
  /** Replaces the record at once, so that others see how it stands. */
  save(task: TaskSnapshot): void;
  /** Records the end; *flushed* when answered. */
  end(task: TaskSnapshot): void;
  /** The run never began. */
  discard(): void;
}

/** A task that is recorded runs at once, or waits. */
export type FirstState = Extract<TaskState, 'queued' | 'running'>;

export interface NewTask {
  readonly request: AnalysisRequest;
  readonly attachments: Attachments;
  readonly source: TaskSource;
}

export interface RecordParts {
  readonly folder: string;
  readonly kinds: readonly StageKind[];
  readonly self: LockHolder;
  /** Unix seconds. */
  readonly now: () => number;
  readonly log: Log;
  /** How paths are stored in requests and results, so that a task goes on when its root has moved. */
  readonly paths: () => PathMap;
  readonly hasEnded?: (owner: LockHolder) => boolean;
}

/** Records kept of each source: that many that ended, that many that were interrupted. */
const KEPT = 200;
/** A run of another machine that was not saved for this long has ended; its process cannot be asked for. */
const SILENT_SECONDS = 60;
/** ms after which a file system gives another change another time, also where it counts by two seconds. */
const SETTLED_MS = 2_500n;
const runName = /^([0-9a-zA-Z-]{1,64})\.(\d{1,9})\.json$/;

export class TaskRecords {
  readonly #parts: RecordParts;
  /** Runs that are over, by the name of their file; such a file changes no more. */
  readonly #over = new Map<string, TaskSnapshot>();
  readonly #complained = new Set<string>();
  /** The latest runs, and the time of the folder when they were read; null while it may change unseen. */
  #listing: { readonly time: bigint; readonly runs: ReadonlyMap<string, number> } | null = null;
  #lastCreated = 0;

  constructor(parts: RecordParts) {
    this.#parts = parts;
  }

  /** *Flushed* when answered. Throws HOME_UNWRITABLE. */
  async create(task_id: string, input: NewTask, state: FirstState): Promise<ActiveRun> {
    const { request, attachments, source } = input;
    const paths = this.#parts.paths();
    // Later than every one before it, so that the newest is always known.
    this.#lastCreated = Math.max(this.#parts.now(), this.#lastCreated + 0.001);
    const task = newTask(this.#parts.kinds, { task_id, request, source, state, now: this.#lastCreated });
    try {
      makeFolder(this.#parts.folder);
      createFile(this.#run(task_id, 1), this.#record(task), { flush: true });
      writeAttachments(this.#parts.folder, task_id, attachments);
      const stored = withTexts(request, (text) => paths.stored(text));
      replaceFile(this.#request(task_id), JSON.stringify(stored), { flush: true });
      return this.#own(task, 1, request, null);
    } catch (error) {
      this.#withdraw(task_id);
      throw unwritable(this.#parts.folder, error);
    }
  }

  /** Request of the task. Throws like `claim`, and changes nothing. */
  async claimable(task_id: string): Promise<AnalysisRequest> {
    return (await this.#claimed(task_id)).request;
  }

  async #claimed(task_id: string): Promise<{ run: number; task: TaskSnapshot; request: AnalysisRequest }> {
    const run = (await this.#latest()).get(task_id);
    if (run === undefined) throw unknown(task_id);
    const task = await this.#read(task_id, run);
    if (!task) throw unknown(task_id);
    if (task.ended === null)
      throw analysisErrors.TASK_RUNNING(`Task ${task_id} is ${task.state}`, { task_id });
    return { run, task, request: await this.#readRequest(task_id) };
  }

  /** Begins the next run. Throws TASK_UNKNOWN, TASK_RUNNING, TASK_DAMAGED, HOME_UNWRITABLE. */
  async claim(task_id: string, state: FirstState): Promise<ActiveRun> {
    const { run, task, request } = await this.#claimed(task_id);
    const { created, progress, source } = task;
    const query = { task_id, request, source, state, now: this.#parts.now() };
    const next = { ...newTask(this.#parts.kinds, query), created, progress };
    try {
      if (!createFile(this.#run(task_id, run + 1), this.#record(next), { flush: true })) {
        throw analysisErrors.TASK_RUNNING(`Task ${task_id} has been resumed by another process`, { task_id });
      }
      const earlier = await readResults(this.#results(task_id));
      // Cancelled work has no result in the new run; failed work keeps its reason until it is tried.
      for (const [path, { outcome }] of earlier) if (outcome === 'cancelled') earlier.delete(path);
      await replaceResults(this.#results(task_id), earlier.values());
      flushFolder(this.#parts.folder);
      const results = this.#shown([...earlier.values()]).map((file) => {
        return [workKey(file), workResult(this.#parts.kinds, file)] as const;
      });
      return this.#own(next, run + 1, request, new Map(results));
    } catch (error) {
      if (analysisErrors.TASK_RUNNING.is(error)) throw error;
      discardSync(this.#run(task_id, run + 1));
      throw unwritable(this.#parts.folder, error);
    }
  }

  async list(): Promise<TaskSnapshot[]> {
    const runs = await this.#latest();
    const names = new Set([...runs].map(([id, run]) => `${id}.${run}`));
    for (const name of this.#over.keys()) if (!names.has(name)) this.#over.delete(name);
    const tasks = await Promise.all(
      [...runs].map(([id, run]) => this.#read(id, run).catch((error: unknown) => this.#complain(id, error))),
    );
    return tasks
      .filter((task) => task !== undefined)
      .sort((a, b) => b.created - a.created || (a.task_id < b.task_id ? 1 : -1));
  }

  /** Records the end of runs whose engine has ended without doing so; answers their tasks. */
  async endInterrupted(): Promise<TaskSnapshot[]> {
    const ended: TaskSnapshot[] = [];
    for (const [task_id, run] of await this.#latest()) {
      const path = this.#run(task_id, run);
      try {
        const record = await this.#readRecord(path);
        if (!record || record.task.ended !== null) continue;
        const task = await this.#standing(record);
        if (!task || task.ended === null) continue;
        // Flushed: a task that was told must not be told again after a power cut.
        replaceFile(path, JSON.stringify({ ...record, task }), { flush: true });
        ended.push(task);
      } catch (error) {
        this.#complain(task_id, error);
      }
    }
    return ended;
  }

  /** Throws TASK_UNKNOWN. */
  async get(task_id: string, page: ResultPage): Promise<TaskDetail> {
    const run = (await this.#latest()).get(task_id);
    const task = run === undefined ? undefined : await this.#read(task_id, run);
    if (!task) throw unknown(task_id);
    const { total, results } = await readPage(this.#results(task_id), page, run === 1);
    return { ...task, ...page, total_results: total, results: this.#shown(results) };
  }

  /** Results that say the work failed; none of a task that is not there. */
  async failures(task_id: string, most: number, signal: AbortSignal): Promise<FileResult[]> {
    return this.#shown(await readFailures(this.#results(task_id), most, signal));
  }

  /** Removes the oldest records beyond those that are kept. */
  async prune(): Promise<void> {
    const tasks = await this.list();
    const counts = new Map<string, number>();
    const runs = await this.#latest();
    for (const { task_id, state, source, ended } of tasks) {
      if (ended === null) continue;
      const kind = `${source} ${state === 'interrupted'}`;
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      if (count <= KEPT) continue;
      const last = runs.get(task_id) ?? 1;
      // It may have been resumed meanwhile.
      if (!this.#over.has(`${task_id}.${last}`)) continue;
      this.#remove(
        task_id,
        Array.from({ length: last }, (_, i) => i + 1),
      );
    }
  }

  #own(
    task: TaskSnapshot,
    run: number,
    request: AnalysisRequest,
    earlier: Map<string, WorkResult> | null,
  ): ActiveRun {
    const { task_id } = task;
    const path = this.#run(task_id, run);
    const results = openResults(this.#results(task_id));
    const write = (now: TaskSnapshot, flush: boolean) => replaceFile(path, this.#record(now), { flush });
    return {
      task,
      request,
      earlier,
      attachment: (number) => attachmentPath(this.#parts.folder, task_id, number),
      append: (result) => {
        const path = this.#parts.paths().stored(result.path);
        results.append(fileResult(this.#parts.kinds, { ...result, path }));
      },
      save: (now) => write(now, false),
      end: (now) => {
        try {
          results.close();
        } finally {
          write(now, true);
        }
      },
      discard: () => {
        results.close();
        if (run === 1) this.#remove(task_id, [1]);
        else rmSync(path, { force: true });
      },
    };
  }

  /** The latest run of every task. The folder is read again only when it has changed. */
  async #latest(): Promise<ReadonlyMap<string, number>> {
    const { folder } = this.#parts;
    const time = await stat(folder, { bigint: true }).then(
      ({ mtimeNs }) => mtimeNs,
      () => null,
    );
    if (this.#listing && this.#listing.time === time) return this.#listing.runs;
    const runs = new Map<string, number>();
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw damaged(folder, error);
    });
    for (const name of names) {
      const [, id, run] = runName.exec(name) ?? [];
      if (id !== undefined) runs.set(id, Math.max(runs.get(id) ?? 0, Number(run)));
    }
    // Another change within the resolution of the file system's clock would leave the time as it is.
    const isSettled = time !== null && BigInt(Date.now()) - time / 1_000_000n > SETTLED_MS;
    this.#listing = isSettled ? { time, runs } : null;
    return runs;
  }

  /** The current snapshot; undefined if it was removed meanwhile or was never complete. */
  async #read(task_id: string, run: number): Promise<TaskSnapshot | undefined> {
    const name = `${task_id}.${run}`;
    const over = this.#over.get(name);
    if (over) return over;
    const record = await this.#readRecord(this.#run(task_id, run));
    if (!record) return undefined;
    const task = await this.#standing(record);
    if (task && task.ended !== null) this.#over.set(name, task);
    return task;
  }

  async #standing({ task, owner, saved }: TaskRecord): Promise<TaskSnapshot | undefined> {
    if (task.ended !== null || !this.#hasEnded(owner, saved)) return task;
    // Its engine died before the request was on the disk, so its id was never answered.
    if (!statSync(this.#request(task.task_id), { throwIfNoEntry: false })) return undefined;
    const { kinds } = this.#parts;
    const counts = noneDone(kinds, task.counts.files, task.counts.jobs);
    const results = await readResults(this.#results(task.task_id));
    for (const result of results.values()) count(counts, workResult(kinds, result));
    const ended = { state: 'interrupted', ended: saved, estimated_remaining_seconds: null } as const;
    return { ...task, ...ended, ...nowhere, counts };
  }

  #hasEnded(owner: LockHolder, saved: number): boolean {
    const { now, hasEnded } = this.#parts;
    if (hasEnded) return hasEnded(owner);
    const alive = isAlive(owner);
    return alive === 'unknown' ? now() - saved > SILENT_SECONDS : !alive;
  }

  async #readRecord(path: string): Promise<TaskRecord | undefined> {
    const { kinds } = this.#parts;
    // A record older than a stage has no fields of it, one older than sources is of a request.
    const record = await readJson(taskRecord(kinds), path, (value) => {
      const nothing: JsonFields = { source: 'request', ...nowhere, ...amountFields(kinds, undefined) };
      const task = { ...nothing, ...(value['task'] as JsonFields) };
      return {
        ...value,
        task: { ...task, counts: { ...noneDone(kinds, 0), ...(task['counts'] as JsonFields) } },
      };
    }).catch((error) => {
      throw damaged(path, error);
    });
    return record as TaskRecord | undefined;
  }

  async #readRequest(task_id: string): Promise<AnalysisRequest> {
    const { kinds } = this.#parts;
    const nothing = Object.assign({}, ...kinds.map((kind) => kind.nothing));
    // A record that is older than a stage asks for nothing of it.
    const path = this.#request(task_id);
    const paths = this.#parts.paths();
    const complete = (value: JsonFields) => ({
      ...nothing,
      ...withTexts(value, (text) => paths.shown(text)),
    });
    const request = await readJson(requestSchema(kinds), path, complete).catch((error) => {
      throw damaged(path, error);
    });
    if (!request) throw damaged(path, 'does not exist');
    return request as unknown as AnalysisRequest;
  }

  #shown(results: readonly FileResult[]): FileResult[] {
    const paths = this.#parts.paths();
    return results.map((result) => ({ ...result, path: paths.shown(result.path) }));
  }

  #complain(task_id: string, error: unknown): undefined {
    if (!this.#complained.has(task_id))
      this.#parts.log.warn('a task cannot be read and is not listed', { task_id, error });
    this.#complained.add(task_id);
  }

  #record(task: TaskSnapshot): string {
    const record: TaskRecord = { version: 1, owner: this.#parts.self, saved: this.#parts.now(), task };
    return JSON.stringify(record);
  }

  /** After another error. What cannot be removed counts as no task once this engine has ended. */
  #withdraw(task_id: string): void {
    try {
      this.#remove(task_id, [1]);
    } catch (error) {
      this.#parts.log.warn('what is left of a task cannot be removed', { task_id, error });
    }
  }

  /** The files of the runs last: as long as one is there, the others belong to a task. */
  #remove(task_id: string, runs: readonly number[]): void {
    removeAttachments(this.#parts.folder, task_id);
    const others = [this.#request(task_id), `${this.#request(task_id)}.part`, this.#results(task_id)];
    for (const path of [...others, ...runs.map((run) => this.#run(task_id, run))])
      rmSync(path, { force: true });
  }

  #run(task_id: string, run: number): string {
    return join(this.#parts.folder, `${task_id}.${run}.json`);
  }

  #request(task_id: string): string {
    return join(this.#parts.folder, `${task_id}.request.json`);
  }

  #results(task_id: string): string {
    return join(this.#parts.folder, `${task_id}.results.ndjson`);
  }
}

function damaged(path: string, error: unknown) {
  return analysisErrors.TASK_DAMAGED(`${path}: ${reasonOf(error)}`, { path }, error);
}

function unknown(task_id: string) {
  return analysisErrors.TASK_UNKNOWN(`There is no task ${task_id}`, { task_id });
}

function unwritable(folder: string, error: unknown) {
  return analysisErrors.HOME_UNWRITABLE(`${folder}: cannot be written (${String(error)})`, { folder }, error);
}

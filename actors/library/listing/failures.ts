// What failed last of each file, as the records of tasks tell it. What was read of a task is kept as long as
// it stands.
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { engineErrors } from '../../../runtime/errors.ts';
import type { Tasks } from '../../analysis/contract.ts';
import { isAnalysis } from '../../analysis/stages/kinds.ts';
import type { TaskSnapshot } from '../../analysis/tasks/contract.ts';
import type { HeldMedia } from '../../index/library/contract.ts';
import type { Failure } from './contract.ts';

/** Failures kept, those of the newest tasks first. */
const MOST = 200_000;
/** An end that lies farther ahead was recorded by a clock that was wrong: how far two machines may differ. */
const AHEAD_SECONDS = 300;

interface TaskFailure extends Failure {
  readonly type: string;
  /**
   * Unix seconds; infinite for a task that runs, 0 where the clock was wrong: then whatever is stored came
   * later.
   */
  readonly ended: number;
}

interface ReadTask {
  readonly mark: string;
  /** As many would have been read; infinite when these are all. */
  readonly most: number;
  readonly failures: readonly (Omit<TaskFailure, 'ended'> & { readonly path: string })[];
}

type Failures = ReadonlyMap<string, readonly TaskFailure[]>;

export class FailedWork {
  readonly #tasks: Pick<Tasks, 'list' | 'failures'>;
  readonly #now: () => number;
  /** By analysis folder: the failures of each path, the latest first, as long as `mark` says the same. */
  readonly #known = new Map<string, { readonly mark: string; readonly failures: Failures }>();
  /** By task, of the collection made last. */
  #read: ReadonlyMap<string, ReadTask> = new Map();

  /** `now`: Unix ms. */
  constructor(tasks: Pick<Tasks, 'list' | 'failures'>, now: () => number) {
    this.#tasks = tasks;
    this.#now = now;
  }

  async of(cacheDir: string, signal: AbortSignal): Promise<Failures> {
    const own = await realName(cacheDir);
    const all = await this.#tasks.list();
    const named = await Promise.all(
      [...new Set(all.map(({ request }) => request.cache_dir))].map(
        async (dir) => [dir, await realName(dir)] as const,
      ),
    );
    const isOwn = new Set(named.filter(([, real]) => real === own).map(([dir]) => dir));
    // What is made of a file, as a clip, says nothing of its analysis.
    const tasks = all.filter(
      ({ request, counts }) => isOwn.has(request.cache_dir) && counts.failed > 0 && isAnalysis(request.types),
    );
    const mark = tasks.map(markOf).join();
    const known = this.#known.get(own);
    if (known?.mark === mark) return known.failures;
    const failures = await this.#collect(tasks, signal);
    // Of one folder: a page asks for the same again and again.
    this.#known.clear();
    this.#known.set(own, { mark, failures });
    return failures;
  }

  async #collect(tasks: readonly TaskSnapshot[], signal: AbortSignal): Promise<Failures> {
    const found = new Map<string, TaskFailure[]>();
    const read = new Map<string, ReadTask>();
    let left = MOST;
    const most = this.#now() / 1000 + AHEAD_SECONDS;
    const ends = tasks.map((task) => ({ task, ended: endOf(task, most) }));
    for (const { task, ended } of ends.toSorted((a, b) => b.ended - a.ended)) {
      if (signal.aborted) throw engineErrors.CANCELLED();
      if (left <= 0) break;
      const own = await this.#of(task, left, signal);
      read.set(task.task_id, own);
      for (const { path, ...told } of own.failures) {
        const failure = { ...told, ended };
        const before = found.get(path);
        left--;
        if (before === undefined) found.set(path, [failure]);
        else if (!before.some(({ type }) => type === failure.type)) before.push(failure);
      }
    }
    // What is beyond the newest is not held.
    this.#read = read;
    return found;
  }

  async #of(task: TaskSnapshot, most: number, signal: AbortSignal): Promise<ReadTask> {
    const { task_id } = task;
    const mark = markOf(task);
    const known = this.#read.get(task_id);
    if (known?.mark === mark && known.most >= most) return known;
    const results = await this.#tasks.failures(task_id, most, signal);
    const failures = results.flatMap(({ path, type, error, closing }) =>
      error === null || closing ? [] : [{ ...error, path, type, task_id }],
    );
    return { mark, most: results.length < most ? Number.POSITIVE_INFINITY : most, failures };
  }
}

/** The latest that was not made good since; `held`: what is stored of the file now. */
export function standing(failures: readonly TaskFailure[], held: HeldMedia | null): Failure | null {
  const found = failures.find(({ type, ended }) => !isMadeGood(type, ended, held));
  if (found === undefined) return null;
  const { code, message, task_id } = found;
  return { code, message, task_id };
}

function isMadeGood(type: string, ended: number, held: HeldMedia | null): boolean {
  if (held === null) return false;
  // When a summary was stored is not told: there is one.
  if (type === 'summary') return held.summaries > 0;
  const stages = { video: held.visual, speech: held.transcript ? [held.transcript] : [], faces: held.faces };
  const stored = Object.hasOwn(stages, type) ? stages[type as keyof typeof stages] : [];
  return stored.some(({ stored_ms }) => (stored_ms ?? 0) / 1000 > ended);
}

function endOf({ ended }: TaskSnapshot, most: number): number {
  if (ended === null) return Number.POSITIVE_INFINITY;
  return ended > most ? 0 : ended;
}

function markOf({ task_id, state, started, ended, counts }: TaskSnapshot): string {
  return `${task_id} ${state} ${started} ${ended} ${counts.done} ${counts.failed}`;
}

async function realName(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder));
}

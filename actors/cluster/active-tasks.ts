// Tasks of the cluster that run, as this node has heard of them: by the log, and by the notices of workers.
// Their events are told from here.
import type { Clock } from '../../runtime/clock.ts';
import type { TaskListener } from '../analysis/contract.ts';
import { stageKinds } from '../analysis/stages/kinds.ts';
import type { TaskSnapshot } from '../analysis/tasks/contract.ts';
import type { Database } from './database.ts';
import type { ChangeBody, TaskStanding } from './log.ts';
import { noticeIn, progressChannel } from './notices.ts';
import type { RootPaths } from './places.ts';
import { type JobProgress, progressOfTask, readTask } from './task-rows.ts';

/** A change that is about a task. */
export type TaskChange = Extract<ChangeBody, { readonly kind: 'task' | 'results' }>;

export interface ActiveParts {
  readonly database: Database;
  readonly places: RootPaths;
  readonly clock: Clock;
  readonly listeners: { add(listener: TaskListener): () => void; readonly notify: TaskListener };
}

/** Paths are those of this machine. */
interface Active {
  readonly first: TaskSnapshot;
  /** Start by the clock of this engine, ms. */
  readonly began: number;
  standing: TaskStanding;
  /** Work in progress by job. */
  readonly underway: Map<string, JobProgress>;
}

export class ActiveTasks {
  readonly #parts: ActiveParts;
  readonly #active = new Map<string, Active>();

  constructor(parts: ActiveParts) {
    this.#parts = parts;
  }

  /** Hears of the work of other engines from now on. */
  follow(): void {
    this.#parts.database.listen(progressChannel, (text) => this.#heard(text));
  }

  /** Id of the one that runs for longest. */
  get first(): string | null {
    return this.#active.keys().next().value ?? null;
  }

  /** True if a worker reports that it generates a summary. */
  get summarizing(): boolean {
    return [...this.#active.values()].some(({ underway }) =>
      // Every job tells amounts of all kinds of work.
      [...underway.values()].some(({ amounts }) => (amounts['summary']?.all ?? 0) > 0),
    );
  }

  underway(task_id: string): Iterable<JobProgress> {
    return this.#active.get(task_id)?.underway.values() ?? [];
  }

  /** Answers the function that ends the subscription. */
  subscribe(listener: TaskListener): () => void {
    return this.#parts.listeners.add(listener);
  }

  /** The replica has this change. */
  async told(body: TaskChange): Promise<void> {
    const { places } = this.#parts;
    if (body.kind === 'task') {
      const { first } = body;
      const standing = { counts: first.counts, amounts: {}, end: null };
      this.#enter(places.own(first), standing, 0);
      const { counts, request } = first;
      const size = { files: counts.files, jobs: counts.jobs, types: request.types, percentage: 0 };
      this.#parts.listeners.notify(first.task_id, { type: 'start', ...size });
      return;
    }
    const { task_id, job, results, standing } = body;
    try {
      const active = this.#active.get(task_id) ?? (await this.#look(task_id));
      if (active !== null) {
        active.standing = standing;
        active.underway.delete(job);
      }
      for (const result of places.own(results))
        this.#parts.listeners.notify(task_id, { type: 'result', result });
      if (active !== null) this.#tellProgress(task_id, active);
    } finally {
      // Waiting callers learn of the end, even if other events could not be sent.
      if (standing.end !== null) {
        this.#active.delete(task_id);
        this.#parts.listeners.notify(task_id, { type: 'end', ...standing.end });
      }
    }
  }

  /** One that began before this engine. */
  async #look(task_id: string): Promise<Active | null> {
    const row = await readTask(this.#parts.database, task_id);
    if (row === null) return null;
    const { first, counts, amounts, started, now } = row;
    return this.#enter(this.#parts.places.own(first), { counts, amounts, end: null }, now - started);
  }

  #enter(first: TaskSnapshot, standing: TaskStanding, elapsed: number): Active {
    const began = this.#parts.clock.now() - elapsed * 1000;
    const active: Active = { first, standing, began, underway: new Map() };
    this.#active.set(first.task_id, active);
    return active;
  }

  #heard(text: string): void {
    const notice = text === '' ? null : noticeIn(text);
    const active = notice && this.#active.get(notice.task_id);
    if (!active) return;
    const { task_id, job, file, ...stand } = notice;
    active.underway.set(job, stand);
    if (file !== null)
      this.#parts.listeners.notify(task_id, { type: 'file', file: this.#parts.places.own(file) });
    this.#tellProgress(task_id, active);
  }

  #tellProgress(task_id: string, { first, standing, underway, began }: Active): void {
    const elapsed = (this.#parts.clock.now() - began) / 1000;
    const task = progressOfTask(stageKinds, first, standing, underway.values(), elapsed);
    this.#parts.listeners.notify(task_id, { type: 'task', task });
  }
}

// What a task is said to be, and which one an analysis would stop.
import type { Api } from '../../api.ts';
import { isAnalysis } from '../../task-kinds.ts';

export type Snapshot = Awaited<ReturnType<Api['listTasks']>>['tasks'][number];

/** It runs, or waits its turn. */
export function isActive({ state }: Pick<Snapshot, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'stopping';
}

export function runningAnalysis(tasks: readonly Snapshot[]): Snapshot | null {
  return tasks.find((task) => isActive(task) && isAnalysis(task.request.types)) ?? null;
}

/** A task that ended otherwise than it should can go on; so can one of which files failed. */
export function canResume({ state, counts }: Pick<Snapshot, 'state' | 'counts'>): boolean {
  return !isActive({ state }) && (state !== 'completed' || counts.failed + counts.jobs_failed > 0);
}

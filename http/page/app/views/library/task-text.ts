// What a task is said to be, and which one an analysis would stop. Pure.
import type { Api } from '../../api.ts';

export type Snapshot = Awaited<ReturnType<Api['listTasks']>>['tasks'][number];

/** Of kinds of work that run beside an analysis. */
const beside: readonly string[] = ['clips', 'pull', 'proxy'];

/** It runs, or waits its turn. */
export function isActive({ state }: Pick<Snapshot, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'stopping';
}

export function isAnalysis({
  request,
}: {
  readonly request: { readonly types: readonly string[] };
}): boolean {
  return request.types.some((type) => !beside.includes(type));
}

export function runningAnalysis(tasks: readonly Snapshot[]): Snapshot | null {
  return tasks.find((task) => isActive(task) && isAnalysis(task)) ?? null;
}

/** A task that ended otherwise than it should can go on; so can one of which files failed. */
export function canResume({ state, counts }: Pick<Snapshot, 'state' | 'counts'>): boolean {
  return !isActive({ state }) && (state !== 'completed' || counts.failed + counts.jobs_failed > 0);
}

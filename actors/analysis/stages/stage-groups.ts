// Puts the stages of a task into groups: those with the same reader and the same needs work on a file
// together.
import type { AnalysisRequest } from '../contract.ts';
import { hasWork, type Job } from './kind.ts';
import type { ReaderKind, Stage } from './stage.ts';

export interface StageJobs {
  readonly stage: Stage;
  readonly jobs: readonly Job[];
}

export interface StageGroup {
  readonly reads: ReaderKind;
  /** Types of work on the same file that come before. */
  readonly needs: readonly string[];
  /** At least one. */
  readonly stages: readonly StageJobs[];
}

/** What each stage is asked to do; stages without work are left out. A closing step is that of a name. */
export function jobsOf(
  stages: readonly Stage[],
  request: AnalysisRequest,
  isWithoutClosings = false,
): StageJobs[] {
  const asked = ({ items, ...job }: Job) => ({ items, name: isWithoutClosings ? null : job.name });
  return stages
    .map((stage) => ({ stage, jobs: stage.kind.jobsOf(request).map(asked).filter(hasWork) }))
    .filter(({ jobs }) => jobs.length > 0);
}

export function stageGroups(jobs: readonly StageJobs[]): StageGroup[] {
  const types = new Set(jobs.map(({ stage }) => stage.kind.type));
  const groups = new Map<string, StageGroup & { readonly stages: StageJobs[] }>();
  for (const one of jobs) {
    const { reads, kind } = one.stage;
    // What the task does not do is not waited for.
    const needs = kind.needs.filter((type) => types.has(type));
    const key = JSON.stringify([reads, needs]);
    const group = groups.get(key) ?? { reads, needs, stages: [] };
    group.stages.push(one);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Pieces of work of a stage: its files, each once, and a closing step for every job that has a name. */
export function piecesOf({ jobs }: Pick<StageJobs, 'jobs'>): {
  readonly paths: string[];
  readonly closing: string[];
} {
  const paths = new Set(jobs.flatMap(({ items }) => items.map(({ path }) => path)));
  return { paths: [...paths], closing: jobs.flatMap(({ name }) => (name === null ? [] : [name])) };
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type {
  AnalysisEvent,
  ResultPage,
  TaskEvent,
  TaskListener,
  TaskRequest,
  WorkResult,
} from '../../../actors/analysis/contract.ts';
import { fileResult, noneDone } from '../../../actors/analysis/result.ts';
import { stageKinds } from '../../../actors/analysis/stages/kinds.ts';
import type { FaceClusterJob, People } from '../../../actors/library/people/contract.ts';
import { faces } from '../../../cli/commands/faces.ts';
import { keptAlive } from '../../../cli/context.ts';
import { answering, fakeEngine, fakeHome } from '../fake-context.ts';
import { task as taskProgress } from '../task-progress.ts';
import { fakePeople } from './fake-people.ts';

export const clustering = {
  conflicts: ['the move of 2 faces to Ben contradicts a later merge'],
  lost_names: ['Carl'],
  kept_names: 1,
  kept_corrections: 2,
  sample_face_naming: {
    assignments: [{ name: 'Anna', cluster_id: 'c1', similarity: 0.714, runner_up: 0.2 }],
    unassigned: [{ name: 'Dora', reason: 'no_match' }],
  },
};

/** The closing step of the job. */
const closed: WorkResult = {
  path: 'family',
  type: 'faces',
  closing: true,
  hash_str: null,
  outcome: 'stored',
  reason: null,
  facts: { clustering },
  duration_seconds: 0,
  error: null,
};

/** As the record of the task has it when it has ended. */
const detail = {
  state: 'completed',
  request: { model_key: null, types: ['faces'] },
  results: [fileResult(stageKinds, closed)],
  total_results: 1,
  counts: noneDone(stageKinds, 1),
  ...{ progress: 100, elapsed_seconds: 1, error: null },
};

interface World {
  readonly job?: FaceClusterJob;
  readonly confirm?: (question: string) => Promise<boolean>;
  /** Thrown by the start of a task. */
  readonly refusal?: Error;
  readonly modify?: People['modify'];
}

export function world(t: TestContext, { job, confirm, refusal, modify }: World = {}) {
  const home = fakeHome(t);
  const { people, changed } = fakePeople(job);
  const started: TaskRequest[] = [];
  let listener: TaskListener = () => {};
  const run = async () => {
    const end: TaskEvent = { type: 'end', state: 'completed', error: null };
    const task: AnalysisEvent = { type: 'task', task: taskProgress };
    for (const event of [task, { type: 'result', result: closed } as const, end]) listener('t', event);
  };
  const tasks = {
    subscribe: (hear: TaskListener) => {
      listener = hear;
      return () => {};
    },
    start: async (request: TaskRequest) => {
      if (refusal) throw refusal;
      started.push(request);
      await run();
      return { task_id: 't' };
    },
    get: async (_: string, { offset }: ResultPage) => ({ ...detail, results: detail.results.slice(offset) }),
  };
  const reclustering = {
    ...people,
    ...(modify && { modify }),
    recluster: async (...request: Parameters<typeof people.recluster>) => {
      const answer = await people.recluster(...request);
      await run();
      return answer;
    },
  };
  const engine = fakeEngine({ people: reclustering, tasks });
  return {
    home: home.home,
    changed,
    started,
    run: async (...args: string[]) => {
      const context = home.context({
        ask: confirm ? answering(confirm) : null,
        startEngine: async () => engine,
      });
      const code = await keptAlive(faces(args, context));
      return { code, ...context.said() };
    },
  };
}

export function footage(home: string): string {
  const folder = join(home, 'footage');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.mp4'), 'x');
  return folder;
}

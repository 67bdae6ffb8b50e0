// Runs of an analysis with the stage of the test beside the stages there are.
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { allStages as stages } from '../../../../actors/analysis/analysis.ts';
import type { AnalysisEvent, AnalysisRequest, WorkResult } from '../../../../actors/analysis/contract.ts';
import type { Stage, StageRun } from '../../../../actors/analysis/stages/stage.ts';
import type { TaskContext } from '../../../../actors/analysis/stages/task-context.ts';
import type { FakeFile } from '../fake-file.ts';
import { world } from '../fakes.ts';
import { type CountStore, countStage } from './counting.ts';

/** How the stage of the test differs from the one that counts. */
export interface Change {
  readonly needs?: readonly string[];
  open?(task: TaskContext): Promise<void>;
  session?(session: StageRun, task: TaskContext): Partial<StageRun>;
}

function changed(store: CountStore, { needs = [], open, session }: Change): Stage {
  const stage = countStage(store);
  return {
    ...stage,
    kind: { ...stage.kind, needs },
    open: async (task) => {
      await open?.(task);
      const plain = await stage.open(task);
      return { ...plain, ...session?.(plain, task) };
    },
  };
}

export interface Asked {
  /** Looked at; all of the files unless told otherwise. */
  readonly looked?: readonly string[];
  readonly signal?: AbortSignal;
  readonly draining?: AbortSignal;
  onEvent?(event: AnalysisEvent): void;
}

/** An engine with the changed stage, and its runs. */
export async function runs(
  t: TestContext,
  files: readonly FakeFile[],
  change: Change = {},
  options: { decoders?: number; batch?: number } = {},
) {
  const store: CountStore = { files: new Map(), totals: new Map() };
  const w = await world(files, { decoders: 1, ...options, stages: [...stages, changed(store, change)] });
  t.after(() => w.end());
  /** Looks at the files, and counts all of them in one job. */
  const run = async ({ looked = w.paths, signal = new AbortController().signal, ...asked }: Asked = {}) => {
    const request = {
      cache_dir: join(w.folder, 'cache'),
      paths: [...looked],
      speech: [],
      face_jobs: [],
      summary_jobs: [],
      model_key: looked.length > 0 ? 'fake' : null,
      decode: 'exact',
      force: false,
      counted: [{ name: 'all', paths: w.paths }],
    } as AnalysisRequest;
    const results: WorkResult[] = [];
    /** Files and closing steps. */
    const done = { files: 0, all: 0 };
    const hear = (event: AnalysisEvent) => {
      if (event.type === 'result') results.push(event.result);
      if (event.type === 'task') {
        const { files, files_done, jobs, jobs_done } = event.task;
        Object.assign(done, { files: files_done + jobs_done, all: files + jobs });
      }
      asked.onEvent?.(event);
    };
    const { draining } = asked;
    const { report, error } = await w.analysis
      .run(
        { task_id: 'task', request, earlier: null },
        { signal, ...(draining && { draining }), onEvent: hear },
      )
      .then(
        (report) => ({ report, error: null }),
        (error: unknown) => ({ report: null, error }),
      );
    return { report, error, results, done, ends: results.map(endOf).sort() };
  };
  return { w, store, run };
}

function endOf({ type, path, outcome }: WorkResult): string {
  return `${type} ${path.split('/').at(-1)} ${outcome}`;
}

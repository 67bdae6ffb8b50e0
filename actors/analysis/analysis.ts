// The coordinator of analysis, the only one that writes: runs one task at a time in each place, its stages in
// groups.
import {
  type Analysis,
  type AnalysisReport,
  analysisErrors,
  type RunOptions,
  type TaskRun,
} from './contract.ts';
import { properties } from './media/properties.ts';
import { collectionIds, summaryNames } from './media/summarized.ts';
import { hasGone } from './media/survey.ts';
import { clipsStage } from './stages/clips/stage.ts';
import { facesStage } from './stages/faces/stage.ts';
import { GroupRunner } from './stages/group-runner.ts';
import { checkKinds, placeOf, type TaskPlace } from './stages/kind.ts';
import { stageKinds } from './stages/kinds.ts';
import { type AnalysisParts, ModelInUse, type StageParts, Summarizing } from './stages/parts.ts';
import { pictureStage } from './stages/picture/stage.ts';
import { proxyStage } from './stages/proxy/stage.ts';
import { pullStage } from './stages/pull/stage.ts';
import { soundsStage } from './stages/sounds/stage.ts';
import { speechStage } from './stages/speech/stage.ts';
import {
  jobsOf,
  piecesOf,
  type Stage,
  type StageGroup,
  type StageJobs,
  stageGroups,
  stageOf,
} from './stages/stage.ts';
import { summaryStage } from './stages/summary/stage.ts';
import { LastWork, TaskContext, WorkResults } from './stages/task-context.ts';
import { textStage } from './stages/text/stage.ts';
import { thingsStage } from './stages/things/stage.ts';
import { createTracker, type RunStart } from './stages/tracker.ts';

/** `stages`: all there are, unless a test brings its own. */
export function createAnalysis(given: AnalysisParts, stages: readonly Stage[] = allStages): Analysis {
  const active = new Set<TaskPlace>();
  const speechModel = new ModelInUse();
  const faceModel = new ModelInUse();
  const summarizing = new Summarizing();
  const parts: StageParts = { ...given, speechModel, faceModel, summarizing };
  return {
    properties: (request, signal) => properties(parts, request, signal),
    hasGone: (cache_dir, paths, signal) => hasGone(parts, cache_dir, paths, signal),
    summaryNames: (cache_dir, paths, signal) =>
      summaryNames(given.index, cache_dir, paths, { signal, lane: 'now' }),
    collections: (cache_dir, signal) => collectionIds(given.index, cache_dir, { signal, lane: 'now' }),
    get summarizing() {
      return summarizing.isUnderway;
    },
    get speechModel() {
      return speechModel.state;
    },
    get faceModel() {
      return faceModel.state;
    },
    run: async (run, options) => {
      const jobs = jobsOf(stages, run.request, run.isWithoutClosings);
      if (jobs.length === 0) throw analysisErrors.NO_FILES();
      const place = placeOf(jobs.map(({ stage }) => stage.kind));
      if (active.has(place)) throw analysisErrors.ANOTHER_TASK();
      active.add(place);
      try {
        const { index = parts.index } = options;
        return await runTask({ ...parts, index }, stages, jobs, run, options);
      } finally {
        active.delete(place);
      }
    },
  };
}

async function runTask(
  parts: StageParts,
  stages: readonly Stage[],
  jobs: readonly StageJobs[],
  run: TaskRun,
  { signal, draining, onEvent }: RunOptions,
): Promise<AnalysisReport> {
  const groups = stageGroups(jobs);
  const kinds = stages.map(({ kind }) => kind);
  const start = { ...pieces(jobs), percentage: run.earlier?.percentage ?? 0 };
  const results = expected(groups, start.files);
  const tracker = createTracker(kinds, start, parts.clock.now, (event) => {
    onEvent(event);
    if (event.type === 'result') results.tell(event.result);
  });
  // Each group surveys a file once for all of its stages.
  const paths = groups.flatMap((group) => [
    ...new Set(group.stages.flatMap((stageJobs) => piecesOf(stageJobs).paths)),
  ]);
  const last = new LastWork(groups);
  const task = new TaskContext(parts, run, { tracker, results, last, paths, signal, draining });
  // An error that ends one group ends the others too.
  await Promise.all(
    groups.map((group) => new GroupRunner(task, group).run().catch((error) => task.break(error))),
  );
  task.throwIfBroken();
  const { counts } = tracker;
  // A run whose last file was finished before it could stop has not been cut short.
  const isCutShort = counts.cancelled + counts.jobs_cancelled > 0;
  const isTold = signal.aborted || draining?.aborted === true;
  return { cancelled: isTold && isCutShort, counts, progress: tracker.progress() };
}

/** Pieces of work by type, and how many of all of them are closing steps. */
function pieces(jobs: readonly StageJobs[]): Pick<RunStart, 'files' | 'closings'> {
  let closings = 0;
  const files: Record<string, number> = {};
  for (const stageJobs of jobs) {
    const { paths, closing } = piecesOf(stageJobs);
    files[stageJobs.stage.kind.type] = paths.length + closing.length;
    closings += closing.length;
  }
  return { files, closings };
}

/** The results that other work waits for. */
function expected(groups: readonly StageGroup[], files: RunStart['files']): WorkResults {
  const results = new WorkResults(files);
  const paths = new Map(
    groups.flatMap(({ stages }) =>
      stages.map((stageJobs) => [stageJobs.stage.kind.type, new Set(piecesOf(stageJobs).paths)]),
    ),
  );
  const closings = groups.flatMap(({ stages }) =>
    stages.flatMap((stageJobs) =>
      piecesOf(stageJobs).closing.map((name) => ({ type: stageJobs.stage.kind.type, name })),
    ),
  );
  for (const { needs, stages } of groups) {
    for (const { type, name } of closings) if (needs.includes(type)) results.expectClosing(type, name);
    for (const { stage, jobs } of stages) {
      for (const { name, items } of jobs) {
        for (const { path } of items) {
          for (const type of needs) if (paths.get(type)?.has(path)) results.expect(type, path);
          if (name !== null) results.expect(stage.kind.type, path);
        }
      }
    }
  }
  return results;
}

// The stages there are, one for every kind of work.

const works = [
  pictureStage,
  speechStage,
  facesStage,
  textStage,
  thingsStage,
  soundsStage,
  summaryStage,
  clipsStage,
  pullStage,
  proxyStage,
] as const satisfies readonly Stage[];

checkKinds(stageKinds);

/** In the order of the kinds. Loading this module throws when one has no stage. */
export const allStages: readonly Stage[] = stageKinds.map(({ type }) => stageOf(works, type));

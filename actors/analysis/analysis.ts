// The coordinator of analysis, the only one that writes: runs one task at a time and sums it up.
import {
  type AnalysisEvent,
  type AnalysisReport,
  analysisErrors,
  type MediaPropertiesAnswer,
} from './contract.ts';
import { type PropertiesRequest, properties } from './properties.ts';
import { type AnalysisParts, Task, type TaskRun } from './task.ts';
import { createTracker } from './tracker.ts';

export interface RunOptions {
  readonly signal: AbortSignal;
  onEvent(event: AnalysisEvent): void;
}

export interface Analysis {
  /** What media files are; see `properties`. */
  properties(request: PropertiesRequest, signal: AbortSignal): Promise<MediaPropertiesAnswer>;
  /** Resolves when every file has its result; a run that is told to stop resolves too, with what was finished. */
  run(run: TaskRun, options: RunOptions): Promise<AnalysisReport>;
}

export function createAnalysis(parts: AnalysisParts): Analysis {
  let active = false;
  return {
    properties: (request, signal) => properties(parts, request, signal),
    run: async (run, options) => {
      if (run.request.paths.length === 0) throw analysisErrors.NO_FILES();
      if (active) throw analysisErrors.ANOTHER_TASK();
      active = true;
      try {
        return await runTask(parts, run, options);
      } finally {
        active = false;
      }
    },
  };
}

async function runTask(
  parts: AnalysisParts,
  run: TaskRun,
  { signal, onEvent }: RunOptions,
): Promise<AnalysisReport> {
  const model = await parts.embedder.ask('load', { model_key: run.request.model_key }, { signal });
  const tracker = createTracker(run.request.paths.length, parts.clock.now, onEvent);
  const broken = new AbortController();
  const until = AbortSignal.any([signal, broken.signal]);
  await new Task(parts, run, model, tracker, until, broken).run();
  // One reason for the whole task, not the same one for every file.
  if (broken.signal.aborted) throw broken.signal.reason;
  const { counts } = tracker;
  // A run whose last file was finished before it could stop has not been cut short.
  const cancelled = signal.aborted && counts.cancelled > 0;
  return { cancelled, model_key: model.model_key, counts, progress: tracker.progress() };
}

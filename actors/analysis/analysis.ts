// The coordinator of analysis, the only one that writes: takes one task at a time, journals it, and sums it up.
import { type AnalysisEvent, type AnalysisReport, type AnalysisRequest, analysisErrors } from './contract.ts';
import { type AnalysisParts, Task } from './task.ts';
import { createTracker } from './tracker.ts';

export interface RunOptions {
  readonly signal: AbortSignal;
  onEvent(event: AnalysisEvent): void;
}

export interface Analysis {
  /** Resolves when every file has its result; a cancelled task resolves too, with what was finished. */
  run(request: AnalysisRequest, options: RunOptions): Promise<AnalysisReport>;
}

export function createAnalysis(parts: AnalysisParts): Analysis {
  let active = false;
  return {
    run: async (request, options) => {
      if (request.paths.length === 0) throw analysisErrors.NO_FILES();
      if (active) throw analysisErrors.ANOTHER_TASK();
      active = true;
      try {
        return await runTask(parts, request, options);
      } finally {
        active = false;
      }
    },
  };
}

async function runTask(
  parts: AnalysisParts,
  request: AnalysisRequest,
  { signal, onEvent }: RunOptions,
): Promise<AnalysisReport> {
  const { journal, clock } = parts;
  const task_id = parts.newTaskId();
  journal.write({ type: 'task-start', task_id, request });
  let state = 'failed';
  try {
    const model = await parts.embedder.ask('load', { model_key: request.model_key }, { signal });
    const tracker = createTracker(request.paths.length, clock.now, onEvent);
    const broken = new AbortController();
    const until = AbortSignal.any([signal, broken.signal]);
    await new Task(parts, request, model, task_id, tracker, until, broken).run();
    // One reason for the whole task, not the same one for every file.
    if (broken.signal.aborted) throw broken.signal.reason;
    state = signal.aborted ? 'cancelled' : 'completed';
    return {
      task_id,
      cancelled: signal.aborted,
      model_key: model.model_key,
      results: tracker.results,
      progress: tracker.progress(),
    };
  } finally {
    journal.write({ type: 'task-end', task_id, state });
  }
}

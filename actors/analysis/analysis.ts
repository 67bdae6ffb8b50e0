// The coordinator of analysis, the only one that writes: runs one task at a time and sums it up.
import type { ModelState } from '../embedder/contract.ts';
import {
  type AnalysisEvent,
  type AnalysisReport,
  analysisErrors,
  type MediaPropertiesAnswer,
} from './contract.ts';
import { type PropertiesRequest, properties } from './media/properties.ts';
import { Looking } from './stages/picture/picture.ts';
import { SpeechModel } from './stages/speech/model.ts';
import { Listening } from './stages/speech/speech.ts';
import { type AnalysisParts, Task, type TaskRun } from './task.ts';
import { createTracker } from './tracker.ts';

export interface RunOptions {
  readonly signal: AbortSignal;
  onEvent(event: AnalysisEvent): void;
}

export interface Analysis {
  /** What media files are; see `properties`. */
  properties(request: PropertiesRequest, signal: AbortSignal): Promise<MediaPropertiesAnswer>;
  /** The speech model in use: one is only while a task listens. */
  readonly speechModel: ModelState;
  /** Resolves when every file has its result; a run that is told to stop resolves too, with what was finished. */
  run(run: TaskRun, options: RunOptions): Promise<AnalysisReport>;
}

export function createAnalysis(parts: AnalysisParts): Analysis {
  let active = false;
  const speechModel = new SpeechModel();
  return {
    properties: (request, signal) => properties(parts, request, signal),
    get speechModel() {
      return speechModel.state;
    },
    run: async (run, options) => {
      if (run.request.paths.length + run.request.speech.length === 0) throw analysisErrors.NO_FILES();
      if (active) throw analysisErrors.ANOTHER_TASK();
      active = true;
      try {
        return await runTask(parts, run, options, speechModel);
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
  speechModel: SpeechModel,
): Promise<AnalysisReport> {
  const { paths, speech, model_key } = run.request;
  const files = { video: paths.length, speech: speech.length };
  const tracker = createTracker(files, parts.clock.now, onEvent);
  const task = new Task(parts, run, tracker, signal);
  let used = model_key;
  const look = async () => {
    if (model_key === null) throw analysisErrors.INVALID_REQUEST('model_key: is needed to look at pictures');
    const model = await parts.embedder.ask('load', { model_key }, { signal });
    used = model.model_key;
    await new Looking(task, model).run();
  };
  const listen = () => new Listening(task, speechModel).run();
  const both = [...(files.video > 0 ? [look] : []), ...(files.speech > 0 ? [listen] : [])];
  // What keeps the one from working ends the other.
  await Promise.all(both.map((work) => work().catch((error) => task.break(error))));
  task.throwIfBroken();
  const { counts } = tracker;
  // A run whose last file was finished before it could stop has not been cut short.
  const cancelled = signal.aborted && counts.cancelled > 0;
  return { cancelled, model_key: used, counts, progress: tracker.progress() };
}

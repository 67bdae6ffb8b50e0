// One run of a task, as those who look and those who listen share it: what was asked for, where it is told, and how it ends.
import type { Clock } from '../../runtime/clock.ts';
import { engineErrors } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import type { Ref } from '../../runtime/ref.ts';
import type { SlotPool } from '../../runtime/slots.ts';
import type { decoderContract, PreviewShape } from '../decoder/contract.ts';
import type { diarizerContract } from '../diarizer/contract.ts';
import type { embedderContract } from '../embedder/contract.ts';
import type { indexContract } from '../index/contract.ts';
import { storeErrors } from '../index/store/contract.ts';
import type { transcriberContract } from '../transcriber/contract.ts';
import type { AnalysisRequest, WorkType } from './contract.ts';
import type { Journal } from './recovery/journal.ts';
import { Surveys } from './surveys.ts';
import type { Tracker } from './tracker.ts';

type Decoder = Ref<typeof decoderContract>;

/** What listens. */
export interface SpeechParts {
  /** The sound of one file each at a time. */
  readonly audioDecoders: readonly Decoder[];
  readonly transcriber: Ref<typeof transcriberContract>;
  readonly diarizer: Ref<typeof diarizerContract>;
}

export interface AnalysisParts {
  /** One film each at a time. */
  readonly decoders: readonly Decoder[];
  /** Null in an engine that only searches. */
  readonly speech: SpeechParts | null;
  /** Answers short questions, so that they never wait behind a film. */
  readonly prober: Decoder;
  readonly embedder: Ref<typeof embedderContract>;
  readonly index: Ref<typeof indexContract>;
  readonly pool: SlotPool;
  readonly journal: Journal;
  readonly preview: PreviewShape;
  readonly clock: Clock;
  readonly log: Log;
}

export interface TaskRun {
  readonly task_id: string;
  readonly request: AnalysisRequest;
  /** What earlier runs of the same task finished; null in its first run. */
  readonly earlier: EarlierRuns | null;
}

export interface EarlierRuns {
  finished(type: WorkType, path: string): boolean;
}

export class Task {
  readonly parts: AnalysisParts;
  readonly run: TaskRun;
  readonly tracker: Tracker;
  /** Aborted when the person wants no more, and when nothing more can be stored. */
  readonly signal: AbortSignal;
  readonly surveys: Surveys;
  readonly #broken = new AbortController();

  constructor(parts: AnalysisParts, run: TaskRun, tracker: Tracker, signal: AbortSignal) {
    this.parts = parts;
    this.run = run;
    this.tracker = tracker;
    this.signal = AbortSignal.any([signal, this.#broken.signal]);
    this.surveys = new Surveys(parts, run, this.pardon, this.signal);
  }

  get request(): AnalysisRequest {
    return this.run.request;
  }

  /** What was redone before the task was interrupted is not redone again. */
  redo(type: WorkType, path: string): boolean {
    return this.request.force && !this.run.earlier?.finished(type, path);
  }

  /** A pardon holds for one run: a file that ended the engine in it is not tried without being asked for again. */
  get pardon(): boolean {
    return this.request.force && !this.run.earlier;
  }

  /** What a file is told to have failed by; an error that concerns every file ends the task. */
  failure(path: string, error: unknown): unknown {
    if (endsTheTask(error)) this.break(error);
    // What the end of the task took along is not finished; its own reason is told once.
    return this.#broken.signal.aborted ? engineErrors.CANCELLED(`${path}: was not finished`) : error;
  }

  /** Nothing more is begun; `throwIfBroken` tells why. The first reason holds. */
  break(reason: unknown): void {
    this.#broken.abort(reason);
  }

  /** One reason for the whole task, not the same one for every file. */
  throwIfBroken(): void {
    if (this.#broken.signal.aborted) throw this.#broken.signal.reason;
  }
}

/** True for an analysis folder that takes nothing more, whichever file comes next. */
function endsTheTask(error: unknown): boolean {
  const { STORE_FULL, STORE_IN_USE, STORE_READ_ONLY, STORE_TOO_NEW, STORE_UNAVAILABLE } = storeErrors;
  return [STORE_FULL, STORE_IN_USE, STORE_READ_ONLY, STORE_TOO_NEW, STORE_UNAVAILABLE].some((row) =>
    row.is(error),
  );
}

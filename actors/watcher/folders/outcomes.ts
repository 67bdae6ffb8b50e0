// What became of the files of a task: results of their kinds of work come one by one.
import { type ErrorRow, engineErrors } from '../../../runtime/errors.ts';
import { analysisErrors, type WorkResult } from '../../analysis/contract.ts';
import type { TaskError } from '../../analysis/tasks/contract.ts';
import { mediaErrors } from '../../decoder/contract.ts';
import { facesErrors } from '../../faces/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';
import { modelErrors } from '../../models/contract.ts';
import { visualModelErrors } from '../../search/models/contract.ts';
import { textReaderErrors } from '../../text-reader/contract.ts';
import { thingsErrors } from '../../things/contract.ts';
import { speechErrors } from '../../transcriber/contract.ts';
import type { FileEnd, SeenFile } from '../contract.ts';

export interface Fault {
  readonly code: string;
  readonly message: string;
}

export interface FileOutcome extends SeenFile {
  readonly end: FileEnd;
  /** Why it was not analysed; null when it was, and when somebody stopped the work. */
  readonly fault: Fault | null;
}

const { MODEL_RUN_FAILED: _, ...modelRows } = modelErrors;
const { MEDIA_IN_WORK, STAGE_LOST, NOT_ANALYZED, NOT_LOADED, WRONG_DIMENSIONS, ...storeRows } = storeErrors;
const { NO_SPEECH_MODEL, LANGUAGE_UNSUPPORTED } = speechErrors;
const { HOME_UNWRITABLE, STOPPING, OTHER_MODEL } = analysisErrors;

/** Errors of the analysis folder, a model or the engine. */
const surroundings: Readonly<Record<string, ErrorRow>> = {
  ...modelRows,
  ...visualModelErrors,
  ...facesErrors,
  ...textReaderErrors,
  ...thingsErrors,
  ...storeRows,
  ...{ NO_SPEECH_MODEL, LANGUAGE_UNSUPPORTED, HOME_UNWRITABLE, STOPPING, OTHER_MODEL },
};
/** Errors that may be of one file. */
const others: Readonly<Record<string, ErrorRow>> = {
  ...{ MEDIA_IN_WORK, STAGE_LOST, NOT_ANALYZED, NOT_LOADED, WRONG_DIMENSIONS },
  ...engineErrors,
  ...analysisErrors,
  ...mediaErrors,
  ...speechErrors,
};

/**
 * Whom an error concerns. `file`: it comes again until the file changes. `attempt`: the same work on the file
 * may succeed. `surroundings`: any other file would have had it.
 */
export function scopeOf({ code }: Fault): 'file' | 'attempt' | 'surroundings' {
  if (code in surroundings) return 'surroundings';
  return others[code]?.retryable ? 'attempt' : 'file';
}

/** The closing step of a task: its result, or whether there will be one. */
export type Closing = WorkResult | 'awaited' | 'none';

/** `isComplete`: every kind of work on the file has a result. */
export function outcomeOf(
  results: readonly WorkResult[],
  isComplete: boolean,
  closing: Closing,
): Pick<FileOutcome, 'end' | 'fault'> {
  const faults = results.filter(({ outcome }) => outcome === 'failed').map(faultOf);
  // A fault of the file itself counts more than one that may pass.
  const fault = faults.find((one) => scopeOf(one) === 'file') ?? faults[0];
  if (fault) return { end: scopeOf(fault) === 'file' ? 'failed' : 'returned', fault };
  const isStopped = closing === 'awaited' || (closing !== 'none' && closing.outcome === 'cancelled');
  if (!isComplete || results.some(({ outcome }) => outcome === 'cancelled')) {
    return { end: 'returned', fault: null };
  }
  const hasFaces = results.some(
    ({ type, outcome }) => type === 'faces' && (outcome === 'analyzed' || outcome === 'stored'),
  );
  // Faces that are in no clustering are not done. A job without any is not closed, and that is no fault.
  if (hasFaces && typeof closing === 'object' && closing.outcome === 'failed') {
    const ofJob = faultOf(closing);
    if (ofJob.code !== analysisErrors.NO_MEDIA.code) {
      return { end: scopeOf(ofJob) === 'file' ? 'failed' : 'returned', fault: ofJob };
    }
  }
  return { end: isStopped ? 'returned' : 'analyzed', fault: null };
}

function faultOf({ error }: WorkResult): Fault {
  return error ?? { code: engineErrors.INTERNAL.code, message: engineErrors.INTERNAL.meaning };
}

export class TaskOutcomes {
  readonly #files: Map<string, { readonly file: SeenFile; readonly results: WorkResult[] }>;
  #kinds = Number.POSITIVE_INFINITY;
  #closing: Closing;

  /** `closes`: a closing step follows, for which files wait. */
  constructor(files: readonly SeenFile[], closes: boolean) {
    this.#files = new Map(files.map((file) => [file.path, { file, results: [] }]));
    this.#closing = closes ? 'awaited' : 'none';
  }

  /** The task has begun, with so many kinds of work on each file. */
  begin(kinds: number): void {
    this.#kinds = kinds;
  }

  /** The outcome of a file for which this was the last result; null for none. */
  add(result: WorkResult): FileOutcome | null {
    if (result.closing) this.#closing = result;
    const pending = result.closing ? undefined : this.#files.get(result.path);
    if (!pending) return null;
    pending.results.push(result);
    if (this.#closing !== 'none' || pending.results.length < this.#kinds) return null;
    this.#files.delete(result.path);
    return { ...pending.file, ...outcomeOf(pending.results, true, 'none') };
  }

  /** Of the other files when the task has ended, `error` being its own. */
  remaining(error: TaskError | null): FileOutcome[] {
    // When all have failed, each has an error of its own.
    const fault = error?.code === analysisErrors.ALL_FAILED.code ? null : error;
    return Array.from(this.#files.values(), ({ file, results }) => {
      const outcome = outcomeOf(results, results.length >= this.#kinds, this.#closing);
      return { ...file, ...outcome, ...(outcome.end === 'returned' && fault && { fault }) };
    });
  }
}

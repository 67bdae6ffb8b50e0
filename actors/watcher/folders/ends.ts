// What became of the files of a task: results of their pieces of work come one by one.

import { type ErrorRow, engineErrors } from '../../../runtime/errors.ts';
import type { TaskError, WorkResult } from '../../analysis/contract.ts';
import { analysisErrors } from '../../analysis/contract.ts';
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

export interface EndedFile extends SeenFile {
  readonly end: FileEnd;
  /** Why it was not analysed; null when it was, and when somebody stopped the work. */
  readonly fault: Fault | null;
}

const { MODEL_RUN_FAILED: _, ...modelFaults } = modelErrors;
const { NO_SPEECH_MODEL, LANGUAGE_UNSUPPORTED } = speechErrors;

/** They speak of the analysis folder, a model or the engine: any file would have had them. */
const ofEveryFile: ReadonlySet<string> = new Set([
  ...Object.keys({
    ...modelFaults,
    ...visualModelErrors,
    ...facesErrors,
    ...textReaderErrors,
    ...thingsErrors,
  }),
  ...Object.keys(storeErrors).filter((code) => code.startsWith('STORE_')),
  ...[NO_SPEECH_MODEL, LANGUAGE_UNSUPPORTED].map(({ code }) => code),
  ...[analysisErrors.HOME_UNWRITABLE, analysisErrors.STOPPING, analysisErrors.OTHER_MODEL].map(
    ({ code }) => code,
  ),
]);

const tables: Readonly<Record<string, ErrorRow>> = {
  ...engineErrors,
  ...analysisErrors,
  ...mediaErrors,
  ...storeErrors,
  ...modelErrors,
  ...speechErrors,
};

export function isOfEveryFile(code: string): boolean {
  return ofEveryFile.has(code);
}

/** The same work may succeed later: nothing has to be changed, or nothing of the file. */
export function mayPass(code: string): boolean {
  return isOfEveryFile(code) || tables[code]?.retryable === true;
}

interface Pieces {
  readonly file: SeenFile;
  left: number;
  /** Of the first piece that failed; a fault of the file itself counts more than one that may pass. */
  fault: Fault | null;
  cancelled: boolean;
  /** Its faces are stored. */
  hasFaces: boolean;
}

export class FileEnds {
  readonly #files: Map<string, Pieces>;
  /** Files of a job that is closed wait for that. */
  readonly #closes: boolean;
  #closing: WorkResult | null = null;

  /** `closes`: a closing step follows. */
  constructor(files: readonly SeenFile[], closes: boolean) {
    const fresh = { left: Number.POSITIVE_INFINITY, fault: null, cancelled: false, hasFaces: false };
    this.#files = new Map(files.map((file) => [file.path, { file, ...fresh }]));
    this.#closes = closes;
  }

  /** The task has begun, with so many pieces of work on each file. */
  begin(pieces: number): void {
    for (const one of this.#files.values()) one.left = pieces;
  }

  /** Answers the file that has ended with this result, if one has. */
  add(result: WorkResult): EndedFile | null {
    if (result.closing) {
      this.#closing = result;
      return null;
    }
    const pieces = this.#files.get(result.path);
    if (!pieces) return null;
    note(pieces, result);
    if (pieces.left > 0 || this.#closes) return null;
    return this.#ended(pieces);
  }

  /** Those that are left when the task has ended, `error` being its own. */
  rest(error: TaskError | null): EndedFile[] {
    // Then each of the files has an error of its own.
    const fault = error === null || analysisErrors.ALL_FAILED.code === error.code ? null : error;
    return [...this.#files.values()].map((pieces) => {
      if (pieces.left > 0) pieces.cancelled = true;
      const ended = this.#ended(pieces);
      return ended.end === 'returned' && fault ? { ...ended, fault } : ended;
    });
  }

  #ended(pieces: Pieces): EndedFile {
    const { file } = pieces;
    this.#files.delete(file.path);
    const fault = pieces.fault ?? (pieces.cancelled ? null : this.#closingFault(pieces));
    if (fault && !mayPass(fault.code)) return { ...file, end: 'failed', fault };
    if (fault || pieces.cancelled) return { ...file, end: 'returned', fault };
    const isLeft = this.#closes && (this.#closing === null || this.#closing.outcome === 'cancelled');
    return { ...file, end: isLeft ? 'returned' : 'analyzed', fault: null };
  }

  /** Faces that are in no clustering are not done. A job without any is not closed, and that is no fault. */
  #closingFault({ hasFaces }: Pieces): Fault | null {
    const closing = this.#closing;
    if (!hasFaces || closing?.outcome !== 'failed' || closing.error === null) return null;
    return analysisErrors.NO_MEDIA.code === closing.error.code ? null : closing.error;
  }
}

function note(pieces: Pieces, { type, outcome, error }: WorkResult): void {
  pieces.left--;
  if (outcome === 'cancelled') pieces.cancelled = true;
  if (type === 'faces' && (outcome === 'analyzed' || outcome === 'stored')) pieces.hasFaces = true;
  if (outcome !== 'failed') return;
  const fault = error ?? { code: engineErrors.INTERNAL.code, message: engineErrors.INTERNAL.meaning };
  if (pieces.fault === null || (mayPass(pieces.fault.code) && !mayPass(fault.code))) pieces.fault = fault;
}

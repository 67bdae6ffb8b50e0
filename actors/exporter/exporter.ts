// Renders transcripts as documents in a pool of threads. Rendering is stateless, it needs neither a model nor the store, so it
// is no actor.
//
// A thread is terminated when its request is cancelled. That is safe here, and only here: it runs no native library of ours.
import { basename } from 'node:path';
import { Piscina } from 'piscina';
import { engineErrors } from '../../runtime/errors.ts';
import { saveNew } from '../../runtime/files/save-new.ts';
import { moduleUrl } from '../../runtime/module-url.ts';
import {
  type Exporter,
  exportErrors,
  mimeTypes,
  type Rendered,
  type Transcript,
  type TranscriptAnswer,
  type TranscriptRequest,
} from './contract.ts';
import { fileName } from './filename.ts';
import { oneLine, rowsOf } from './rows.ts';

const THREADS = 2;
/** Documents that may wait for a thread; each holds its transcript. */
const WAITING = 16;
/** Idle threads end after this long. */
const IDLE_MS = 30_000;
/** Heap of one document; a PDF of the largest transcript allowed needs a third of it. */
const MOST_MEGABYTES = 2048;

/** `now`: ms since 1970, for the date in a document. Starts no thread before there is something to do. */
export function createExporter(now: () => number): Exporter {
  const pool = new Piscina<Transcript, Rendered>({
    filename: moduleUrl('./render', import.meta.url).href,
    name: 'render',
    minThreads: 0,
    maxThreads: THREADS,
    maxQueue: WAITING,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
  });

  let closed = false;
  const rendered = async (transcript: Transcript, signal: AbortSignal): Promise<Rendered> => {
    try {
      return await pool.run(transcript, { signal });
    } catch (error) {
      if (closed) throw engineErrors.CANCELLED('the exporter is closed', {}, error);
      throw renderError(error, signal);
    }
  };

  return {
    transcript: async (request, signal) => {
      const { format, segments, output_dir } = request;
      const rows = rowsOf(segments);
      const title = oneLine(request.display_name);
      const { bytes, warning } = await rendered({ format, title, rows, createdMs: now() }, signal);
      const answer = answerOf(request, warning);
      if (output_dir === null) return { ...answer, content_base64: Buffer.from(bytes).toString('base64') };
      const output_path = await saveNew(output_dir, answer.filename, bytes).catch((error: Error) => {
        throw exportErrors.OUTPUT_UNWRITABLE(`output_dir: ${error.message}`, { field: 'output_dir' }, error);
      });
      return { ...answer, filename: basename(output_path), output_path };
    },
    close: () => {
      closed = true;
      return pool.destroy();
    },
  };
}

function answerOf(
  { format, display_name, segments }: TranscriptRequest,
  warning: string | null,
): TranscriptAnswer {
  return {
    success: true,
    format,
    filename: fileName(display_name, format),
    mime_type: mimeTypes[format],
    row_count: segments.length,
    ...(warning === null ? {} : { warning }),
  };
}

/** Errors of the pool as errors of this service. */
function renderError(error: unknown, signal: AbortSignal): Error {
  if (signal.aborted) return engineErrors.CANCELLED('export of a transcript', {}, error);
  const { message, code } = error as NodeJS.ErrnoException;
  if (/queue/i.test(message)) return engineErrors.BUSY(`${WAITING} documents are waiting already`, {}, error);
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return exportErrors.DOCUMENT_TOO_LARGE('The document does not fit the memory of its thread', {}, error);
  }
  return error as Error;
}

// Transcripts to documents, in a pool of threads. A document is made from nothing but what was sent, and needs neither
// model nor store: no actor would have anything to keep, so stateless threads of a pool do it.
//
// A thread is ended when its caller goes away. That is safe here, and only here: it runs no native library of ours.
import { basename } from 'node:path';
import { Piscina } from 'piscina';
import { engineErrors } from '../../runtime/errors.ts';
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
import { saveNew } from './save.ts';

const THREADS = 2;
/** Documents that may wait for a thread; each holds its transcript. */
const WAITING = 16;
/** Threads that have nothing to do end after this long. */
const IDLE_MS = 30_000;
/** What one document may take; a PDF of the most there can be needs a third of it. */
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

  const rendered = async (transcript: Transcript, signal: AbortSignal): Promise<Rendered> => {
    try {
      return await pool.run(transcript, { signal });
    } catch (error) {
      throw told(error, signal);
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
      const output_path = await saveNew(output_dir, answer.filename, bytes);
      return { ...answer, filename: basename(output_path), output_path };
    },
    close: () => pool.destroy(),
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

/** What the pool says, in the words of this service. */
function told(error: unknown, signal: AbortSignal): Error {
  if (signal.aborted) return engineErrors.CANCELLED('export of a transcript', {}, error);
  const { message, code } = error as NodeJS.ErrnoException;
  if (/queue/i.test(message)) return engineErrors.BUSY(`${WAITING} documents are waiting already`, {}, error);
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return exportErrors.DOCUMENT_TOO_LARGE('The document does not fit the memory of its thread', {}, error);
  }
  return error as Error;
}

// Renders transcripts as documents in a pool of threads. Rendering is stateless, it needs neither a model nor
// the store, so it is no actor.
import { basename, join } from 'node:path';
import { expectAbove } from '../../runtime/files/save-new.ts';
import { createPool, poolErrors } from '../../runtime/pool.ts';
import { moduleUrl } from '../../runtime/process/program.ts';
import {
  type Exporter,
  exportErrors,
  mimeTypes,
  type Rendered,
  type Transcript,
  type TranscriptAnswer,
  type TranscriptRequest,
} from './contract.ts';
import { fileName, saveAt } from './output-path.ts';
import { oneLine, rowsOf } from './rows.ts';

const THREADS = 2;
/** Documents that may wait for a thread; each holds its transcript. */
const WAITING = 16;
/** Heap of one document; a PDF of the largest transcript allowed needs a third of it. */
const MOST_MEGABYTES = 2048;

/** `now`: ms since 1970, for the date in a document. Starts no thread before there is something to do. */
export function createExporter(now: () => number): Exporter {
  const pool = createPool<Transcript, Rendered>({
    module: moduleUrl('./render', import.meta.url),
    name: 'render',
    threads: THREADS,
    waiting: WAITING,
    mostMegabytes: MOST_MEGABYTES,
  });

  return {
    transcript: async (request, signal) => {
      const { format, segments, output_dir, create_folders = false } = request;
      if (output_dir !== undefined) await expectAbove(output_dir, create_folders, unwritable);
      const rows = rowsOf(segments);
      const title = oneLine(request.display_name);
      const rendered = pool.run({ format, title, rows, createdMs: now() }, signal);
      const { bytes, warning } = await rendered.catch(tooLarge);
      const answer = answerOf(request, warning);
      if (output_dir === undefined)
        return { ...answer, content_base64: Buffer.from(bytes).toString('base64') };
      const output_path = await saveAt(join(output_dir, answer.filename), bytes, unwritable);
      return { ...answer, filename: basename(output_path), output_path };
    },
    close: pool.close,
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

function unwritable(what: string, cause?: unknown) {
  const field = 'output_dir';
  return exportErrors.OUTPUT_UNWRITABLE(`${field}: ${what}`, { field }, cause);
}

function tooLarge(error: unknown): never {
  if (!poolErrors.OUT_OF_MEMORY.is(error)) throw error;
  throw exportErrors.DOCUMENT_TOO_LARGE('The document needs more memory than its thread has', {}, error);
}

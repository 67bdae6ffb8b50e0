// Renders transcripts as documents in a pool of threads. Rendering is stateless, it needs neither a model nor
// the store, so it is no actor.

import { basename, join } from 'node:path';
import { expectAbove } from '../../runtime/files/save-new.ts';
import type { Log } from '../../runtime/log.ts';
import { createPool, poolErrors } from '../../runtime/pool.ts';
import { moduleUrl } from '../../runtime/process/program.ts';
import { rangeText } from '../diarizer/contract.ts';
import type { Search } from '../search/contract.ts';
import { createClips } from './clips/clips.ts';
import type { Clips } from './clips/contract.ts';
import { type ClipWriter, Writers } from './clips/writers.ts';
import {
  type Exporter,
  exportErrors,
  mimeTypes,
  type Rendered,
  type TranscriptAnswer,
  type TranscriptDocument,
  type TranscriptRequest,
} from './contract.ts';
import { fileName, saveAt } from './output-path.ts';
import type { Proxies } from './proxies/contract.ts';
import { createProxies } from './proxies/proxies.ts';
import { oneLine, rowsOf } from './rows.ts';
import type { Sidecars } from './sidecars/contract.ts';
import { createSidecars, type SidecarParts } from './sidecars/sidecars.ts';
import type { SummaryDocuments } from './summary/contract.ts';
import { createSummaryDocuments, type ReadingParts } from './summary/summary-documents.ts';
import type { Timelines } from './timeline/contract.ts';
import { createTimelines } from './timeline/timelines.ts';

const THREADS = 2;
/** Documents that may wait for a thread; each holds its transcript. */
const WAITING = 16;
/** Heap of one document; a PDF of the largest transcript allowed needs a third of it. */
const MOST_MEGABYTES = 2048;

/** `now`: ms since 1970, for the date in a document. Starts no thread before there is something to do. */
export function createExporter(now: () => number): Exporter {
  const pool = createPool<TranscriptDocument, Rendered>({
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
      const range = request.speaker_range;
      const note = range && { note: `${rangeText(range)}: the number is uncertain` };
      const rendered = pool.run({ format, title, ...note, rows, createdMs: now() }, signal);
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

// Documents and timelines for other programs, and what of them has threads to end.

interface DocumentExports {
  readonly exporter: Exporter;
  readonly timelines: Timelines;
  readonly sidecars: Sidecars;
  readonly summaryDocuments: SummaryDocuments;
  /** Ends what is being written. */
  close(): Promise<unknown>;
}

export function createDocumentExports(parts: SidecarParts & ReadingParts): DocumentExports {
  const closing = {
    exporter: createExporter(Date.now),
    timelines: createTimelines(parts),
    sidecars: createSidecars(parts),
  };
  return {
    ...closing,
    summaryDocuments: createSummaryDocuments(parts),
    close: () => Promise.all(Object.values(closing).map((part) => part.close())),
  };
}

// Media files that are written: clips for editing programs and proxies for browsers, by the same threads.

interface MediaExportParts {
  readonly clipWriters: readonly ClipWriter[];
  readonly search: Pick<Search, 'mediaFile'>;
  /** GB that the proxies of an analysis folder may take. */
  readonly proxies_gb: number;
  readonly log: Log;
}

export function createMediaExports(parts: MediaExportParts): { clips: Clips; proxies: Proxies } {
  const { clipWriters, search, proxies_gb, log } = parts;
  const writers = new Writers(clipWriters);
  const { mediaFile } = search;
  const mostBytes = proxies_gb * 1e9;
  return {
    clips: createClips({ writers, log }),
    proxies: createProxies({ writers, mediaFile, mostBytes, log, now: Date.now }),
  };
}

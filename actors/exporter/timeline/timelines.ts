// Makes timelines: asks what the files are, has the items placed, and has the result written in a thread of
// its own.
import { type EngineError, restated } from '../../../runtime/errors.ts';
import { createPool, poolErrors } from '../../../runtime/pool.ts';
import { moduleUrl } from '../../../runtime/process/program.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { sideBySide } from '../../../runtime/sync/shared-work.ts';
import { type decoderContract, isMediaError, mediaErrors } from '../../decoder/contract.ts';
import { foldName } from '../../index/summaries/fold-name.ts';
import { summariesErrors } from '../../summarizer/stored/contract.ts';
import { expectOutput, saveAt } from '../output-path.ts';
import type { Chapter } from '../summary/contract.ts';
import { type ReadingParts, readChapters } from '../summary/summary-documents.ts';
import { arrange } from './arrange.ts';
import {
  type ChapterMarkers,
  type TimelineAnswer,
  type TimelineBody,
  type Timelines,
  timelineErrors,
  timelineTypes,
} from './contract.ts';
import { editsOf } from './edl.ts';
import { framesPerSecond } from './model.ts';
import { type SourceFacts, sourceFacts } from './sequence.ts';
import type { TimelineTask } from './write.ts';

// Reads the chapters of the files of a timeline from their stored summaries.

/** Files that are read or asked about at the same time; most of the time of one is waiting for its disk. */
const together = 4;

interface ChaptersOfFiles {
  /** Chapters by path. */
  readonly chapters: Map<string, Chapter[]>;
  /** Paths without a summary, and damaged summaries of others: a damaged chapter gets no marker. */
  readonly warnings: readonly string[];
}

/** Nothing is read when no markers are asked for. Throws what reading the analysis folder throws. */
async function chaptersOfFiles(
  reading: ReadingParts,
  request: ChapterMarkers | undefined,
  paths: Iterable<string>,
  signal: AbortSignal,
): Promise<ChaptersOfFiles> {
  const chaptersByPath = new Map<string, Found | string>();
  if (request === undefined) return { chapters: new Map(), warnings: [] };
  const all = [...paths];
  await sideBySide(all.values(), together, signal, async (path, until) => {
    chaptersByPath.set(path, await chaptersAt(reading, request, path, until));
  });
  const chapters = new Map<string, Chapter[]>();
  const warnings: string[] = [];
  for (const path of all) {
    const outcome = chaptersByPath.get(path)!;
    if (typeof outcome === 'string') {
      warnings.push(`no chapter markers: ${outcome}`);
      continue;
    }
    chapters.set(path, outcome.chapters);
    warnings.push(...outcome.warnings.map((warning) => `chapter markers of ${path}: ${warning}`));
  }
  return { chapters, warnings };
}

type Found = Pick<Awaited<ReturnType<typeof readChapters>>, 'chapters' | 'warnings'>;

/** Why there are none, as a text. */
async function chaptersAt(
  reading: ReadingParts,
  { cache_dir, analysis_name, depth = 1 }: ChapterMarkers,
  path: string,
  signal: AbortSignal,
): Promise<Found | string> {
  try {
    const analysis_id = await idOf(reading, cache_dir, path, analysis_name, signal);
    if (analysis_id === null) return `${path} has no summary named ${JSON.stringify(analysis_name)}`;
    const selector = { cache_dir, path, ...(analysis_id !== undefined && { analysis_id }) };
    return await readChapters(reading, selector, { depth }, signal);
  } catch (error) {
    if (summariesErrors.UNKNOWN_SUMMARY.is(error)) return `${path} has no summary`;
    if (isMediaError(error)) return error.message;
    throw error;
  }
}

/** Undefined: the one that was stored last will do. Null: there is none of that name. */
async function idOf(
  { summaries }: ReadingParts,
  cache_dir: string,
  path: string,
  name: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined | null> {
  if (name === undefined) return undefined;
  const { summaries: all } = await summaries.list({ cache_dir, media_paths: [path], hash_strs: [] }, signal);
  return all.find(({ analysis_name }) => foldName(analysis_name) === foldName(name))?.analysis_id ?? null;
}

/** Timelines that may wait for the thread. */
const WAITING = 16;
/** Heap of the thread; 10,000 clips in stereo take half of it, and what does not fit is refused. */
const MOST_MEGABYTES = 1536;
/** Warnings of one answer; the next one says how many more there are. */
const MOST_WARNINGS = 20;

interface TimelinesParts extends ReadingParts {
  readonly prober: Ref<typeof decoderContract>;
}

/** Starts no thread before there is something to write. */
export function createTimelines(parts: TimelinesParts): Timelines {
  const pool = createPool<TimelineTask, string>({
    module: moduleUrl('./write', import.meta.url),
    name: 'write',
    threads: 1,
    waiting: WAITING,
    mostMegabytes: MOST_MEGABYTES,
  });

  return {
    make: async (request, signal) => {
      const { format, items, output_path, unreadable = 'refuse' } = request;
      await expectOutput(request, unwritable);
      const { facts, errors, away } = await factsOf(parts, request, signal);
      if (errors.size > 0 && (facts.size === 0 || unreadable === 'refuse'))
        throw unreadableError(items, errors);
      const marks = await chaptersOfFiles(parts, request.chapter_markers, facts.keys(), signal);
      const { timeline, warnings } = arrange(request, facts, marks.chapters);
      const texts = [...leftOut(items, errors), ...away.map(awayText), ...marks.warnings, ...warnings];
      // A thread of the pool throws plain errors: what does not fit is told before.
      if (format === 'edl') editsOf(timeline);
      const content = await pool.run({ timeline, format }, signal).catch(tooLarge);
      const { rate, duration, name } = timeline;
      return {
        success: true,
        format,
        mime_type: timelineTypes[format],
        sequence_name: name,
        fps: framesPerSecond(rate),
        item_count: items.filter(({ media_path }) => facts.has(media_path)).length,
        total_duration_seconds: (duration * rate.den) / rate.num,
        ...(texts.length > 0 && { warnings: someOf(texts) }),
        ...(output_path === undefined
          ? { content }
          : { output_path: await saveAt(output_path, Buffer.from(content), unwritable) }),
      } satisfies TimelineAnswer;
    },
    close: pool.close,
  };
}

interface Asked {
  readonly facts: Map<string, SourceFacts>;
  /** Errors of unreadable files, by path. */
  readonly errors: Map<string, EngineError>;
  /** Files that are not there, of which the analysis folder knows enough. */
  readonly away: readonly string[];
}

/** Probes each file once. */
async function factsOf(
  { prober, index }: TimelinesParts,
  { items, cache_dir }: TimelineBody,
  signal: AbortSignal,
): Promise<Asked> {
  const facts = new Map<string, SourceFacts>();
  const errors = new Map<string, EngineError>();
  const paths = new Set(items.map(({ media_path }) => media_path));
  await sideBySide(paths.values(), together, signal, async (path, until) => {
    try {
      const probe = await prober.ask('probe', { path, pace: true }, { signal: until, lane: 'now' });
      facts.set(path, sourceFacts(path, probe));
    } catch (error) {
      if (!isMediaError(error)) throw error;
      errors.set(path, error);
    }
  });
  const missing = [...errors]
    .filter(([, error]) => mediaErrors.FILE_NOT_FOUND.is(error))
    .map(([path]) => path);
  if (cache_dir === undefined || missing.length === 0) return { facts, errors, away: [] };
  const query = { cache_dir, paths: missing, hashes: [] };
  const { by_path } = await index.ask('find', query, { signal, lane: 'now' });
  const away = missing.filter((path, at) => {
    const record = by_path[at];
    if (record) facts.set(path, sourceFacts(path, record.probe));
    return record && errors.delete(path);
  });
  return { facts, errors, away };
}

function awayText(path: string): string {
  return `${path} is away: placed as it was when it was analysed`;
}

/** Error that names the first item with an unreadable file. */
function unreadableError(items: TimelineBody['items'], errors: Asked['errors']): EngineError {
  const wrong = items.findIndex(({ media_path }) => errors.has(media_path));
  const error = errors.get(items[wrong]!.media_path)!;
  const field = `items[${wrong}].media_path`;
  const more = errors.size > 1 ? `; ${errors.size - 1} more files cannot be read` : '';
  // The request is wrong when there is no such file: 400, not 404.
  return restated(error, {
    status: error.status === 404 ? 400 : error.status,
    message: `${field}: ${error.message}${more}`,
    details: { ...error.details, field },
  });
}

function leftOut(items: TimelineBody['items'], errors: Asked['errors']): string[] {
  const wrong = items.filter(({ media_path }) => errors.has(media_path));
  return [...Map.groupBy(wrong, ({ media_path }) => media_path)].map(([path, { length }]) => {
    const what = length === 1 ? 'an item' : `${length} items`;
    return `skipped ${what}: ${errors.get(path)!.message}`;
  });
}

function unwritable(what: string, cause?: unknown) {
  const field = 'output_path';
  return timelineErrors.TIMELINE_UNWRITABLE(`${field}: ${what}`, { field }, cause);
}

function someOf(warnings: readonly string[]): string[] {
  const more = warnings.length - MOST_WARNINGS;
  return more > 0 ? [...warnings.slice(0, MOST_WARNINGS), `and ${more} more`] : [...warnings];
}

function tooLarge(error: unknown): never {
  if (!poolErrors.OUT_OF_MEMORY.is(error)) throw error;
  throw timelineErrors.TIMELINE_TOO_LARGE('The timeline needs more memory than its thread has', {}, error);
}

// Reads the chapters of the files of a timeline from their stored summaries.
import { sideBySide } from '../../../runtime/sync/side-by-side.ts';
import { isMediaError } from '../../decoder/contract.ts';
import { foldName } from '../../index/summaries/fold-name.ts';
import { summariesErrors } from '../../summarizer/stored/contract.ts';
import type { Chapter } from '../summary/contract.ts';
import { type ReadingParts, readChapters } from '../summary/read.ts';
import type { ChapterMarkers } from './contract.ts';

/** Files of which summaries are read at the same time. */
const TOGETHER = 4;

export interface ChaptersOfFiles {
  /** By path. */
  readonly chapters: Map<string, Chapter[]>;
  /**
   * Of files that have none, and what is wrong with the summaries of others: a damaged chapter has no marker.
   */
  readonly warnings: readonly string[];
}

/** Nothing is read when no markers are asked for. Throws what reading the analysis folder throws. */
export async function chaptersOfFiles(
  reading: ReadingParts,
  asked: ChapterMarkers | undefined,
  paths: Iterable<string>,
  signal: AbortSignal,
): Promise<ChaptersOfFiles> {
  const found = new Map<string, Found | string>();
  if (asked === undefined) return { chapters: new Map(), warnings: [] };
  const all = [...paths];
  await sideBySide(all.values(), TOGETHER, signal, async (path, until) => {
    found.set(path, await chaptersAt(reading, asked, path, until));
  });
  const chapters = new Map<string, Chapter[]>();
  const warnings: string[] = [];
  for (const path of all) {
    const one = found.get(path)!;
    if (typeof one === 'string') {
      warnings.push(`no chapter markers: ${one}`);
      continue;
    }
    chapters.set(path, one.chapters);
    warnings.push(...one.warnings.map((warning) => `chapter markers of ${path}: ${warning}`));
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

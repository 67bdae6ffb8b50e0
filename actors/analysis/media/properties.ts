// Properties of media files, for clients before or after an analysis. Known files are answered from the
// store; others are surveyed as in a task, so that a later analysis finds them known.
import { stat } from 'node:fs/promises';
import type { EngineError } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { sideBySide } from '../../../runtime/sync/shared-work.ts';
import {
  clockTime,
  type decoderContract,
  isMediaError,
  mediaErrors,
  rateOf,
} from '../../decoder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import { type MediaRecord, storeErrors } from '../../index/store/contract.ts';
import {
  analysisErrors,
  type MediaProperties,
  type MediaPropertiesAnswer,
  type PropertiesRequest,
} from '../contract.ts';
import { type Journal, journalledSurvey, worthAnotherTry } from '../recovery/journal.ts';
import { type SurveyParts, survey, type Watched } from './survey.ts';

// The media properties of docs/api.md ("Media"), made of what is known of a file.

/** A duration this little short of a whole second is that second. */
const sliver = 0.002;

/** `analysed` and `transcribed`: hashes whose visual analysis and whose transcript are stored. */
export function propertiesEntry(
  { path, identity, probe }: MediaRecord,
  analysed: ReadonlySet<string>,
  transcribed: ReadonlySet<string>,
): MediaProperties {
  const { hash_str } = identity;
  const { kind, duration_seconds, timecode, width, height } = probe;
  // A sound file whose container does not say its length has 0.
  const timed = kind !== 'image' && duration_seconds > 0;
  return {
    video_cached: kind !== 'audio' && analysed.has(hash_str),
    audio_cached: kind !== 'image' && transcribed.has(hash_str),
    runtime: timed ? clockTime(duration_seconds + sliver) : null,
    fps: kind === 'video' ? rateOf(probe.video?.frame_rate) : 0,
    media_path: path,
    timecode: timecode.text,
    hash_str,
    drop_frame: timecode.drop_frame,
    timecode_rate: rateOf(timecode.rate) ?? 0,
    kind,
    width,
    height,
  };
}

export interface PropertiesParts {
  readonly prober: Ref<typeof decoderContract>;
  readonly index: Ref<typeof indexContract>;
  readonly roots: SurveyParts['roots'];
  readonly journal: Journal;
  readonly log: Log;
}

/** Files asked for at the same time; most of the time of one is waiting for two actors. */
const TOGETHER = 4;
/** Reasons named in the message when no file can be read. */
const NAMED = 5;

/**
 * Errors: NO_MEDIA when none of the files can be read, the errors of the store when the folder cannot be
 * read, CANCELLED. A folder that is not there yet is not made, and one that cannot be written is only read.
 */
export async function properties(
  parts: PropertiesParts,
  { cache_dir, media_paths, model_key }: PropertiesRequest,
  signal: AbortSignal,
): Promise<MediaPropertiesAnswer> {
  const paths = [...new Set(media_paths)];
  const { media, errors } = await surveyAll(parts, cache_dir, paths, signal);
  if (media.size === 0) throw noMedia([...errors.values()]);
  const hashes = [...new Set([...media.values()].map(({ identity }) => identity.hash_str))];
  const now = { signal, lane: 'now' } as const;
  const [{ stored }, { transcribed }] = await Promise.all([
    parts.index.ask('stored', { cache_dir, model_key, hashes }, now),
    parts.index.ask('transcribed', { cache_dir, hashes }, now),
  ]);
  const analysedHashes = new Set(hashes.filter((_, i) => stored[i]));
  const transcribedHashes = new Set(hashes.filter((_, i) => transcribed[i]));
  const entries = paths.flatMap((path) => {
    const record = media.get(path);
    return record ? [[path, propertiesEntry(record, analysedHashes, transcribedHashes)] as const] : [];
  });
  const unreadable = Object.fromEntries([...errors].map(([path, { message }]) => [path, message]));
  return { media_properties: Object.fromEntries(entries), unreadable };
}

/** `unsupported`: none of them can ever be analysed as it is; otherwise one may be readable another time. */
function noMedia(errors: readonly EngineError[]): EngineError {
  const { NOT_MEDIA, FILE_EMPTY, FILE_NOT_FOUND } = mediaErrors;
  const unsupported = errors.every((error) =>
    [NOT_MEDIA, FILE_EMPTY, FILE_NOT_FOUND].some((row) => row.is(error)),
  );
  const reasons = errors.slice(0, NAMED).map(({ message }) => message);
  const more = errors.length > NAMED ? `; and ${errors.length - NAMED} more` : '';
  return analysisErrors.NO_MEDIA(`${reasons.join('; ')}${more}`, { unsupported });
}

interface Surveyed {
  readonly media: ReadonlyMap<string, MediaRecord>;
  /** Errors of unreadable files, by path. */
  readonly errors: ReadonlyMap<string, EngineError>;
}

async function surveyAll(
  parts: PropertiesParts,
  cacheDir: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Surveyed> {
  const media = new Map<string, MediaRecord>();
  const errorsByPath = new Map<string, EngineError>();
  const keeps = await isFolder(cacheDir);
  const look = async (path: string, until: AbortSignal) => {
    try {
      media.set(path, await surveyFile(parts, cacheDir, path, keeps, until));
    } catch (error) {
      if (!isAboutTheFile(error)) throw error;
      errorsByPath.set(path, error);
    }
  };
  // Last and alone, so that a second crash tells which it was.
  const isLast = (path: string) => parts.journal.history.isSuspectSurvey(path);
  const [last, first] = [paths.filter(isLast), paths.filter((path) => !isLast(path))];
  await sideBySide(first.values(), TOGETHER, signal, look);
  await sideBySide(last.values(), 1, signal, look);
  // In the order of the request, not of the failures.
  const errors = paths.flatMap((path) => {
    const error = errorsByPath.get(path);
    return error === undefined ? [] : [[path, error] as const];
  });
  return { media, errors: new Map(errors) };
}

async function surveyFile(
  { prober, index, roots, journal, log }: PropertiesParts,
  cacheDir: string,
  path: string,
  keeps: boolean,
  signal: AbortSignal,
): Promise<MediaRecord> {
  const remember = async (media: MediaRecord) => {
    if (!keeps) return;
    try {
      await index.ask('remember', { cache_dir: cacheDir, media }, { signal, lane: 'now' });
    } catch (error) {
      const { STORE_READ_ONLY, STORE_FULL, STORE_IN_USE, FOLLOWS_CLUSTER } = storeErrors;
      const usual = [STORE_READ_ONLY, STORE_FULL, STORE_IN_USE, FOLLOWS_CLUSTER];
      if (!usual.some((row) => row.is(error))) throw error;
      log.info('what a file is could not be remembered', { path, error });
    }
  };
  const watchedNow = journalledSurvey(journal, 'metadata', path);
  const watched: Watched = (mark, work) => {
    if (journal.running > 0 && journal.history.isSuspectSurvey(path)) {
      throw analysisErrors.SUSPECT(`${path}: ${analysisErrors.SUSPECT.meaning.toLowerCase()}`, { path });
    }
    return watchedNow(mark, work);
  };
  const parts = { cache_dir: cacheDir, prober, index, roots, watched, signal };
  const attempt = () => survey(path, parts, { lane: 'now', remember });
  return attempt().catch((error) => {
    if (signal.aborted || isAboutTheFile(error) || !worthAnotherTry(error)) throw error;
    return attempt();
  });
}

function isAboutTheFile(error: unknown): error is EngineError {
  return isMediaError(error) || analysisErrors.QUARANTINED.is(error) || analysisErrors.SUSPECT.is(error);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    // Why a folder cannot be read is reported by the store; here it only means that nothing is written to it.
    () => false,
  );
}

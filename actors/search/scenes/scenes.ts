// Where the scenes of one media file are, as they were found when its pictures were analysed: nothing has to
// be loaded.
import { rangeFault } from '../../../runtime/ranges.ts';
import type { AskOptions } from '../../../runtime/ref.ts';
import { type Probe, rateOf } from '../../decoder/contract.ts';
import { type MediaRecord, storeErrors } from '../../index/store/contract.ts';
import { allShots, type Shots } from '../../index/visual/shots.ts';
import { searchErrors } from '../contract.ts';
import {
  type MediaFactsAnswer,
  type NamedMedia,
  type Scene,
  type ScenesAnswer,
  type ScenesRequest,
  whichMedia,
} from '../media/contract.ts';
import { hashesAt, type LocationParts } from '../media/location.ts';
import { mediaFile } from '../media/media-file.ts';

/**
 * `modelKey`: the model in use, or null. Errors: BAD_TIME, MEDIA_UNKNOWN; NOT_ANALYZED for a file whose
 * pictures no model looked at; STORE_DAMAGED; what keeps a file from being read that the folder does not know
 * by its path.
 */
export async function listScenes(
  parts: LocationParts,
  request: ScenesRequest,
  modelKey: string | null,
  call: AskOptions,
): Promise<ScenesAnswer> {
  const { cache_dir, start_seconds, end_seconds = Number.MAX_VALUE } = request;
  if (end_seconds <= start_seconds) {
    const what = `end_seconds: ${rangeFault(start_seconds, end_seconds)}`;
    throw searchErrors.BAD_TIME(what, { field: 'end_seconds' });
  }
  const { record, media_path } = await knownMedia(parts, request, call);
  const { hash_str } = record.identity;
  const { kind, duration_seconds } = record.probe;
  const answer = { hash_str, media_path, kind, duration_seconds };
  if (kind === 'audio') return { ...answer, model_key: null, edges: null, scenes: [] };
  const query = { cache_dir, model_key: modelKey, hashes: [hash_str] };
  const { lists, unreadable } = await parts.index.ask('scenes', query, call);
  if (unreadable.length > 0) {
    throw storeErrors.STORE_DAMAGED(`${media_path}: its analysis is damaged; analyse it again with force`);
  }
  const [list] = lists;
  if (!list) {
    throw storeErrors.NOT_ANALYZED(
      `${fieldOf(request)}: the pictures of ${media_path} have not been analysed; analyse it first (POST /analyze)`,
      { field: fieldOf(request) },
    );
  }
  const { model_key, shots } = list;
  const all = shots ? allShots(shots) : scenesOnGrid(list.scenes, record.probe);
  const scenes = all.filter(
    (scene) => scene.start_seconds < end_seconds && start_seconds < scene.end_seconds,
  );
  return { ...answer, model_key, edges: kind === 'image' ? null : shots ? 'exact' : 'grid', scenes };
}

/** Scenes with exact edges by hash. A damaged analysis has none. */
export async function shotsOf(
  { index }: Pick<LocationParts, 'index'>,
  cache_dir: string,
  hashes: readonly string[],
  call: AskOptions,
): Promise<Map<string, Shots>> {
  if (hashes.length === 0) return new Map();
  const { lists } = await index.ask('scenes', { cache_dir, model_key: null, hashes: [...hashes] }, call);
  return new Map(lists.flatMap((list, i) => (list?.shots ? [[hashes[i]!, list.shots]] : [])));
}

const fieldOf = ({ hash_str }: NamedMedia) => (hash_str === undefined ? 'media_path' : 'hash_str');

/** A media that the folder knows, where it lies or was seen last. Throws WHICH_MEDIA, MEDIA_UNKNOWN. */
export async function knownMedia(
  parts: LocationParts,
  request: NamedMedia,
  call: AskOptions,
): Promise<{ readonly record: MediaRecord; readonly media_path: string }> {
  const { cache_dir } = request;
  const named = whichMedia(request);
  const hash = 'hash_str' in named ? named.hash_str : await hashAt(parts, cache_dir, named.media_path, call);
  const records =
    hash === null ? null : await parts.index.ask('find', { cache_dir, paths: [], hashes: [hash] }, call);
  const record = records?.by_hash[0] ?? null;
  if (record) return { record, media_path: request.media_path ?? record.path };
  const field = fieldOf(request);
  throw searchErrors.MEDIA_UNKNOWN(`${field}: ${request[field]} is not in the analysis folder`, { field });
}

/** Reads no file. Throws WHICH_MEDIA, MEDIA_UNKNOWN. */
export async function factsOf(
  parts: LocationParts,
  request: NamedMedia,
  call: AskOptions,
): Promise<MediaFactsAnswer> {
  const { record, media_path } = await knownMedia(parts, request, call);
  const { hash_str } = record.identity;
  const { kind, duration_seconds, video, width, height } = record.probe;
  const file = await mediaFile(parts, { cache_dir: request.cache_dir, hash_str }, call).catch(ifGone);
  return {
    hash_str,
    media_path: file?.path ?? media_path,
    available: file !== null,
    kind,
    duration_seconds: kind === 'image' ? 0 : duration_seconds,
    fps: kind === 'video' ? rateOf(video?.frame_rate) : 0,
    width,
    height,
  };
}

function ifGone(error: unknown): null {
  if (searchErrors.MEDIA_GONE.is(error)) return null;
  throw error;
}

async function hashAt(
  parts: LocationParts,
  cache_dir: string,
  path: string,
  call: AskOptions,
): Promise<string | null> {
  const [hash = null] = await hashesAt(parts, cache_dir, [path], call, (error) => {
    throw error;
  });
  return hash;
}

/** `ranges`: of grid frames. The last scene of a film ends with it, and not with its last second. */
export function scenesOnGrid(
  ranges: Int32Array,
  { kind, duration_seconds }: Pick<Probe, 'kind' | 'duration_seconds'>,
): Scene[] {
  const end = kind === 'video' ? duration_seconds : Number.POSITIVE_INFINITY;
  return Array.from({ length: ranges.length / 2 }, (_, i) => ({
    start_seconds: ranges[i * 2]!,
    end_seconds: Math.max(ranges[i * 2]!, Math.min(end, ranges[i * 2 + 1]!)),
    ...{ start_frame: null, end_frame: null },
  }));
}

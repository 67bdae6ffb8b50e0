// Thumbnails of any moments of any files, and strips of thumbnails of one film.
import { restated } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import type { CallOptions, Ref } from '../../../runtime/ref.ts';
import { sideBySide } from '../../../runtime/sync/shared-work.ts';
import { quoted } from '../../../runtime/text.ts';
import {
  clockTime,
  type decoderContract,
  isMediaError,
  mediaErrors,
  type Probe,
} from '../../decoder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import { searchErrors } from '../contract.ts';
import {
  type Identities,
  type LocationParts,
  locateHash,
  locatePaths,
  type MediaLocation,
} from '../media/location.ts';
import {
  mostThumbnails,
  type SceneThumbnailsAnswer,
  type SceneThumbnailsRequest,
  type ThumbnailsAnswer,
  type ThumbnailsRequest,
} from './contract.ts';
import {
  clockSeconds,
  momentsByFile,
  type PictureParts,
  stripSeconds,
  type ThumbnailFile,
} from './pictures.ts';
import { SharedPictures } from './shared-pictures.ts';

type Decoder = Ref<typeof decoderContract>;

interface ThumbnailParts {
  /** Decode thumbnails, one file each at a time; at least one. */
  readonly thumbnailDecoders: readonly Decoder[];
  readonly index: Ref<typeof indexContract>;
  readonly identities: Identities;
  readonly log: Log;
}

export interface Thumbnails {
  /** One for each request, in order. Throws TOO_MANY_PICTURES. */
  thumbnails(request: ThumbnailsRequest, call: CallOptions): Promise<ThumbnailsAnswer>;
  /** Errors: BAD_TIME, HASH_MISMATCH; FILE_NOT_FOUND when the film is gone and nothing is stored of it. */
  sceneThumbnails(request: SceneThumbnailsRequest, call: CallOptions): Promise<SceneThumbnailsAnswer>;
}

/** Files worked on at the same time, beyond one for each decoder: those wait for the index. */
const AHEAD = 2;

export function createThumbnails({ thumbnailDecoders, index, identities, log }: ThumbnailParts): Thumbnails {
  const parts: PictureParts = { index, log, decoder: leastBusy(thumbnailDecoders) };
  const together = thumbnailDecoders.length + AHEAD;
  const shared = new SharedPictures(parts, together);
  return {
    thumbnails: async ({ cache_dir, requests, max_size }, call) => {
      expectFew(requests.length, max_size);
      const thumbnails = requests.map((): { thumbnail: string | null } => ({ thumbnail: null }));
      const files = momentsByFile(requests);
      const atPaths = files.filter(({ hash_str }) => hash_str === null).map(({ media_path }) => media_path);
      const located = new Map(
        (await locatePaths(parts, cache_dir, atPaths, call)).map((found, i) => [atPaths[i]!, found]),
      );
      await sideBySide(files.values(), together, call.signal, async (wanted, signal) => {
        const { media_path, hash_str, moments } = wanted;
        const own = { ...call, signal };
        const file =
          hash_str === null
            ? located.get(media_path)!
            : await locateContent({ identities, index }, cache_dir, { ...wanted, hash_str }, own);
        if (!file.source && !file.record) log.warn('no thumbnail: file not found', { path: media_path });
        const seconds = moments.map((moment) => moment.seconds);
        const found = await shared.of({ cache_dir, file, seconds, max_side: max_size }, own);
        for (const [at, { index }] of moments.entries()) thumbnails[index] = { thumbnail: found[at]! };
      });
      return { thumbnails };
    },
    sceneThumbnails: async (request, call) => {
      const [start, end] = range(request);
      const { cache_dir, media_path, max_size } = request;
      const file = await locateScene({ identities, index }, request, call);
      const { kind, grid_frames } = await probeOf(parts, file, media_path, call);
      if (kind !== 'video') return { scene_thumbnails: null };
      const seconds = stripSeconds(start, end, grid_frames - 1);
      const found = await shared.of({ cache_dir, file, seconds, max_side: max_size }, call);
      const strip = seconds.flatMap((at, i): [string, string][] => {
        const image = found[i]!;
        return image === null ? [] : [[image, clockTime(at)]];
      });
      return { scene_thumbnails: strip };
    },
  };
}

function leastBusy(thumbnailDecoders: readonly Decoder[]): PictureParts['decoder'] {
  const busy = thumbnailDecoders.map(() => 0);
  return async (use) => {
    const i = busy.indexOf(Math.min(...busy));
    busy[i]!++;
    try {
      return await use(thumbnailDecoders[i]!);
    } finally {
      busy[i]!--;
    }
  };
}

function expectFew(count: number, max_size: number): void {
  const most = mostThumbnails(max_size);
  if (count <= most) return;
  const what = `${count} pictures of ${max_size} px are too many for one request; at most ${most} are possible`;
  throw searchErrors.TOO_MANY_PICTURES(`requests: ${what}`, { field: 'requests' });
}

function range({ start_time, end_time }: SceneThumbnailsRequest): [number, number] {
  const seconds = (field: string, text: string) => {
    const at = clockSeconds(text);
    if (at !== null) return at;
    throw searchErrors.BAD_TIME(`${field}: must be HH:MM:SS, not ${quoted(text)}`, { field });
  };
  const [start, end] = [seconds('start_time', start_time), seconds('end_time', end_time)];
  if (end >= start) return [start, end];
  throw searchErrors.BAD_TIME(`end_time: ${end_time} is before start_time ${start_time}`, {
    field: 'end_time',
  });
}

/**
 * A content that is nowhere, or that cannot be read, has no pictures. Throws HASH_MISMATCH naming the
 * request.
 */
async function locateContent(
  parts: LocationParts,
  cache_dir: string,
  { media_path, hash_str, moments }: ThumbnailFile & { readonly hash_str: string },
  call: CallOptions,
): Promise<MediaLocation> {
  try {
    return await locateHash(parts, cache_dir, media_path, hash_str, call);
  } catch (error) {
    if (isMediaError(error)) return { record: null, source: null, mark: null };
    if (!searchErrors.HASH_MISMATCH.is(error)) throw error;
    const item = `requests[${Math.min(...moments.map(({ index }) => index))}]`;
    throw restated(error, {
      message: `${item}.${error.message}`,
      details: { ...error.details, field: `${item}.hash_str` },
    });
  }
}

async function locateScene(
  parts: LocationParts,
  { cache_dir, media_path, hash_str }: SceneThumbnailsRequest,
  call: CallOptions,
): Promise<MediaLocation> {
  if (hash_str === undefined) return (await locatePaths(parts, cache_dir, [media_path], call))[0]!;
  return locateHash(parts, cache_dir, media_path, hash_str, call);
}

async function probeOf(
  parts: PictureParts,
  { record, source }: MediaLocation,
  path: string,
  call: CallOptions,
): Promise<Probe> {
  if (record) return record.probe;
  if (source !== null) return parts.decoder((decoder) => decoder.ask('probe', { path: source }, call));
  throw mediaErrors.FILE_NOT_FOUND(`media_path: ${path} does not exist and nothing is stored for it`, {
    field: 'media_path',
  });
}

// Media files: what they are, where their analysis lies, their bytes, their pictures and their scenes.
import { Type } from 'typebox';
import { MediaPropertiesAnswer } from '../../actors/analysis/contract.ts';
import { isMediaError, modifiedMs } from '../../actors/decoder/contract.ts';
import { proxyErrors } from '../../actors/exporter/proxies/contract.ts';
import { CacheDir, ContentHash } from '../../actors/index/store/contract.ts';
import { CachePathsAnswer, type MediaFile, searchErrors } from '../../actors/search/contract.ts';
import {
  FrameTimesAnswer,
  FrameTimesRequest,
  MediaFactsAnswer,
  MediaFactsRequest,
  mediaFields,
  type NamedMedia,
  PeaksAnswer,
  PeaksRequest,
  ScenesAnswer,
  ScenesRequest,
} from '../../actors/search/media/contract.ts';
import {
  mostThumbnails,
  SceneThumbnailsAnswer,
  SceneThumbnailsRequest,
  ThumbnailsAnswer,
  ThumbnailsRequest,
  thumbnailsAtOnce,
} from '../../actors/search/thumbnails/contract.ts';
import { EngineError, restated } from '../../runtime/errors.ts';
import { spelledOnDisk } from '../../runtime/files/spelling.ts';
import { allAbsolute, SentPath } from '../../runtime/paths.ts';
import { defaulted, described, field, nullable } from '../../runtime/schema.ts';
import { contentOfFile, mediaTypeOf } from '../request/content.ts';
import { Bytes, ErrorBody, type Route, reply, route } from '../route.ts';
import type { Service } from '../service.ts';

// Faults of a file that a field of a request names.

/**
 * Errors about the file are said of the field. The request is wrong when there is no such file: 400, not 404.
 */
export async function atField<T>(field: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isMediaError(error)) throw error;
    const status = error.status === 404 ? 400 : error.status;
    throw restated(error, { status, details: { ...error.details, field } });
  }
}

const tag = 'Media';

export const mediaMetadata = route({
  method: 'POST',
  path: '/api/v1/media/metadata',
  id: 'mediaMetadata',
  tag,
  summary: 'Get properties of media files',
  description:
    'Returns every readable file under the path that was sent. Other files are omitted, and `unreadable` ' +
    'says why. Returns 400 if none of the files can be read. A known file is not opened again as long as ' +
    'its size, times and inode are unchanged. `video_cached` refers to the visual model in use, or to any ' +
    'model if none is in use. `runtime` is null for stills; `fps` is 0 for stills and sound, and null if ' +
    'the file does not say. An analysis folder that does not exist yet is not created, and nothing is ' +
    'stored. An analysis folder that is read-only is only read. Returns 503 if it cannot be read.',
  body: Type.Object({
    cache_dir: CacheDir,
    media_paths: field(
      'Absolute paths of the files.',
      Type.Array(SentPath, { minItems: 1, maxItems: 10_000 }),
    ),
  }),
  answers: { 200: MediaPropertiesAnswer },
  handle: async ({ body, signal }, { analysis, search }) => {
    const { cache_dir } = body;
    const media_paths = await spelledOnDisk(allAbsolute('media_paths', body.media_paths));
    const { model_key } = search.models.state;
    const { media_properties, unreadable } = await analysis.properties(
      { cache_dir, media_paths, model_key },
      signal,
    );
    // Keys are paths as sent, which may not be plain.
    const sent = <T>(entriesByPath: Readonly<Record<string, T>>): Record<string, T> => {
      const entries = media_paths.flatMap((path, i): [string, T][] =>
        Object.hasOwn(entriesByPath, path) ? [[body.media_paths[i]!, entriesByPath[path]!]] : [],
      );
      return Object.fromEntries(entries);
    };
    return reply(200, { media_properties: sent(media_properties), unreadable: sent(unreadable) });
  },
});

export const cachePaths = route({
  method: 'POST',
  path: '/api/v1/cache-paths',
  id: 'cachePaths',
  tag,
  summary: 'Get the folders with the analysis of a media file',
  description:
    'The file is given by either `media_path` or `hash_str`. A folder is null if nothing is stored for ' +
    'the file by any model. Several files share a folder, and its layout is private to the service: do ' +
    'not write to it or delete it.',
  body: Type.Object({
    cache_dir: CacheDir,
    ...mediaFields,
  }),
  answers: { 200: CachePathsAnswer, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, await atField('media_path', search.cachePaths(body, signal))),
});

export const mediaFacts = route({
  method: 'POST',
  path: '/api/v1/media/facts',
  id: 'mediaFacts',
  tag,
  summary: 'Get what is known of one media file, even if it is away',
  description:
    'The file is given by either `media_path` or `hash_str`, and does not have to exist any more: the ' +
    'answer comes from the analysis folder. Returns 404 if the analysis folder does not know the file.',
  body: MediaFactsRequest,
  answers: { 200: MediaFactsAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => reply(200, await search.facts(body, signal)),
});

export const mediaPeaks = route({
  method: 'POST',
  path: '/api/v1/media/peaks',
  id: 'mediaPeaks',
  tag,
  summary: 'Get the loudness of a media file over time',
  description:
    'For drawing a waveform: returns the loudest sample of any channel of the default track, and of those ' +
    'recorded with it, in each of `points` equal parts. The first request decodes the sound, which takes a few seconds for each hour ' +
    'of sound. The result is stored in the analysis folder until the media is forgotten, with at most 50 ' +
    'peaks per second. Returns 404 if the analysis folder does not know the file, or if the file ' +
    'disappeared before its sound was decoded.',
  body: PeaksRequest,
  answers: { 200: PeaksAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => reply(200, await search.peaks(body, signal)),
});

export const mediaFrames = route({
  method: 'POST',
  path: '/api/v1/media/frames',
  id: 'mediaFrames',
  tag,
  summary: 'Get the times of the frames in part of a film',
  description:
    'For players that step by frames. If `rate_varies` is true, as in films from phones and screen ' +
    'recordings, frames cannot be counted by a rate. The packets of the part are read from the file, but ' +
    'not decoded. Returns 404 if the analysis folder does not know the media, or if the file is not at ' +
    'its known path.',
  body: FrameTimesRequest,
  answers: { 200: FrameTimesAnswer, 400: ErrorBody, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => reply(200, await search.frameTimes(body, signal)),
});

export const mediaRoutes: readonly Route[] = [mediaMetadata, mediaFacts, cachePaths, mediaPeaks, mediaFrames];

// The bytes of media files, for players that cannot send a key: a link for one file, and what lies behind it.

export const mediaLink = route({
  method: 'POST',
  path: '/api/v1/media/link',
  id: 'mediaLink',
  tag,
  summary: 'Create a link to the bytes of a media file',
  description:
    'For `<video>`, `<audio>` and `<img>` elements, which cannot send headers. The file is given by ' +
    'either `media_path` or `hash_str`, and must be known to the analysis folder and unchanged at its ' +
    'known path; otherwise 404 is returned. The link contains neither path nor hash, expires after some ' +
    'time, and stops working when the service stops. Anybody who has the link can read this file. With ' +
    '`proxy`, the link is to the proxy made by POST /media/proxy; 404 is returned if there is none. With ' +
    '`hash_str`, that also works for a file that no longer exists. The link is valid as long as the ' +
    'license key or session that it was made with.',
  body: Type.Object({
    cache_dir: CacheDir,
    ...mediaFields,
    proxy: defaulted(
      described(Type.Boolean(), 'Link to the proxy of the file, which browsers can play.'),
      false,
    ),
  }),
  answers: {
    200: Type.Object({
      url: described(Type.String(), 'Path of the link, relative to the root of the service.'),
      expires_at: described(Type.Number(), 'When the link expires, as a Unix time in seconds.'),
      content_type: described(Type.String(), 'Media type, derived from the file name.'),
      playable_type: described(
        nullable(Type.String()),
        'Type and codecs in the form that `HTMLMediaElement.canPlayType` accepts; null for stills and if ' +
          'unknown.',
      ),
      size_bytes: described(Type.Integer(), 'Size of the file in bytes.'),
      hash_str: ContentHash,
    }),
    404: ErrorBody,
  },
  handle: async ({ body, credential, signal }, service) => {
    const { cache_dir, proxy } = body;
    const { hash_str, ...file } = await (proxy ? proxyOf : fileOf)(service, body, signal);
    const { link, expires } = service.mediaLinks.make({ cache_dir, hash_str, proxy }, credential);
    return reply(200, {
      url: `/media/${link}`,
      expires_at: expires / 1000,
      content_type: mediaTypeOf(file.path),
      playable_type: await service.search.playableType(file, signal),
      size_bytes: file.mark.size_bytes,
      hash_str,
    });
  },
});

type Linked = Pick<MediaFile, 'path' | 'hash_str' | 'kind' | 'mark'>;

function fileOf({ search }: Service, request: NamedMedia, signal: AbortSignal): Promise<Linked> {
  return search.mediaFile(request, signal);
}

async function proxyOf(
  { search, proxies }: Service,
  request: NamedMedia,
  signal: AbortSignal,
): Promise<Linked> {
  const { cache_dir } = request;
  const hash_str =
    'hash_str' in request ? request.hash_str : (await search.mediaFile(request, signal)).hash_str;
  const proxy = await proxies.find({ cache_dir, hash_str });
  if (!proxy) {
    const which = 'hash_str' in request ? `hash_str: ${hash_str}` : `media_path: ${request.media_path}`;
    throw proxyErrors.PROXY_MISSING(`${which} has no proxy; create one with POST /media/proxy`);
  }
  const { path, size_bytes } = proxy;
  return { path, hash_str, kind: 'video', mark: { size_bytes, mtime_ms: 0, inode: '' } };
}

export const mediaBytes = route({
  method: 'GET',
  path: '/media/{link}',
  id: 'mediaBytes',
  tag,
  summary: 'Get the bytes of a media file',
  description:
    'Returns the whole file, or a part of it with `Range`. `ETag`, `If-None-Match` and `If-Range` work ' +
    'as usual. `link` comes from /media/link. Returns 404 if the link or its key has expired, if the ' +
    'service was restarted, or if the file no longer exists or was replaced.',
  access: 'open',
  params: Type.Object({
    link: described(Type.String(), 'The last part of the `url` returned by /media/link.'),
  }),
  form: { bytes: '*/*' },
  answers: { 200: Bytes, 404: ErrorBody },
  handle: async ({ params, signal }, { search, proxies, mediaLinks }) => {
    const linked = await mediaLinks.open(params.link);
    if (linked.proxy) {
      const proxy = await proxies.find(linked).catch(() => null);
      const content = proxy && (await contentOfFile(proxy.path, mediaTypeOf(proxy.path)).catch(() => null));
      if (content) return reply(200, content, guarded);
      throw searchErrors.MEDIA_GONE('The proxy was removed or cannot be opened');
    }
    const { path, mark } = await search.mediaFile(linked, signal).catch(withoutNames);
    const isIt = (stats: Parameters<typeof modifiedMs>[0] & { size: bigint; ino: bigint }) =>
      Number(stats.size) === mark.size_bytes &&
      modifiedMs(stats) === mark.mtime_ms &&
      String(stats.ino) === mark.inode;
    // Between the look at the name and here another file may have taken it.
    const content = await contentOfFile(path, mediaTypeOf(path), isIt).catch(() => null);
    if (content) return reply(200, content, guarded);
    throw searchErrors.MEDIA_GONE('The file is not at its known path or cannot be opened');
  },
});

/** Errors tell the holder of a link without a key nothing about hashes and folders. */
function withoutNames(error: unknown): never {
  if (error instanceof EngineError) throw restated(error, { message: error.meaning, details: {} });
  throw error;
}

/** A drawing or a page among the media runs no script here, and pages of other sites cannot embed it. */
const guarded = {
  'Cache-Control': 'private, max-age=3600',
  'Content-Security-Policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

export const linkRoutes: readonly Route[] = [mediaLink, mediaBytes];

// Pictures of media: single moments, and strips of a film.

const thumbnailTag = 'Thumbnails';

export const thumbnails = route({
  method: 'POST',
  path: '/api/v1/thumbnails',
  id: 'thumbnails',
  tag: thumbnailTag,
  summary: 'Get pictures of moments',
  description:
    'Returns one entry for each request, in order. `thumbnail` is null for sound, for moments after the ' +
    'end, and if no picture is available because the file is missing or cannot be decoded; the log has ' +
    'the reason. For analysed files, the stored preview of the nearest second is returned, even if the ' +
    'file no longer exists. Pictures that are larger than the preview, and pictures of other files, are ' +
    'decoded at exactly the given time, in one pass over each file. A still has the same picture at ' +
    'every moment. The `hash_str` of a request takes precedence over its `media_path`, as in ' +
    '/thumbnails/scene: it selects pictures of that content at any path, and of no other file. Returns ' +
    '400 if the analysis folder does not know the hash and the file at the path has a different one. A ' +
    `request can ask for up to ${thumbnailsAtOnce} pictures of 480 pixels, or fewer if they are larger ` +
    `(${mostThumbnails(1920)} of 1920 pixels).`,
  body: ThumbnailsRequest,
  answers: { 200: ThumbnailsAnswer },
  handle: async ({ body, signal }, { search }) => reply(200, await search.thumbnails(body, signal)),
});

export const sceneThumbnails = route({
  method: 'POST',
  path: '/api/v1/thumbnails/scene',
  id: 'sceneThumbnails',
  tag: thumbnailTag,
  summary: 'Get a strip of pictures of a film',
  description:
    'Returns pairs of a picture and its time, one for each second including both ends, so the two times ' +
    'of the scene of a match show that scene. A range of more than 100 seconds yields exactly 100 evenly ' +
    'spaced pictures, including both ends. The range ends at the last second of the film at the latest, ' +
    'so a range that begins after it has no pictures. Seconds whose pictures cannot be decoded are ' +
    'omitted. The result is null for sound and stills. `hash_str` takes precedence over `media_path`: ' +
    'stored previews of a moved film are returned, whatever file is now at the path. Returns 400 if the ' +
    'analysis folder does not know the hash and the file at the path has a different one, and if the ' +
    'file does not exist and nothing is stored for it.',
  body: SceneThumbnailsRequest,
  answers: { 200: SceneThumbnailsAnswer, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, await atField('media_path', search.sceneThumbnails(body, signal))),
});

export const thumbnailRoutes: readonly Route[] = [thumbnails, sceneThumbnails];

// Where the scenes of a media file are.

export const listScenes = route({
  method: 'POST',
  path: '/api/v1/scenes',
  id: 'listScenes',
  tag: 'Media',
  summary: 'List the scenes of a media file',
  description:
    'Returns the scenes that matches and moments also have, in order. The file is given by either ' +
    '`media_path` or `hash_str`, and does not have to exist any more. Nothing has to be loaded, because ' +
    'scenes are stored with the visual analysis. Scenes that overlap `[start_seconds, end_seconds)` are ' +
    'returned as a whole. Seconds that could not be decoded belong to no scene. Returns 404 if the ' +
    'analysis folder does not know the file, and 400 if its pictures have not been analysed.',
  body: ScenesRequest,
  answers: { 200: ScenesAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, await atField('media_path', search.scenes(body, signal))),
});

export const sceneRoutes: readonly Route[] = [listScenes];

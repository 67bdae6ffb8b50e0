// What media files are, and where their analysis lies.
import { Type } from 'typebox';
import { MediaPropertiesAnswer } from '../../actors/analysis/media/contract.ts';
import { CacheDir } from '../../actors/index/store/contract.ts';
import { CachePathsAnswer } from '../../actors/search/contract.ts';
import { FrameTimesAnswer, FrameTimesRequest } from '../../actors/search/frame-times/contract.ts';
import { mediaFields } from '../../actors/search/media/contract.ts';
import { PeaksAnswer, PeaksRequest } from '../../actors/search/peaks/contract.ts';
import { allAbsolute, SentPath } from '../../runtime/paths.ts';
import { field } from '../../runtime/schema.ts';
import { atField } from '../request/named-file.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

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
    'its size, time and inode are unchanged. `video_cached` refers to the visual model in use, or to any ' +
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
    const media_paths = allAbsolute('media_paths', body.media_paths);
    const { model_key } = search.models.state;
    const { media_properties, unreadable } = await analysis.properties(
      { cache_dir, media_paths, model_key },
      signal,
    );
    // By the path as it was sent, which may not be its plain form.
    const sent = <T>(found: Readonly<Record<string, T>>): Record<string, T> => {
      const known = media_paths.flatMap((path, i): [string, T][] =>
        Object.hasOwn(found, path) ? [[body.media_paths[i]!, found[path]!]] : [],
      );
      return Object.fromEntries(known);
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

export const mediaPeaks = route({
  method: 'POST',
  path: '/api/v1/media/peaks',
  id: 'mediaPeaks',
  tag,
  summary: 'Get the loudness of a media file over time',
  description:
    'For drawing a waveform: returns the loudest sample of any channel of the default track in each of ' +
    '`points` equal parts. The first request decodes the sound, which takes a few seconds for each hour ' +
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

export const mediaRoutes: readonly Route[] = [mediaMetadata, cachePaths, mediaPeaks, mediaFrames];

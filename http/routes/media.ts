// What media files are, and where their analysis lies.
import { Type } from 'typebox';
import { MediaPropertiesAnswer } from '../../actors/analysis/media/contract.ts';
import { CachePathsAnswer } from '../../actors/search/contract.ts';
import { FrameTimesAnswer, longestPart } from '../../actors/search/frame-times/contract.ts';
import { mostPoints, PeaksAnswer } from '../../actors/search/peaks/contract.ts';
import { defaulted, described } from '../../runtime/schema.ts';
import { atField } from '../request/named-file.ts';
import { AbsolutePath, absolute, allAbsolute, CacheDir } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';
import { mediaFields, whichMedia } from './media-fields.ts';

const tag = 'Media';

export const mediaMetadata = route({
  method: 'POST',
  path: '/api/v1/media/metadata',
  id: 'mediaMetadata',
  tag,
  summary: 'Properties of media files, and whether they are analysed',
  description:
    'Answers every file that can be read, by the path it was asked for; the others are left out, and `unreadable` says why. ' +
    '400 when none can be read. A file seen before is answered without being opened as long as its size, time and inode ' +
    'are the same. `video_cached` refers to the visual model in use, or to any while none is. `runtime` is null for ' +
    'stills; `fps` is 0 for stills and sound and null where the file does not say. An analysis folder that does not ' +
    'exist yet is not made, and nothing is remembered then; one that cannot be written is only read; 503 when it cannot ' +
    'be read.',
  body: Type.Object({
    cache_dir: CacheDir,
    media_paths: Type.Array(AbsolutePath, { minItems: 1, maxItems: 10_000 }),
  }),
  answers: { 200: MediaPropertiesAnswer },
  handle: async ({ body, signal }, { analysis, search }) => {
    const cache_dir = absolute('cache_dir', body.cache_dir);
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
  summary: 'Folders in which the analysis of a media file lies',
  description:
    'For one file, named by `media_path` or by `hash_str`, not both. Null where nothing is stored of it, whichever model ' +
    'would have made it. Several files share a folder, and its layout is private to the service: do not write ' +
    'to it or delete it.',
  body: Type.Object({
    cache_dir: CacheDir,
    ...mediaFields,
  }),
  answers: { 200: CachePathsAnswer, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const cache_dir = absolute('cache_dir', body.cache_dir);
    return reply(
      200,
      await atField('media_path', search.cachePaths({ cache_dir, ...whichMedia(body) }, signal)),
    );
  },
});

export const mediaPeaks = route({
  method: 'POST',
  path: '/api/v1/media/peaks',
  id: 'mediaPeaks',
  tag,
  summary: 'How loud the sound of a media file is along its time',
  description:
    'For drawing its wave: the loudest sample, of any channel of the default track, in each of `points` equal parts. The ' +
    'sound is decoded at the first question, which takes some seconds for an hour of it, and kept in the analysis folder until the media ' +
    'is forgotten; a finer grid than 50 peaks a second is not kept. 404 when the analysis folder does not know the file, ' +
    'and when it is gone before its sound was decoded.',
  body: Type.Object({
    cache_dir: CacheDir,
    ...mediaFields,
    start_seconds: Type.Optional(
      described(Type.Number({ minimum: 0 }), 'The start of the file when left out.'),
    ),
    end_seconds: Type.Optional(described(Type.Number({ minimum: 0 }), 'The end of the file when left out.')),
    points: defaulted(
      described(Type.Integer({ minimum: 1, maximum: mostPoints }), 'Parts of the range.'),
      2000,
    ),
  }),
  answers: { 200: PeaksAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const cache_dir = absolute('cache_dir', body.cache_dir);
    const { start_seconds = null, end_seconds = null, points } = body;
    const range = { start_seconds, end_seconds, points };
    return reply(200, await search.peaks({ cache_dir, ...whichMedia(body), ...range }, signal));
  },
});

export const mediaFrames = route({
  method: 'POST',
  path: '/api/v1/media/frames',
  id: 'mediaFrames',
  tag,
  summary: 'When each frame of a part of a film is shown',
  description:
    'For players that step by frames: where `rate_varies`, as in films of phones and of screens, frames cannot be counted by ' +
    'a rate. The packets of the part are read from the file, nothing is decoded. 404 for media that the analysis ' +
    'folder does not know or that is not where it was seen.',
  body: Type.Object({
    cache_dir: CacheDir,
    ...mediaFields,
    start_seconds: described(Type.Number({ minimum: 0 }), 'From the first frame of the film on.'),
    end_seconds: described(
      Type.Number({ exclusiveMinimum: 0 }),
      `After the start, by ${longestPart} s at most.`,
    ),
  }),
  answers: { 200: FrameTimesAnswer, 400: ErrorBody, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const { start_seconds, end_seconds } = body;
    const cache_dir = absolute('cache_dir', body.cache_dir);
    const request = { cache_dir, ...whichMedia(body), start_seconds, end_seconds };
    return reply(200, await search.frameTimes(request, signal));
  },
});

export const mediaRoutes: readonly Route[] = [mediaMetadata, cachePaths, mediaPeaks, mediaFrames];

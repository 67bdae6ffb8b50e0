// Pictures of media: single moments, and strips of a film.
import { Type } from 'typebox';
import { searchErrors } from '../../actors/search/contract.ts';
import {
  mostThumbnails,
  SceneThumbnailsAnswer,
  ThumbnailsAnswer,
  thumbnailsAtOnce,
} from '../../actors/search/thumbnails/contract.ts';
import { defaulted, described } from '../../runtime/schema.ts';
import { atField } from '../request/named-file.ts';
import { AbsolutePath, absolute, CacheDir } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';
import { HashStr } from './media-fields.ts';

const tag = 'Thumbnails';

const MaxSize = described(
  defaulted(Type.Integer({ minimum: 64, maximum: 1920 }), 480),
  'Longest side of a picture, px. Pictures are never enlarged.',
);
const ClockTime = Type.String({ pattern: '^[0-9]{2,4}:[0-5][0-9]:[0-5][0-9]$' });

export const thumbnails = route({
  method: 'POST',
  path: '/api/v1/thumbnails',
  id: 'thumbnails',
  tag,
  summary: 'Pictures of moments of media files',
  description:
    'One entry for each request, in order. `thumbnail` is null for sound, for a moment after the end, and when no picture ' +
    'could be retrieved: the file is not there or cannot be decoded, which the log tells. Of an analysed file the stored ' +
    'preview of the nearest second is answered, also when the file itself is gone; larger pictures than the preview, and ' +
    'those of other files, are decoded at exactly that time, in one pass over each file. A still is the same at every ' +
    'moment. `hash_str` of a request goes before its `media_path`, as at /thumbnails/scene: pictures of that content, wherever it ' +
    'lies, and none of another file; 400 when the analysis folder does not know the hash and the file at the path has another one. ' +
    `Up to ${thumbnailsAtOnce} requests at 480 px, fewer of larger pictures (${mostThumbnails(1920)} at 1920 px).`,
  body: Type.Object({
    cache_dir: CacheDir,
    requests: Type.Array(
      Type.Object({
        media_path: AbsolutePath,
        time_seconds: described(Type.Number({ minimum: 0 }), 'From the start of the film.'),
        hash_str: Type.Optional(HashStr),
      }),
      { maxItems: thumbnailsAtOnce },
    ),
    max_size: MaxSize,
  }),
  answers: { 200: ThumbnailsAnswer },
  handle: async ({ body, signal }, { search }) => {
    const { max_size } = body;
    const most = mostThumbnails(max_size);
    if (body.requests.length > most) {
      const what = `${body.requests.length} pictures of ${max_size} px are too many at once; at most ${most} are possible`;
      throw searchErrors.TOO_MANY_PICTURES(`requests: ${what}`, { field: 'requests' });
    }
    const cache_dir = absolute('cache_dir', body.cache_dir);
    const requests = body.requests.map((one, i) => ({
      ...one,
      media_path: absolute(`requests[${i}].media_path`, one.media_path),
    }));
    return reply(200, await search.thumbnails({ cache_dir, requests, max_size }, signal));
  },
});

export const sceneThumbnails = route({
  method: 'POST',
  path: '/api/v1/thumbnails/scene',
  id: 'sceneThumbnails',
  tag,
  summary: 'A strip of pictures of a film',
  description:
    'Pairs of a picture and its time, one a second with both ends, so the two times of the scene of a match show that scene; ' +
    'of a range longer than 100 seconds exactly 100, evenly ' +
    'spaced, with both ends. The range ends at the last second of the film at the latest, so a range that begins after it ' +
    'has no pictures. A second whose picture cannot be decoded is left out. Null for sound and stills. `hash_str` ' +
    'goes before `media_path`: a film that has moved is answered from its stored previews, whatever lies at the path now; ' +
    '400 when the analysis folder does not know the hash and the file at the path has another one, and when there is no such ' +
    'file and nothing is stored of it.',
  body: Type.Object({
    cache_dir: CacheDir,
    media_path: AbsolutePath,
    start_time: described(ClockTime, '`HH:MM:SS`.'),
    end_time: described(ClockTime, '`HH:MM:SS`, not before `start_time`.'),
    hash_str: Type.Optional(HashStr),
    max_size: MaxSize,
  }),
  answers: { 200: SceneThumbnailsAnswer, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const { start_time, end_time, hash_str = null, max_size } = body;
    const cache_dir = absolute('cache_dir', body.cache_dir);
    const media_path = absolute('media_path', body.media_path);
    const request = { cache_dir, media_path, start_time, end_time, hash_str, max_size };
    return reply(200, await atField('media_path', search.sceneThumbnails(request, signal)));
  },
});

export const thumbnailRoutes: readonly Route[] = [thumbnails, sceneThumbnails];

// Pictures of media: single moments, and strips of a film.
import {
  mostThumbnails,
  SceneThumbnailsAnswer,
  SceneThumbnailsRequest,
  ThumbnailsAnswer,
  ThumbnailsRequest,
  thumbnailsAtOnce,
} from '../../actors/search/thumbnails/contract.ts';
import { atField } from '../request/named-file.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Thumbnails';

export const thumbnails = route({
  method: 'POST',
  path: '/api/v1/thumbnails',
  id: 'thumbnails',
  tag,
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
  tag,
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

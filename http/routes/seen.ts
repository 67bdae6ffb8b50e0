// What detectors have seen in a media file.
import { Type } from 'typebox';
import { CacheDir } from '../../actors/index/store/contract.ts';
import { mediaFields } from '../../actors/search/media/contract.ts';
import { SeenAnswer } from '../../actors/search/seen/contract.ts';
import { atField } from '../request/named-file.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

export const mediaSeen = route({
  method: 'POST',
  path: '/api/v1/media/seen',
  id: 'mediaSeen',
  tag: 'Media',
  summary: 'Get the things and printed words in a media file',
  description:
    'Returns what detectors have found in a file, with times: classes of things, the size of people, and ' +
    'printed lines. The file is given by either `media_path` or `hash_str`, and does not have to exist ' +
    'any more. Nothing has to be loaded. Returns 404 if the analysis folder does not know the file.',
  body: Type.Object({ cache_dir: CacheDir, ...mediaFields }),
  answers: {
    200: SeenAnswer,
    404: ErrorBody,
  },
  handle: async ({ body, signal }, { search }) =>
    reply(200, await atField('media_path', search.seen(body, signal))),
});

export const seenRoutes: readonly Route[] = [mediaSeen];

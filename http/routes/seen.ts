// What detectors have seen in a media file.
import { Type } from 'typebox';
import { SeenAnswer } from '../../actors/search/seen/contract.ts';
import { atField } from '../request/named-file.ts';
import { absolute, CacheDir } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';
import { mediaFields, whichMedia } from './media-fields.ts';

export const mediaSeen = route({
  method: 'POST',
  path: '/api/v1/media/seen',
  id: 'mediaSeen',
  tag: 'Media',
  summary: 'Things and printed words of a media file',
  description:
    'What detectors have seen in one file, with its times: classes of things, how large people are, printed lines. The file is named by `media_path` or by ' +
    '`hash_str`, not both; it may be gone. Nothing has to be loaded. 404 for a file the analysis folder does not know.',
  body: Type.Object({ cache_dir: CacheDir, ...mediaFields }),
  answers: {
    200: SeenAnswer,
    404: ErrorBody,
  },
  handle: async ({ body, signal }, { search }) => {
    const asked = { cache_dir: absolute('cache_dir', body.cache_dir), ...whichMedia(body) };
    return reply(200, await atField('media_path', search.seen(asked, signal)));
  },
});

export const seenRoutes: readonly Route[] = [mediaSeen];

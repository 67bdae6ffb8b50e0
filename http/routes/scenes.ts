// Where the scenes of a media file are.

import { Type } from 'typebox';
import { CacheDir } from '../../actors/index/store/contract.ts';
import { searchErrors } from '../../actors/search/contract.ts';
import { mediaFields } from '../../actors/search/media/contract.ts';
import { ScenesAnswer } from '../../actors/search/scenes/contract.ts';
import { rangeFault } from '../../runtime/range-fault.ts';
import { defaulted, described, nullable } from '../../runtime/schema.ts';
import { atField } from '../request/named-file.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

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
  body: Type.Object({
    cache_dir: CacheDir,
    ...mediaFields,
    start_seconds: defaulted(
      described(Type.Number({ minimum: 0 }), 'Return scenes that end after this time.'),
      0,
    ),
    end_seconds: Type.Optional(
      described(
        nullable(Type.Number({ exclusiveMinimum: 0 })),
        'Return scenes that begin before this time, which must be after `start_seconds`. If omitted, the ' +
          'range extends to the end.',
      ),
    ),
  }),
  answers: { 200: ScenesAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const { start_seconds, end_seconds } = body;
    const until = end_seconds ?? Number.MAX_VALUE;
    if (until <= start_seconds) {
      const what = `end_seconds: ${rangeFault(start_seconds, until)}`;
      throw searchErrors.BAD_TIME(what, { field: 'end_seconds' });
    }
    const request = { ...body, start_seconds, end_seconds: until };
    return reply(200, await atField('media_path', search.scenes(request, signal)));
  },
});

export const sceneRoutes: readonly Route[] = [listScenes];

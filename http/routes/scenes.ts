// Where the scenes of a media file are.

import { ScenesAnswer, ScenesRequest } from '../../actors/search/scenes/contract.ts';
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
  body: ScenesRequest,
  answers: { 200: ScenesAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, await atField('media_path', search.scenes(body, signal))),
});

export const sceneRoutes: readonly Route[] = [listScenes];

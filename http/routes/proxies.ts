// Proxies: films and sound that a browser plays, made of those it cannot play.
import { Type } from 'typebox';
import { proxyErrors } from '../../actors/exporter/proxies/contract.ts';
import { CacheDir, ContentHash } from '../../actors/index/store/contract.ts';
import { mediaFields } from '../../actors/search/media/contract.ts';
import { defaulted, described, field } from '../../runtime/schema.ts';
import { AcceptedTask, accepted } from '../request/accepted.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

export const makeProxy = route({
  method: 'POST',
  path: '/api/v1/media/proxy',
  id: 'makeProxy',
  tag: 'Media',
  summary: 'Make a film or sound playable in a browser',
  description:
    'Makes a proxy of a file whose `playable_type` (see /media/link) the browser cannot play. Returns ' +
    '200 if the proxy exists, and otherwise 202 with the id of the task that makes it. Repeating the ' +
    'request meanwhile returns the same task. The proxy has 8-bit H.264 and AAC in mp4 (sound alone in ' +
    'm4a), with a keyframe every second and every picture at its original time, so picture n of the ' +
    'proxy is picture n of the film. Rotation is kept, as is the first audio track, with at most two ' +
    'channels. Proxies are stored in the analysis folder by content, within the limit of the setting ' +
    '`proxies_gb`; the least recently used ones are removed first. Get the bytes with /media/link and ' +
    '`proxy`. Returns 404 if the analysis folder does not know the media, or if the file is not at its ' +
    'known path. While an export or the proxy of another file is running as a task, this task is ' +
    '`queued`. Returns 503 if 100 tasks are queued.',
  body: Type.Object({
    cache_dir: CacheDir,
    ...mediaFields,
    max_side: defaulted(
      described(
        Type.Integer({ minimum: 160, maximum: 7680 }),
        'Longest side of the pictures in pixels. Pictures are never enlarged. An existing larger proxy is ' +
          'used as it is.',
      ),
      1280,
    ),
  }),
  answers: {
    200: Type.Object({
      ready: field('Whether the proxy is ready.', Type.Literal(true)),
      hash_str: ContentHash,
    }),
    202: Type.Object({ ...AcceptedTask, hash_str: ContentHash }),
    400: ErrorBody,
    404: ErrorBody,
    503: ErrorBody,
    507: ErrorBody,
  },
  handle: async ({ body, signal }, { search, proxies, tasks }) => {
    const { cache_dir, max_side } = body;
    const { path, hash_str, kind } = await search.mediaFile(body, signal);
    if (kind === 'image') throw proxyErrors.PROXY_OF_STILL(`${path}: is a still; stills have no proxies`);
    const request = { cache_dir, hash_str, max_side };
    if (await proxies.find(request)) return reply(200, { ready: true as const, hash_str });
    const task = await tasks.begin('proxy', { ...request, media_path: path }, { signal });
    const answer = accepted(task, 'The proxy is being made', 'The proxy is queued');
    return reply(202, { ...answer, hash_str });
  },
});

export const proxyRoutes: readonly Route[] = [makeProxy];

// Proxies: films and sound that a browser plays, made of those it cannot play.
import { Type } from 'typebox';
import { proxyErrors } from '../../actors/exporter/proxies/contract.ts';
import { defaulted, described } from '../../runtime/schema.ts';
import { AcceptedTask, accepted } from '../request/accepted.ts';
import { absolute, CacheDir } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';
import { mediaFields, whichMedia } from './media-fields.ts';

export const makeProxy = route({
  method: 'POST',
  path: '/api/v1/media/proxy',
  id: 'makeProxy',
  tag: 'Media',
  summary: 'Make a film or sound playable in a browser',
  description:
    'For a file whose `playable_type`, of /media/link, the browser does not play. 200 when its proxy is there; else 202 with the ' +
    'id of the task that makes it, the same one for whoever asks meanwhile: H.264 and AAC in mp4 (sound alone in m4a), 8 bit, ' +
    'with a keyframe each second and every picture at its own time, so that picture n of the proxy is picture n of the film; ' +
    'rotation is kept, and the first track of sound, in two channels at most. It is kept in the analysis folder by content, ' +
    'within the setting `proxies_gb`; those unused for longest are removed first. /media/link with `proxy` has its bytes. 404 for media ' +
    'that the analysis folder does not know or that is not where it was seen. While an export, or the proxy of another ' +
    'file, is a task, this one waits its turn, as `queued`; 503 when 100 wait.',
  body: Type.Object({
    cache_dir: CacheDir,
    ...mediaFields,
    max_side: defaulted(
      described(
        Type.Integer({ minimum: 160, maximum: 7680 }),
        'Longest side of its pictures, px; they are never made larger. A larger proxy that is there will do.',
      ),
      1280,
    ),
  }),
  answers: {
    200: Type.Object({ ready: Type.Literal(true), hash_str: Type.String() }),
    202: Type.Object({ ...AcceptedTask, hash_str: Type.String() }),
    400: ErrorBody,
    404: ErrorBody,
    503: ErrorBody,
    507: ErrorBody,
  },
  handle: async ({ body, signal }, { search, proxies, tasks }) => {
    const { max_side } = body;
    const cache_dir = absolute('cache_dir', body.cache_dir);
    const { path, hash_str, kind } = await search.mediaFile({ cache_dir, ...whichMedia(body) }, signal);
    if (kind === 'image') throw proxyErrors.PROXY_OF_STILL(`${path}: is a still, which needs no proxy`);
    const wish = { cache_dir, hash_str, max_side };
    if (await proxies.find(wish)) return reply(200, { ready: true as const, hash_str });
    const task = await tasks.begin('proxy', { ...wish, media_path: path }, { signal });
    const answer = accepted(task, 'The proxy is being made', 'The proxy waits its turn');
    return reply(202, { ...answer, hash_str });
  },
});

export const proxyRoutes: readonly Route[] = [makeProxy];

// The bytes of media files, for players that cannot send a key: a link for one file, and what lies behind it.
import { Type } from 'typebox';
import { modifiedMs } from '../../actors/decoder/contract.ts';
import { proxyErrors } from '../../actors/exporter/proxies/contract.ts';
import { CacheDir, ContentHash } from '../../actors/index/store/contract.ts';
import { type MediaFile, searchErrors } from '../../actors/search/contract.ts';
import { mediaFields, type NamedMedia } from '../../actors/search/media/contract.ts';
import { EngineError, restated } from '../../runtime/errors.ts';
import { defaulted, described, nullable } from '../../runtime/schema.ts';
import { contentOfFile } from '../request/content.ts';
import { mediaTypeOf } from '../request/media-types.ts';
import { Bytes, ErrorBody, type Route, reply, route } from '../route.ts';
import type { Service } from '../service.ts';

const tag = 'Media';

export const mediaLink = route({
  method: 'POST',
  path: '/api/v1/media/link',
  id: 'mediaLink',
  tag,
  summary: 'Create a link to the bytes of a media file',
  description:
    'For `<video>`, `<audio>` and `<img>` elements, which cannot send headers. The file is given by ' +
    'either `media_path` or `hash_str`, and must be known to the analysis folder and unchanged at its ' +
    'known path; otherwise 404 is returned. The link contains neither path nor hash, expires after some ' +
    'time, and stops working when the service stops. Anybody who has the link can read this file. With ' +
    '`proxy`, the link is to the proxy made by POST /media/proxy; 404 is returned if there is none. With ' +
    '`hash_str`, that also works for a file that no longer exists. The link is valid as long as the ' +
    'license key or session that it was made with.',
  body: Type.Object({
    cache_dir: CacheDir,
    ...mediaFields,
    proxy: defaulted(
      described(Type.Boolean(), 'Link to the proxy of the file, which browsers can play.'),
      false,
    ),
  }),
  answers: {
    200: Type.Object({
      url: described(Type.String(), 'Path of the link, relative to the root of the service.'),
      expires_at: described(Type.Number(), 'When the link expires, as a Unix time in seconds.'),
      content_type: described(Type.String(), 'Media type, derived from the file name.'),
      playable_type: described(
        nullable(Type.String()),
        'Type and codecs in the form that `HTMLMediaElement.canPlayType` accepts; null for stills and if ' +
          'unknown.',
      ),
      size_bytes: described(Type.Integer(), 'Size of the file in bytes.'),
      hash_str: ContentHash,
    }),
    404: ErrorBody,
  },
  handle: async ({ body, credential, signal }, service) => {
    const { cache_dir, proxy } = body;
    const { hash_str, ...file } = await (proxy ? proxyOf : fileOf)(service, body, signal);
    const { link, expires } = service.mediaLinks.make({ cache_dir, hash_str, proxy }, credential);
    return reply(200, {
      url: `/media/${link}`,
      expires_at: expires / 1000,
      content_type: mediaTypeOf(file.path),
      playable_type: await service.search.playableType(file, signal),
      size_bytes: file.mark.size_bytes,
      hash_str,
    });
  },
});

type Linked = Pick<MediaFile, 'path' | 'hash_str' | 'kind' | 'mark'>;

function fileOf({ search }: Service, request: NamedMedia, signal: AbortSignal): Promise<Linked> {
  return search.mediaFile(request, signal);
}

async function proxyOf(
  { search, proxies }: Service,
  request: NamedMedia,
  signal: AbortSignal,
): Promise<Linked> {
  const { cache_dir } = request;
  const hash_str =
    'hash_str' in request ? request.hash_str : (await search.mediaFile(request, signal)).hash_str;
  const found = await proxies.find({ cache_dir, hash_str });
  if (!found) {
    const which = 'hash_str' in request ? `hash_str: ${hash_str}` : `media_path: ${request.media_path}`;
    throw proxyErrors.PROXY_MISSING(`${which} has no proxy; create one with POST /media/proxy`);
  }
  const { path, size_bytes } = found;
  return { path, hash_str, kind: 'video', mark: { size_bytes, mtime_ms: 0, inode: '' } };
}

export const mediaBytes = route({
  method: 'GET',
  path: '/media/{link}',
  id: 'mediaBytes',
  tag,
  summary: 'Get the bytes of a media file',
  description:
    'Returns the whole file, or a part of it with `Range`. `ETag`, `If-None-Match` and `If-Range` work ' +
    'as usual. `link` comes from /media/link. Returns 404 if the link or its key has expired, if the ' +
    'service was restarted, or if the file no longer exists or was replaced.',
  access: 'open',
  params: Type.Object({
    link: described(Type.String(), 'The last part of the `url` returned by /media/link.'),
  }),
  form: { bytes: '*/*' },
  answers: { 200: Bytes, 404: ErrorBody },
  handle: async ({ params, signal }, { search, proxies, mediaLinks }) => {
    const linked = await mediaLinks.open(params.link);
    if (linked.proxy) {
      const proxy = await proxies.find(linked).catch(() => null);
      const content = proxy && (await contentOfFile(proxy.path, mediaTypeOf(proxy.path)).catch(() => null));
      if (content) return reply(200, content, guarded);
      throw searchErrors.MEDIA_GONE('The proxy was removed or cannot be opened');
    }
    const { path, mark } = await search.mediaFile(linked, signal).catch(withoutNames);
    const isIt = (found: Parameters<typeof modifiedMs>[0] & { size: bigint; ino: bigint }) =>
      Number(found.size) === mark.size_bytes &&
      modifiedMs(found) === mark.mtime_ms &&
      String(found.ino) === mark.inode;
    // Between the look at the name and here another file may have taken it.
    const content = await contentOfFile(path, mediaTypeOf(path), isIt).catch(() => null);
    if (content) return reply(200, content, guarded);
    throw searchErrors.MEDIA_GONE('The file is not at its known path or cannot be opened');
  },
});

/** Whoever has a link and no key learns nothing of the hash and of folders from what goes wrong. */
function withoutNames(error: unknown): never {
  if (error instanceof EngineError) throw restated(error, { message: error.meaning, details: {} });
  throw error;
}

/** A drawing or a page among the media runs no script here, and pages of other sites cannot embed it. */
const guarded = {
  'Cache-Control': 'private, max-age=3600',
  'Content-Security-Policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

export const linkRoutes: readonly Route[] = [mediaLink, mediaBytes];

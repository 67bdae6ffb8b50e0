// Where the bytes of an analysed content can be read now.
import { isDeepStrictEqual } from 'node:util';
import type { CallOptions } from '../../../runtime/ref.ts';
import { mediaErrors } from '../../decoder/contract.ts';
import { type MediaFile, searchErrors } from '../contract.ts';
import { type NamedMedia, whichMedia } from './contract.ts';
import { type LocationParts, locatePaths, type MediaLocation } from './location.ts';

/**
 * Throws WHICH_MEDIA, MEDIA_UNKNOWN for what the folder does not know, MEDIA_GONE for what is no longer
 * where it was seen.
 */
export async function mediaFile(
  parts: Pick<LocationParts, 'index'>,
  request: NamedMedia,
  call: CallOptions,
): Promise<MediaFile> {
  const { cache_dir } = request;
  const named = whichMedia(request);
  if ('media_path' in named) {
    const { media_path } = named;
    const [found] = await locatePaths(parts, cache_dir, [media_path], call);
    return fileOf(found!) ?? refuse(found!.record !== null, `media_path: ${media_path}`, 'media_path');
  }
  const { hash_str } = named;
  const [paths = []] = (await parts.index.ask('paths', { cache_dir, hashes: [hash_str] }, call)).paths;
  const located = await locatePaths(parts, cache_dir, paths, call);
  const here = located.filter(({ record }) => record?.identity.hash_str === hash_str).map(fileOf);
  return here.find((file) => file !== null) ?? refuse(paths.length > 0, `hash_str: ${hash_str}`, 'hash_str');
}

/** Throws FILE_CHANGED; a copy of the content elsewhere does not tell what was read here. */
export function expectSameFile({ path, mark }: MediaFile, now: MediaFile): void {
  if (path === now.path && isDeepStrictEqual(mark, now.mark)) return;
  throw mediaErrors.FILE_CHANGED(`${path}: changed while it was being read`, { path });
}

function fileOf({ record, source }: MediaLocation): MediaFile | null {
  if (!record || source === null) return null;
  const { hash_str, size_bytes, mtime_ms, inode } = record.identity;
  const { kind, duration_seconds: seconds } = record.probe;
  return { hash_str, path: source, mark: { size_bytes, mtime_ms, inode }, kind, seconds };
}

function refuse(isKnown: boolean, what: string, field: string): never {
  if (isKnown)
    throw searchErrors.MEDIA_GONE(`${what} is not at its known path, or has been replaced`, { field });
  throw searchErrors.MEDIA_UNKNOWN(`${what} is not in the analysis folder`, { field });
}

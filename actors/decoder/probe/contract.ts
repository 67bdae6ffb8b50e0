// What XMP says of a media file, and where it lies.
import { basename } from 'node:path';
import { type Static, Type } from 'typebox';

/** What XMP says of a media file, in the file and beside it. */
export const Xmp = Type.Object({
  keywords: Type.Array(Type.String()),
  /** Names: of regions that show faces, and of people in the picture. */
  people: Type.Array(Type.String()),
  /** Files beside the media, as they were read. */
  sidecars: Type.Array(
    Type.Object({ name: Type.String(), size_bytes: Type.Integer(), mtime_ms: Type.Number() }),
  ),
  /** What could not be read, for a person. */
  warning: Type.Optional(Type.String()),
});
export type Xmp = Static<typeof Xmp>;

/** Where XMP of a media file lies beside it: programs name it in either way. */
export function sidecarPaths(path: string): string[] {
  const stem = path.replace(/\.[^./\\]*$/, '');
  return [...new Set([`${path}.xmp`, `${stem}.xmp`])];
}

/** By which such a file is known again. */
export function sidecarMark(path: string, stats: { readonly size: bigint; readonly mtimeNs: bigint }) {
  const mtime_ms = Number(stats.mtimeNs / 1000n) / 1000;
  return { name: basename(path), size_bytes: Number(stats.size), mtime_ms };
}

/** `toolkit`: the program that an XMP file says it was written by. */
export function isFromFramehound(toolkit: string): boolean {
  return /^framehound\b/.test(toolkit);
}

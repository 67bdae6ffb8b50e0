// XMP of a media file, and the places where it lies.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Static, Type } from 'typebox';

/** XMP of a media file, in the file and beside it. */
export const Xmp = Type.Object({
  keywords: Type.Array(Type.String()),
  /** Names: of regions that show faces, and of people in the picture. */
  people: Type.Array(Type.String()),
  /** Files beside the media, as they were read. */
  sidecars: Type.Array(
    Type.Object({ name: Type.String(), size_bytes: Type.Integer(), mtime_ms: Type.Number() }),
  ),
  /** Remark about unreadable XMP, for a person. */
  warning: Type.Optional(Type.String()),
});
export type Xmp = Static<typeof Xmp>;

/** A file beside the media, and by what it is known again. */
export interface MetadataSidecar {
  readonly path: string;
  readonly mark: Xmp['sidecars'][number];
}

/** Existing sidecars; programs name them by the whole name of the media or without its extension. */
export async function sidecarsOf(path: string): Promise<MetadataSidecar[]> {
  const stem = path.replace(/\.[^./\\]*$/, '');
  const names = new Set([path, stem].flatMap((name) => [`${name}.xmp`, `${name}.XMP`]));
  // Some file systems find one file by both cases.
  const sidecars = new Map<string, MetadataSidecar>();
  for (const beside of names) {
    const stats = await stat(beside, { bigint: true }).catch(() => null);
    if (!stats?.isFile() || sidecars.has(`${stats.dev} ${stats.ino}`)) continue;
    const mtime_ms = Number(stats.mtimeNs / 1000n) / 1000;
    const mark = { name: basename(beside), size_bytes: Number(stats.size), mtime_ms };
    sidecars.set(`${stats.dev} ${stats.ino}`, { path: beside, mark });
  }
  return [...sidecars.values()];
}

/** `toolkit`: the program that an XMP file says it was written by. */
export function isFromFramehound(toolkit: string): boolean {
  return /^framehound\b/.test(toolkit);
}

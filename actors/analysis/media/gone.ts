// A file that is not there any more, as the analysis folder remembers it: what it was, and the previews of
// its pictures.
import { stat } from 'node:fs/promises';
import type { CallOptions, Ref } from '../../../runtime/ref.ts';
import type { decoderContract, PictureSize } from '../../decoder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import type { MediaRecord } from '../../index/store/contract.ts';

export interface GoneMedia {
  readonly media: MediaRecord;
  /** Size of its stored previews. */
  readonly previews: PictureSize;
}

export interface GoneParts {
  readonly prober: Ref<typeof decoderContract>;
  readonly index: Ref<typeof indexContract>;
}

/** Previews asked for at once: some megabytes. */
export const previewPage = 16;

/**
 * Null where the path is unknown, or its pictures were not analysed. Errors: those of the store, CANCELLED.
 */
export async function goneMedia(
  { prober, index }: GoneParts,
  cache_dir: string,
  path: string,
  call: CallOptions,
): Promise<GoneMedia | null> {
  const { by_path } = await index.ask('find', { cache_dir, paths: [path], hashes: [] }, call);
  const [media] = by_path;
  if (!media) return null;
  const { hash_str } = media.identity;
  const { stored } = await index.ask('stored', { cache_dir, model_key: null, hashes: [hash_str] }, call);
  if (!stored[0]) return null;
  for (let at = 0; at < media.probe.grid_frames; at += previewPage) {
    const frames = frameRange(at, media).map((frame_index) => ({ hash_str, frame_index }));
    const page = await index.ask('previews', { cache_dir, frames }, call);
    if (page.unreadable?.length) return null;
    for (const jpeg of page.previews) {
      const previews = jpeg && (await prober.ask('stored_size', { jpeg }, call));
      if (previews) return { media, previews };
    }
  }
  return null;
}

/** A page of the grid frames of a file. */
export function frameRange(from: number, { probe }: MediaRecord): number[] {
  const count = Math.max(0, Math.min(previewPage, probe.grid_frames - from));
  return Array.from({ length: count }, (_, i) => from + i);
}

/** Whether one of these files is gone and known by its previews. */
export async function hasGone(
  parts: GoneParts,
  cache_dir: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const call = { signal, lane: 'now' } as const;
  for (const path of new Set(paths)) {
    const isGone = await stat(path).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    );
    if (isGone && (await goneMedia(parts, cache_dir, path, call))) return true;
  }
  return false;
}

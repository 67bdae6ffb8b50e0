// The frames of a file that is gone: its stored previews, read a page at a time and decoded like those of a
// film.
import type { CallOptions, FeedOptions } from '../../../runtime/ref.ts';
import type { GridFrame, PictureShape } from '../../decoder/contract.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import { frameRange, previewPage } from '../media/gone.ts';
import type { Decoder, Index } from './parts.ts';

export interface StoredFramesParts {
  readonly index: Index;
  readonly reader: Decoder;
  readonly cache_dir: string;
  readonly media: MediaRecord;
}

export interface StoredFrameOptions {
  readonly shapes: readonly PictureShape[];
  readonly preview: boolean;
  readonly from: number;
}

/**
 * An item is *borrowed until the next round of the loop*. Frames without a preview that can be read are left
 * out.
 */
export async function* storedFrames(
  { index, reader, cache_dir, media }: StoredFramesParts,
  { shapes, preview, from }: StoredFrameOptions,
  options: FeedOptions & { readonly signal: AbortSignal },
): AsyncGenerator<GridFrame> {
  const [shape, ...further_shapes] = shapes as [PictureShape, ...PictureShape[]];
  const { hash_str } = media.identity;
  for (let at = from; at < media.probe.grid_frames; at += previewPage) {
    const wanted = frameRange(at, media);
    const query = { cache_dir, frames: wanted.map((frame_index) => ({ hash_str, frame_index })) };
    const call: CallOptions = { signal: options.signal };
    const { previews } = await index.ask('previews', query, call);
    const frames = wanted.flatMap((frame_index, i) => {
      const jpeg = previews[i];
      return jpeg ? [{ frame_index, jpeg }] : [];
    });
    if (frames.length === 0) continue;
    const request = { frames, shape, ...(further_shapes.length > 0 && { further_shapes }), preview };
    yield* reader.feed('stored_frames', request, options);
  }
}

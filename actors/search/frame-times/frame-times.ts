// When the frames of a part of a film are shown, as a decoder reads it from the file.
import { rangeFault } from '../../../runtime/ranges.ts';
import type { CallOptions, Ref } from '../../../runtime/ref.ts';
import type { decoderContract } from '../../decoder/contract.ts';
import { searchErrors } from '../contract.ts';
import { type FrameTimesAnswer, type FrameTimesRequest, longestPart } from '../media/contract.ts';
import type { LocationParts } from '../media/location.ts';
import { expectSameFile, mediaFile } from '../media/media-file.ts';

interface FrameTimeParts extends Pick<LocationParts, 'index'> {
  readonly decoder: Ref<typeof decoderContract>;
}

export async function frameTimes(
  parts: FrameTimeParts,
  request: FrameTimesRequest,
  call: CallOptions,
): Promise<FrameTimesAnswer> {
  const { start_seconds: from, end_seconds: to } = request;
  if (to <= from) throw badEnd(rangeFault(from, to));
  if (to - from > longestPart) throw badEnd(`${to} is more than ${longestPart} s after the start, ${from}`);
  const file = await mediaFile(parts, request, call);
  const { path, hash_str } = file;
  const { varies, starts, end } =
    file.kind === 'video'
      ? await parts.decoder.ask('picture_times', { path, from, to }, call)
      : { varies: false, starts: [], end: null };
  expectSameFile(file, await mediaFile(parts, request, call));
  return { hash_str, media_path: path, rate_varies: varies, frame_starts: starts, last_frame_end: end };
}

function badEnd(what: string) {
  return searchErrors.BAD_TIME(`end_seconds: ${what}`, { field: 'end_seconds' });
}

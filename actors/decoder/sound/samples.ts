// Operations on decoded samples: NaN and infinity become 0, values are clamped to full scale, the start of a frame is cut.
import { avGetSampleFmtName, type Frame } from '../ffmpeg.ts';

/** Bytes per sample, by the name of the format without the `p` of planar ones. */
const widths: Readonly<Record<string, number>> = { u8: 1, s16: 2, s32: 4, flt: 4, s64: 8, dbl: 8 };

function planesOf(frame: Frame): { name: string; stride: number; planes: readonly Buffer[] } {
  const format = avGetSampleFmtName(frame.format as Parameters<typeof avGetSampleFmtName>[0]) ?? '';
  const planar = format.endsWith('p');
  const name = planar ? format.slice(0, -1) : format;
  const stride = (widths[name] ?? 0) * (planar ? 1 : frame.channels);
  return { name, stride, planes: frame.extendedData ?? [] };
}

/** Sets NaN and infinite samples of float frames to 0, in place. */
export function zeroNonFinite(frame: Frame) {
  const { name, stride, planes } = planesOf(frame);
  if (name !== 'flt' && name !== 'dbl') return;
  for (const { buffer, byteOffset } of planes) {
    const samples =
      name === 'flt'
        ? new Float32Array(buffer, byteOffset, (frame.nbSamples * stride) / 4)
        : new Float64Array(buffer, byteOffset, (frame.nbSamples * stride) / 8);
    for (let i = 0; i < samples.length; i++) {
      const value = samples[i]!;
      // NaN for NaN and infinity, else 0; faster than Number.isFinite.
      if (value - value !== 0) samples[i] = 0;
    }
  }
}

/** Removes the first `count` samples of a frame, in place; at least one must remain. */
export function cutFront(frame: Frame, count: number) {
  frame.makeWritable();
  const { stride, planes } = planesOf(frame);
  for (const plane of planes) plane.copyWithin(0, count * stride, frame.nbSamples * stride);
  frame.nbSamples -= count;
}

/** Copies samples, clamped to -1 to 1; NaN and infinity become 0. */
export function copyClamped(from: Float32Array, to: Float32Array) {
  for (let i = 0; i < from.length; i++) {
    const value = from[i]!;
    to[i] = value - value === 0 ? Math.min(1, Math.max(-1, value)) : 0;
  }
}

// How alike two decoded pictures of 8 bits and 4:2:0 are.
import type { Frame } from '../../ffmpeg.ts';

/** Of the rows of luma, every so many are compared where some do. */
const rowStep = 8;

interface Plane {
  readonly data: Uint8Array;
  readonly stride: number;
  readonly width: number;
  readonly height: number;
}

function planes(frame: Frame): Plane[] {
  const { width, height, linesize } = frame;
  const data = frame.data ?? [];
  const half = (size: number) => Math.ceil(size / 2);
  return [0, 1, 2].flatMap((i) => {
    const plane = data[i];
    const size = i === 0 ? { width, height } : { width: half(width), height: half(height) };
    return plane ? [{ data: plane, stride: linesize[i]!, ...size }] : [];
  });
}

const row = ({ data, stride, width }: Plane, y: number) => data.subarray(y * stride, y * stride + width);

/** True when every sample is. */
export function isSame(one: Frame, other: Frame): boolean {
  const [own, theirs] = [planes(one), planes(other)];
  if (one.width !== other.width || one.height !== other.height || own.length !== theirs.length) return false;
  return own.every((plane, i) => {
    for (let y = 0; y < plane.height; y++) {
      if (Buffer.compare(row(plane, y), row(theirs[i]!, y)) !== 0) return false;
    }
    return true;
  });
}

/** Mean difference of luma in levels, of some rows; Infinity for pictures of another size. */
export function lumaDifference(one: Frame, other: Frame): number {
  const [own, theirs] = [planes(one)[0], planes(other)[0]];
  if (!own || !theirs || own.width !== theirs.width || own.height !== theirs.height) return Infinity;
  let sum = 0;
  let samples = 0;
  for (let y = 0; y < own.height; y += rowStep) {
    const [a, b] = [row(own, y), row(theirs, y)];
    for (let x = 0; x < own.width; x++) sum += Math.abs(a[x]! - b[x]!);
    samples += own.width;
  }
  return sum / samples;
}

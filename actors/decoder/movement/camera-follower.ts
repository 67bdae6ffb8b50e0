// Follows the camera from one grid frame to the next.

import { avGetPixFmtName, type Frame } from '../ffmpeg.ts';
import type { CameraMotion } from '../frames/contract.ts';
import type { GridPicture } from '../frames/gop-walk.ts';
import { type Brightness, motionBetween, type Seen, seenHeight, seenOf, seenWidth } from './motion.ts';

interface Followed {
  readonly second: number;
  readonly seconds: number;
  readonly seen: Seen | null;
}

export class CameraFollower {
  #last: Followed | null = null;

  /** Since the grid frame before; null where nobody can say. */
  next({ second, seconds, frame }: GridPicture): CameraMotion | null {
    const last = this.#last;
    const isSame = last?.seconds === seconds;
    const seen = isSame ? last.seen : seenIn(frame);
    this.#last = { second, seconds, seen };
    if (last?.second !== second - 1 || !last.seen || !seen) return null;
    return isSame ? { dx: 0, dy: 0, zoom: 0 } : motionBetween(last.seen, seen);
  }
}

function seenIn(frame: GridPicture['frame']): Seen | null {
  const brightness = brightnessOf(frame);
  return brightness && seenOf(brightness);
}

// How bright a decoded picture is, on a small scale: read from its first plane, so that it costs next to
// nothing.

/** Points of a cell that are read, on each axis: the mean of so many has little grain. */
const points = 4;

/** How a value of brightness lies in the first plane. */
interface Layout {
  /** Bytes from one to the next, and to the first. */
  readonly step: number;
  readonly from: number;
  /** Of two bytes, by so many bits more than 8; 0 of one byte. */
  readonly more: number;
}

/** Null for those in which nobody has looked for it. */
export function layoutOf(pixelFormat: string | null): Layout | null {
  const name = pixelFormat ?? '';
  const deep = /^(?:yuva?|gray|gbra?)\w*?p?(9|10|12|14|16)le$/.exec(name);
  if (deep) return { step: 2, from: 0, more: Number(deep[1]) - 8 };
  // Their bits are the upper ones.
  if (/^p[024]1[026]le$/.test(name)) return { step: 2, from: 0, more: 8 };
  if (/^(?:yuv[aj]?\d+p|nv\d+|gray|gbra?p)$/.test(name)) return { step: 1, from: 0, more: 0 };
  if (/^(?:yuyv422|yvyu422)$/.test(name)) return { step: 2, from: 0, more: 0 };
  if (name === 'uyvy422') return { step: 2, from: 1, more: 0 };
  // Green is most of it.
  if (/^(?:rgb|bgr)24$/.test(name)) return { step: 3, from: 1, more: 0 };
  return /^(?:rgba|bgra|rgb0|bgr0)$/.test(name) ? { step: 4, from: 1, more: 0 } : null;
}

/** Null where it lies in a way that is not known. */
function brightnessOf(frame: Frame): Brightness | null {
  const layout = layoutOf(avGetPixFmtName(frame.format as Parameters<typeof avGetPixFmtName>[0]));
  const plane = frame.data?.[0];
  if (!layout || !plane) return null;
  const { width, height } = frame;
  const stride = frame.linesize[0]!;
  const columns = Int32Array.from(
    { length: seenWidth * points },
    (_, i) => Math.floor(((i + 0.5) * width) / (seenWidth * points)) * layout.step + layout.from,
  );
  const brightness = new Float32Array(seenWidth * seenHeight);
  const scale = 1 / (points * points * 2 ** layout.more);
  for (let line = 0; line < seenHeight * points; line++) {
    const from = Math.floor(((line + 0.5) * height) / (seenHeight * points)) * stride;
    const to = Math.floor(line / points) * seenWidth;
    for (let i = 0; i < columns.length; i++) {
      const at = from + columns[i]!;
      const value = layout.more === 0 ? plane[at]! : plane[at]! | (plane[at + 1]! << 8);
      brightness[to + ((i / points) | 0)]! += value * scale;
    }
  }
  return brightness;
}

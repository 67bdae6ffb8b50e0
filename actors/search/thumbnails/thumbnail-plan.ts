// What thumbnails are to be had, and from where.
import type { Probe } from '../../decoder/contract.ts';
import type { ThumbnailRequest } from './contract.ts';

/** A strip longer than this many seconds has `longest` pictures. */
const longest = 100;

/**
 * Seconds of the grid that a strip shows: every one with both ends, or `longest` of them, evenly spaced with
 * both ends. What lies after `last`, the last second that has a picture, is left out.
 */
export function stripSeconds(start: number, end: number, last: number): number[] {
  const until = Math.min(end, last);
  if (until < start) return [];
  const span = until - start;
  if (span <= longest) return Array.from({ length: span + 1 }, (_, i) => start + i);
  return Array.from({ length: longest }, (_, i) => start + Math.round((span * i) / (longest - 1)));
}

/** Seconds of `HH:MM:SS`; null for anything else. */
export function clockSeconds(text: string): number | null {
  const match = /^(\d{2,4}):([0-5]\d):([0-5]\d)$/.exec(text);
  return match && Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
}

/**
 * Second of the grid that lies nearest to a moment; null after the end. A still is the same at every moment.
 */
export function nearestFrame(seconds: number, probe: Pick<Probe, 'kind' | 'grid_frames'>): number | null {
  if (probe.grid_frames === 0) return null;
  if (probe.kind === 'image') return 0;
  if (Math.floor(seconds) >= probe.grid_frames) return null;
  return Math.min(Math.round(seconds), probe.grid_frames - 1);
}

export interface Moment {
  /** Index among the requests. */
  readonly index: number;
  readonly seconds: number;
}

export interface ThumbnailFile {
  readonly media_path: string;
  /** Null: whatever lies at the path. */
  readonly hash_str: string | null;
  /** Ascending. */
  readonly moments: readonly Moment[];
}

/** The moments of each file. */
export function momentsByFile(requests: readonly ThumbnailRequest[]): ThumbnailFile[] {
  const keyOf = ({ media_path, hash_str = '' }: ThumbnailRequest) => `${hash_str} ${media_path}`;
  const files = Map.groupBy(requests.keys(), (index) => keyOf(requests[index]!));
  return [...files.values()].map((indices) => {
    const { media_path, hash_str = null } = requests[indices[0]!]!;
    const moments = indices.map((index) => ({ index, seconds: requests[index]!.time_seconds }));
    return { media_path, hash_str, moments: moments.sort((a, b) => a.seconds - b.seconds) };
  });
}

/** True when a stored picture, by its longest side in px, shows as much as a thumbnail of `maxSide` can. */
export function showsEnough(
  stored: number,
  maxSide: number,
  { width, height }: Pick<Probe, 'width' | 'height'>,
): boolean {
  // Sides are rounded to whole px.
  return stored + 1 >= Math.min(maxSide, Math.max(width, height));
}

/** Longest side of a JPEG picture by its header, in px; null for what is none. */
export function jpegSide(bytes: Uint8Array): number | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 4 || view.getUint16(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= bytes.length; ) {
    const marker = view.getUint16(at);
    if (marker < 0xff01) return null;
    // Frame headers, without the tables among their numbers.
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return Math.max(view.getUint16(at + 5), view.getUint16(at + 7));
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

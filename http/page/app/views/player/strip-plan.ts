// Which pictures a strip of a film shows: of its shots, joined where they are too short to be seen, cut where they are
// longer than a picture is wide.
import type { Range } from './frames.ts';

export interface StripCell {
  /** Seconds of the film that the cell covers. */
  readonly start: number;
  readonly end: number;
  /** The grid second whose picture stands for it. */
  readonly second: number;
  /** A shot begins with it. */
  readonly isShot: boolean;
}

/** `most`: cells of equal width that the strip has room for. Shots ascend; gaps between them belong to the one before. */
export function picturesOfStrip(shots: readonly Range[], duration: number, most: number): StripCell[] {
  if (duration <= 0 || most < 1) return [];
  const width = duration / most;
  const cells: StripCell[] = [];
  const starts = [
    0,
    ...shots.map((shot) => shot.start_seconds).filter((start) => start > 0 && start < duration),
  ];
  let from = 0;
  for (let at = 0; at < starts.length; at++) {
    const end = starts[at + 1] ?? duration;
    // Short shots share the cell of the first of them.
    if (end - from < width && at + 1 < starts.length) continue;
    cells.push(...cellsOf(from, end, width));
    from = end;
  }
  return cells;
}

function cellsOf(from: number, end: number, width: number): StripCell[] {
  const count = Math.max(1, Math.round((end - from) / width));
  return Array.from({ length: count }, (_, i) => {
    const start = from + (i * (end - from)) / count;
    const stop = from + ((i + 1) * (end - from)) / count;
    const second = Math.min(Math.floor((start + stop) / 2), Math.max(0, Math.ceil(stop) - 1));
    return { start, end: stop, second, isShot: i === 0 };
  });
}

// The chapters of the files of a timeline as marks on it, each clipped to what is shown of it.
import type { Chapter } from '../summary/contract.ts';
import type { Clip, Marker } from './model.ts';
import { nanoseconds } from './rate.ts';

/** `first`, `last`: what is shown of a source, half-open, in nanoseconds. */
export type Shown = Pick<Clip, 'start' | 'end'> & { readonly first: number; readonly last: number };

interface Timed {
  readonly name: string;
  /** Half-open, in nanoseconds of the source. */
  readonly begins: number;
  readonly ends: number;
}

export class ChapterMarks {
  readonly #chapters: ReadonlyMap<string, readonly Timed[]>;
  /** What is marked already: picture and sound of one moment are marked once. */
  readonly #marked = new Set<string>();

  /** `chapters`: by path, each in order of time. */
  constructor(chapters: ReadonlyMap<string, readonly Chapter[]>) {
    this.#chapters = new Map([...chapters].map(([path, some]) => [path, some.map(timed)]));
  }

  /** `frameOf`: the frame of the sequence at a time of the source; it rounded the ends of the clip, too. */
  within(path: string, { first, last, start, end }: Shown, frameOf: (nanos: number) => number): Marker[] {
    const chapters = this.#chapters.get(path) ?? [];
    const markers: Marker[] = [];
    for (let i = firstAfter(chapters, first); i < chapters.length && chapters[i]!.begins < last; i++) {
      const { name, begins, ends } = chapters[i]!;
      const from = begins <= first ? start : frameOf(begins);
      // Less than half a frame of it is shown.
      if (from >= end) continue;
      const to = ends >= last ? end : Math.min(end, Math.max(from + 1, frameOf(ends)));
      const key = `${from} ${to} ${name}`;
      if (!this.#marked.has(key)) markers.push({ name, start: from, end: to });
      this.#marked.add(key);
    }
    return markers;
  }
}

function timed({ title, start_seconds, end_seconds }: Chapter): Timed {
  return { name: title, begins: nanoseconds(start_seconds), ends: nanoseconds(end_seconds) };
}

/** The place of the first chapter that ends after `nanos`. */
function firstAfter(chapters: readonly Timed[], nanos: number): number {
  let [low, high] = [0, chapters.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (chapters[middle]!.ends <= nanos) low = middle + 1;
    else high = middle;
  }
  return low;
}

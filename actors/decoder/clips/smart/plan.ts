// Decides which parts of a smart clip are copied and which are encoded.
//
// A group of pictures that begins with an IDR picture needs nothing of what is before it, and nothing after
// it needs anything of it. Whole groups are copied; the pictures before and after them are encoded.
import type { ClipFrame } from '../frame-range.ts';

/** Pictures from one IDR picture to the next. Times are ticks of the source. */
export interface PictureGroup {
  /** Presentation times, in decoding order. */
  readonly order: readonly number[];
  /** Why it cannot be copied; null when it can. */
  readonly flaw: string | null;
}

/** A picture of the clip; `picture` is its time in the source, where a cut may be later than it. */
export type SourceFrame = ClipFrame<number>;

export interface SmartPlan {
  /** Pictures in order of presentation: those encoded first, copied, and encoded last. */
  readonly head: readonly SourceFrame[];
  readonly copied: readonly SourceFrame[];
  readonly tail: readonly SourceFrame[];
  /** Times of the copied ones in the source, in decoding order. */
  readonly order: readonly number[];
}

export interface Scanned {
  readonly groups: readonly PictureGroup[];
  /** All pictures of the clip, in order of presentation. */
  readonly frames: readonly SourceFrame[];
  /** True when the last one is shown for a shorter time than in the source. */
  readonly isCut: boolean;
}

/** The plan, or why there is none. */
export function planOf({ groups, frames, isCut }: Scanned): SmartPlan | string {
  const indexes = new Map(frames.map(({ picture }, i) => [picture, i]));
  const runs: Run[] = [];
  let flaw: string | null = null;
  let isOpen = false;
  for (const group of groups) {
    const span = spanOf(group, indexes);
    const isWhole = span !== null && !isAltered(span, frames, isCut);
    if (isWhole && group.flaw === null) {
      const last = runs.at(-1);
      if (isOpen && last?.to === span.from) last.add(group, span.to);
      else runs.push(new Run(group, span));
    } else if (isWhole) flaw ??= group.flaw;
    isOpen = isWhole && group.flaw === null;
  }
  const [longest] = runs.sort((a, b) => b.to - b.from - (a.to - a.from));
  if (!longest) return flaw ?? 'the clip contains no complete closed group of pictures';
  return {
    head: frames.slice(0, longest.from),
    copied: frames.slice(longest.from, longest.to),
    tail: frames.slice(longest.to),
    order: longest.groups.flatMap(({ order }) => order),
  };
}

interface Span {
  readonly from: number;
  /** After the last one. */
  readonly to: number;
}

/** Groups that follow each other. */
class Run implements Span {
  readonly from: number;
  to: number;
  readonly groups: PictureGroup[];

  constructor(group: PictureGroup, { from, to }: Span) {
    this.from = from;
    this.to = to;
    this.groups = [group];
  }

  add(group: PictureGroup, to: number) {
    this.groups.push(group);
    this.to = to;
  }
}

/**
 * Which pictures of the clip a group is; null where it is not exactly one range of them, that begins with its
 * first.
 */
function spanOf({ order }: PictureGroup, indexes: ReadonlyMap<number, number>): Span | null {
  const pictureIndexes = order.map((at) => indexes.get(at) ?? -1);
  const sorted = [...pictureIndexes].sort((a, b) => a - b);
  const from = pictureIndexes[0] ?? -1;
  const isRange = from >= 0 && sorted.every((index, i) => index === from + i);
  return isRange ? { from, to: from + pictureIndexes.length } : null;
}

/** True when the first or the last picture is itself cut. */
function isAltered({ from, to }: Span, frames: readonly SourceFrame[], isCut: boolean): boolean {
  const first = frames[from]!;
  return first.at !== first.picture || (isCut && to === frames.length);
}

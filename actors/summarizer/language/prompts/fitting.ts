// Brings a prompt into the context of a model: pictures are left out first, then entries are cut, then some
// of them are left out. What was left out is told.
import type { Chat } from '../family.ts';
import { everything, type Share, type ShownFrame } from './node-prompt.ts';

export interface Fitted {
  readonly chat: Chat;
  /** For people: what the model was not shown. */
  readonly warnings: readonly string[];
}

export interface FittingOptions {
  readonly frames: readonly ShownFrame[];
  /** Entries of the material, and the length of the longest one in UTF-16 units. */
  readonly entries: number;
  readonly longest: number;
  make(frames: readonly ShownFrame[], share: Share): Chat;
  countTokens(chat: Chat): number;
  /** Tokens the prompt may have. */
  readonly room: number;
}

/** Entries are cut to no less than this before some are left out. */
const shortestEntry = 60;

/** Null when not even an empty prompt fits. */
export function fitted({ frames, entries, longest, make, countTokens, room }: FittingOptions): Fitted | null {
  const fits = (some: readonly ShownFrame[], share: Share) => countTokens(make(some, share)) <= room;
  for (let count = frames.length; count >= 0; count--) {
    const some = spread(frames, count);
    if (fits(some, everything))
      return { chat: make(some, everything), warnings: dropped(frames.length, count) };
  }
  const cutTo = mostThat(longest, (length) => fits([], { ...everything, longest: length }));
  const texts = dropped(frames.length, 0);
  if (cutTo !== null && cutTo >= Math.min(shortestEntry, longest)) {
    const share = { ...everything, longest: cutTo };
    return { chat: make([], share), warnings: [...texts, `entries were cut to ${cutTo} characters`] };
  }
  const kept = mostThat(entries, (count) => fits([], { entries: count, longest: shortestEntry }));
  if (kept === null) return null;
  const warning = `${entries - kept} of ${entries} entries were left out, the others cut to ${shortestEntry} characters`;
  return { chat: make([], { entries: kept, longest: shortestEntry }), warnings: [...texts, warning] };
}

function dropped(all: number, kept: number): string[] {
  return kept === all ? [] : [`${all - kept} of ${all} frames were left out`];
}

/** The first, the last, and evenly between them. */
function spread<T>(all: readonly T[], count: number): readonly T[] {
  if (count >= all.length) return all;
  if (count <= 1) return all.slice(0, count);
  return Array.from({ length: count }, (_, at) => all[Math.round((at * (all.length - 1)) / (count - 1))]!);
}

/**
 * The largest number from 0 to `most` for which it holds; null when not for 0. What holds for one holds for
 * smaller ones.
 */
function mostThat(most: number, holds: (value: number) => boolean): number | null {
  if (!holds(0)) return null;
  let [yes, no] = [0, most + 1];
  while (no - yes > 1) {
    const middle = Math.floor((yes + no) / 2);
    if (holds(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}

// The edges of the shots of a film: the seconds in which one may begin are decoded whole, and the first
// picture of each new shot is found in them.
import type { Log } from '../../../../runtime/log.ts';
import { createCheckpoint, inSteps } from '../../../../runtime/sync/checkpoint.ts';
import { isMediaError, mediaErrors } from '../../../decoder/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import type { Decoder } from '../parts.ts';
import { changesOf, Look, lookBytes, lookHeight, lookWidth, neighbours } from './cuts.ts';

/** For each shot but the first, ascending. */
export interface Edges {
  /** When its first picture is shown. */
  readonly seconds: number[];
  /** Number of its first picture among those of the film, from 0 on. */
  readonly frames: number[];
}

interface Range {
  readonly from: number;
  /** Pictures before it help, but are not worth decoding a whole group of pictures. */
  readonly needed: number;
  readonly to: number;
}

/** Seconds beside those that are looked at, at least: a cut is told by its neighbours. */
const leastMargin = 0.15;
/** A part is at most so many seconds long, so that its pictures fit into memory. */
const longest = 16;
/** Seconds that parts of one run have in common: no gradual change is longer. */
const shared = 2.5;
/** Seconds between changes that are one. */
const apart = 0.1;
/** Comparisons between two turns of the event loop: some 10 ms. */
const comparisons = 64;

/**
 * `looks`: grid frames that may begin another shot than the one before. Null for a film of which not every
 * picture has a time. Errors: those of the decoder.
 */
async function findEdges(
  decoder: Decoder,
  { path, probe }: MediaRecord,
  looks: readonly number[],
  signal: AbortSignal,
): Promise<Edges | null> {
  const rate = probe.video === null ? 0 : probe.video.frame_rate.num / probe.video.frame_rate.den;
  const margin = Math.min(1, Math.max(leastMargin, rate > 0 ? (neighbours + 0.5) / rate : 0));
  const parts = partsOf(looks, margin);
  if (parts.length === 0) return { seconds: [], frames: [] };
  const seconds: number[] = [];
  let seen = 0;
  const turn = { throwIfCancelled: () => signal.throwIfAborted(), alive: () => {} };
  const checkpoint = createCheckpoint(turn, { every: comparisons });
  const request = { path, parts: [...parts], width: lookWidth, height: lookHeight };
  for await (const { seconds: times, pictures } of decoder.feed('part_pictures', request, { signal })) {
    seen++;
    const looked = times.map((_, i) => new Look(pictures.subarray(i * lookBytes, (i + 1) * lookBytes)));
    for (const { at } of await inSteps(changesOf({ seconds: times, looks: looked }), checkpoint)) {
      if (times[at]! > (seconds.at(-1) ?? 0) + apart) seconds.push(times[at]!);
    }
  }
  if (seen < parts.length) return null;
  return { seconds, frames: await framesAt(decoder, path, seconds, rate, signal) };
}

/** The same, and null also for a film that cannot be read in parts: it has scenes to the second. */
export async function findEdgesIfReadable(
  decoder: Decoder,
  media: MediaRecord,
  looks: readonly number[],
  signal: AbortSignal,
  log: Log,
): Promise<Edges | null> {
  try {
    return await findEdges(decoder, media, looks, signal);
  } catch (error) {
    if (!isMediaError(error) || mediaErrors.FILE_CHANGED.is(error)) throw error;
    log.warn('the film has scenes to the second only', { path: media.path, error });
    return null;
  }
}

/** Parts of the film that hold the second before each look, and `margin` on either side. */
function partsOf(looks: readonly number[], margin: number): Range[] {
  const runs: Range[] = [];
  for (const look of looks) {
    const range = { from: Math.max(0, look - 1 - margin), needed: look - 1, to: look + margin };
    const last = runs.at(-1);
    if (last && range.from <= last.to) runs[runs.length - 1] = { ...last, to: range.to };
    else runs.push(range);
  }
  return runs.flatMap((run) => {
    const parts: Range[] = [];
    for (let { from } = run; ; from += longest - shared) {
      const needed = parts.length === 0 ? run.needed : from;
      parts.push({ from, needed, to: Math.min(run.to, from + longest) });
      if (from + longest >= run.to) return parts;
    }
  });
}

/** Pictures come at an uneven rate if one is off its number by this share of a frame. */
const uneven = 0.1;

async function framesAt(
  decoder: Decoder,
  path: string,
  seconds: readonly number[],
  rate: number,
  signal: AbortSignal,
): Promise<number[]> {
  if (seconds.length === 0) return [];
  const isEven = (at: number) => Math.abs(at * rate - Math.round(at * rate)) < uneven;
  if (rate > 0 && seconds.every(isEven)) return seconds.map((at) => Math.round(at * rate));
  const to = seconds.at(-1)! + 1;
  const { starts } = await decoder.ask('picture_times', { path, from: 0, to }, { signal });
  return seconds.map((at) => starts.findLastIndex((start) => start <= at + 1e-6));
}

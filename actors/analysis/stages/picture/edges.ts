// The edges of the shots of a film: the seconds in which one may begin are looked at whole, and the first
// picture of each new shot is found in them. Where many seconds are looked at, the pass that decodes the grid
// frames decodes every picture, which takes less than to decode those seconds later.
import type { Log } from '../../../../runtime/log.ts';
import { createCheckpoint, inSteps } from '../../../../runtime/sync/checkpoint.ts';
import { isMediaError, mediaErrors, type PartPictures } from '../../../decoder/contract.ts';
import { beginOf, type FilmPart, type SmallPictures } from '../../../decoder/frames/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import type { DecoderActor } from '../parts.ts';
import { changesOf, lookBytes, lookHeight, lookWidth, neighbours, SmallPicture } from './cuts.ts';

/** For each shot but the first, ascending. */
export interface PictureEdges {
  /** When its first picture is shown. */
  readonly seconds: number[];
  /** Number of its first picture among those of the film, from 0 on. */
  readonly frames: number[];
}

/** Seconds beside those that are looked at, at least: a cut is told by its neighbours. */
const leastMargin = 0.15;
/** A part is at most so many seconds long, so that its pictures fit into memory. */
const longest = 16;
/** Seconds that parts of one run have in common: no gradual change is longer. */
const shared = 2.5;
/** Seconds behind a part within which the pictures before the next one are decoded anyway. */
const near = 2;
/** Seconds between changes that are one. */
const apart = 0.1;
/** Comparisons between two turns of the event loop: some 10 ms. */
const comparisons = 64;

/** Share of the last frames that begin another shot from which all pictures are decoded at once. */
const worthAll = 1 / 3;
/** Weight of a frame in that share. */
const newest = 1 / 32;

/** How lively the films of a task are, and whether decoding all of their pictures at once saves time. */
export class Liveliness {
  #share = 0;

  /** Counts the next frame. `mayBegin`: it may begin another shot. */
  see(mayBegin: boolean): void {
    this.#share += (Number(mayBegin) - this.#share) * newest;
  }

  get isWorthAll(): boolean {
    return this.#share > worthAll;
  }
}

interface Picture {
  readonly seconds: number;
  readonly rgb: Uint8Array;
}

/** Finds the edges of one film while its grid frames are decoded. */
export class EdgeSearch {
  /** Request for the pictures between the grid frames. */
  readonly small = { width: lookWidth, height: lookHeight, all: new Int32Array(new SharedArrayBuffer(4)) };
  readonly #media: MediaRecord;
  readonly #signal: AbortSignal;
  readonly #liveliness: Liveliness;
  readonly #plan: PartPlan;
  readonly #rate: number;
  readonly #margin: number;
  /** Parts in which no change was looked for yet, in order. */
  #waiting: { readonly part: FilmPart; readonly index: number }[] = [];
  readonly #parts: FilmPart[] = [];
  /** Seconds of the changes in each part; missing for those whose pictures are missing. */
  readonly #changes: (readonly number[] | undefined)[] = [];
  #pictures: Picture[] = [];
  #entries: number[] = [];
  #after = Number.NEGATIVE_INFINITY;
  #before = Number.NEGATIVE_INFINITY;

  constructor(media: MediaRecord, liveliness: Liveliness, signal: AbortSignal) {
    this.#media = media;
    this.#signal = signal;
    this.#liveliness = liveliness;
    const { video } = media.probe;
    this.#rate = video === null ? 0 : video.frame_rate.num / video.frame_rate.den;
    const shown = this.#rate > 0 ? (neighbours + 0.5) / this.#rate : 0;
    this.#margin = Math.min(1, Math.max(leastMargin, shown));
    this.#plan = new PartPlan(this.#margin);
    this.#askForAll();
  }

  /** Adds frames of an interrupted pass that may begin another shot. */
  takeUp(frames: readonly number[]): void {
    for (const frame of frames) this.#wait(this.#plan.look(frame));
  }

  /** Adds the next grid frame. `mayBegin`: it may begin another shot than the one before. */
  async see(frame: number, mayBegin: boolean, small?: SmallPictures): Promise<void> {
    this.#liveliness.see(mayBegin);
    this.#askForAll();
    if (small) this.#add(small);
    this.#wait(mayBegin ? this.#plan.look(frame) : this.#plan.pass(frame));
    await this.#settle();
    this.#forget(frame);
  }

  /** Looks for changes in the parts whose pictures have come. */
  async #settle(): Promise<void> {
    for (let [first] = this.#waiting; first && first.part.to < this.#before; [first] = this.#waiting) {
      this.#waiting.shift();
      const { part, index } = first;
      const begin = beginOf(part, this.#entries);
      if (begin <= this.#after) continue;
      this.#changes[index] = await this.#changesOf(picturesBetween(this.#pictures, begin, part.to));
    }
  }

  /**
   * Decodes the parts whose pictures did not come. Null for a film of which not every picture has a time.
   * Errors: those of the decoder.
   */
  async finish(decoder: DecoderActor): Promise<PictureEdges | null> {
    this.#wait(this.#plan.end());
    await this.#settle();
    const missing = this.#parts.flatMap((part, index) => (this.#changes[index] ? [] : [{ part, index }]));
    if (missing.length > 0 && !(await this.#decode(decoder, missing))) return null;
    const seconds: number[] = [];
    for (const at of this.#changes.flatMap((changes) => changes ?? [])) {
      if (at > (seconds.at(-1) ?? 0) + apart) seconds.push(at);
    }
    const { path } = this.#media;
    return { seconds, frames: await framesAt(decoder, path, seconds, this.#rate, this.#signal) };
  }

  /** Returns false where the decoder has no pictures. */
  async #decode(
    decoder: DecoderActor,
    missing: readonly { part: FilmPart; index: number }[],
  ): Promise<boolean> {
    const parts = missing.map(({ part }) => part);
    const request = { path: this.#media.path, parts, width: lookWidth, height: lookHeight };
    let position = 0;
    for await (const pictures of decoder.feed('part_pictures', request, { signal: this.#signal })) {
      this.#changes[missing[position++]!.index] = await this.#changesOf(pictures);
    }
    return position === missing.length;
  }

  #askForAll(): void {
    Atomics.store(this.small.all, 0, Number(this.#liveliness.isWorthAll));
  }

  #wait(parts: Iterable<FilmPart>): void {
    for (const part of parts) this.#waiting.push({ part, index: this.#parts.push(part) - 1 });
  }

  #add({ after, before, entries, seconds, pictures }: SmallPictures): void {
    for (const [i, at] of seconds.entries()) {
      this.#pictures.push({ seconds: at, rgb: pictures.subarray(i * lookBytes, (i + 1) * lookBytes) });
    }
    this.#entries.push(...entries);
    [this.#after, this.#before] = [after, before];
  }

  /** Drops what no later part needs. */
  #forget(frame: number): void {
    const begins = [frame - this.#margin, this.#plan.next, this.#waiting[0]?.part.from];
    const from = Math.min(...begins.filter((begin) => begin !== undefined));
    this.#pictures = this.#pictures.filter(({ seconds }) => seconds >= from);
    const last = this.#entries.findLast((entry) => entry < from);
    this.#entries = this.#entries.filter((entry) => entry >= (last ?? from));
  }

  async #changesOf({ seconds, pictures }: Pick<PartPictures, 'seconds' | 'pictures'>): Promise<number[]> {
    const turn = { throwIfCancelled: () => this.#signal.throwIfAborted(), alive: () => {} };
    const checkpoint = createCheckpoint(turn, { every: comparisons });
    const looks = seconds.map(
      (_, i) => new SmallPicture(pictures.subarray(i * lookBytes, (i + 1) * lookBytes)),
    );
    const changes = await inSteps(changesOf({ seconds, looks }), checkpoint);
    return changes.map(({ at }) => seconds[at]!);
  }
}

function picturesBetween(pictures: readonly Picture[], begin: number, end: number) {
  const inside = pictures.filter(({ seconds }) => seconds >= begin && seconds <= end);
  inside.sort((a, b) => a.seconds - b.seconds);
  return {
    seconds: inside.map(({ seconds }) => seconds),
    pictures: Buffer.concat(inside.map(({ rgb }) => rgb)),
  };
}

/** Edges of a film; null where it cannot be read in parts, and its scenes are exact to the second only. */
export async function edgesIfReadable(
  search: EdgeSearch,
  decoder: DecoderActor,
  { path }: MediaRecord,
  log: Log,
): Promise<PictureEdges | null> {
  try {
    return await search.finish(decoder);
  } catch (error) {
    if (!isMediaError(error) || mediaErrors.FILE_CHANGED.is(error)) throw error;
    log.warn('the film has scenes to the second only', { path, error });
    return null;
  }
}

/**
 * Parts of a film that hold the second before each look, and `margin` on either side; each comes when it is
 * certain.
 */
class PartPlan {
  readonly #margin: number;
  /** Looks that lie side by side. */
  #run: FilmPart | null = null;
  /** Where the next part begins. */
  #from = 0;
  /** Where the part before ends. */
  #before = Number.NEGATIVE_INFINITY;

  constructor(margin: number) {
    this.#margin = margin;
  }

  /** Where the next part of the run begins; undefined between runs. */
  get next(): number | undefined {
    return this.#run ? this.#from : undefined;
  }

  *look(frame: number): Generator<FilmPart> {
    const margin = this.#margin;
    const range = { from: Math.max(0, frame - 1 - margin), needed: frame - 1, to: frame + margin };
    if (this.#run && range.from <= this.#run.to) this.#run = { ...this.#run, to: range.to };
    else {
      yield* this.end();
      this.#run = range;
      this.#from = range.from;
    }
    for (; this.#from + longest < this.#run.to; this.#from += longest - shared) {
      yield this.#part(this.#run, this.#from + longest);
    }
  }

  /** Parts that are certain after a grid frame without a look. */
  *pass(frame: number): Generator<FilmPart> {
    if (this.#run && frame - this.#margin > this.#run.to) yield* this.end();
  }

  *end(): Generator<FilmPart> {
    const run = this.#run;
    this.#run = null;
    if (run) yield this.#part(run, run.to);
  }

  #part({ from, needed }: FilmPart, to: number): FilmPart {
    const isFar = this.#from === from && needed - this.#before > near;
    this.#before = to;
    return { from: this.#from, needed: isFar ? needed : this.#from, to };
  }
}

/** Pictures come at an uneven rate if one is off its number by this share of a frame. */
const uneven = 0.1;

async function framesAt(
  decoder: DecoderActor,
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

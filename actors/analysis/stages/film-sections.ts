// The frames of one film from several decoders. Its own decoder begins alone. Once another one is idle,
// that one finds the sections of the rest, and both take them one after the other; further decoders join
// and leave at any section. The frames are put in order here, and are those that one decoder would have
// sent.
//
// Each decoder may be ahead by a share of the slots, all together by half of them. Batches of pictures hold
// the other half at most, so the one whose frames are next always gets slots.
import type { Request } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import type { FeedOptions } from '../../../runtime/ref.ts';
import type { decoderContract, GridFrame } from '../../decoder/contract.ts';
import { mostTakers, type Section, SectionTable, sectionErrors } from '../../decoder/frames/contract.ts';
import type { DecoderActor } from './parts.ts';

type FramesRequest = Request<typeof decoderContract, 'frames'>;

export interface FilmSectionParts {
  /** The decoder of the film. */
  readonly reader: DecoderActor;
  readonly idle: IdleDecoders;
  /** Grid frames of the film. */
  readonly frames: number;
  /** Slots of the pool. */
  readonly slots: number;
  readonly log: Log;
}

/** Sections that have to be left for another decoder to help. */
const worthwhile = 4;

/** Same as the feed `frames` of the reader. An item is *borrowed until the next round of the loop*. */
export async function* filmFrames(
  request: FramesRequest,
  options: FeedOptions,
  parts: FilmSectionParts,
): AsyncGenerator<GridFrame> {
  const { reader, idle, slots } = parts;
  const perFrame = 1 + (request.further_shapes?.length ?? 0);
  const ahead = Math.floor((slots >> 1) / idle.count / perFrame);
  if (idle.count < 2 || ahead < 2 || request.mode !== 'exact') {
    yield* reader.feed('frames', request, options);
    return;
  }
  const film = new SharedFilm(request, options, parts, ahead);
  try {
    if (yield* film.alone()) yield* film.together();
  } catch (error) {
    if (!sectionErrors.SECTIONS_APART.is(error)) throw error;
    parts.log.info('one decoder goes on alone', { path: request.path, error });
    await film.close();
    yield* reader.feed('frames', { ...request, from_frame: film.next }, options);
  } finally {
    await film.close();
  }
}

/** One decoder that takes sections of the film. */
class Taker {
  readonly #frames: AsyncGenerator<GridFrame>;
  readonly #onEnd: () => void;
  /** Its next frame. */
  head: Promise<IteratorResult<GridFrame>>;
  hasEnded = false;

  constructor(frames: AsyncGenerator<GridFrame>, onEnd: () => void) {
    this.#frames = frames;
    this.#onEnd = onEnd;
    this.head = this.#asked();
  }

  /** The frame before is not needed any more. */
  next(): void {
    this.head = this.#asked();
  }

  async close(): Promise<void> {
    await this.#frames.return(undefined).catch(() => {});
    this.#end();
  }

  #asked(): Promise<IteratorResult<GridFrame>> {
    const nextFrame = this.#frames.next();
    nextFrame.then(
      ({ done }) => done && this.#end(),
      () => this.#end(),
    );
    return nextFrame;
  }

  #end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#onEnd();
  }
}

class SharedFilm {
  /** Everything before this frame was delivered. */
  next: number;
  readonly #request: FramesRequest;
  readonly #options: FeedOptions;
  readonly #parts: FilmSectionParts;
  /** Frames of a section, and those that a decoder may be ahead. */
  readonly #length: number;
  readonly #perFrame: number;
  readonly #closed = new AbortController();
  readonly #unsubscribe: () => void;
  readonly #takers: Taker[] = [];
  #sections: readonly Section[] = [];
  #table: SectionTable | null = null;
  #isPlanning = false;
  /** It has too few sections, or they cannot be found. */
  #isHopeless = false;

  constructor(request: FramesRequest, options: FeedOptions, parts: FilmSectionParts, length: number) {
    this.#request = request;
    const { signal } = options;
    const until = signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal;
    this.#options = { ...options, signal: until };
    this.#parts = parts;
    this.#length = length;
    this.#perFrame = 1 + (request.further_shapes?.length ?? 0);
    this.next = request.from_frame;
    this.#unsubscribe = parts.idle.whenIdle(() => this.#seekHelp());
  }

  /** Frames that the reader sends by itself; returns true if the rest comes in sections. */
  async *alone(): AsyncGenerator<GridFrame, boolean> {
    for await (const frame of this.#parts.reader.feed('frames', this.#request, this.#options)) {
      if (this.#isOfSections(frame.frame_index)) return true;
      yield frame;
      this.next = frame.frame_index + 1;
      if (this.#isOfSections(this.next)) return true;
      this.#seekHelp();
    }
    return false;
  }

  /** The frames of all sections, in order. */
  async *together(): AsyncGenerator<GridFrame> {
    const table = this.#table!;
    this.#join(table, this.#parts.reader, () => {});
    for (let section = 0; section < table.count; section++) yield* this.#section(table, section);
    if (table.count < this.#sections.length) return;
    // A fault that a decoder finds at the end of the file fails the work.
    const numbers = this.#sections.map((_, section) => table.takerOf(section)!);
    for (const number of new Set(numbers)) await this.#takers[number - 1]!.head;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#unsubscribe();
    await Promise.all(this.#takers.map((taker) => taker.close()));
  }

  async *#section(table: SectionTable, section: number): AsyncGenerator<GridFrame> {
    const end = this.#sections[section + 1]?.frame ?? Number.POSITIVE_INFINITY;
    const taker = await this.#takerOf(table, section);
    if (!taker) return;
    for (let item = await taker.head; !item.done && item.value.frame_index < end; item = await taker.head) {
      this.next = item.value.frame_index + 1;
      yield item.value;
      taker.next();
      if (this.next === end) return;
    }
  }

  /** Waits until somebody has taken the section; null where the film ends before it. */
  async #takerOf(table: SectionTable, section: number): Promise<Taker | null> {
    for (;;) {
      const number = table.takerOf(section);
      if (number !== null) return this.#takers[number - 1]!;
      if (section >= table.count) return null;
      const waiting = this.#takers.filter(({ hasEnded }) => !hasEnded);
      if (waiting.length === 0) throw engineErrors.INTERNAL(`${this.#request.path}: a section is left over`);
      await Promise.race(waiting.map(({ head }) => head));
    }
  }

  #isOfSections(frame: number): boolean {
    return this.#table !== null && frame >= this.#sections[0]!.frame;
  }

  /** Lets idle decoders help where enough is left for them. */
  #seekHelp(): void {
    if (this.#closed.signal.aborted || this.#isPlanning || this.#isHopeless) return;
    const table = this.#table;
    if (!table) {
      if ((this.#parts.frames - this.next) / this.#length >= worthwhile) void this.#plan();
      return;
    }
    while (table.freeSections >= worthwhile && this.#takers.length < mostTakers) {
      const number = this.#takers.length + 1;
      const borrowed = this.#parts.idle.borrow(() => table.leave(number));
      if (!borrowed) return;
      this.#join(table, borrowed.decoder, borrowed.release);
    }
  }

  /** An idle decoder finds the sections. Whatever keeps it from that is left to the decoder of the film. */
  async #plan(): Promise<void> {
    const wantedBack = new AbortController();
    const borrowed = this.#parts.idle.borrow(() => wantedBack.abort());
    if (!borrowed) return;
    this.#isPlanning = true;
    try {
      const signal = AbortSignal.any([this.#options.signal!, wantedBack.signal]);
      const request = { path: this.#request.path, from_frame: this.next, frames: this.#length };
      const { sections } = await borrowed.decoder.ask('sections', request, { signal });
      // The reader may have decoded so much by now.
      const begun = this.next + Math.ceil((this.#options.credit ?? 0) / this.#perFrame);
      this.#sections = sections.filter(({ frame }) => frame >= begun);
      if (this.#sections.length >= worthwhile) this.#table = SectionTable.of(this.#sections.length);
      else this.#isHopeless = true;
    } catch (error) {
      this.#isHopeless = !wantedBack.signal.aborted;
      this.#parts.log.debug('no sections were found', { path: this.#request.path, error });
    } finally {
      this.#isPlanning = false;
      borrowed.release();
    }
  }

  #join(table: SectionTable, decoder: DecoderActor, onEnd: () => void): void {
    const taker = this.#takers.length + 1;
    const sections = { all: [...this.#sections], table: table.memory, taker };
    const request = { ...this.#request, from_frame: this.#sections[0]!.frame, sections };
    const options = { ...this.#options, credit: this.#length * this.#perFrame };
    this.#takers.push(new Taker(decoder.feed('frames', request, options), onEnd));
  }
}

// Which decoders no film of the task needs at the moment, so that they can help with another one. A film of
// their own always comes first.

export interface Borrowed {
  readonly decoder: DecoderActor;
  /** To be called once, when the borrower has no more use for it. */
  release(): void;
}

export class IdleDecoders {
  readonly count: number;
  readonly #decoders: readonly DecoderActor[];
  /** How many files each is needed for; several groups of stages may use the same decoder. */
  readonly #needed = new Map<DecoderActor, number>();
  /** Callbacks that ask the borrower of a decoder to return it. */
  readonly #lent = new Map<DecoderActor, () => void>();
  readonly #waiting = new Set<() => void>();

  constructor(decoders: readonly DecoderActor[]) {
    this.#decoders = decoders;
    this.count = decoders.length;
  }

  /** Files need the decoder from now on; the answer ends that. */
  need(decoder: DecoderActor): () => void {
    this.#needed.set(decoder, this.#needOf(decoder) + 1);
    this.#lent.get(decoder)?.();
    return () => {
      this.#needed.set(decoder, this.#needOf(decoder) - 1);
      this.#tell();
    };
  }

  /** Null when each is at work. `giveBack` asks for the decoder when a file needs it. */
  borrow(giveBack: () => void): Borrowed | null {
    const isIdle = (decoder: DecoderActor) =>
      this.#needOf(decoder) === 0 && !this.#lent.has(decoder) && decoder.phase !== 'down';
    const decoder = this.#decoders.find(isIdle);
    if (!decoder) return null;
    this.#lent.set(decoder, giveBack);
    const release = () => {
      this.#lent.delete(decoder);
      this.#tell();
    };
    return { decoder, release };
  }

  /** `listener` is called whenever a decoder may have become idle, until the answer is called. */
  whenIdle(listener: () => void): () => void {
    this.#waiting.add(listener);
    return () => this.#waiting.delete(listener);
  }

  #needOf(decoder: DecoderActor): number {
    return this.#needed.get(decoder) ?? 0;
  }

  #tell(): void {
    for (const listener of this.#waiting) listener();
  }
}

// One audio track: decodes its packets, places the samples at their timestamps and collects blocks of 16 kHz sound. Memory
// is bounded: one block per channel, and at most a second of samples in the resampler.
import { mediaErrors, soundRate } from '../contract.ts';
import type { Frame, Packet, Stream } from '../ffmpeg.ts';
import { ticks } from '../source/ticks.ts';
import { downmix, pick, type TrackChoice } from './choice.ts';
import { SoundClock } from './clock.ts';
import { SoundDecoder } from './decoder.ts';
import { type ChannelLayout, Resampler } from './resampler.ts';
import { cutFront } from './samples.ts';

/** Consecutive samples of the track. */
export interface TrackBlock {
  readonly firstSample: number;
  readonly count: number;
  /** One per channel of the choice; *borrowed until the next block*. */
  readonly planes: readonly Float32Array[];
}

export interface TrackOptions {
  readonly path: string;
  readonly stream: Stream;
  readonly choice: TrackChoice;
  /** Time of sample 0, in seconds of the stream's clock. */
  readonly zero: number;
  /** Seconds from sample 0 to the end of the file; Infinity when unknown. */
  readonly end: number;
  /** Most samples in a block. */
  readonly blockSamples: number;
}

export class SoundTrack {
  readonly #options: TrackOptions;
  readonly #decoder: SoundDecoder;
  readonly #planes: readonly Float32Array[];
  #resampler: Resampler | null = null;
  #clock: SoundClock | null = null;
  /** Samples pushed to the resampler since the last `#pull`. */
  #waiting = 0;
  /** Samples in the planes. */
  #filled = 0;
  /** Samples in the blocks yielded so far. */
  #yielded = 0;
  /** The frame before could not be decoded, or there is none. */
  #lost = true;
  packets = 0;
  frames = 0;
  broken = 0;

  constructor(options: TrackOptions) {
    this.#options = options;
    const { choice, blockSamples, stream, path } = options;
    const wide = choice.channels?.length ?? 1;
    this.#planes = Array.from({ length: wide }, () => new Float32Array(blockSamples));
    this.#decoder = SoundDecoder.open(stream, path);
  }

  /** Decodes a packet, *borrowed*; null flushes the decoder. A packet that cannot be decoded leaves a gap. */
  *send(packet: Packet | null): Generator<TrackBlock> {
    if (packet) this.packets++;
    if (!this.#decoder.send(packet)) this.#markLost();
    for (let frame = this.#decoder.receive(); frame; frame = this.#decoder.receive()) {
      if (frame === 'broken') this.#markLost();
      else if (frame.nbSamples > 0 && frame.sampleRate > 0) yield* this.#place(frame);
    }
  }

  /** Flushes the decoder and the resampler. */
  *finish(): Generator<TrackBlock> {
    yield* this.send(null);
    yield* this.#closeResampler();
    if (this.#filled > 0) yield this.#block();
  }

  close() {
    this.#decoder.close();
    this.#resampler?.close();
  }

  #markLost() {
    this.broken++;
    this.#lost = true;
  }

  *#place(frame: Frame): Generator<TrackBlock> {
    this.frames++;
    if (this.#resampler?.rate !== frame.sampleRate) yield* this.#newResampler(frame);
    const clock = this.#clock!;
    const { silence, skip } = clock.place(this.#position(frame), frame.nbSamples, this.#lost);
    this.#lost = false;
    yield* this.#silence(silence);
    if (skip === frame.nbSamples) return;
    if (skip > 0) cutFront(frame, skip);
    if (!this.#resampler!.push(frame)) {
      yield* this.#newResampler(frame);
      this.#clock!.place(null, frame.nbSamples, false);
      if (!this.#resampler!.push(frame)) {
        const { path } = this.#options;
        throw mediaErrors.DECODE_FAILED(`${path}: its sound cannot be resampled`, { path });
      }
    }
    this.#waiting += frame.nbSamples;
    if (this.#waiting * 2 >= frame.sampleRate) yield* this.#pull(false);
  }

  /** Position of a frame by its timestamp, in samples of its own rate; null when it has none. */
  #position(frame: Frame): number | null {
    const at = ticks(frame.pts) ?? ticks(frame.bestEffortTimestamp);
    if (at === null) return null;
    const { stream, zero } = this.#options;
    const { num, den } = stream.timeBase;
    return Math.round(((at * num) / den - zero) * frame.sampleRate);
  }

  *#silence(samples: number): Generator<TrackBlock> {
    const resampler = this.#resampler!;
    for (let left = samples; left > 0; ) {
      const step = Math.min(left, resampler.rate);
      resampler.pushSilence(step);
      left -= step;
      yield* this.#pull(false);
    }
  }

  /** At a change of rate or layout: a new resampler, which continues where the last one ended. */
  *#newResampler(frame: Frame): Generator<TrackBlock> {
    const continues = this.#resampler !== null;
    yield* this.#closeResampler();
    const { choice, path, end } = this.#options;
    const rows = (layout: ChannelLayout) =>
      choice.channels ? pick(choice.channels, layout.nbChannels) : downmix(layout);
    this.#resampler = new Resampler(frame, rows, path);
    const { rate } = this.#resampler;
    const at = Math.round(((this.#yielded + this.#filled) * rate) / soundRate);
    this.#clock = new SoundClock(rate, end * rate, continues ? at : null);
  }

  *#closeResampler(): Generator<TrackBlock> {
    if (!this.#resampler) return;
    yield* this.#pull(true);
    this.#resampler.close();
    this.#resampler = null;
  }

  *#pull(last: boolean): Generator<TrackBlock> {
    this.#waiting = 0;
    for (;;) {
      const room = this.#options.blockSamples - this.#filled;
      const got = this.#resampler!.pull(
        this.#planes.map((plane) => bytesOf(plane, this.#filled)),
        room,
        last,
      );
      this.#filled += got;
      if (got < room) return;
      yield this.#block();
    }
  }

  #block(): TrackBlock {
    const block = { firstSample: this.#yielded, count: this.#filled, planes: this.#planes };
    this.#yielded += this.#filled;
    this.#filled = 0;
    return block;
  }
}

function bytesOf(plane: Float32Array, from: number): Buffer {
  return Buffer.from(plane.buffer, plane.byteOffset + from * 4, (plane.length - from) * 4);
}

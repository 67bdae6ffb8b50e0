// One track being listened to: decodes its packets, puts the samples where their times say and collects blocks of
// 16 kHz sound. Bounded: what is not yet taken lies in one block a channel and at most a second before the resampler.
import { mediaErrors, soundRate } from '../contract.ts';
import type { Frame, Packet, Stream } from '../ffmpeg.ts';
import { ticks } from '../source/source.ts';
import { downmix, pick, type TrackChoice } from './choice.ts';
import { SoundClock } from './clock.ts';
import { SoundDecoder } from './decoder.ts';
import { type ChannelLayout, Resampler } from './resampler.ts';
import { cutFront } from './samples.ts';

/** A stretch of the track. */
export interface TrackBlock {
  readonly firstSample: number;
  readonly count: number;
  /** By channel of the choice; *borrowed until the next block*. */
  readonly planes: readonly Float32Array[];
}

export interface TrackQuestion {
  readonly path: string;
  readonly stream: Stream;
  readonly choice: TrackChoice;
  /** Seconds of the stream's clock at sample 0. */
  readonly zero: number;
  /** Seconds from there to where the file says it ends; Infinity when it does not. */
  readonly end: number;
  /** Samples in a block at most. */
  readonly blockSamples: number;
}

export class SoundTrack {
  readonly #question: TrackQuestion;
  readonly #decoder: SoundDecoder;
  readonly #planes: readonly Float32Array[];
  #resampler: Resampler | null = null;
  #clock: SoundClock | null = null;
  /** Samples given to the resampler since the last `pull`. */
  #waiting = 0;
  /** Samples in the planes, and those in the blocks before. */
  #filled = 0;
  #given = 0;
  #lost = true;
  packets = 0;
  frames = 0;
  broken = 0;

  constructor(question: TrackQuestion) {
    this.#question = question;
    const { choice, blockSamples, stream, path } = question;
    const wide = choice.channels?.length ?? 1;
    this.#planes = Array.from({ length: wide }, () => new Float32Array(blockSamples));
    this.#decoder = SoundDecoder.open(stream, path);
  }

  /** Decodes a packet, *borrowed*. One that cannot be decoded leaves a gap. */
  *send(packet: Packet | null): Generator<TrackBlock> {
    if (packet) this.packets++;
    if (!this.#decoder.send(packet)) this.#lose();
    for (let frame = this.#decoder.receive(); frame; frame = this.#decoder.receive()) {
      if (frame === 'broken') this.#lose();
      else if (frame.nbSamples > 0 && frame.sampleRate > 0) yield* this.#take(frame);
    }
  }

  /** What the decoder and the resampler still hold. */
  *finish(): Generator<TrackBlock> {
    yield* this.send(null);
    yield* this.#endRun();
    if (this.#filled > 0) yield this.#block();
  }

  close() {
    this.#decoder.close();
    this.#resampler?.close();
  }

  #lose() {
    this.broken++;
    this.#lost = true;
  }

  *#take(frame: Frame): Generator<TrackBlock> {
    this.frames++;
    if (this.#resampler?.rate !== frame.sampleRate) yield* this.#beginRun(frame);
    const clock = this.#clock!;
    const { silence, skip } = clock.place(this.#position(frame), frame.nbSamples, this.#lost);
    this.#lost = false;
    yield* this.#silence(silence);
    if (skip === frame.nbSamples) return;
    if (skip > 0) cutFront(frame, skip);
    if (!this.#resampler!.push(frame)) {
      yield* this.#beginRun(frame);
      this.#clock!.place(null, frame.nbSamples, false);
      if (!this.#resampler!.push(frame)) {
        const { path } = this.#question;
        throw mediaErrors.DECODE_FAILED(`${path}: its sound cannot be resampled`, { path });
      }
    }
    this.#waiting += frame.nbSamples;
    if (this.#waiting * 2 >= frame.sampleRate) yield* this.#pull(false);
  }

  /** Where the first sample of a frame belongs, in samples of its own rate; null when it has no time. */
  #position(frame: Frame): number | null {
    const at = ticks(frame.pts) ?? ticks(frame.bestEffortTimestamp);
    if (at === null) return null;
    const { stream, zero } = this.#question;
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

  /** Sound of another rate or layout begins: a new resampler, which goes on where the last one ended. */
  *#beginRun(frame: Frame): Generator<TrackBlock> {
    const begun = this.#resampler !== null;
    yield* this.#endRun();
    const { choice, path, end } = this.#question;
    const rows = (layout: ChannelLayout) =>
      choice.channels ? pick(choice.channels, layout.nbChannels) : downmix(layout);
    this.#resampler = new Resampler(frame, rows, path);
    const { rate } = this.#resampler;
    const at = Math.round(((this.#given + this.#filled) * rate) / soundRate);
    this.#clock = new SoundClock(rate, end * rate, begun ? at : null);
  }

  *#endRun(): Generator<TrackBlock> {
    if (!this.#resampler) return;
    yield* this.#pull(true);
    this.#resampler.close();
    this.#resampler = null;
  }

  *#pull(last: boolean): Generator<TrackBlock> {
    this.#waiting = 0;
    for (;;) {
      const room = this.#question.blockSamples - this.#filled;
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
    const block = { firstSample: this.#given, count: this.#filled, planes: this.#planes };
    this.#given += this.#filled;
    this.#filled = 0;
    return block;
  }
}

function bytesOf(plane: Float32Array, from: number): Buffer {
  return Buffer.from(plane.buffer, plane.byteOffset + from * 4, (plane.length - from) * 4);
}

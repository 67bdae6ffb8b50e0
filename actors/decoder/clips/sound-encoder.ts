// One audio track of a precise clip: decoded, placed at its times, and encoded as AAC from sample to sample.
import { mediaErrors } from '../contract.ts';
import {
  avChannelLayoutDefault,
  Dictionary,
  Frame,
  type Packet,
  Rational,
  type Stream,
  ticks,
} from '../ffmpeg.ts';
import { SoundClock } from '../sound/clock.ts';
import { type ChannelLayout, cutFront, Resampler, SoundDecoder } from '../sound/decoder.ts';
import { type ClipFile, Encoder, soundRateOf } from './clip-file.ts';

/** Bits per second for each channel, at which AAC is not told from the source. */
const channelBitRate = 128_000n;
/** More channels than AAC has a place for are mixed down to two. */
const mostChannels = 8;
/** Samples pulled from the resampler at once. */
const pulled = 4096;

export class SoundEncoder {
  readonly stream: Stream;
  readonly #path: string;
  readonly #zero: number;
  readonly #decoder: SoundDecoder;
  readonly #encoder: Encoder;
  readonly #frame = new Frame();
  readonly #queue = new SampleQueue();
  readonly #rate: number;
  readonly #channels: number;
  #resampler: Resampler | null = null;
  #clock: SoundClock | null = null;
  /** Samples handed to the encoder. */
  #encoded = 0;
  #lost = true;

  /**
   * `zero`: time of the first sample of the clip, in seconds of the clock of the streams. Errors:
   * UNSUPPORTED_CODEC, CLIP_UNWRITABLE.
   */
  constructor(file: ClipFile, path: string, stream: Stream, zero: number, most = mostChannels) {
    this.stream = stream;
    this.#path = path;
    this.#zero = zero;
    const { sampleRate, channels } = stream.codecpar;
    this.#rate = soundRateOf(sampleRate);
    this.#channels = channels > 0 && channels <= most ? channels : 2;
    this.#decoder = SoundDecoder.open(stream, path);
    try {
      this.#encoder = openEncoder(file, stream, this.#rate, this.#channels);
    } catch (error) {
      this.#decoder.close();
      throw error;
    }
    this.#frame.alloc();
  }

  /** Seconds of the clip up to which its samples are known. */
  get known(): number {
    return (this.#encoded + this.#queue.length) / this.#rate;
  }

  /** Handed to the encoder so far. */
  get samples(): number {
    return this.#encoded;
  }

  /** Decodes a packet, *borrowed*; null flushes the decoder. A packet that cannot be decoded leaves a gap. */
  send(packet: Packet | null) {
    if (!this.#decoder.send(packet)) this.#lost = true;
    for (let frame = this.#decoder.receive(); frame; frame = this.#decoder.receive()) {
      if (frame === 'broken') this.#lost = true;
      else if (frame.nbSamples > 0 && frame.sampleRate > 0) this.#place(frame);
    }
    if (packet === null) this.#endResampler();
  }

  /** Is silent up to `seconds` of the clip where nothing else is known. */
  reach(seconds: number) {
    if (this.known >= seconds) return;
    this.#endResampler();
    this.#lost = true;
    this.#queue.pushSilence(Math.max(0, Math.floor((seconds - this.known) * this.#rate)));
  }

  /** Encodes what is known, in whole frames, up to `seconds` of the clip. */
  encode(seconds: number) {
    const limit = Math.round(seconds * this.#rate);
    const size = this.#encoder.context.frameSize;
    while (this.#queue.length >= size && this.#encoded + size <= limit) this.#encodeFrame(size);
  }

  /** Encodes the rest up to `seconds`, with silence where the sound has ended, and ends the track. */
  finish(seconds: number) {
    const end = Math.round(seconds * this.#rate);
    this.#queue.pushSilence(Math.max(0, end - this.#encoded - this.#queue.length));
    this.encode(seconds);
    if (end > this.#encoded) this.#encodeFrame(end - this.#encoded);
    this.#encoder.encode(null);
  }

  close() {
    this.#decoder.close();
    this.#resampler?.close();
    this.#encoder.close();
    this.#frame.free();
  }

  #place(frame: Frame) {
    if (this.#resampler?.rate !== frame.sampleRate) this.#newResampler(frame);
    const { silence, skip } = this.#clock!.place(this.#position(frame), frame.nbSamples, this.#lost);
    this.#lost = false;
    if (silence > 0) this.#silence(silence, frame);
    if (skip === frame.nbSamples) return;
    if (skip > 0) cutFront(frame, skip);
    if (!this.#resampler!.push(frame)) {
      this.#newResampler(frame);
      this.#clock!.place(null, frame.nbSamples, false);
      if (!this.#resampler!.push(frame)) {
        throw mediaErrors.DECODE_FAILED(`${this.#path}: its sound cannot be resampled`, { path: this.#path });
      }
    }
    this.#pull(false);
  }

  /** Of its first sample, in samples of its own rate from the start of the clip; null when it has no time. */
  #position(frame: Frame): number | null {
    const at = ticks(frame.pts) ?? ticks(frame.bestEffortTimestamp);
    if (at === null) return null;
    const { num, den } = this.stream.timeBase;
    return Math.round(((at * num) / den - this.#zero) * frame.sampleRate);
  }

  #silence(samples: number, frame: Frame) {
    const rate = frame.sampleRate;
    this.#endResampler();
    this.#queue.pushSilence(Math.round((samples * this.#rate) / rate));
    this.#resampler = this.#openResampler(frame);
  }

  /** At a change of rate or layout: goes on where the last one ended. */
  #newResampler(frame: Frame) {
    this.#endResampler();
    this.#resampler = this.#openResampler(frame);
    const { rate } = this.#resampler;
    const at = Math.round(this.known * rate);
    this.#clock = new SoundClock(rate, Number.POSITIVE_INFINITY, at > 0 ? at : null);
  }

  #openResampler(frame: Frame): Resampler {
    const out = this.#channels;
    return new Resampler(frame, (layout) => mixing(layout, out), this.#path, this.#rate);
  }

  #endResampler() {
    if (!this.#resampler) return;
    this.#pull(true);
    this.#resampler.close();
    this.#resampler = null;
  }

  #pull(last: boolean) {
    for (;;) {
      const planes = Array.from({ length: this.#channels }, () => new Float32Array(pulled));
      const got = this.#resampler!.pull(planes.map(bytesOf), pulled, last);
      this.#queue.push(planes.map((plane) => plane.subarray(0, got)));
      if (got < pulled) return;
    }
  }

  #encodeFrame(count: number) {
    const { context } = this.#encoder;
    const frame = this.#frame;
    frame.nbSamples = count;
    frame.format = context.sampleFormat;
    frame.sampleRate = context.sampleRate;
    frame.channelLayout = context.channelLayout;
    if (frame.getBuffer() < 0) throw mediaErrors.TOO_LARGE('No memory for a block of sound');
    const planes = frame.extendedData!.map(
      ({ buffer, byteOffset }) => new Float32Array(buffer, byteOffset, count),
    );
    this.#queue.take(planes, count);
    frame.pts = BigInt(this.#encoded);
    this.#encoded += count;
    try {
      this.#encoder.encode(frame);
    } finally {
      frame.unref();
    }
  }
}

const bytesOf = (plane: Float32Array) => Buffer.from(plane.buffer, plane.byteOffset, plane.byteLength);

/**
 * Each channel as it is; where there are too many of known places, as `toStereo`. Else, where there are more
 * than fit, the even ones left and the odd ones right.
 */
function mixing({ nbChannels: channels, order, mask }: ChannelLayout, out: number): number[] {
  if (out === 2 && channels > 2 && order === 1) return toStereo(speakersOf(mask));
  const share = Math.max(1, Math.ceil(channels / out));
  return Array.from({ length: out * channels }, (_, i) => {
    const [to, from] = [Math.floor(i / channels), i % channels];
    if (channels === 1) return 1;
    return from % out === to ? (channels > out ? 1 / share : 1) : 0;
  });
}

function openEncoder(file: ClipFile, stream: Stream, rate: number, channels: number): Encoder {
  const encoder = new Encoder(file, {
    name: 'aac',
    options: {},
    prepare: (context, codec) => {
      context.sampleRate = rate;
      context.sampleFormat = codec.sampleFormats![0]!;
      context.channelLayout = avChannelLayoutDefault(channels);
      context.bitRate = channelBitRate * BigInt(channels);
      context.timeBase = new Rational(1, rate);
    },
  });
  const language = stream.metadata?.get('language');
  if (language) encoder.stream.metadata = Dictionary.fromObject({ language });
  return encoder;
}

// Sound of many loudspeakers mixed down to two.

const half = Math.SQRT1_2;

/** Shares of each loudspeaker, by its bit in FFmpeg's masks, left and right. Others are in both. */
const shares: readonly (readonly [left: number, right: number])[] = [
  [1, 0],
  [0, 1],
  [half, half],
  // The low effects are no part of a mix of two.
  [0, 0],
  [half, 0],
  [0, half],
  [1, 0],
  [0, 1],
  [half * half, half * half],
  [half, 0],
  [0, half],
];

/** The places of the channels, in their order. */
export function speakersOf(mask: bigint): number[] {
  const bits = mask.toString(2);
  return Array.from(bits, (_, bit) => bit).filter((bit) => bits[bits.length - 1 - bit] === '1');
}

/** Two rows of gains, one for each channel, that never clip. */
export function toStereo(speakers: readonly number[]): number[] {
  const each = speakers.map((speaker) => shares[speaker] ?? ([half, half] as const));
  const sums = [0, 1].map((side) => each.reduce((sum, share) => sum + share[side]!, 0));
  const most = Math.max(...sums, Number.EPSILON);
  return [0, 1].flatMap((side) => each.map((share) => share[side]! / most));
}

// Samples of several channels that wait to be encoded, in order. Silence takes no memory.

interface Stretch {
  /** One for each channel; null for silence. */
  readonly planes: readonly Float32Array[] | null;
  readonly count: number;
}

class SampleQueue {
  #stretches: Stretch[] = [];
  /** Samples of the first stretch that were taken. */
  #taken = 0;
  /** Samples that wait. */
  length = 0;

  /** `planes` are *moved*. */
  push(planes: readonly Float32Array[]) {
    this.#push({ planes, count: planes[0]?.length ?? 0 });
  }

  pushSilence(count: number) {
    this.#push({ planes: null, count });
  }

  /** Fills `planes` with the next `count` samples, of which there must be as many. */
  take(planes: readonly Float32Array[], count: number) {
    for (let at = 0; at < count; ) {
      const first = this.#stretches[0]!;
      const step = Math.min(count - at, first.count - this.#taken);
      for (const [channel, plane] of planes.entries()) {
        const from = first.planes?.[channel];
        if (from) plane.set(from.subarray(this.#taken, this.#taken + step), at);
        else plane.fill(0, at, at + step);
      }
      at += step;
      this.#taken += step;
      this.length -= step;
      if (this.#taken < first.count) continue;
      this.#stretches.shift();
      this.#taken = 0;
    }
  }

  #push(stretch: Stretch) {
    if (stretch.count === 0) return;
    this.#stretches.push(stretch);
    this.length += stretch.count;
  }
}

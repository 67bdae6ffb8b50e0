// One audio track of a clip: one of the source, or several mixed, decoded, placed at their times, and encoded
// as AAC from sample to sample.
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

/** Where samples go: shared by the tracks that are mixed. */
interface Placement {
  readonly path: string;
  /** Time of the first sample of the clip, in seconds of the clock of the streams. */
  readonly zero: number;
  /** Hz and channels of what is encoded. */
  readonly rate: number;
  readonly channels: number;
}

/** The samples of one track, from the start of the clip on. */
class TrackSamples {
  readonly stream: Stream;
  readonly queue = new SampleQueue();
  readonly #placement: Placement;
  readonly #decoder: SoundDecoder;
  #resampler: Resampler | null = null;
  #clock: SoundClock | null = null;
  #lost = true;

  /** Throws UNSUPPORTED_CODEC. */
  constructor(stream: Stream, placement: Placement) {
    this.stream = stream;
    this.#placement = placement;
    this.#decoder = SoundDecoder.open(stream, placement.path);
  }

  /** Seconds of the clip up to which its samples are known. */
  get knownSeconds(): number {
    return this.queue.pushed / this.#placement.rate;
  }

  send(packet: Packet | null) {
    if (!this.#decoder.send(packet)) this.#lost = true;
    for (let frame = this.#decoder.receive(); frame; frame = this.#decoder.receive()) {
      if (frame === 'broken') this.#lost = true;
      else if (frame.nbSamples > 0 && frame.sampleRate > 0) this.#place(frame);
    }
    if (packet === null) this.#endResampler();
  }

  reach(seconds: number) {
    if (this.knownSeconds >= seconds) return;
    this.#endResampler();
    this.#lost = true;
    this.queue.pushSilence(Math.max(0, Math.floor((seconds - this.knownSeconds) * this.#placement.rate)));
  }

  close() {
    this.#decoder.close();
    this.#resampler?.close();
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
        const { path } = this.#placement;
        throw mediaErrors.DECODE_FAILED(`${path}: its sound cannot be resampled`, { path });
      }
    }
    this.#pull(false);
  }

  /**
   * Position of its first sample, in samples of its own rate from the start of the clip; null when it has no
   * time.
   */
  #position(frame: Frame): number | null {
    const at = ticks(frame.pts) ?? ticks(frame.bestEffortTimestamp);
    if (at === null) return null;
    const { num, den } = this.stream.timeBase;
    return Math.round(((at * num) / den - this.#placement.zero) * frame.sampleRate);
  }

  #silence(samples: number, frame: Frame) {
    const rate = frame.sampleRate;
    this.#endResampler();
    this.queue.pushSilence(Math.round((samples * this.#placement.rate) / rate));
    this.#resampler = this.#openResampler(frame);
  }

  /** At a change of rate or layout: goes on where the last one ended. */
  #newResampler(frame: Frame) {
    this.#endResampler();
    this.#resampler = this.#openResampler(frame);
    const { rate } = this.#resampler;
    const at = Math.round(this.knownSeconds * rate);
    this.#clock = new SoundClock(rate, Number.POSITIVE_INFINITY, at > 0 ? at : null);
  }

  #openResampler(frame: Frame): Resampler {
    const { channels, path, rate } = this.#placement;
    return new Resampler(frame, (layout) => mixing(layout, channels), path, rate);
  }

  #endResampler() {
    if (!this.#resampler) return;
    this.#pull(true);
    this.#resampler.close();
    this.#resampler = null;
  }

  #pull(last: boolean) {
    for (;;) {
      const planes = Array.from({ length: this.#placement.channels }, () => new Float32Array(pulled));
      const got = this.#resampler!.pull(planes.map(bytesOf), pulled, last);
      this.queue.push(planes.map((plane) => plane.subarray(0, got)));
      if (got < pulled) return;
    }
  }
}

export class SoundEncoder {
  readonly #rate: number;
  readonly #channels: number;
  readonly #tracks: readonly TrackSamples[];
  readonly #encoder: Encoder;
  readonly #frame = new Frame();
  /** Samples handed to the encoder. */
  #encoded = 0;

  /**
   * `streams`: one, or several of one format that are mixed. `zero`: time of the first sample of the clip, in
   * seconds of the clock of the streams. Errors: UNSUPPORTED_CODEC, CLIP_UNWRITABLE.
   */
  constructor(file: ClipFile, path: string, streams: readonly Stream[], zero: number, most = mostChannels) {
    const [first] = streams;
    const { sampleRate, channels } = first!.codecpar;
    this.#rate = soundRateOf(sampleRate);
    this.#channels = channels > 0 && channels <= most ? channels : 2;
    const placement = { path, zero, rate: this.#rate, channels: this.#channels };
    const tracks: TrackSamples[] = [];
    try {
      for (const stream of streams) tracks.push(new TrackSamples(stream, placement));
      this.#encoder = openEncoder(file, first!, this.#rate, this.#channels);
    } catch (error) {
      for (const track of tracks) track.close();
      throw error;
    }
    this.#tracks = tracks;
    this.#frame.alloc();
  }

  /** Seconds of the clip up to which its samples are known. */
  get knownSeconds(): number {
    return Math.min(...this.#tracks.map(({ knownSeconds }) => knownSeconds));
  }

  /** Handed to the encoder so far. */
  get samples(): number {
    return this.#encoded;
  }

  /**
   * Decodes a packet of one of its streams, *borrowed*; null flushes the decoders. A packet that cannot be
   * decoded leaves a gap.
   */
  send(packet: Packet | null) {
    for (const track of this.#tracks)
      if (packet === null || packet.streamIndex === track.stream.index) track.send(packet);
  }

  /** Is silent up to `seconds` of the clip where nothing else is known. */
  reach(seconds: number) {
    for (const track of this.#tracks) track.reach(seconds);
  }

  /** Encodes what is known, in whole frames, up to `seconds` of the clip. */
  encode(seconds: number) {
    const limit = Math.round(seconds * this.#rate);
    const size = this.#encoder.context.frameSize;
    const ready = () => Math.min(...this.#tracks.map(({ queue }) => queue.length));
    while (ready() >= size && this.#encoded + size <= limit) this.#encodeFrame(size);
  }

  /** Encodes the rest up to `seconds`, with silence where the sound has ended, and ends the track. */
  finish(seconds: number) {
    const end = Math.round(seconds * this.#rate);
    for (const { queue } of this.#tracks) queue.pushSilence(Math.max(0, end - this.#encoded - queue.length));
    this.encode(seconds);
    if (end > this.#encoded) this.#encodeFrame(end - this.#encoded);
    this.#encoder.encode(null);
  }

  close() {
    for (const track of this.#tracks) track.close();
    this.#encoder.close();
    this.#frame.free();
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
    this.#take(planes, count);
    frame.pts = BigInt(this.#encoded);
    this.#encoded += count;
    try {
      this.#encoder.encode(frame);
    } finally {
      frame.unref();
    }
  }

  /** The mean of all tracks, which cannot clip. */
  #take(planes: readonly Float32Array[], count: number) {
    const [first, ...further] = this.#tracks;
    first!.queue.take(planes, count);
    if (further.length === 0) return;
    const trackPlanes = planes.map(() => new Float32Array(count));
    for (const { queue } of further) {
      queue.take(trackPlanes, count);
      for (const [channel, plane] of planes.entries())
        for (let i = 0; i < count; i++) plane[i]! += trackPlanes[channel]![i]!;
    }
    for (const plane of planes) for (let i = 0; i < count; i++) plane[i]! /= this.#tracks.length;
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
  /** All samples so far. */
  pushed = 0;

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
    this.pushed += stretch.count;
  }
}

// The audio track of a film: float samples produced block by block, converted to the encoder's sample format
// and encoded.
import {
  AV_CODEC_CAP_SMALL_LAST_FRAME,
  avChannelLayoutDefault,
  avGetSampleFmtName,
  type FormatContext,
  Frame,
  Rational,
} from '../../../actors/decoder/ffmpeg.ts';
import { encoderCodec, type FilmTrack, filmErrors, must, TrackEncoder, type WritePacket } from './track.ts';

export interface FilmSound {
  /** Hz. */
  readonly sampleRate: number;
  readonly channels: number;
  readonly seconds: number;
  /** FFmpeg's name: aac, libopus, flac, libmp3lame, mp2, pcm_s16le. */
  readonly encoder: string;
  readonly options?: Readonly<Record<string, string>>;
  /**
   * PTS, in samples, of the block that starts with this sample number; without it blocks follow each other.
   */
  ptsOf?(sample: number): number;
  /**
   * Fills `samples` (frames×channels, interleaved, -1 to 1, *borrowed until it returns*) with the sound from
   * sample number `start` on.
   */
  fill(start: number, samples: Float32Array): void;
}

/** Samples in a block where the encoder has no frame size. */
const freeBlock = 1024;

export class SoundTrack implements FilmTrack {
  readonly #sound: FilmSound;
  readonly #path: string;
  readonly #encoder: TrackEncoder;
  readonly #frame = new Frame();
  readonly #format: string;
  readonly #block: number;
  readonly #total: number;
  readonly #padded: boolean;
  #next = 0;
  #finished = false;

  constructor(format: FormatContext, path: string, sound: FilmSound) {
    this.#sound = sound;
    this.#path = path;
    const codec = encoderCodec(sound.encoder, path);
    const sampleFormat = codec.sampleFormats?.[0];
    if (sampleFormat === undefined) {
      throw filmErrors.FILM_ENCODER_MISSING(`${path}: ${sound.encoder} encodes no sound`, { path });
    }
    this.#format = avGetSampleFmtName(sampleFormat) ?? '';
    this.#encoder = new TrackEncoder(format, path, codec, sound.options ?? {}, (context) => {
      context.sampleRate = sound.sampleRate;
      context.sampleFormat = sampleFormat;
      context.channelLayout = avChannelLayoutDefault(sound.channels);
      context.timeBase = new Rational(1, sound.sampleRate);
    });
    this.#block = this.#encoder.context.frameSize || freeBlock;
    this.#total = Math.round(sound.seconds * sound.sampleRate);
    this.#padded =
      this.#encoder.context.frameSize > 0 && !codec.hasCapabilities(AV_CODEC_CAP_SMALL_LAST_FRAME);
    this.#frame.alloc();
  }

  get seconds(): number {
    return this.#finished ? Infinity : this.#ptsOf(this.#next) / this.#sound.sampleRate;
  }

  step(write: WritePacket): void {
    if (this.#next >= this.#total) {
      this.#finished = true;
      this.#encoder.encode(null, write);
      return;
    }
    const remainingSamples = this.#total - this.#next;
    const count = this.#padded ? this.#block : Math.min(this.#block, remainingSamples);
    const samples = new Float32Array(count * this.#sound.channels);
    this.#sound.fill(
      this.#next,
      samples.subarray(0, Math.min(count, remainingSamples) * this.#sound.channels),
    );
    const frame = this.#fill(samples, count);
    frame.pts = BigInt(this.#ptsOf(this.#next));
    this.#next += count;
    this.#encoder.encode(frame, write);
    frame.unref();
  }

  close(): void {
    this.#frame.free();
    this.#encoder.close();
  }

  #ptsOf(sample: number): number {
    return this.#sound.ptsOf?.(sample) ?? sample;
  }

  #fill(samples: Float32Array, count: number): Frame {
    const { context } = this.#encoder;
    const frame = this.#frame;
    frame.nbSamples = count;
    frame.format = context.sampleFormat;
    frame.sampleRate = context.sampleRate;
    frame.channelLayout = context.channelLayout;
    must(frame.getBuffer(), this.#path, 'making a block of sound');
    packSamples(samples, this.#sound.channels, this.#format, frame.extendedData!);
    return frame;
  }
}

/** Writes interleaved floats in one of FFmpeg's sample formats: flt, s16, s32, planar with the suffix `p`. */
export function packSamples(
  samples: Float32Array,
  channels: number,
  format: string,
  planes: readonly Buffer[],
): void {
  const planar = format.endsWith('p');
  const write = sampleWriters[planar ? format.slice(0, -1) : format];
  if (!write) throw filmErrors.FILM_NOT_WRITTEN(`No way to write samples as ${format}`);
  for (let i = 0; i < samples.length; i++) {
    const plane = planes[planar ? i % channels : 0]!;
    write(plane, planar ? Math.floor(i / channels) : i, Math.max(-1, Math.min(1, samples[i]!)));
  }
}

const sampleWriters: Record<string, (plane: Buffer, at: number, value: number) => void> = {
  flt: (plane, at, value) => plane.writeFloatLE(value, at * 4),
  s16: (plane, at, value) => plane.writeInt16LE(Math.round(value * 32767), at * 2),
  s32: (plane, at, value) => plane.writeInt32LE(Math.round(value * 2147483647), at * 4),
};

// Tries an encoder: a few drawn pictures are encoded as those of a clip are, decoded by our own decoder and
// compared. What a device answers is believed only after that.
import { join } from 'node:path';
import {
  AV_PICTURE_TYPE_NONE,
  AVCHROMA_LOC_LEFT,
  AVCOL_PRI_BT709,
  AVCOL_RANGE_JPEG,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_BT709,
  AVCOL_TRC_BT709,
  avGetPixFmtFromName,
  avGetPixFmtName,
  Frame,
  type Packet,
} from '../../ffmpeg.ts';
import { readHead } from '../../packets/head.ts';
import { type OpenOptions, openSource, type Source } from '../../source/source.ts';
import { ClipFile } from '../clip-file.ts';
import { decodedPictures } from '../decoded-pictures.ts';
import { mp4 } from '../formats.ts';
import type { PictureShape } from '../picture-encoder.ts';
import { PictureFitter, type PictureInput } from '../picture-fitter.ts';
import type { EncoderCandidate } from './candidates.ts';
import { DeviceEncoder, type DeviceEncoderOptions } from './device-encoder.ts';
import { EncoderFailure } from './failure.ts';

type Turn = OpenOptions['turn'];

export interface TrialOptions extends DeviceEncoderOptions {
  /** Where the film of the trial is written; it stays there. */
  readonly folder: string;
}

export interface Proof {
  /** The lowest of all planes of all pictures, dB. */
  readonly psnr: number;
}

/** Pictures of a trial. */
const count = 16;
/**
 * dB. On the same pictures x264 has 41.6 at `crf 17` and 30 pictures a second, 38.0 at 60, and 34 at
 * `crf 23`.
 */
const leastPsnr = 36;
/** Steps of 255 by which no plane may be brighter or darker. */
const mostShift = 0.75;
/** Seconds by which a picture may be off, from rounding. */
const rounding = 0.0002;

/** The pictures of a trial have colours of their own, so that it shows whether they are kept. */
function trialShape(shape: PictureShape): PictureShape {
  const colours = {
    colorPrimaries: AVCOL_PRI_BT709,
    colorTrc: AVCOL_TRC_BT709,
    colorSpace: AVCOL_SPC_BT709,
    colorRange: shape.format === 'yuvj420p' ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG,
    chromaLocation: AVCHROMA_LOC_LEFT,
  };
  return { ...shape, colours };
}

/** Throws EncoderFailure with what is wrong, CANCELLED. */
export async function tryEncoder(
  candidate: EncoderCandidate,
  asked: PictureShape,
  { folder, ...options }: TrialOptions,
  turn: Turn,
): Promise<Proof> {
  const shape = trialShape(asked);
  const path = join(folder, 'trial.mp4');
  const drawn = new DrawnPictures(shape, count);
  await encodeDrawn(path, drawn, { candidate, shape, options, turn });
  const source = await openSource(path, { turn });
  try {
    return await compare(source, drawn, { candidate, shape, turn });
  } finally {
    source.close();
  }
}

interface Trial {
  readonly candidate: EncoderCandidate;
  readonly shape: PictureShape;
  readonly options: DeviceEncoderOptions;
  readonly turn: Turn;
}

async function encodeDrawn(path: string, drawn: DrawnPictures, { candidate, shape, options, turn }: Trial) {
  const file = new ClipFile(path, mp4);
  let encoder: DeviceEncoder | null = null;
  let fitter: PictureFitter | null = null;
  try {
    encoder = await DeviceEncoder.open(file, candidate, shape, options);
    fitter = new PictureFitter(encoder.input);
    file.begin();
    // Encoders do not carry it on, and the last picture of a file would not be shown.
    const lengths = new Map<bigint, bigint>();
    const finish = (packet: Packet) => {
      packet.duration = lengths.get(packet.pts)!;
    };
    for (let n = 0; n < count; n++) {
      turn.throwIfCancelled();
      const picture = drawn.frame(n, avGetPixFmtFromName(shape.format as never));
      try {
        const fitted = timed(fitter.fit(tagged(picture, shape)), n, shape);
        lengths.set(fitted.pts, fitted.duration);
        await encoder.encode(fitted, finish);
      } finally {
        picture.free();
      }
    }
    await encoder.encode(null, finish);
    file.finish();
  } finally {
    encoder?.close();
    fitter?.close();
    file.close();
  }
}

function tagged(picture: Frame, { colours }: PictureShape): Frame {
  return Object.assign(picture, colours);
}

function timed(picture: Frame, n: number, shape: PictureShape): Frame {
  picture.pts = BigInt(tickOf(n, shape));
  picture.duration = BigInt(tickOf(n + 1, shape) - tickOf(n, shape));
  picture.pictType = AV_PICTURE_TYPE_NONE;
  return picture;
}

/** Ticks of a picture. Not at an even rate: the second half comes later by two and a half pictures. */
function tickOf(n: number, { base, rate }: PictureShape): number {
  const perPicture = (rate!.den * base.den) / (rate!.num * base.num);
  return Math.round((n < count / 2 ? n : n + 2.5) * perPicture);
}

async function compare(
  source: Source,
  drawn: DrawnPictures,
  { candidate, shape, turn }: Omit<Trial, 'options'>,
): Promise<Proof> {
  const wrong = (what: string) => new EncoderFailure(candidate.name, what);
  const head = await readHead(source, turn);
  const { num, den } = head.video.timeBase;
  let [n, psnr] = [0, Number.POSITIVE_INFINITY];
  for await (const { frame, at } of decodedPictures({ source, head, seconds: 0, turn })) {
    try {
      if (n === count) throw wrong('pictures come twice');
      const seconds = ((at - (head.start ?? 0)) * num) / den;
      const own = (tickOf(n, shape) * shape.base.num) / shape.base.den;
      if (Math.abs(seconds - own) > rounding)
        throw wrong(`picture ${n} comes at ${seconds} s, not at ${own} s`);
      const different = differentField(frame, shape);
      if (different) throw wrong(different);
      psnr = Math.min(psnr, leastLikeness(frame, drawn, n, wrong));
      n++;
    } finally {
      frame.free();
    }
  }
  if (n < count) throw wrong(`${n} of ${count} pictures can be decoded`);
  return { psnr };
}

/** Says what of a decoded picture is not what was asked for; null when all is. */
function differentField(frame: Frame, { width, height, format, colours }: PictureShape): string | null {
  if (frame.width !== width || frame.height !== height)
    return `pictures are ${frame.width}x${frame.height}, not ${width}x${height}`;
  const name = avGetPixFmtName(frame.format as Parameters<typeof avGetPixFmtName>[0]);
  if (name !== format) return `pictures are ${name}, not ${format}`;
  for (const key of ['colorPrimaries', 'colorTrc', 'colorSpace'] as const)
    if (frame[key] !== colours[key]) return `${key} is ${frame[key]}, not ${colours[key]}`;
  return null;
}

function leastLikeness(
  frame: Frame,
  drawn: DrawnPictures,
  n: number,
  wrong: (what: string) => EncoderFailure,
): number {
  const { data, linesize } = frame;
  const found = drawn
    .planes(n)
    .map((plane, i) => likeness(plane, { bytes: data![i]!, stride: linesize[i]! }));
  const psnr = Math.min(...found.map((plane) => plane.psnr));
  const shift = Math.max(...found.map((plane) => Math.abs(plane.shift)));
  if (psnr < leastPsnr) throw wrong(`picture ${n} has ${psnr.toFixed(1)} dB, less than ${leastPsnr}`);
  if (shift > mostShift) throw wrong(`picture ${n} is brighter or darker by ${shift.toFixed(2)}`);
  return psnr;
}

// How much alike two planes of pictures are.

/** Samples compared of a plane, at most; more tell no more. */
const mostSamples = 400_000;

interface Likeness {
  /** Peak signal-to-noise ratio, dB; infinite for the same samples. */
  readonly psnr: number;
  /** By how much the mean of `other` is brighter, in steps of 255. */
  readonly shift: number;
}

/** `other`: rows of `stride` bytes. */
function likeness(plane: Plane, other: { readonly bytes: Uint8Array; readonly stride: number }): Likeness {
  const { width, height, samples } = plane;
  const rows = Math.max(1, Math.floor(mostSamples / width));
  const every = Math.max(1, Math.ceil(height / rows));
  let [count, squares, sum] = [0, 0, 0];
  for (let y = 0; y < height; y += every) {
    for (let x = 0; x < width; x++) {
      const difference = other.bytes[y * other.stride + x]! - samples[y * width + x]!;
      squares += difference * difference;
      sum += difference;
    }
    count += width;
  }
  const psnr = squares === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10((255 * 255 * count) / squares);
  return { psnr, shift: sum / count };
}

// The pictures that an encoder is tried with: a gradient under fine noise, both moving, so that every picture
// differs from the one before and nothing in it is flat. The same on every machine.

/** Samples of one plane in their order. */
interface Plane {
  readonly width: number;
  readonly height: number;
  readonly samples: Uint8Array;
}

/** Px by which the texture moves with each picture. */
const [across, down] = [3, 2];
/** Most that noise adds or takes. */
const noise = 10;
/** Samples below or above are no colours in the range of television. */
const [darkest, brightest] = [24, 224];

/** Draws pictures of 8-bit 4:2:0, both sides even, `count` at most. */
export class DrawnPictures {
  readonly #width: number;
  readonly #height: number;
  readonly #textures: readonly Plane[];

  constructor({ width, height }: { width: number; height: number }, count: number) {
    this.#width = width;
    this.#height = height;
    const larger = (side: number, step: number) => side + step * count;
    const textures = [1, 2, 2].map((divisor, plane) =>
      texture(larger(width / divisor, across), larger(height / divisor, down), plane),
    );
    this.#textures = textures;
  }

  /** Planes of brightness and of both colours. */
  planes(n: number): Plane[] {
    return this.#textures.map((from, plane) => {
      const [width, height] = plane === 0 ? [this.#width, this.#height] : [this.#width / 2, this.#height / 2];
      const samples = new Uint8Array(width * height);
      for (let y = 0; y < height; y++) {
        const start = (y + n * down) * from.width + n * across;
        samples.set(from.samples.subarray(start, start + width), y * width);
      }
      return { width, height, samples };
    });
  }

  /** As a frame of `yuv420p` or `yuvj420p`. The caller frees it. */
  frame(n: number, pixelFormat: PictureInput['pixelFormat']): Frame {
    const frame = new Frame();
    frame.alloc();
    frame.width = this.#width;
    frame.height = this.#height;
    frame.format = pixelFormat;
    if (frame.getBuffer(0) < 0) throw new Error(`no memory for a picture of ${this.#width}x${this.#height}`);
    const { data, linesize } = frame;
    for (const [plane, { width, height, samples }] of this.planes(n).entries()) {
      for (let y = 0; y < height; y++)
        data![plane]!.set(samples.subarray(y * width, (y + 1) * width), y * linesize[plane]!);
    }
    return frame;
  }
}

function texture(width: number, height: number, plane: number): Plane {
  const samples = new Uint8Array(width * height);
  let random = 0x9e3779b9 + plane;
  for (let y = 0, at = 0; y < height; y++) {
    // Each plane has its own direction, so that none can stand for another.
    const down = plane === 1 ? 1 - y / height : y / height;
    for (let x = 0; x < width; x++, at++) {
      random = (Math.imul(random, 1664525) + 1013904223) | 0;
      const across = plane === 2 ? 1 - x / width : x / width;
      const level = darkest + noise + (brightest - darkest - 2 * noise) * ((across + down) / 2);
      samples[at] = Math.round(level + ((random >>> 16) / 32768 - 1) * noise);
    }
  }
  return { width, height, samples };
}

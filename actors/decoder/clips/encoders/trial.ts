// Tries an encoder: a few drawn pictures are encoded as those of a clip are, decoded by our own decoder and
// compared. What a device answers is believed only after that. It runs in a process of its own: a driver that
// crashes or hangs takes nothing with it.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../../runtime/clock.ts';
import { discard } from '../../../../runtime/files/names.ts';
import { askIsolated } from '../../../../runtime/process/isolated.ts';
import { moduleUrl } from '../../../../runtime/process/program.ts';
import {
  AVCHROMA_LOC_LEFT,
  AVCOL_PRI_BT709,
  AVCOL_RANGE_JPEG,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_BT709,
  AVCOL_TRC_BT709,
  avGetPixFmtFromName,
  Frame,
  type Packet,
} from '../../ffmpeg.ts';
import { readHead } from '../../packets/head.ts';
import type { Size } from '../../source/coded-size.ts';
import { openSource } from '../../source/source.ts';
import { ClipFile, mp4 } from '../clip-file.ts';
import { decodedPictures } from '../decoded-pictures.ts';
import { PictureFitter, type PictureShape } from '../picture-encoder.ts';
import {
  DeviceEncoder,
  type DeviceEncoderOptions,
  type EncoderCandidate,
  EncoderFailure,
} from './device-encoder.ts';

export interface TrialRequest {
  readonly candidate: EncoderCandidate;
  readonly shape: PictureShape;
}

/** Order for the process of a trial. `folder`: its own, to write into; removed when it has ended. */
export interface TrialOrder extends TrialRequest {
  readonly folder: string;
}

/**
 * `reason`: what is wrong with the encoder; null when nothing is. `psnr`: dB of the worst plane of the worst
 * picture, null without a result.
 */
export interface Verdict {
  readonly reason: string | null;
  readonly psnr: number | null;
}

/** A trial takes a second or two, much of it to start. */
const defaults = {
  clock: systemClock,
  limitMs: 60_000,
  program: moduleUrl('./trial-process', import.meta.url),
};

/** Rejects only with CANCELLED; then and after the limit the process is gone, with all that it wrote. */
export async function prove(
  request: TrialRequest,
  signal: AbortSignal,
  more: Partial<typeof defaults> = {},
): Promise<Verdict> {
  const { program, ...limits } = { ...defaults, ...more };
  const failed = (how: string): Verdict => ({ reason: `its trial ${how}`, psnr: null });
  const folder = await mkdtemp(join(tmpdir(), 'framehound-encoder-')).catch((error: Error) => error);
  if (folder instanceof Error) return failed(`cannot be started: ${folder.message}`);
  // Files that cannot be removed are left to the system, like any temporary files.
  const onGone = () => void discard(folder);
  const answer = await askIsolated<Verdict>(program, { ...request, folder }, { signal, onGone, ...limits });
  return 'answer' in answer ? answer.answer : failed(answer.failure);
}

/** Pictures of a trial. */
const count = 16;
/**
 * dB. On the same pictures x264 has 40 to 41 at `crf 17` and 30 pictures a second, 37 to 38 at 60, and 34 at
 * `crf 23`.
 */
const leastPsnr = 36;
/** Steps of 255 by which no plane may be brighter or darker. */
const mostShift = 0.75;
/** Seconds by which a picture may be off, from rounding. */
const rounding = 0.0002;
/** Nobody cancels it but by ending the process. */
const turn = { throwIfCancelled: () => {}, alive: () => {}, reserve: async () => () => {} };

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

/** Answers the PSNR. Throws EncoderFailure with what is wrong. `folder`: for the film, which stays there. */
export async function tryEncoder(
  { candidate, shape: asked }: TrialRequest,
  folder: string,
  options: DeviceEncoderOptions,
): Promise<number> {
  const request = { candidate, shape: trialShape(asked) };
  const path = join(folder, 'trial.mp4');
  const draw = drawing(request.shape);
  await encodeDrawn(path, draw, request, options);
  return compare(path, draw, request);
}

async function encodeDrawn(
  path: string,
  draw: Drawing,
  { candidate, shape }: TrialRequest,
  options: DeviceEncoderOptions,
) {
  const file = new ClipFile(path, mp4);
  let encoder: DeviceEncoder | null = null;
  let fitter: PictureFitter | null = null;
  try {
    encoder = await DeviceEncoder.open(file, candidate, shape, options);
    fitter = new PictureFitter(encoder.input);
    file.begin();
    for (let n = 0; n < count; n++) {
      const picture = draw(n);
      try {
        const fitted = fitter.fit(picture);
        fitted.pts = BigInt(tickOf(n, shape));
        await encoder.encode(fitted, withLength);
      } finally {
        picture.free();
      }
    }
    await encoder.encode(null, withLength);
    file.finish();
  } finally {
    encoder?.close();
    fitter?.close();
    file.close();
  }
}

/** Encoders do not carry it on, and the last picture of a file would not be shown. */
function withLength(packet: Packet) {
  packet.duration = 1n;
}

/** Ticks of a picture. Not at an even rate: the second half comes later by two and a half pictures. */
function tickOf(n: number, { base, rate }: PictureShape): number {
  const perPicture = (rate!.den * base.den) / (rate!.num * base.num);
  return Math.round((n < count / 2 ? n : n + 2.5) * perPicture);
}

async function compare(path: string, draw: Drawing, { candidate, shape }: TrialRequest): Promise<number> {
  const source = await openSource(path, { turn });
  try {
    const head = await readHead(source, turn);
    const { num, den } = head.video.timeBase;
    let [n, psnr] = [0, Number.POSITIVE_INFINITY];
    for await (const { frame, at } of decodedPictures({ source, head, seconds: 0, turn })) {
      const own = draw(n);
      try {
        const seconds = ((at - (head.start ?? 0)) * num) / den;
        const due = (tickOf(n, shape) * shape.base.num) / shape.base.den;
        const found = likeness(own, frame);
        psnr = Math.min(psnr, found.psnr);
        const wrong =
          Math.abs(seconds - due) > rounding ? `comes at ${seconds} s, not at ${due} s` : found.wrong;
        if (wrong) throw new EncoderFailure(candidate.name, `picture ${n} ${wrong}`);
        n++;
      } finally {
        own.free();
        frame.free();
      }
    }
    if (n !== count) throw new EncoderFailure(candidate.name, `${n} of ${count} pictures can be decoded`);
    return psnr;
  } finally {
    source.close();
  }
}

/** Fault of a picture, or null, and the PSNR of its worst plane. */
function likeness(own: Frame, other: Frame): { readonly wrong: string | null; readonly psnr: number } {
  for (const key of ['width', 'height', 'format', 'colorPrimaries', 'colorTrc', 'colorSpace'] as const)
    if (own[key] !== other[key]) return { wrong: `has the ${key} ${other[key]}, not ${own[key]}`, psnr: 0 };
  const planes = [0, 1, 2].map((plane) => {
    const [width, height] = sidesOf(own, plane);
    const [a, b] = [own.data![plane]!, other.data![plane]!];
    const [strideA, strideB] = [own.linesize[plane]!, other.linesize[plane]!];
    let [squares, sum] = [0, 0];
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const difference = b[y * strideB + x]! - a[y * strideA + x]!;
        squares += difference * difference;
        sum += difference;
      }
    }
    const samples = width * height;
    return { psnr: 10 * Math.log10((255 * 255 * samples) / squares), shift: Math.abs(sum / samples) };
  });
  const psnr = Math.min(...planes.map((plane) => plane.psnr));
  const shift = Math.max(...planes.map((plane) => plane.shift));
  if (psnr < leastPsnr) return { wrong: `has ${psnr.toFixed(1)} dB, less than ${leastPsnr}`, psnr };
  return { wrong: shift > mostShift ? `is brighter or darker by ${shift.toFixed(2)}` : null, psnr };
}

/** Draws a picture of a trial; the caller frees it. */
type Drawing = (n: number) => Frame;

/** Most that noise adds or takes. */
const noise = 10;
/** Samples below or above are no colours in the range of television. */
const [darkest, brightest] = [24, 224];

const sidesOf = ({ width, height }: Size, plane: number): [number, number] =>
  plane === 0 ? [width, height] : [width / 2, height / 2];

/**
 * Pictures of 8-bit 4:2:0 with even sides: a gradient under fine noise, both moving, so that every picture
 * differs from the one before and nothing in it is flat. The same on every machine.
 */
export function drawing(shape: Pick<PictureShape, 'width' | 'height' | 'format' | 'colours'>): Drawing {
  const { width, height, format, colours } = shape;
  const textures = [0, 1, 2].map((plane) => texture(sidesOf(shape, plane), plane));
  return (n) => {
    const frame = new Frame();
    frame.alloc();
    Object.assign(frame, { width, height, format: avGetPixFmtFromName(format as never), ...colours });
    if (frame.getBuffer(0) < 0) throw new Error(`no memory for a picture of ${width}x${height}`);
    for (const [plane, samples] of textures.entries()) {
      const [across, down] = sidesOf(shape, plane);
      for (let y = 0, at = n * stepOf(across); y < down; y++, at += across)
        frame.data![plane]!.set(samples.subarray(at, at + across), y * frame.linesize[plane]!);
    }
    return frame;
  };
}

/** Each picture begins two rows and three samples further on than the one before. */
const stepOf = (width: number) => 2 * width + 3;

/** One plane of all pictures, and of one more in case a decoder answers it. */
function texture([width, height]: readonly [number, number], plane: number): Uint8Array {
  const samples = new Uint8Array(width * height + count * stepOf(width));
  let random = 0x9e3779b9 + plane;
  for (let at = 0; at < samples.length; at++) {
    random = (Math.imul(random, 1664525) + 1013904223) | 0;
    const [across, down] = [(at % width) / width, at / samples.length];
    // Each plane has its own direction, so that none can stand for another.
    const place = ((plane === 2 ? 1 - across : across) + (plane === 1 ? 1 - down : down)) / 2;
    const level = darkest + noise + (brightest - darkest - 2 * noise) * place;
    samples[at] = Math.round(level + ((random >>> 16) / 32768 - 1) * noise);
  }
  return samples;
}

// Finds the things of a picture: in eight bits where the processor multiplies bytes and answers nearly the
// same with them.
import { createLog } from '../../runtime/log.ts';
import { type Box, overlap, type Picture } from '../../runtime/picture.ts';
import { modelErrors } from '../models/contract.ts';
import type { Openable } from '../models/current.ts';
import type { DeviceChoice } from '../models/device.ts';
import { multipliesBytes } from '../models/machine.ts';
import { chooseObjectDetector, fileOf } from '../models/registry.ts';
import type { Ranges } from '../models/rewriting/for-processor.ts';
import { type ModelSession, openSession } from '../models/session.ts';
import { type BasicColour, basicColours, labOfHex, shades } from '../models/starter/palette.ts';
import { classNames, detectorSide as side, type Thing, thingsErrors } from './contract.ts';
import { ranges } from './ranges.ts';

// Which colours a thing has, in the basic colour terms that searches know.

interface ColourShare {
  readonly colour: BasicColour;
  /** Of the looked-at part of the box, 0 to 1. */
  readonly share: number;
}

/** A colour with less of a thing than this is not one of its colours. */
const leastShare = 0.15;
const mostColours = 3;
/** Steps of each of red, green and blue in the table of colours. */
const steps = 16;
/** Pixels that are looked at along each side of a box. */
const samples = 24;

/** For each of steps³ colours how much it counts as each basic colour; made at the first use. */
let table: Float32Array | null = null;

/**
 * The colours of what is in the box, most first. The corners of a box show what is behind the thing, so its
 * middle is looked at: an ellipse of 0.8 of its sides.
 */
export function coloursOf({ data, width, height }: Picture, box: Box): ColourShare[] {
  table ??= colourTable();
  const sums = new Float64Array(basicColours.length);
  let count = 0;
  for (let row = 0; row < samples; row++) {
    for (let column = 0; column < samples; column++) {
      const [across, down] = [(column + 0.5) / samples, (row + 0.5) / samples];
      if ((across - 0.5) ** 2 + (down - 0.5) ** 2 > 0.16) continue;
      const x = Math.min(width - 1, Math.floor((box[0] + across * box[2]) * width));
      const y = Math.min(height - 1, Math.floor((box[1] + down * box[3]) * height));
      const at = (y * width + x) * 3;
      const cell = ((data[at]! >> 4) * steps + (data[at + 1]! >> 4)) * steps + (data[at + 2]! >> 4);
      for (let i = 0; i < sums.length; i++) sums[i]! += table[cell * sums.length + i]!;
      count++;
    }
  }
  return basicColours
    .map((colour, i) => ({ colour, share: sums[i]! / count }))
    .filter(({ share }) => share >= leastShare)
    .sort((a, b) => b.share - a.share)
    .slice(0, mostColours)
    .map(({ colour, share }) => ({ colour, share: Math.round(Math.min(1, share) * 100) / 100 }));
}

/** Each colour counts as what the nearest sample point of a shade counts as. */
function colourTable(): Float32Array {
  const points = shades.flatMap(({ counts, points: hex }) =>
    hex
      .split(' ')
      .map((one) => ({ lab: labOfHex(one), counts: counts as Partial<Record<BasicColour, number>> })),
  );
  const made = new Float32Array(steps ** 3 * basicColours.length);
  for (let cell = 0; cell < steps ** 3; cell++) {
    const parts = [cell >> 8, (cell >> 4) & 15, cell & 15].map((part) => part * 16 + 8);
    const [l, a, b] = labOfHex(parts.map((part) => part.toString(16).padStart(2, '0')).join(''));
    let [nearest, least] = [points[0]!, Number.POSITIVE_INFINITY];
    for (const point of points) {
      const distance = (point.lab[0] - l) ** 2 + (point.lab[1] - a) ** 2 + (point.lab[2] - b) ** 2;
      if (distance < least) [nearest, least] = [point, distance];
    }
    for (const [i, colour] of basicColours.entries())
      made[cell * basicColours.length + i] = nearest.counts[colour] ?? 0;
  }
  return made;
}

export class Detector implements Openable {
  readonly runsOn: ModelSession;
  readonly #planes = new Float32Array(3 * side * side);
  readonly #input: string;

  /**
   * The session is the detector's own. `file`: of the graph, for messages. Throws MODEL_LOAD_FAILED where it
   * is not one of NanoDet.
   */
  constructor(session: ModelSession, file = 'the graph') {
    const names = new Set(session.outputs.map(({ name }) => name));
    const missing = outputs
      .flatMap(({ scores, sides }) => [scores, sides])
      .filter((name) => !names.has(name));
    const [input] = session.inputs;
    if (missing.length > 0 || input === undefined) {
      const what = missing.length > 0 ? `output ${missing.join(', ')}` : 'input';
      throw modelErrors.MODEL_LOAD_FAILED(`${file}: has no ${what}`, { file });
    }
    this.runsOn = session;
    this.#input = input.name;
  }

  /** Best first. `picture` is *borrowed until the promise settles*. Throws MODEL_RUN_FAILED. */
  async look(picture: Picture): Promise<Thing[]> {
    const found = detectionsOf(await this.run(picture), picture);
    return found.map(({ label, score, box }) => ({
      class: classNames[label]!,
      score: Math.min(1, score),
      box: [...box],
      colours: coloursOf(picture, box),
    }));
  }

  /** What the graph answers. The same holds. */
  run(picture: Picture): ReturnType<ModelSession['run']> {
    fillInput(picture, this.#planes);
    return this.runsOn.run({ [this.#input]: { data: this.#planes, dims: [1, 3, side, side] } });
  }

  close(): Promise<void> {
    return this.runsOn.release();
  }
}

export interface OpenedDetector {
  readonly detector: Detector;
  /** `refused`: eight bits answer something else here. */
  readonly eightBits: 'used' | 'refused' | 'not tried';
}

/**
 * Part by which distances to the sides may differ. It is 0.06, and 0.35 and more with ranges that do not fit
 * the graph.
 */
const mostDifference = 0.12;

/** `open`: the graph, with ranges in eight bits. `file`: of the graph, for messages. */
export async function openDetector(
  open: (ranges?: Ranges) => Promise<ModelSession>,
  multiplies = multipliesBytes(),
  file?: string,
): Promise<OpenedDetector> {
  const exact = await opened(await open(), file);
  if (exact.runsOn.device !== 'cpu' || !multiplies) return { detector: exact, eightBits: 'not tried' };
  const bytes = await open(ranges).then((session) => opened(session, file), refused);
  if (bytes && (await differenceOf(exact, bytes)) <= mostDifference) {
    await exact.close();
    return { detector: bytes, eightBits: 'used' };
  }
  await bytes?.close();
  return { detector: exact, eightBits: 'refused' };
}

async function opened(session: ModelSession, file?: string): Promise<Detector> {
  try {
    return new Detector(session, file);
  } catch (error) {
    await session.release();
    throw error;
  }
}

function refused(error: unknown): null {
  if (modelErrors.MODEL_LOAD_FAILED.is(error)) return null;
  throw error;
}

/**
 * Of the distances to the sides that both answer for one picture, as part of them; of the stride where it is
 * most.
 */
async function differenceOf(exact: Detector, other: Detector): Promise<number> {
  const picture = pattern();
  const [wanted, told] = [await exact.run(picture), await other.run(picture)];
  const parts = outputs.map(({ sides }) => {
    const [a, b] = [wanted[sides]!.data as Float32Array, told[sides]!.data as Float32Array];
    const off = a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0);
    return off / a.reduce((sum, value) => sum + Math.abs(value), 0);
  });
  return Math.max(...parts);
}

/** Of every brightness and colour, with edges in several directions. */
function pattern(): Picture {
  const data = Uint8Array.from({ length: side * side * 3 }, (_, i) => {
    const at = Math.floor(i / 3);
    return 7 * (at % side) + 13 * Math.floor(at / side) + 29 * (i % 3);
  });
  return { data, width: side, height: side };
}

// In which precision the downloaded detector computes on this machine.

const precisions: Readonly<Record<OpenedDetector['eightBits'], string>> = {
  used: 'in eight bits',
  refused: 'in single precision, because eight bits give other results here',
  'not tried': 'in single precision',
};

/** Null where none is downloaded. Opens it; throws what opening throws. */
export async function describeDetector(modelsDir: string, device: DeviceChoice): Promise<string | null> {
  const row = await chooseObjectDetector(modelsDir).catch((error) => {
    if (thingsErrors.NO_OBJECT_DETECTOR.is(error)) return null;
    throw error;
  });
  if (row === null) return null;
  const options = { device, threads: 1, log: createLog('things', () => {}), convolutional: true };
  const file = fileOf(modelsDir, row, 'graph');
  const open = (ranges?: Ranges) => openSession(file, { ...options, ...(ranges && { ranges }) });
  const { detector, eightBits } = await openDetector(open, undefined, file);
  await detector.close();
  return `${row.key} ${precisions[eightBits]}`;
}

// The pixels that NanoDet is given, and the boxes that are read off its outputs. Source: RangiLyu/nanodet,
// nanodet-g-416: distances to the four sides as distributions over 11 bins, three strides.

interface Detection {
  /** Position in `classNames`. */
  readonly label: number;
  /** 0 to 1. */
  readonly score: number;
  /** In shares of the width and height of the picture. */
  readonly box: Box;
}

/** The outputs by stride: scores of the classes, 0 to 1, and distributions of the distances to the sides. */
export const outputs = [
  { stride: 8, scores: 'Identity', sides: 'Identity_3' },
  { stride: 16, scores: 'Identity_1', sides: 'Identity_4' },
  { stride: 32, scores: 'Identity_2', sides: 'Identity_5' },
] as const;

/**
 * From this score on a box is kept. At it 88 of 100 tags of 100 photographs of VOC 2007 were right, and 77 of
 * 100 found.
 */
const leastScore = 0.4;

/** More boxes of one picture than anybody asks for; the best are kept. */
const mostDetections = 100;

/**
 * Boxes of one class that share more of their area are one thing; so are boxes of two classes above the other
 * one.
 */
const [mostOverlap, mostOverlapOfClasses] = [0.6, 0.7];

const [classes, bins] = [classNames.length, 11];

/** Of blue, green and red, as the model was trained. */
const [means, scales] = [
  [103.53, 116.28, 123.675],
  [57.375, 57.12, 58.395],
];
const tables = means.map((mean, i) =>
  Float32Array.from({ length: 256 }, (_, value) => (value - mean) / scales[i]!),
);

/**
 * Writes a picture to the top left of planes of blue, green and red; the rest is black. `planes`: 3×side×side
 * floats.
 */
export function fillInput({ data, width, height }: Picture, planes: Float32Array): void {
  const size = side * side;
  for (const [plane, table] of tables.entries()) {
    const target = planes.subarray(plane * size, (plane + 1) * size).fill(table[0]!);
    for (let y = 0; y < height; y++) {
      let from = y * width * 3 + 2 - plane;
      for (let to = y * side, end = to + width; to < end; to++, from += 3) target[to] = table[data[from]!]!;
    }
  }
}

/**
 * What a run of the graph answers, best first. `picture`: the size of the one that was looked at, px of the
 * input.
 */
export function detectionsOf(
  answer: Readonly<Record<string, { readonly data: ArrayLike<number | bigint> }>>,
  picture: Pick<Picture, 'width' | 'height'>,
): Detection[] {
  const found = outputs.flatMap(({ stride, scores, sides }) =>
    candidatesOf(answer[scores]!.data as Float32Array, answer[sides]!.data as Float32Array, stride),
  );
  return suppressed(found).flatMap(({ label, score, box: [x, y, width, height] }) => {
    const [left, right] = [share(x, picture.width), share(x + width, picture.width)];
    const [top, bottom] = [share(y, picture.height), share(y + height, picture.height)];
    const box = [left, top, right - left, bottom - top] as const;
    // What lies in the black beside the picture is nothing.
    return box[2] > 0 && box[3] > 0 ? [{ label, score, box }] : [];
  });
}

/** With boxes in pixels of the input. */
function candidatesOf(scores: Float32Array, sides: Float32Array, stride: number): Detection[] {
  const across = side / stride;
  const found: Detection[] = [];
  for (let cell = 0; cell < across * across; cell++) {
    const [x, y] = [((cell % across) + 0.5) * stride, (Math.floor(cell / across) + 0.5) * stride];
    for (let label = 0; label < classes; label++) {
      const score = scores[cell * classes + label]!;
      // False for what is no number.
      if (!(score >= leastScore)) continue;
      const to = (which: number) => stride * expectedBin(sides, cell * 4 * bins + which * bins);
      const [left, top] = [to(0), to(1)];
      found.push({ label, score, box: [x - left, y - top, left + to(2), top + to(3)] });
    }
  }
  return found.filter(({ box }) => box.every(Number.isFinite));
}

/** The mean of a distribution whose logarithms are given, up to a constant. */
function expectedBin(logarithms: Float32Array, from: number): number {
  let [most, sum, weighted] = [Number.NEGATIVE_INFINITY, 0, 0];
  for (let bin = 0; bin < bins; bin++) most = Math.max(most, logarithms[from + bin]!);
  for (let bin = 0; bin < bins; bin++) {
    const weight = Math.exp(logarithms[from + bin]! - most);
    sum += weight;
    weighted += weight * bin;
  }
  return weighted / sum;
}

/** The best of each group that overlaps, best first. */
function suppressed(candidates: readonly Detection[]): Detection[] {
  const kept: Detection[] = [];
  const ordered = candidates.toSorted(
    (a, b) => b.score - a.score || a.label - b.label || a.box[1] - b.box[1],
  );
  for (const one of ordered) {
    if (kept.length === mostDetections) break;
    const isNew = kept.every((other) => {
      const most = other.label === one.label ? mostOverlap : mostOverlapOfClasses;
      return overlap(one.box, other.box) < most;
    });
    if (isNew) kept.push(one);
  }
  return kept;
}

function share(value: number, length: number): number {
  return Math.min(1, Math.max(0, value / length));
}

// Opens the detector: in eight bits where the processor multiplies bytes and answers nearly the same with
// them.

import type { Box } from '../../runtime/box.ts';
import type { Picture } from '../../runtime/picture.ts';
import { modelErrors } from '../models/contract.ts';
import type { Openable } from '../models/current.ts';
import { multipliesBytes } from '../models/machine.ts';
import type { Ranges } from '../models/rewriting/eight-bits.ts';
import type { ModelSession } from '../models/session.ts';
import { type BasicColour, basicColours, labOfHex, shades } from '../models/starter/palette.ts';
import { classNames } from './classes.ts';
import { detectorSide as side, type Thing } from './contract.ts';
import { detectionsOf, fillInput, outputs } from './detection.ts';

// A detector that is open: looks at pictures.

export class Detector implements Openable {
  readonly runsOn: ModelSession;
  readonly #planes = new Float32Array(3 * side * side);
  readonly #input: string;

  /** The session is the detector's own. Throws where the graph is not one of NanoDet. */
  constructor(session: ModelSession) {
    const names = new Set(session.outputs.map(({ name }) => name));
    const missing = outputs
      .flatMap(({ scores, sides }) => [scores, sides])
      .filter((name) => !names.has(name));
    const [input] = session.inputs;
    if (missing.length > 0 || input === undefined) {
      throw new Error(`the graph has no ${missing.length > 0 ? `output ${missing.join(', ')}` : 'input'}`);
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

/** `open`: the graph, with ranges in eight bits. */
export async function openDetector(
  open: (ranges?: Ranges) => Promise<ModelSession>,
  multiplies = multipliesBytes(),
): Promise<OpenedDetector> {
  const exact = new Detector(await open());
  if (exact.runsOn.device !== 'cpu' || !multiplies) return { detector: exact, eightBits: 'not tried' };
  const bytes = await open(ranges).then((session) => new Detector(session), refused);
  if (bytes && (await differenceOf(exact, bytes)) <= mostDifference) {
    await exact.close();
    return { detector: bytes, eightBits: 'used' };
  }
  await bytes?.close();
  return { detector: exact, eightBits: 'refused' };
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

// Written by bench/things-fit.ts, which says of which pictures.

/** Of the values of `nanodet-416`. */
export const ranges: Ranges = new Map([
  ['conv_34', [-3.45, 3.81]],
  ['conv_51', [-6.12, 2.55]],
  ['conv_61', [-4.62, 2.91]],
  ['conv_71', [-5.2, 3.6]],
  ['conv_82', [-4.27, 3.76]],
  ['conv_93', [-2.7, 1.98]],
  ['conv_103', [-2.6, 1.85]],
  ['conv_113', [-2.62, 2.09]],
  ['conv_124', [-2.13, 2.01]],
  ['conv_134', [-2.35, 2.86]],
  ['conv_145', [-3.67, 2.25]],
  ['conv_156', [-2.14, 2.04]],
  ['conv_166', [-1.88, 1.54]],
  ['conv_176', [-1.81, 1.62]],
  ['conv_187', [-1.95, 1.67]],
  ['conv_197', [-1.8, 1.53]],
  ['conv_208', [-2.37, 2.02]],
  ['conv_219', [-1.61, 1.49]],
  ['conv_229', [-1.76, 1.33]],
  ['conv_239', [-1.4, 1.23]],
  ['conv_250', [-1.51, 1.12]],
  ['conv_260', [-1.3, 1.2]],
  ['conv_271', [-1.07, 1.03]],
  ['conv_281', [-1.48, 1.36]],
  ['conv_292', [-1.7, 1.47]],
  ['conv_301', [-0.58, 0.53]],
  ['conv_309', [-0.58, 0.49]],
  ['resize_318', [-0.43, 0.35]],
  ['add_321', [-0.56, 0.57]],
  ['conv_325', [-0.43, 0.43]],
  ['resize_335', [-0.5, 0.42]],
  ['add_338', [-0.58, 0.6]],
  ['resize_344', [-0.48, 0.51]],
  ['add_347', [-1.02, 0.96]],
  ['resize_353', [-0.86, 0.81]],
  ['add_356', [-1.36, 1.2]],
  ['conv_361', [-5.21, 8.09]],
  ['conv_369', [-7.35, 6.89]],
  ['conv_390', [-6.03, 8.04]],
  ['conv_398', [-8.03, 6.85]],
  ['conv_416', [-8.21, 8.45]],
  ['conv_424', [-9.45, 9.91]],
]);

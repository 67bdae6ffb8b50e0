// Finds the things of a picture: in eight bits where the processor multiplies bytes and answers nearly the
// same with them.
import type { Picture } from '../../runtime/picture.ts';
import { modelErrors } from '../models/contract.ts';
import type { Openable } from '../models/current.ts';
import { multipliesBytes } from '../models/machine.ts';
import type { Ranges } from '../models/rewriting/eight-bits.ts';
import type { ModelSession } from '../models/session.ts';
import { classNames } from './classes.ts';
import { coloursOf } from './colours.ts';
import { detectorSide as side, type Thing } from './contract.ts';
import { detectionsOf, fillInput, outputs } from './detection.ts';
import { ranges } from './ranges.ts';

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

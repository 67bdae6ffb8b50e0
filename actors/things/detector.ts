// Finds the things of a picture: in eight bits where the processor multiplies bytes and answers nearly the
// same with them.

import { createLog } from '../../runtime/log.ts';
import type { Picture } from '../../runtime/picture.ts';
import { type ModelRow, modelErrors, noModelErrors } from '../models/contract.ts';
import type { Openable } from '../models/current.ts';
import type { DeviceChoice } from '../models/device.ts';
import { multipliesBytes } from '../models/machine.ts';
import { chooseObjectDetector, familyIn, fileOf } from '../models/registry.ts';
import { type ModelSession, openSession, type SessionOptions } from '../models/session.ts';
import { coloursOf } from './colours.ts';
import { classNames, type Thing } from './contract.ts';
import type { ObjectDetectorFamily } from './family.ts';
import { nanodet } from './nanodet.ts';
import { rfDetr } from './rf-detr.ts';

type DetectorRow = Pick<ModelRow, 'key' | 'family' | 'frame_resolution'>;

const families: ReadonlyMap<string, (row: DetectorRow) => ObjectDetectorFamily> = new Map([
  ['nanodet', () => nanodet],
  ['rf-detr', ({ frame_resolution, key }: DetectorRow) => rfDetr(frame_resolution, key)],
]);

export class Detector implements Openable {
  readonly runsOn: ModelSession;
  readonly family: ObjectDetectorFamily;
  readonly #planes: Float32Array;
  readonly #input: string;

  /**
   * The session is the detector's own. `file`: of the graph, for messages. Throws MODEL_LOAD_FAILED for a
   * graph of another family or of pictures of another size.
   */
  constructor(session: ModelSession, family: ObjectDetectorFamily, file = 'the graph') {
    const { side, outputs } = family;
    const names = new Set(session.outputs.map(({ name }) => name));
    const missing = outputs.filter((some) => !some.some((name) => names.has(name)));
    const [input] = session.inputs;
    const refuse = (what: string) => modelErrors.MODEL_LOAD_FAILED(`${file}: ${what}`, { file });
    if (missing.length > 0) throw refuse(`has no output ${missing.map(([name]) => name).join(', ')}`);
    if (input === undefined) throw refuse('has no input');
    const sides = input.shape.slice(2);
    if (sides.some((length) => typeof length === 'number' && length !== side))
      throw refuse(`takes pictures of ${sides.join('×')} px, not of ${side}×${side}`);
    this.runsOn = session;
    this.family = family;
    this.#planes = new Float32Array(3 * side * side);
    this.#input = input.name;
  }

  /** Best first. `picture` is *borrowed until the promise settles*. Throws MODEL_RUN_FAILED. */
  async look(picture: Picture): Promise<Thing[]> {
    const detections = this.family.detectionsOf(await this.run(picture), picture);
    return detections.map(({ label, score, box }) => ({
      class: classNames[label]!,
      score: Math.min(1, score),
      box: [...box],
      colours: coloursOf(picture, box),
    }));
  }

  /** Outputs of the graph. The same holds. */
  run(picture: Picture): ReturnType<ModelSession['run']> {
    const { side } = this.family;
    this.family.fillInput(picture, this.#planes);
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
 * Part by which outputs may differ in eight bits. It is 0.06, and 0.35 and more with ranges that do not fit
 * the graph.
 */
const mostDifference = 0.12;

type OpenGraph = (options: Pick<SessionOptions, 'convolutional' | 'ranges'>) => Promise<ModelSession>;

/**
 * `file`: of the graph, for messages. Throws MODEL_INVALID for a row of no family that there is code for, and
 * MODEL_LOAD_FAILED.
 */
export async function openDetector(
  row: DetectorRow,
  open: OpenGraph,
  { multiplies = multipliesBytes(), file }: { readonly multiplies?: boolean; readonly file?: string } = {},
): Promise<OpenedDetector> {
  const family = familyIn(families, row)(row);
  const { isConvolutional: convolutional, eightBits } = family;
  const exact = await opened(await open({ convolutional }), family, file);
  if (exact.runsOn.device !== 'cpu' || !multiplies || !eightBits)
    return { detector: exact, eightBits: 'not tried' };
  const { ranges, compared } = eightBits;
  const bytes = await open({ convolutional, ranges }).then(
    (session) => opened(session, family, file),
    refused,
  );
  if (bytes && (await differenceOf(exact, bytes, compared)) <= mostDifference) {
    await exact.close();
    return { detector: bytes, eightBits: 'used' };
  }
  await bytes?.close();
  return { detector: exact, eightBits: 'refused' };
}

async function opened(session: ModelSession, family: ObjectDetectorFamily, file?: string): Promise<Detector> {
  try {
    return new Detector(session, family, file);
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
 * Sum of the differences of an output for one picture, as part of its values; the largest of the outputs
 * compared.
 */
async function differenceOf(
  exact: Detector,
  reduced: Detector,
  compared: readonly string[],
): Promise<number> {
  const picture = pattern(exact.family.side);
  const [exactOutputs, otherOutputs] = [await exact.run(picture), await reduced.run(picture)];
  const parts = compared.map((name) => {
    const [a, b] = [exactOutputs[name]!.data as Float32Array, otherOutputs[name]!.data as Float32Array];
    const difference = a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0);
    return difference / a.reduce((sum, value) => sum + Math.abs(value), 0);
  });
  return Math.max(...parts);
}

/** Every brightness and colour, with edges in several directions. */
function pattern(side: number): Picture {
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
    if (noModelErrors.NO_OBJECT_DETECTOR.is(error)) return null;
    throw error;
  });
  if (row === null) return null;
  const file = fileOf(modelsDir, row, 'graph');
  const log = createLog('things', () => {});
  const open: OpenGraph = (options) => openSession(file, { device, threads: 1, log, ...options });
  const { detector, eightBits } = await openDetector(row, open, { file });
  await detector.close();
  return `${row.key} ${precisions[eightBits]}`;
}

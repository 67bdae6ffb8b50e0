// Opens the detector: in eight bits where the processor multiplies bytes and answers nearly the same with
// them.
import type { Picture } from '../../runtime/picture.ts';
import { modelErrors } from '../models/contract.ts';
import { multipliesBytes } from '../models/machine.ts';
import type { Ranges } from '../models/rewriting/eight-bits.ts';
import type { ModelSession } from '../models/session.ts';
import { detectorSide as side } from './contract.ts';
import { outputs } from './detection.ts';
import { Detector } from './detector.ts';
import { ranges } from './ranges.ts';

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

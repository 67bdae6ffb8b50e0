// What the thread of a conversion runs.
import { moved } from '../../../runtime/pool.ts';
import type { Conversion } from '../model-file.ts';
import type { ConversionTask } from './convert.ts';
import { convertDlibResnet } from './dlib-resnet.ts';
import { convertGraphModel } from './graph-model.ts';

/** The first file says what the others hold. */
const conversions = {
  'tfjs-graph': convertGraphModel,
  'dlib-resnet': convertDlibResnet,
} as const satisfies Record<Conversion, (described: Uint8Array, weights: Uint8Array) => Uint8Array>;

export function convert({ conversion, files: [described, ...weights] }: ConversionTask): Uint8Array {
  const bytes = conversions[conversion](described!, Buffer.concat(weights));
  return moved(bytes, [bytes.buffer as ArrayBuffer]);
}

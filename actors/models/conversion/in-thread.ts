// What the thread of a conversion runs.
import { moved } from '../../../runtime/pool.ts';
import type { ConversionTask } from './convert.ts';
import { convertGraphModel } from './graph-model.ts';

/** A graph model is its model.json, and then its files of weights. */
export function convert({ files: [json, ...weights] }: ConversionTask): Uint8Array {
  const bytes = convertGraphModel(json!, Buffer.concat(weights));
  return moved(bytes, [bytes.buffer as ArrayBuffer]);
}

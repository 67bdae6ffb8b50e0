// Decodes a whole sound file for a measurement.
import type { SlotPool } from '../runtime/slots.ts';
import type { Decoder } from './actors.ts';

/** All samples of a file, mixed to one channel of 16 kHz. */
export async function decodeSamples(
  decoder: Decoder,
  pool: Pick<SlotPool, 'view'>,
  path: string,
): Promise<Float32Array> {
  const blocks: Float32Array[] = [];
  for await (const { samples, count } of decoder.feed('sound', { path, channels: null }, { credit: 2 })) {
    const { buffer, byteOffset } = pool.view(samples);
    blocks.push(new Float32Array(buffer, byteOffset, count).slice());
  }
  const whole = new Float32Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const block of blocks) {
    whole.set(block, at);
    at += block.length;
  }
  return whole;
}

// Reads real speech for tests.
import { readFileSync } from 'node:fs';

/** Samples −1 to 1 of a wav file of 16-bit mono at 16 kHz. */
export function readWav(path: string): Float32Array {
  const bytes = readFileSync(path);
  let at = 12;
  while (bytes.toString('latin1', at, at + 4) !== 'data') {
    if (at >= bytes.length) throw new Error(`${path} has no samples`);
    if (bytes.toString('latin1', at, at + 4) === 'fmt ') {
      const form = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 12), bytes.readUInt16LE(at + 22)];
      if (form.join() !== '1,16000,16') throw new Error(`${path} is of the form ${form}`);
    }
    at += 8 + bytes.readUInt32LE(at + 4);
  }
  const count = Math.min(bytes.readUInt32LE(at + 4), bytes.length - at - 8) >> 1;
  return Float32Array.from({ length: count }, (_, i) => bytes.readInt16LE(at + 8 + 2 * i) / 32_768);
}

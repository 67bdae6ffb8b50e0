// A WAVE file of a measurement.
import { rate } from './diarization/compose.ts';

/** 16 bits, one channel. */
export function wave(parts: readonly Float32Array[]): Buffer {
  const count = parts.reduce((sum, { length }) => sum + length, 0);
  const file = Buffer.alloc(44 + count * 2);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + count * 2, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(count * 2, 40);
  let at = 44;
  for (const part of parts) {
    for (const sample of part) {
      at = file.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32767), at);
    }
  }
  return file;
}

// Peaks of sound in an analysis folder, one file a content. They can be made again from the media, so a
// damaged file is none.
//
//   bytes 0–3     "FHPK"
//   bytes 4–7     version, u32
//   bytes 8–15    peaks in a second, f64
//   bytes 16–19   number of peaks, u32
//   bytes 20–23   CRC-32 of bytes 0–19 and of the peaks
//   from 24       the peaks, one byte each
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Static } from 'typebox';
import { replaceFile } from '../../../runtime/files/atomic-write.ts';
import { rmSync } from '../../../runtime/files/names.ts';
import type { SoundPeaks } from '../../decoder/peaks/contract.ts';
import { peaksFile } from './names.ts';

type Peaks = Static<typeof SoundPeaks>;

const magic = 0x4b504846;
const version = 1;
const head = 24;

/** *Copied.* */
export function keptPeaks(
  folder: string,
  hash: string,
): (Peaks & { values: Uint8Array<ArrayBuffer> }) | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(peaksFile(folder, hash));
  } catch {
    // Whatever the reason, they are made again.
    return null;
  }
  if (bytes.length < head || bytes.readUInt32LE(0) !== magic || bytes.readUInt32LE(4) !== version)
    return null;
  const [per_second, count] = [bytes.readDoubleLE(8), bytes.readUInt32LE(16)];
  if (!(per_second > 0) || bytes.length !== head + count || bytes.readUInt32LE(20) !== sum(bytes))
    return null;
  return { per_second, values: new Uint8Array(bytes.subarray(head)) };
}

/** Errors are those of the file system. */
export function keepPeaks(folder: string, hash: string, { per_second, values }: Peaks): void {
  const bytes = Buffer.alloc(head + values.length);
  bytes.writeUInt32LE(magic, 0);
  bytes.writeUInt32LE(version, 4);
  bytes.writeDoubleLE(per_second, 8);
  bytes.writeUInt32LE(values.length, 16);
  bytes.set(values, head);
  bytes.writeUInt32LE(sum(bytes), 20);
  replaceFile(peaksFile(folder, hash), bytes, { flush: false, folderMode: 0o777 });
}

export function dropPeaks(folder: string, hash: string): void {
  rmSync(peaksFile(folder, hash), { force: true });
}

function sum(bytes: Buffer): number {
  return crc32(bytes.subarray(head), crc32(bytes.subarray(0, 20)));
}

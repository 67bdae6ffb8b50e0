// Reads one file out of a ZIP archive that this program has just made: no encryption, no ZIP64.
import { inflateRawSync } from 'node:zlib';

const endMagic = 0x06054b50;
const entryMagic = 0x02014b50;
const endBytes = 22;

/** Throws when the archive has no such file. */
export function zipEntry(archive: Buffer, name: string): Buffer {
  const end = archive.byteLength - endBytes;
  if (end < 0 || archive.readUInt32LE(end) !== endMagic) throw new Error('the archive has no end');
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== entryMagic) break;
    const method = archive.readUInt16LE(at + 10);
    const size = archive.readUInt32LE(at + 20);
    const lengths = [28, 30, 32].map((field) => archive.readUInt16LE(at + field)) as [number, number, number];
    const local = archive.readUInt32LE(at + 42);
    if (archive.toString('utf8', at + 46, at + 46 + lengths[0]) === name) {
      const data = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      const bytes = archive.subarray(data, data + size);
      return method === 0 ? bytes : inflateRawSync(bytes);
    }
    at += 46 + lengths[0] + lengths[1] + lengths[2];
  }
  throw new Error(`the archive has no ${name}`);
}

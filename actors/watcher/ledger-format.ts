// The bytes of a ledger: a header and records of one size, each with a checksum, so that what is damaged is
// known and nothing else is lost with it.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type FileState, isEnd } from './file-state.ts';
import type { Hash64 } from './hash.ts';

export const headerBytes = 64;
export const recordBytes = 24;

const magic = Buffer.from('FHWATCH\n');
const version = 1;
/** Kind of the record that names the root; those of files are states. */
const rootKind = 128;

/** Which device and folder the watched folder was, as a hash; its files come with other records. */
export interface RootRecord {
  readonly root: Hash64;
}

export interface EndRecord {
  readonly path: Hash64;
  readonly mark: Hash64;
  readonly state: FileState;
}

export type LedgerRecord = RootRecord | EndRecord;

/** `nonce`: 8 bytes, other ones for every file that is written. */
export function headerOf(plan: string, nonce: Uint8Array): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  magic.copy(bytes);
  bytes.writeUInt32LE(version, 8);
  bytes.set(nonce.subarray(0, 8), 16);
  createHash('sha256').update(plan).digest().copy(bytes, 24);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, headerBytes - 4)), headerBytes - 4);
  return bytes;
}

/** False for another version, another plan, and what is no header. */
export function isHeaderOf(plan: string, bytes: Uint8Array): boolean {
  if (bytes.length < headerBytes) return false;
  return headerOf(plan, bytes.subarray(16, 24)).equals(bytes.subarray(0, headerBytes));
}

export function recordsBytes(records: readonly LedgerRecord[]): Buffer {
  const bytes = Buffer.alloc(records.length * recordBytes);
  for (const [i, record] of records.entries()) {
    const at = i * recordBytes;
    const isRoot = 'root' in record;
    const path = isRoot ? record.root : record.path;
    bytes.writeInt32LE(path.high, at);
    bytes.writeInt32LE(path.low, at + 4);
    bytes.writeInt32LE(isRoot ? 0 : record.mark.high, at + 8);
    bytes.writeInt32LE(isRoot ? 0 : record.mark.low, at + 12);
    bytes.writeUInt8(isRoot ? rootKind : record.state, at + 16);
    bytes.writeUInt32LE(crc32(bytes.subarray(at, at + 20)), at + 20);
  }
  return bytes;
}

/** The record at `at`, or null when it is damaged or of no known kind. */
export function recordAt(bytes: Buffer, at: number): LedgerRecord | null {
  if (bytes.readUInt32LE(at + 20) !== crc32(bytes.subarray(at, at + 20))) return null;
  const path = { high: bytes.readInt32LE(at), low: bytes.readInt32LE(at + 4) };
  const kind = bytes.readUInt8(at + 16);
  if (kind === rootKind) return { root: path };
  if (!isEnd(kind)) return null;
  const mark = { high: bytes.readInt32LE(at + 8), low: bytes.readInt32LE(at + 12) };
  return { path, mark, state: kind as FileState };
}

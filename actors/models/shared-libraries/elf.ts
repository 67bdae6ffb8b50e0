// Reads what a shared library of Linux wants of the loader: the libraries it needs, and where it wants them
// looked for.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export interface Dependencies {
  /** Names, as ld.so is asked for them. */
  readonly needed: readonly string[];
  /**
   * Folders of DT_RPATH, for what this library and those that it needs want; `$ORIGIN` stands in them as
   * written.
   */
  readonly rpath: readonly string[];
  /** Folders of DT_RUNPATH, for what this library itself wants. */
  readonly runpath: readonly string[];
}

const [loadSegment, dynamicSegment] = [1, 2];
const tags = { needed: 1n, strings: 5n, stringBytes: 10n, rpath: 15n, runpath: 29n } as const;

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly bytes: number;
}

/**
 * Null for what is no file of ELF for 64-bit little-endian machines, or is damaged. Throws what the system
 * says.
 */
export function readDependencies(path: string): Dependencies | null {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const read = (offset: number, bytes: number) => {
      const part = Buffer.alloc(Math.max(0, Math.min(bytes, size - offset)));
      return part.subarray(0, readSync(file, part, 0, part.length, offset));
    };
    return wantedOf(read);
  } catch (error) {
    // A number that points out of the file.
    if (error instanceof RangeError) return null;
    throw error;
  } finally {
    closeSync(file);
  }
}

function wantedOf(read: (offset: number, bytes: number) => Buffer): Dependencies | null {
  const head = read(0, 64);
  if (head.length < 64 || head.readUInt32BE(0) !== 0x7f454c46 || head[4] !== 2 || head[5] !== 1) return null;
  const segments = segmentsOf(read(number(head, 32), head.readUInt16LE(54) * head.readUInt16LE(56)), head);
  const dynamic = segments.find(({ type }) => type === dynamicSegment);
  if (!dynamic) return { needed: [], rpath: [], runpath: [] };
  const table = read(dynamic.offset, dynamic.bytes);
  const entries = Array.from({ length: Math.floor(table.length / 16) }, (_, at) => ({
    tag: table.readBigInt64LE(at * 16),
    value: number(table, at * 16 + 8),
  }));
  const all = (tag: bigint) => entries.filter((entry) => entry.tag === tag).map(({ value }) => value);
  const [address = 0] = all(tags.strings);
  const holds = (one: Segment) => one.address <= address && address < one.address + one.bytes;
  const segment = segments.find((one) => one.type === loadSegment && holds(one));
  if (!segment) return null;
  const strings = read(address - segment.address + segment.offset, all(tags.stringBytes)[0] ?? 0);
  const text = (at: number) => strings.toString('utf8', at, Math.max(at, strings.indexOf(0, at)));
  const folders = (tag: bigint) => all(tag).flatMap((at) => text(at).split(':').filter(Boolean));
  return { needed: all(tags.needed).map(text), rpath: folders(tags.rpath), runpath: folders(tags.runpath) };
}

function segmentsOf(table: Buffer, head: Buffer): Segment[] {
  const size = head.readUInt16LE(54);
  return Array.from({ length: head.readUInt16LE(56) }, (_, index) => {
    const at = index * size;
    const [offset, address, bytes] = [number(table, at + 8), number(table, at + 16), number(table, at + 32)];
    return { type: table.readUInt32LE(at), offset, address, bytes };
  });
}

const number = (from: Buffer, at: number) => Number(from.readBigUInt64LE(at));

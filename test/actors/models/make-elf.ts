// Makes the part of a shared library that the loader of Linux reads first.

export interface ElfParts {
  readonly needed?: readonly string[];
  readonly rpath?: string;
  readonly runpath?: string;
}

const loadedAt = 0x10000;

/** For 64-bit little-endian machines; loaded at another address than it has in the file. */
export function makeElf({ needed = [], rpath, runpath }: ElfParts): Buffer {
  const strings = ['', ...needed, rpath ?? '', runpath ?? ''];
  const text = Buffer.from(`${strings.join('\0')}\0`);
  const at = (index: number) => Buffer.byteLength(strings.slice(0, index).join('\0')) + (index > 0 ? 1 : 0);
  const tables = 64 + 2 * 56;
  const entries: [number, number][] = [
    ...needed.map((_, index): [number, number] => [1, at(index + 1)]),
    ...(rpath === undefined ? [] : [[15, at(needed.length + 1)] as [number, number]]),
    ...(runpath === undefined ? [] : [[29, at(needed.length + 2)] as [number, number]]),
  ];
  const dynamicBytes = (entries.length + 3) * 16;
  entries.push([5, loadedAt + tables + dynamicBytes], [10, text.length], [0, 0]);
  const head = Buffer.alloc(64);
  head.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  head.writeUInt16LE(3, 16);
  head.writeUInt16LE(62, 18);
  head.writeBigUInt64LE(64n, 32);
  head.writeUInt16LE(56, 54);
  head.writeUInt16LE(2, 56);
  const end = tables + dynamicBytes + text.length;
  const segments = [segment(1, 0, end), segment(2, tables, dynamicBytes)];
  const dynamic = entries.map(([tag, value]) => {
    const entry = Buffer.alloc(16);
    entry.writeBigInt64LE(BigInt(tag));
    entry.writeBigUInt64LE(BigInt(value), 8);
    return entry;
  });
  return Buffer.concat([head, ...segments, ...dynamic, text]);
}

function segment(type: number, offset: number, bytes: number): Buffer {
  const one = Buffer.alloc(56);
  one.writeUInt32LE(type, 0);
  one.writeBigUInt64LE(BigInt(offset), 8);
  one.writeBigUInt64LE(BigInt(loadedAt + offset), 16);
  one.writeBigUInt64LE(BigInt(bytes), 32);
  one.writeBigUInt64LE(BigInt(bytes), 40);
  return one;
}

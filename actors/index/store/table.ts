// Sealed FlatBuffers: a table is a list of fields in the order of records.ts; from that list values are
// built and read. Every stored value ends with a CRC32 over its key and its bytes, so a flipped bit or a
// misplaced value is noticed.
import { crc32 } from 'node:zlib';
import { Builder, ByteBuffer } from 'flatbuffers';
import type { Environment } from './environment.ts';
import { damaged } from './faults.ts';

export interface Kinds {
  string: string;
  double: number;
  uint: number;
  ubytes: Uint8Array;
  uints: readonly number[];
  doubles: readonly number[];
  /** For long lists: four bytes each, also in memory. */
  uint32s: Uint32Array;
}
export type TableFields = Readonly<Record<string, keyof Kinds>>;
export interface Table<F extends TableFields> {
  /** Four characters that say which table the bytes hold. */
  readonly identifier: string;
  readonly fields: F;
}
export type TableRow<F extends TableFields> = { readonly [K in keyof F]: Kinds[F[K]] };
export type RowOf<T> = T extends Table<infer F> ? TableRow<F> : never;

export function table<const F extends TableFields>(identifier: string, fields: F): Table<F> {
  return { identifier, fields };
}

function vectorOf(builder: Builder, kind: keyof Kinds, value: unknown): number {
  if (kind === 'string') return builder.createString(value as string);
  if (kind === 'ubytes') return builder.createByteVector(value as Uint8Array);
  const list = value as ArrayLike<number>;
  if (kind === 'doubles') {
    builder.startVector(8, list.length, 8);
    for (let i = list.length - 1; i >= 0; i--) builder.addFloat64(list[i]!);
    return builder.endVector();
  }
  builder.startVector(4, list.length, 4);
  for (let i = list.length - 1; i >= 0; i--) builder.addInt32(list[i]! | 0);
  return builder.endVector();
}

/** *Copied*: the bytes belong to the caller. */
export function seal<F extends TableFields>(shape: Table<F>, key: string, value: TableRow<F>): Uint8Array {
  const builder = new Builder(256);
  const names = Object.keys(shape.fields);
  const offsets = names.map((name) => {
    const kind = shape.fields[name]!;
    return kind === 'double' || kind === 'uint' ? 0 : vectorOf(builder, kind, value[name as keyof F]);
  });
  builder.startObject(names.length);
  names.forEach((name, slot) => {
    const kind = shape.fields[name]!;
    const field = value[name as keyof F] as number;
    if (kind === 'double') builder.addFieldFloat64(slot, field, 0);
    else if (kind === 'uint') builder.addFieldInt32(slot, field | 0, 0);
    else builder.addFieldOffset(slot, offsets[slot]!, 0);
  });
  builder.finish(builder.endObject(), shape.identifier);
  const bytes = builder.asUint8Array();
  const sealed = new Uint8Array(bytes.byteLength + 4);
  sealed.set(bytes);
  new DataView(sealed.buffer).setUint32(bytes.byteLength, crc32(bytes, crc32(key)), true);
  return sealed;
}

function readField(
  buffer: ByteBuffer,
  table: number,
  slot: number,
  kind: keyof Kinds,
  inPlace = false,
): unknown {
  const offset = buffer.__offset(table, 4 + slot * 2);
  if (kind === 'double') return offset === 0 ? 0 : buffer.readFloat64(table + offset);
  if (kind === 'uint') return offset === 0 ? 0 : buffer.readUint32(table + offset);
  if (kind === 'string') return offset === 0 ? '' : (buffer.__string(table + offset) as string);
  if (offset === 0 && kind === 'uint32s') return new Uint32Array(0);
  if (offset === 0) return kind === 'ubytes' ? new Uint8Array(0) : [];
  const start = buffer.__vector(table + offset);
  const length = buffer.__vector_len(table + offset);
  if (kind === 'uints') return Array.from({ length }, (_, i) => buffer.readUint32(start + i * 4));
  if (kind === 'doubles') return Array.from({ length }, (_, i) => buffer.readFloat64(start + i * 8));
  const { buffer: whole, byteOffset } = buffer.bytes();
  const stored = new Uint8Array(whole, byteOffset + start, kind === 'ubytes' ? length : length * 4);
  const bytes = inPlace ? stored : stored.slice();
  // FlatBuffers are little-endian, as is every machine that Node is made for here.
  return kind === 'ubytes' ? bytes : new Uint32Array(bytes.buffer, bytes.byteOffset, length);
}

/** The checksum that a sealed value ends with, as it lies there. */
export function sealOf(sealed: Uint8Array): number {
  const end = sealed.byteLength - 4;
  return end < 0 ? 0 : new DataView(sealed.buffer, sealed.byteOffset + end, 4).getUint32(0, true);
}

/**
 * Reads a sealed value. *Copied*; `inPlace`: bytes and long lists are *borrowed* from `sealed`, which they
 * keep in memory whole. Throws STORE_DAMAGED naming `file` and `key` when the seal is broken.
 */
export function unseal<F extends TableFields>(
  shape: Table<F>,
  key: string,
  sealed: Uint8Array,
  file: string,
  inPlace = false,
): TableRow<F> {
  const end = sealed.byteLength - 4;
  const bytes = sealed.subarray(0, Math.max(0, end));
  if (end < 8 || sealOf(sealed) !== crc32(bytes, crc32(key))) {
    throw damaged(file, `the checksum of record ${key} does not match`);
  }
  const buffer = new ByteBuffer(bytes);
  if (!buffer.__has_identifier(shape.identifier)) throw damaged(file, `record ${key} is of another kind`);
  const root = buffer.readInt32(0);
  const entries = Object.entries(shape.fields).map(([name, kind], slot) => [
    name,
    readField(buffer, root, slot, kind, inPlace),
  ]);
  return Object.fromEntries(entries) as TableRow<F>;
}

/** One field of a sealed value that has a checksum of its own, so that the whole is not checked. *Copied*. */
export function bytesIn<F extends TableFields>(
  shape: Table<F>,
  name: keyof F,
  sealed: Uint8Array,
): Uint8Array {
  try {
    const buffer = new ByteBuffer(sealed);
    const slot = Object.keys(shape.fields).indexOf(name as string);
    return readField(buffer, buffer.readInt32(0), slot, 'ubytes') as Uint8Array;
  } catch {
    return new Uint8Array(0); // Broken somewhere: nothing is there that could be checked.
  }
}

// One record by its key.

/** Null when there is no folder or no such record. Throws STORE_DAMAGED. */
export function readRecord<F extends TableFields>(
  environment: Environment | null,
  shape: Table<F>,
  key: string,
): TableRow<F> | null {
  const bytes = environment?.get(key);
  if (environment === null || bytes === undefined) return null;
  return unseal(shape, key, bytes, environment.file);
}

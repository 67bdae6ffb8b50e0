// The columns of a clustering, one value an entry, as bytes of a file. Little-endian, as every platform here
// is.
import { crc32 } from 'node:zlib';
import { idBytes } from './entry-id.ts';

const magic = 0x53434846; // 'FHCS'
const version = 1;
const headerBytes = 32;
/** Columns of four bytes each behind the ids. */
const columnsOfFour = 6;

export interface ClusterColumns {
  /** 16 bytes an entry. */
  readonly ids: Uint8Array;
  /**
   * Position among the media of the clustering; entries of one content follow each other, ascending by frame.
   */
  readonly media: Uint32Array;
  readonly frames: Uint32Array;
  /** Position among the clusters, -1 for noise. */
  readonly clusters: Int32Array;
  /** As the vectors alone make them, before corrections. */
  readonly raw: Int32Array;
  readonly neighbours: Int32Array;
  readonly quality: Float32Array;
}

/** What is wrong with the bytes: null for nothing. */
export type Fault = 'it is cut off' | 'its checksum does not match' | 'it is no such file' | 'newer';

export function writeColumns(columns: ClusterColumns): Uint8Array<ArrayBuffer> {
  const count = columns.media.length;
  const bytes = new Uint8Array(headerBytes + count * (idBytes + columnsOfFour * 4));
  const head = new DataView(bytes.buffer);
  for (const [i, field] of [magic, version, count].entries()) head.setUint32(i * 4, field, true);
  bytes.set(columns.ids, headerBytes);
  let at = headerBytes + count * idBytes;
  const { media, frames, clusters, raw, neighbours, quality } = columns;
  for (const { buffer, byteOffset, byteLength } of [media, frames, clusters, raw, neighbours, quality]) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += count * 4;
  }
  head.setUint32(
    headerBytes - 4,
    crc32(bytes.subarray(headerBytes), crc32(bytes.subarray(0, headerBytes - 4))),
    true,
  );
  return bytes;
}

/** *Borrowed* from the bytes, which begin at a multiple of four. */
export function readColumns(bytes: Uint8Array<ArrayBuffer>): ClusterColumns | Fault {
  if (bytes.byteLength < headerBytes) return 'it is cut off';
  const head = new DataView(bytes.buffer, bytes.byteOffset, headerBytes);
  if (head.getUint32(0, true) !== magic) return 'it is no such file';
  if (head.getUint32(4, true) > version) return 'newer';
  const count = head.getUint32(8, true);
  if (bytes.byteLength !== headerBytes + count * (idBytes + columnsOfFour * 4)) return 'it is cut off';
  const crc = crc32(bytes.subarray(headerBytes), crc32(bytes.subarray(0, headerBytes - 4)));
  if (crc !== head.getUint32(headerBytes - 4, true)) return 'its checksum does not match';
  const start = bytes.byteOffset + headerBytes + count * idBytes;
  const at = (column: number) => [bytes.buffer, start + column * count * 4, count] as const;
  return {
    ids: bytes.subarray(headerBytes, headerBytes + count * idBytes),
    media: new Uint32Array(...at(0)),
    frames: new Uint32Array(...at(1)),
    clusters: new Int32Array(...at(2)),
    raw: new Int32Array(...at(3)),
    neighbours: new Int32Array(...at(4)),
    quality: new Float32Array(...at(5)),
  };
}

/** The entries of each cluster by its position, ascending; those of no cluster are the last. */
export function membersOf(clusters: Int32Array, count: number): Int32Array<ArrayBuffer>[] {
  const sizes = new Int32Array(count + 1);
  for (const cluster of clusters) sizes[cluster < 0 ? count : cluster]!++;
  const members = Array.from(sizes, (size) => new Int32Array(size));
  sizes.fill(0);
  for (let at = 0; at < clusters.length; at++) {
    const own = clusters[at]! < 0 ? count : clusters[at]!;
    members[own]![sizes[own]!++] = at;
  }
  return members;
}

/** The entries at these positions, ascending. *Copied*. */
export function someColumns(columns: ClusterColumns, positions: Uint32Array): ClusterColumns {
  const ids = new Uint8Array(positions.length * idBytes);
  // Most of them follow each other.
  for (let i = 0; i < positions.length; ) {
    const from = positions[i]!;
    let count = 1;
    while (positions[i + count] === from + count) count++;
    ids.set(columns.ids.subarray(from * idBytes, (from + count) * idBytes), i * idBytes);
    i += count;
  }
  const take = <A extends Uint32Array | Int32Array | Float32Array>(column: A, into: A): A => {
    for (let i = 0; i < positions.length; i++) into[i] = column[positions[i]!]!;
    return into;
  };
  const size = positions.length;
  return {
    ids,
    media: take(columns.media, new Uint32Array(size)),
    frames: take(columns.frames, new Uint32Array(size)),
    clusters: take(columns.clusters, new Int32Array(size)),
    raw: take(columns.raw, new Int32Array(size)),
    neighbours: take(columns.neighbours, new Int32Array(size)),
    quality: take(columns.quality, new Float32Array(size)),
  };
}

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
  /** Clusters of the vectors alone, before corrections. */
  readonly raw: Int32Array;
  readonly neighbours: Int32Array;
  readonly quality: Float32Array;
}

export type ColumnsFault = 'it is cut off' | 'its checksum does not match' | 'it is no such file' | 'newer';

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
export function readColumns(bytes: Uint8Array<ArrayBuffer>): ClusterColumns | ColumnsFault {
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
    const cluster = clusters[at]! < 0 ? count : clusters[at]!;
    members[cluster]![sizes[cluster]!++] = at;
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

// One clustering as whoever reads all of it sees it: columns with one value an entry.

export interface StoredClusters {
  readonly name: string;
  /** Another one whenever anything of it is stored again. */
  readonly version: number;
  /** Media of the job; entries name them by position. */
  readonly hashes: readonly string[];
  readonly cluster_ids: readonly string[];
  /** Aligned with `cluster_ids`; empty without a name. */
  readonly names: readonly string[];
  /** 16 bytes an entry: a face has the same id in every clustering. */
  readonly ids: Uint8Array;
  /** Position in `hashes` of each entry. Entries of one content follow each other, ascending by frame. */
  readonly media: Uint32Array;
  /** Grid frame of each entry. */
  readonly frames: Uint32Array;
  /** Position in `cluster_ids`, -1 for noise. */
  readonly clusters: Int32Array;
}

// The order in which the faces of a cluster are shown: the best first, one of each media before a second one
// of any.

/** Steps of quality that are told apart. */
const steps = 4095;
/** Entries of one cluster that are looked at: rank, quality and position fit a double together. */
const most = 2 ** 20;

/**
 * The first `count` of `all`, which are positions of entries, ascending, so that those of one media follow
 * each other.
 */
export function sampleOrder(
  all: Int32Array,
  media: Uint32Array,
  quality: Float32Array,
  count: number,
): Int32Array {
  const members = all.subarray(0, most);
  const rounds =
    count <= mediaOf(members, media) ? bestOfEach(members, media, quality) : ranks(members, media, quality);
  const chosen = rounds.toSorted().subarray(0, count);
  return Int32Array.from(chosen, (key) => members[key % most]!);
}

function mediaOf(members: Int32Array, media: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < members.length; i++) {
    if (i === 0 || media[members[i]!] !== media[members[i - 1]!]) count++;
  }
  return count;
}

/** Worse quality, then later position, is higher; `rank` above all. */
function keyOf(rank: number, quality: number, member: number): number {
  return (Math.min(rank, most - 1) * (steps + 1) + steps - Math.round(quality * steps)) * most + member;
}

function bestOfEach(members: Int32Array, media: Uint32Array, quality: Float32Array): Float64Array {
  const best: number[] = [];
  for (let i = 0; i < members.length; i++) {
    const key = keyOf(0, quality[members[i]!]!, i);
    const isNext = i === 0 || media[members[i]!] !== media[members[i - 1]!];
    if (isNext) best.push(key);
    else if (key < best.at(-1)!) best[best.length - 1] = key;
  }
  return Float64Array.from(best);
}

/** The n-th best of each media has rank n. */
function ranks(members: Int32Array, media: Uint32Array, quality: Float32Array): Float64Array {
  const keys = new Float64Array(members.length);
  for (let from = 0; from < members.length; ) {
    let to = from + 1;
    while (to < members.length && media[members[to]!] === media[members[from]!]) to++;
    for (let i = from; i < to; i++) keys[i] = keyOf(0, quality[members[i]!]!, i);
    keys.subarray(from, to).sort();
    for (let i = from; i < to; i++) keys[i]! += (i - from) * (steps + 1) * most;
    from = to;
  }
  return keys;
}

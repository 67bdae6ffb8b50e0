// How long the parts of a Matroska or WebM file are that FFmpeg reads to open it: everything before the first
// cluster, and what the index of the file names behind it (RFC 9559), attached fonts and pictures among them.
import type { FileBytes } from './file-bytes.ts';

const ids = { ebml: 0x1a45dfa3, segment: 0x18538067, cluster: 0x1f43b675, seekHead: 0x114d9b74 };
const seekIds = { seek: 0x4dbb, position: 0x53ac };
/** Elements looked at in one file, at most. */
const mostElements = 1000;

interface Element {
  readonly id: number;
  readonly start: number;
  /** Where the next one begins; the end of the file where the length is unknown. */
  readonly end: number;
}

export function isMatroska(bytes: FileBytes): boolean {
  return bytes.uint(0) === ids.ebml;
}

export function matroskaHeaderBytes(bytes: FileBytes): number {
  const segment = elements(bytes, 0, bytes.size).find(({ id }) => id === ids.segment);
  if (!segment) return 0;
  const read = new Map<number, number>();
  const count = ({ start, end }: Element) => read.set(start, end - start);
  for (const element of elements(bytes, segment.start, segment.end, ids.cluster)) {
    count(element);
    if (element.id !== ids.seekHead) continue;
    for (const position of seekPositions(bytes, element)) {
      const [named] = elements(bytes, segment.start + position, segment.end, ids.cluster, 1);
      if (named) count(named);
    }
  }
  return [...read.values()].reduce((sum, length) => sum + length, 0);
}

/** Bytes from the start of the segment. */
function seekPositions(bytes: FileBytes, { start, end }: Element): number[] {
  return elements(bytes, start, end)
    .filter(({ id }) => id === seekIds.seek)
    .flatMap((seek) => elements(bytes, seek.start, seek.end))
    .filter(({ id }) => id === seekIds.position)
    .map((position) => numberAt(bytes, position.start, Math.min(8, position.end - position.start)));
}

/** Up to one of the id `until`. */
function elements(bytes: FileBytes, from: number, to: number, until = 0, most = mostElements): Element[] {
  const found: Element[] = [];
  for (let at = from; at < to && found.length < most; ) {
    const idLength = lengthAt(bytes, at);
    const sizeLength = lengthAt(bytes, at + idLength);
    if (idLength === 0 || idLength > 4 || sizeLength === 0) break;
    const id = bytes.uint(at, idLength);
    const start = at + idLength + sizeLength;
    const size = numberAt(bytes, at + idLength, sizeLength, 0xff >> sizeLength);
    if (id === until) break;
    // All bits set: the length was not known when the file was written.
    at = size === 2 ** (7 * sizeLength) - 1 ? to : Math.min(to, start + size);
    found.push({ id, start, end: at });
  }
  return found;
}

/** Bytes of a number whose first byte begins with as many zeros, less one; 0 for none. */
function lengthAt(bytes: FileBytes, at: number): number {
  const first = bytes.uint(at, 1);
  return first === 0 ? 0 : Math.clz32(first) - 23;
}

/** `firstBits`: those of the first byte that belong to the number. */
function numberAt(bytes: FileBytes, at: number, length: number, firstBits = 0xff): number {
  let value = bytes.uint(at, 1) & firstBits;
  for (let i = 1; i < length; i++) value = value * 256 + bytes.uint(at + i, 1);
  return value;
}

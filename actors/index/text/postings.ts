// Ascending lists of rows, each the distances to the row before as bytes of seven bits.

/** Bytes of one distance. */
export function distanceBytes(distance: number): number {
  return distance < 0x80
    ? 1
    : distance < 0x4000
      ? 2
      : distance < 0x200000
        ? 3
        : distance < 0x10000000
          ? 4
          : 5;
}

/** Writes a distance and answers the offset after it. */
export function writeDistance(bytes: Uint8Array, at: number, distance: number): number {
  let left = distance;
  let next = at;
  while (left >= 0x80) {
    bytes[next++] = (left & 0x7f) | 0x80;
    left >>>= 7;
  }
  bytes[next++] = left;
  return next;
}

/** Reads the rows of `[from, to)` into `rows` and answers how many there are. */
export function readRows(bytes: Uint8Array, from: number, to: number, rows: Uint32Array): number {
  let row = -1;
  let count = 0;
  for (let at = from; at < to; ) {
    let byte = bytes[at++]!;
    let distance = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[at++]!;
      distance |= (byte & 0x7f) << shift;
    }
    row += distance;
    rows[count++] = row;
  }
  return count;
}

/** Marks the rows of `[from, to)`, one bit each. */
export function markRows(bytes: Uint8Array, from: number, to: number, marks: Uint32Array): void {
  let row = -1;
  for (let at = from; at < to; ) {
    let byte = bytes[at++]!;
    let distance = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[at++]!;
      distance |= (byte & 0x7f) << shift;
    }
    row += distance;
    marks[row >>> 5]! |= 1 << (row & 31);
  }
}

/** The marked rows, ascending, into `rows`; answers how many there are. */
export function markedRows(marks: Uint32Array, rows: Uint32Array): number {
  let count = 0;
  for (let word = 0; word < marks.length; word++) {
    for (let bits = marks[word]!; bits !== 0; bits &= bits - 1) {
      rows[count++] = word * 32 + 31 - Math.clz32(bits & -bits);
    }
  }
  return count;
}

// Entry ids of faces: UUIDs, kept as 16 bytes each in columns.

export const idBytes = 16;

export function idText(ids: Uint8Array, at: number): string {
  const hex = Buffer.from(ids.buffer, ids.byteOffset + at * idBytes, idBytes).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const written = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Null for what is no id. */
export function idOf(text: string): Uint8Array | null {
  const plain = text.toLowerCase();
  return written.test(plain) ? Buffer.from(plain.replaceAll('-', ''), 'hex') : null;
}

/** The first four bytes, by which ids are told apart quickly. */
export function prefixOf(ids: Uint8Array, at: number): number {
  const byte = at * idBytes;
  return ((ids[byte]! << 24) | (ids[byte + 1]! << 16) | (ids[byte + 2]! << 8) | (ids[byte + 3]! << 0)) >>> 0;
}

/** The first six bytes as a number: random, so that no two faces of a frame have the same. */
export function numberOfId(ids: Uint8Array, at: number): number {
  const byte = at * idBytes;
  return prefixOf(ids, at) * 2 ** 16 + ids[byte + 4]! * 2 ** 8 + ids[byte + 5]!;
}

/** Below 0 when the id at `a` comes before the one at `b`. */
export function compareIds(ids: Uint8Array, a: number, b: number): number {
  for (let i = 0; i < idBytes; i++) {
    const difference = ids[a * idBytes + i]! - ids[b * idBytes + i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Positions of those of `requestedIds` that are among `ids`, by their text in lower case. `among`: no others
 * are looked at.
 */
export function positionsOf(
  ids: Uint8Array,
  requestedIds: Iterable<string>,
  among?: Int32Array,
): Map<string, number> {
  const lowerCaseIds = new Set<string>();
  const prefixes = new Set<number>();
  for (const text of requestedIds) {
    const id = idOf(text);
    if (id === null) continue;
    lowerCaseIds.add(text.toLowerCase());
    prefixes.add(prefixOf(id, 0));
  }
  const positions = new Map<string, number>();
  if (lowerCaseIds.size === 0) return positions;
  const count = among?.length ?? ids.length / idBytes;
  for (let i = 0; i < count; i++) {
    const at = among === undefined ? i : among[i]!;
    if (!prefixes.has(prefixOf(ids, at))) continue;
    const text = idText(ids, at);
    if (lowerCaseIds.has(text)) positions.set(text, at);
  }
  return positions;
}

/**
 * Up to `most` of the ids at these positions: ids are random, so the lowest ones are a sample that no order
 * changes.
 */
export function someIds(ids: Uint8Array, positions: Int32Array, most: number): string[] {
  /** Ascending. */
  const lowest: number[] = [];
  let highest = Number.POSITIVE_INFINITY;
  for (const at of positions) {
    const prefix = prefixOf(ids, at);
    if (prefix > highest) continue;
    let to = lowest.length;
    while (to > 0 && isBefore(ids, prefix, at, lowest[to - 1]!)) to--;
    lowest.splice(to, 0, at);
    if (lowest.length < most) continue;
    lowest.length = most;
    highest = prefixOf(ids, lowest[most - 1]!);
  }
  return lowest.map((at) => idText(ids, at));
}

function isBefore(ids: Uint8Array, prefix: number, at: number, otherAt: number): boolean {
  const others = prefixOf(ids, otherAt);
  return prefix < others || (prefix === others && compareIds(ids, at, otherAt) < 0);
}

/** Where each of some ids is. *Borrows* them. */
export class IdPositions {
  readonly #ids: Uint8Array;
  readonly #byPrefix = new Map<number, number>();
  /** Number of ids with each prefix that several share. */
  readonly #alike = new Map<string, number>();

  constructor(ids: Uint8Array) {
    this.#ids = ids;
    for (let at = 0; at * idBytes < ids.length; at++) {
      const prefix = prefixOf(ids, at);
      if (this.#byPrefix.has(prefix)) this.#alike.set(idText(ids, at), at);
      else this.#byPrefix.set(prefix, at);
    }
  }

  /** The position of the id at `at` of others; -1 when it is not there. */
  of(others: Uint8Array, at: number): number {
    const position = this.#byPrefix.get(prefixOf(others, at));
    if (position === undefined) return -1;
    for (let i = 0; i < idBytes; i++) {
      if (this.#ids[position * idBytes + i] === others[at * idBytes + i]) continue;
      return this.#alike.get(idText(others, at)) ?? -1;
    }
    return position;
  }
}

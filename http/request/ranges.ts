// Which part of a content a request asks for, and whether it has it already: RFC 9110, conditional and range requests.

/** The headers of a request that decide it; what is missing is empty. */
export interface Conditions {
  readonly range: string;
  readonly ifRange: string;
  readonly ifNoneMatch: string;
}

/** What a content says of itself. */
export interface Validator {
  /** Bytes of the whole. */
  readonly size: number;
  /** A strong entity tag, quotes included: another one for every other content. */
  readonly etag: string;
}

/** Bytes [from, to) with this status. 304 and 416 have none. */
export interface Part {
  readonly status: 200 | 206 | 304 | 416;
  readonly from: number;
  readonly to: number;
}

/** `isGet`: a range is of GET alone. */
export function partOf({ range, ifRange, ifNoneMatch }: Conditions, of: Validator, isGet: boolean): Part {
  if (ifNoneMatch !== '' && isNamed(ifNoneMatch, of.etag)) return { status: 304, from: 0, to: 0 };
  const whole: Part = { status: 200, from: 0, to: of.size };
  // A date could be of another content of the same second, so it never matches.
  if (!isGet || range === '' || (ifRange !== '' && ifRange !== of.etag)) return whole;
  return rangeOf(range, of.size) ?? whole;
}

/**
 * Null for what is no single range of bytes: it is ignored, as the RFC allows for several ones. No two parts of the
 * expression match the same characters in turn: the time it takes would grow with the square of the header.
 */
function rangeOf(header: string, size: number): Part | null {
  const [, first, last] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  const none: Part = { status: 416, from: 0, to: 0 };
  if (first === '') {
    const count = Math.min(size, Number(last));
    return count === 0 ? none : { status: 206, from: size - count, to: size };
  }
  const from = Number(first);
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last);
  if (end < from) return null;
  return from >= size ? none : { status: 206, from, to: Math.min(size, end + 1) };
}

/** Weak comparison: what a cache between has marked as weak is the same content. */
function isNamed(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}

// What the headers of a request say about where its body ends. Whoever forwarded it may have read doubtful
// ones in another way, and what is a body to one is the next request to the other. So those are refused, and
// their connection ends.

export interface FramingProblem {
  readonly status: 400 | 501;
  readonly error: string;
  readonly message: string;
}

/**
 * `lengths`: how many Content-Length headers there are; `codings`: the value of each Transfer-Encoding
 * header.
 */
export function framingProblem(lengths: number, codings: readonly string[]): FramingProblem | null {
  if (lengths > 1) {
    const message = 'The request has more than one Content-Length header';
    return { status: 400, error: 'Invalid Content-Length', message };
  }
  if (codings.length === 0) return null;
  const names = codings
    .join(',')
    .split(',')
    .map((name) => name.trim().toLowerCase());
  if (names.includes('') || names.indexOf('chunked') !== names.length - 1) {
    const message = 'A body of unknown length must use chunked transfer encoding, once and last';
    return { status: 400, error: 'Invalid Transfer-Encoding', message };
  }
  if (names.length === 1) return null;
  return {
    status: 501,
    error: 'Transfer-Encoding not supported',
    message: 'The only supported transfer encoding is chunked',
  };
}

// The license key as programs send it that know no header of ours: `Authorization: Bearer KEY`.

/** Empty for another scheme: a browser may send Basic by itself. */
export function bearerOf(authorization: string): string {
  return /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1] ?? '';
}

// Ids of requests, to find them in the log. They are unique, not secret.

/** `start` differs between runs of the engine. */
export function requestIds(start: string): () => string {
  let count = 0;
  return () => `${start}-${++count}`;
}

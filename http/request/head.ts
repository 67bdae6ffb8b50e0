// The head of a request: its fields, and what they say about where its body ends and about who asks.

import { MOST_HEAD_BYTES } from './header-limit.ts';

/**
 * The headers that are read of every request, in one pass: asking uWebSockets for each of them takes longer.
 * The first of two with the same name counts.
 */
export class HeadFields {
  /** Bytes of all headers as they were sent. */
  bytes = 0;
  host: string | undefined;
  licenseKey: string | undefined;
  authorization: string | undefined;
  acceptEncoding: string | undefined;
  requestId: string | undefined;
  origin: string | undefined;
  connection: string | undefined;
  length: string | undefined;
  lengths = 0;
  codings: readonly string[] = [];

  take(name: string, value: string): void {
    // A colon, a space and the end of the line.
    this.bytes += name.length + value.length + 4;
    if (name === 'host') this.host ??= value;
    else if (name === 'x-license-key') this.licenseKey ??= value;
    else if (name === 'authorization') this.authorization ??= value;
    else if (name === 'accept-encoding') this.acceptEncoding ??= value;
    else if (name === 'x-request-id') this.requestId ??= value;
    else if (name === 'origin') this.origin ??= value;
    else if (name === 'connection') this.connection ??= value;
    else if (name === 'transfer-encoding') this.codings = [...this.codings, value];
    else if (name === 'content-length') {
      this.length ??= value;
      this.lengths++;
    }
  }
}

// Where the body of a request ends. Whoever forwarded it may have read doubtful headers in another way, and
// what is a body to one is the next request to the other. So those are refused, and their connection ends.

export interface FramingProblem {
  readonly status: 400 | 431 | 501;
  readonly error: string;
  readonly message: string;
}

/** Null for a head of at most 32 KiB. */
export function sizeProblem(bytes: number): FramingProblem | null {
  if (bytes <= MOST_HEAD_BYTES) return null;
  const message = `Request line and headers can have at most ${MOST_HEAD_BYTES} bytes together`;
  return { status: 431, error: 'Request head too large', message };
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

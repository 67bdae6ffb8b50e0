// A file server for tests that misbehaves on demand: each request is answered by the next step of a script.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../runtime/clock.ts';

/**
 * `breakAt` ends the connection of this answer as soon as the client says that it has that many bytes of the
 * file.
 */
export type Step = (
  request: IncomingMessage,
  response: ServerResponse,
  breakAt: (received: number) => void,
) => void;

export interface TestServer {
  readonly url: URL;
  /** Requests: path and range header of each. */
  readonly asked: { path: string; range: string | undefined; ifRange: string | undefined }[];
  /** Told by the client how far it is; see `breakAt`. */
  progress(received: number): void;
  close(): Promise<void>;
}

/** The last step answers all further requests. */
export async function serveSteps(steps: readonly Step[]): Promise<TestServer> {
  const asked: TestServer['asked'] = [];
  let limit = { at: Number.POSITIVE_INFINITY, drop: () => {} };
  const server = createServer((request, response) => {
    const step = steps[Math.min(asked.length, steps.length - 1)]!;
    const { range, 'if-range': ifRange } = request.headers;
    asked.push({ path: request.url ?? '', range, ifRange: ifRange?.toString() });
    step(request, response, (at) => {
      limit = { at, drop: () => response.destroy() };
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    asked,
    progress: (received) => {
      if (received >= limit.at) limit.drop();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers as a good server does: whole, or from the asked byte on while the validator is the same. */
export function whole(body: Uint8Array, etag = '"v1"', extra: Record<string, string> = {}): Step {
  return (request, response) => {
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const same = request.headers['if-range'] === undefined || request.headers['if-range'] === etag;
    const headers = { etag, 'accept-ranges': 'bytes', ...extra };
    if (start >= body.length && same) {
      response.writeHead(416, { ...headers, 'content-range': `bytes */${body.length}` }).end();
    } else if (start > 0 && same) {
      const range = `bytes ${start}-${body.length - 1}/${body.length}`;
      const length = body.length - start;
      response.writeHead(206, { ...headers, 'content-range': range, 'content-length': length });
      response.end(body.subarray(start));
    } else response.writeHead(200, { ...headers, 'content-length': body.length }).end(body);
  };
}

/** Promises everything, sends `count` bytes and breaks the connection once they have arrived. */
export function dropAfter(body: Uint8Array, count: number, etag = '"v1"'): Step {
  return (request, response, breakAt) => {
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const headers = { etag, 'content-length': body.length - start };
    const range = `bytes ${start}-${body.length - 1}/${body.length}`;
    if (start > 0) response.writeHead(206, { ...headers, 'content-range': range });
    else response.writeHead(200, headers);
    breakAt(start + count);
    response.write(body.subarray(start, start + count));
  };
}

export const status =
  (code: number, headers: Record<string, string> = {}): Step =>
  (_request, response) =>
    void response.writeHead(code, headers).end('no');

/** Pauses between tries pass at once and are noted; the long timers, which watch for silence, never fire. */
export function eagerClock(pauses: number[] = []): Clock {
  return {
    now: () => 0,
    after: (ms, run) => {
      if (ms > 1_000_000) return () => {};
      pauses.push(ms);
      queueMicrotask(run);
      return () => {};
    },
  };
}
export const never = 1_000_000_000;

export const bytesOf = (length: number, seed = 1): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => (at * 31 + seed * 7 + (at >> 8)) & 255);

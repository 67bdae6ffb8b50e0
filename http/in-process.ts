// `fetch` that asks an app of this process without a socket: license, validation and answers are the same as
// over one.

import { bearerOf } from './request/bearer.ts';
import { isStream, type RawResponse } from './request/response.ts';
import type { App } from './server.ts';

/** Rejects with the reason of the signal when it is aborted. Answers of bytes are not for it. */
export function inProcess(app: Pick<App, 'begin'>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    signal.throwIfAborted();
    const body = new Uint8Array(await request.arrayBuffer());
    const answer = await answerTo(app, request, body, signal);
    signal.throwIfAborted();
    if (isStream(answer.body)) {
      answer.body.end(0);
      throw new TypeError('bytes are not answered in process');
    }
    const isEmpty = answer.status === 204 || answer.status === 304;
    return new Response(isEmpty ? null : (answer.body as Uint8Array<ArrayBuffer> | string), {
      status: answer.status,
      headers: answer.headers.map(([name, value]): [string, string] => [name, value]),
    });
  };
}

async function answerTo(
  app: Pick<App, 'begin'>,
  { method, url, headers }: Request,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<RawResponse> {
  const { pathname, search } = new URL(url);
  const header = (name: string) => headers.get(name) ?? '';
  const begun = app.begin({
    method,
    path: pathname,
    query: search.slice(1),
    host: 'localhost',
    licenseKey: header('x-license-key') || bearerOf(header('authorization')),
    acceptEncoding: '',
    requestId: header('x-request-id'),
    origin: '',
    contentLength: body.length > 0 ? body.length : Number.NaN,
    misframed: null,
    header,
    conditions: () => ({ range: '', ifRange: '', ifNoneMatch: '' }),
  });
  if (!('run' in begun)) return begun;
  const refused = body.length > 0 ? begun.receive(body.length, true) : null;
  return refused ?? begun.run(body.length > 0 ? [body] : null, () => signal);
}

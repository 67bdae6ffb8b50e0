// A request becomes an answer: host, origin and route in here, the rest in its exchange. No socket in here,
// so that a test calls a route as the network does.

import { originRule } from '../runtime/origin.ts';
import { quoted } from '../runtime/text.ts';
import { type AppOptions, type AppState, Exchange, type Pending, type RequestHead } from './exchange.ts';
import { bearerOf } from './request/head.ts';
import { createBodyBudget } from './request/intake.ts';
import { isLive, isStream, plainError, type RawResponse } from './request/response.ts';
import { validatorsOf } from './request/validation.ts';
import { createRouter, isInside, nowhere, unknownPath } from './router.ts';

/** Answer to a browser that asks whether a page may send a request. */
const preflightAnswer: RawResponse = {
  status: 204,
  headers: [
    ['Access-Control-Allow-Methods', 'GET, POST, PUT, DELETE'],
    [
      'Access-Control-Allow-Headers',
      'Content-Type, X-License-Key, X-Request-Id, Authorization, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
    ],
    ['Access-Control-Max-Age', '600'],
  ],
  body: '',
};

export interface App {
  begin(head: RequestHead): RawResponse | Pending;
  /** From now on licensed requests are refused with 503. */
  stopAdmitting(): void;
  /** Requests without a response yet. */
  readonly inFlight: number;
  /** Resolves when no request is in flight. */
  idle(): Promise<void>;
}

/** Inline pictures of faces: 50 MiB of them, a third more in base64, and room for the rest. */
export const MOST_BYTES = 80 * 1024 * 1024;
/**
 * Bodies that are held at the same time, in largest bodies: all of them, and those whose sender showed no
 * key.
 */
const MOST_BODIES = 4;
const MOST_UNTRUSTED_BODIES = 1.5;

/**
 * Methods of HTTP (RFC 9110, RFC 5789, and QUERY of the HTTP working group); a path that has another one than
 * asked for answers 405.
 */
const methods = new Set('GET HEAD POST PUT DELETE PATCH CONNECT OPTIONS TRACE QUERY'.split(' '));

export function createApp(options: AppOptions): App {
  const find = createRouter(options.routes);
  const validators = new Map(options.routes.map((route) => [route, validatorsOf(route)]));
  const state = stateOf(options);
  return {
    begin: (head) => {
      const exchange = new Exchange(options, state, head);
      if (head.misframed) {
        const { status, error, message } = head.misframed;
        return exchange.refuse(null, { ...plainError(status, error, message), ends: true });
      }
      if (!options.isAllowedHost(head.host)) {
        const message = `Host ${quoted(head.host)} is neither a local name nor listed in the setting hosts`;
        return exchange.refuse(null, plainError(403, 'Host not allowed', message));
      }
      if (!state.origins.isAllowed(head.origin)) {
        const message = `Pages of ${quoted(head.origin)} may not call this service; add the origin to the setting origins to allow it`;
        return exchange.refuse(null, plainError(403, 'Origin not allowed', message));
      }
      if (head.method === 'OPTIONS' && state.origins.mayRead(head.origin)) {
        return exchange.refuse(null, preflightAnswer);
      }
      if (!methods.has(head.method)) {
        const message = `There is no method ${quoted(head.method)} in HTTP`;
        return exchange.refuse(null, plainError(501, 'Method not implemented', message));
      }
      // HEAD is GET without the body, which the socket leaves out.
      const match = find(head.method === 'HEAD' ? 'GET' : head.method, head.path);
      if (match === null && !isInside(head.path)) return exchange.refuse(null, unknownPath(head.path));
      if (match === null) return exchange.open({ route: nowhere, params: {} }, validatorsOf(nowhere));
      if ('allow' in match) {
        const allow = match.allow
          .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
          .join(', ');
        return exchange.refuse(
          null,
          plainError(405, 'Method not allowed', `${head.path} supports ${allow}`, { Allow: allow }),
        );
      }
      return exchange.open(match, validators.get(match.route)!);
    },
    stopAdmitting: () => {
      state.stopping = true;
    },
    get inFlight() {
      return state.inFlight;
    },
    idle: () =>
      new Promise((resolve) => {
        if (state.inFlight === 0) resolve();
        else state.idle.push(resolve);
      }),
  };
}

function stateOf({ mostBytes = MOST_BYTES, origins, isAllowedHost }: AppOptions): AppState {
  return {
    stopping: false,
    inFlight: 0,
    idle: [],
    bodies: createBodyBudget(mostBytes * MOST_BODIES, mostBytes * MOST_UNTRUSTED_BODIES),
    origins: originRule(origins, isAllowedHost),
    mostBytes,
  };
}

// `fetch` that asks an app of this process without a socket: license, validation and answers are the same as
// over one.

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
    if (isLive(answer.body)) throw new TypeError('events are not sent in process');
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
    conditions: () => ({ range: '', ifRange: '', ifNoneMatch: '', ifMatch: '' }),
  });
  if (!('run' in begun)) return begun;
  const refused = body.length > 0 ? begun.receive(body.length, true) : null;
  return refused ?? begun.run(body.length > 0 ? [body] : null, () => signal);
}

// Calls a route without a socket, and holds every answer against what the route declares.
import assert from 'node:assert/strict';
import { Check, Errors } from 'typebox/value';
import type { AppOptions, Pending, RequestHead } from '../../http/exchange.ts';
import type { AccessDecision } from '../../http/license/decision.ts';
import { answersOf, statusesOf } from '../../http/openapi/document.ts';
import { createBodyParser } from '../../http/request/intake.ts';
import { type ByteStream, isLive, isStream, type RawResponse } from '../../http/request/response.ts';
import { ErrorBody, type Route } from '../../http/route.ts';
import { createRouter } from '../../http/router.ts';
import { type App, createApp } from '../../http/server.ts';
import type { Service } from '../../http/service.ts';
import { createLog, type LogLine } from '../../runtime/log.ts';

export interface Injected {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed when it is JSON. */
  readonly body: unknown;
  readonly bytes: Uint8Array;
}

export interface Request {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text or bytes as they are. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Live text is read to its end; without this, what is sent at once. */
  readonly untilEnd?: boolean;
}

export interface Injector {
  readonly app: App;
  readonly lines: readonly LogLine[];
  /** `POST` with a key unless said otherwise; an open question is a `GET`. */
  (path: string, body?: unknown, request?: Request): Promise<Injected>;
}

export const KEY = 'a-good-key';

/** The head of a request with a good key and nothing unusual. */
export const plainHead: Omit<RequestHead, 'method' | 'path'> = {
  query: '',
  host: 'localhost',
  licenseKey: KEY,
  acceptEncoding: '',
  requestId: '',
  origin: '',
  contentLength: Number.NaN,
  misframed: null,
  header: () => '',
  conditions: () => ({ range: '', ifRange: '', ifNoneMatch: '', ifMatch: '' }),
};

/** A service of which a test gives the parts its routes touch. */
export function inject(
  routes: readonly Route[],
  service: Partial<Service>,
  options: Partial<AppOptions> = {},
): Injector {
  const lines: LogLine[] = [];
  let id = 0;
  const app = createApp({
    routes,
    service: service as Service,
    license: (key) => (key === KEY ? { ok: true } : refusal(key)),
    isAllowedHost: (host) => host === 'localhost',
    origins: [],
    bodies: createBodyParser(),
    log: createLog('http', (line) => lines.push(line)),
    observe: () => {},
    newId: () => `request-${++id}`,
    now: () => performance.now(),
    ...options,
  });
  const find = createRouter(routes);
  const call = async (path: string, body?: unknown, request: Request = {}): Promise<Injected> => {
    const method = request.method ?? (body === undefined ? 'GET' : 'POST');
    const answer = await send(app, method, path, body, request);
    const found = find(method, path.split('?')[0]!);
    if (found && 'route' in found) assertDeclared(found.route, answer);
    return answer;
  };
  return Object.assign(call, { app, lines });
}

function refusal(key: string | undefined): AccessDecision {
  const status = key === undefined ? 401 : 403;
  return {
    ok: false,
    status,
    body: {
      error: status === 401 ? 'Authentication required' : 'Pro license required',
      message: 'of a test',
    },
  };
}

async function send(
  app: App,
  method: string,
  path: string,
  body: unknown,
  { headers = {}, signal, untilEnd = false }: Request,
): Promise<Injected> {
  const [pathname = '', query = ''] = path.split('?');
  const given = (name: string, fallback: string) => headers[name] ?? fallback;
  const bytes =
    body === undefined
      ? null
      : body instanceof Uint8Array
        ? body
        : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const begun = app.begin({
    method,
    path: pathname,
    query,
    host: given('host', 'localhost'),
    licenseKey: given('x-license-key', KEY),
    acceptEncoding: given('accept-encoding', ''),
    requestId: given('x-request-id', ''),
    origin: given('origin', ''),
    contentLength: bytes?.length ?? Number.NaN,
    misframed: null,
    header: (name) => given(name, ''),
    conditions: () => ({
      range: given('range', ''),
      ifRange: given('if-range', ''),
      ifNoneMatch: given('if-none-match', ''),
      ifMatch: given('if-match', ''),
    }),
  });
  const never = new AbortController().signal;
  const out = 'run' in begun ? await whole(begun, bytes, signal ?? never) : begun;
  const answer = await allOf(out.body, untilEnd);
  const named = Object.fromEntries(out.headers.map(([name, value]) => [name.toLowerCase(), value]));
  const isJson = named['content-type'] === 'application/json' && named['content-encoding'] === undefined;
  return {
    status: out.status,
    headers: named,
    body: isJson ? (JSON.parse(answer.toString()) as unknown) : answer.toString(),
    bytes: answer,
  };
}

async function allOf(body: RawResponse['body'], untilEnd: boolean): Promise<Buffer> {
  if (isStream(body)) return piecesOf(body);
  if (!isLive(body)) return Buffer.from(body as string);
  const sent: string[] = [];
  const ended = Promise.withResolvers<void>();
  const close = body.open((text) => void sent.push(text), ended.resolve);
  if (untilEnd) await ended.promise;
  close();
  return Buffer.from(sent.join(''));
}

async function piecesOf(body: ByteStream): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // A piece has one byte at least.
  for (let round = 0; round < body.length && bytes < body.length; round++) {
    const piece = await body.next();
    pieces.push(piece);
    bytes += piece.length;
  }
  body.end(bytes);
  return Buffer.concat(pieces);
}

async function whole(pending: Pending, bytes: Uint8Array | null, signal: AbortSignal): Promise<RawResponse> {
  const refused = bytes && pending.receive(bytes.length, true);
  return refused ?? pending.run(bytes && [bytes], () => signal);
}

/** Errors that every route can have need not be declared one by one, but they have one form. */
function assertDeclared(route: Route, { status, body, headers }: Injected): void {
  const declared = answersOf(route)[status];
  if (declared === undefined) {
    assert.ok(
      status >= 400 && (status === 499 || statusesOf(route).includes(status)),
      `${route.id} does not declare an answer ${status}`,
    );
    const policy = typeof body === 'object' && body !== null && 'policy_error' in body;
    assert.ok(policy || Check(ErrorBody, body), `${route.id} ${status}: ${JSON.stringify(body)}`);
    return;
  }
  if (headers['content-encoding']) return;
  // A part that fails or is busy answers in the common form, also where the route has one of its own.
  if ((status === 500 || status === 503) && Check(ErrorBody, body)) return;
  const wrong = Errors(declared, body).map((error) => `${error.instancePath} ${error.message}`);
  assert.deepEqual(
    wrong,
    [],
    `${route.id} ${status} is not as declared: ${JSON.stringify(body).slice(0, 500)}`,
  );
}

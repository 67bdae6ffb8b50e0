// A request becomes an answer: host, route, license, validators, handler, and an error in its one form. No socket in
// here, so that a test calls a route as the network does.
import { type EngineError, engineErrors, toFields } from '../runtime/errors.ts';
import type { Log } from '../runtime/log.ts';
import type { AccessDecision } from './license/decision.ts';
import { type Body, licenseKeyErrors, parseBody, queryOf } from './request/body.ts';
import { compress, encodingFor } from './request/compress.ts';
import {
  badRequest,
  errorResponse,
  invalidFields,
  isInternal,
  jsonResponse,
  plainError,
  type RawResponse,
} from './request/response.ts';
import { createValidator, type Validate } from './request/validation.ts';
import type { Route } from './route.ts';
import { createRouter, type RouteMatch } from './router.ts';
import type { Service } from './service.ts';

/** Request line and headers as text; what is missing is empty. */
export interface Head {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly host: string;
  readonly licenseKey: string;
  readonly acceptEncoding: string;
  readonly requestId: string;
  readonly origin: string;
  /** Bytes; NaN without the header. */
  readonly contentLength: number;
}

export interface AppOptions {
  readonly routes: readonly Route[];
  readonly service: Service;
  /** Whether a key opens the licensed routes. Synchronous when the decision is cached. */
  license(key: string | undefined): AccessDecision | Promise<AccessDecision>;
  isAllowedHost(host: string): boolean;
  /** Origins of web pages that may read answers; none by default. */
  readonly origins: readonly string[];
  readonly log: Log;
  /**
   * Called once for every response. `route` is null when no route was found; `received`, `sent`: bytes of the bodies.
   */
  observe(route: Route | null, status: number, seconds: number, received: number, sent: number): void;
  newId(): string;
  now(): number;
  /** Bytes of a body; `MOST_BYTES` when left out. */
  readonly mostBytes?: number;
}

/** A request whose route is known and whose body is awaited. */
export interface Pending {
  readonly takesBody: boolean;
  /** `signal` creates the signal at its first call; it is aborted when the client has gone. Never throws or rejects. */
  run(body: Uint8Array | null, signal: () => AbortSignal): RawResponse | Promise<RawResponse>;
  /** The client disconnected before its body was complete. */
  abandon(): void;
  /** The body is larger than the limit. */
  tooLarge(): RawResponse;
}

export interface App {
  readonly mostBytes: number;
  /** Whether `Head.origin` is needed. */
  readonly asksOrigin: boolean;
  begin(head: Head): RawResponse | Pending;
  /** From now on licensed requests are refused with 503. */
  stopAdmitting(): void;
  /** Requests without a response yet. */
  readonly inFlight: number;
  /** Resolves when no request is in flight. */
  idle(): Promise<void>;
}

/** Seen in logs and metrics only: the client closed the connection before the response. */
const CLIENT_GONE = 499;

/** Inline pictures of faces: 50 MiB of them, a third more in base64, and room for the rest. */
export const MOST_BYTES = 80 * 1024 * 1024;

interface Validators {
  readonly params: Validate;
  readonly query: Validate;
  readonly body: Validate | null;
}

interface AppState {
  stopping: boolean;
  inFlight: number;
  /** Called when nothing is in flight any more. */
  idle: (() => void)[];
}

export function createApp(options: AppOptions): App {
  const find = createRouter(options.routes);
  const validators = new Map(options.routes.map((one) => [one, validatorsOf(one)]));
  const state: AppState = { stopping: false, inFlight: 0, idle: [] };
  return {
    mostBytes: mostBytesOf(options),
    asksOrigin: options.origins.length > 0,
    begin: (head) => {
      const exchange = new Exchange(options, state, head);
      if (!options.isAllowedHost(head.host)) {
        const message = `Host ${JSON.stringify(head.host)} is neither local nor configured`;
        return exchange.refuse(null, plainError(403, 'Host not allowed', message));
      }
      if (head.method === 'OPTIONS' && options.origins.includes(head.origin)) return exchange.preflight();
      // HEAD is GET without the body, which the socket leaves out.
      const found = find(head.method === 'HEAD' ? 'GET' : head.method, head.path);
      if (found === null) return exchange.refuse(null, plainError(404, 'Unknown path', head.path));
      if ('allow' in found) {
        const allow = found.allow.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one])).join(', ');
        return exchange.refuse(
          null,
          plainError(405, 'Method not allowed', `${head.path} takes ${allow}`, { Allow: allow }),
        );
      }
      return exchange.open(found, validators.get(found.route)!);
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

function mostBytesOf({ mostBytes = MOST_BYTES }: AppOptions): number {
  return mostBytes;
}

function validatorsOf({ params, query, body }: Route): Validators {
  return {
    params: createValidator(params, { text: true }),
    query: createValidator(query, { text: true }),
    body: body && createValidator(body),
  };
}

/** An id that a client may choose. */
const isId = /^[\w.:-]{1,64}$/;

/** One request and its response. */
class Exchange implements Pending {
  readonly #options: AppOptions;
  readonly #state: AppState;
  readonly #head: Head;
  readonly #id: string;
  readonly #began: number;
  #match: RouteMatch | undefined;
  #validators: Validators | undefined;
  #signal: (() => AbortSignal) | undefined;
  #received = 0;

  constructor(options: AppOptions, state: AppState, head: Head) {
    this.#options = options;
    this.#state = state;
    this.#head = head;
    this.#began = options.now();
    const { requestId } = head;
    this.#id = requestId !== '' && isId.test(requestId) ? requestId : options.newId();
    state.inFlight++;
  }

  get takesBody(): boolean {
    const { body, method } = this.#match!.route;
    return body !== null || method !== 'GET' || this.#head.contentLength > 0;
  }

  open(found: RouteMatch, validators: Validators): RawResponse | Pending {
    this.#match = found;
    this.#validators = validators;
    return this.#head.contentLength > mostBytesOf(this.#options) ? this.tooLarge() : this;
  }

  /** A response before the body was read; too small to be compressed. */
  refuse(route: Route | null, answer: RawResponse): RawResponse {
    const { status, body } = answer;
    return this.#complete(route, { status, headers: this.#headers(answer), body });
  }

  preflight(): RawResponse {
    const headers = [
      ['Access-Control-Allow-Methods', 'GET, POST, PUT, DELETE'],
      ['Access-Control-Allow-Headers', 'Content-Type, X-License-Key, X-Request-Id'],
      ['Access-Control-Max-Age', '600'],
    ] as const;
    return this.refuse(null, { status: 204, headers, body: '' });
  }

  tooLarge(): RawResponse {
    const route = this.#match?.route ?? null;
    return this.refuse(
      route,
      plainError(413, 'Body too large', `At most ${mostBytesOf(this.#options)} bytes are taken`),
    );
  }

  abandon(): void {
    this.#complete(this.#match?.route ?? null, { status: CLIENT_GONE, headers: [], body: '' });
  }

  run(bytes: Uint8Array | null, signal: () => AbortSignal): RawResponse | Promise<RawResponse> {
    this.#signal = signal;
    this.#received = bytes?.length ?? 0;
    try {
      return this.#authorize(bytes);
    } catch (error) {
      return this.#respondToError(error);
    }
  }

  /** The license key may come in a body also for routes that take none. */
  #authorize(bytes: Uint8Array | null): RawResponse | Promise<RawResponse> {
    const { route } = this.#match!;
    const body = route.body || route.access === 'licensed' ? parseBody(bytes) : {};
    if (route.access === 'open') return this.#handle(body);
    if (this.#state.stopping) {
      return this.#finish(
        route,
        plainError(503, 'Service is stopping', 'The service takes no more requests'),
      );
    }
    const inBody = typeof body === 'string' ? '' : body['license_key'];
    const key = typeof inBody === 'string' && inBody !== '' ? inBody : this.#head.licenseKey;
    const decision = this.#options.license(key === '' ? undefined : key);
    if (!(decision instanceof Promise)) return this.#authorized(decision, body);
    return decision.then((one) => this.#authorized(one, body)).catch((error) => this.#respondToError(error));
  }

  #authorized(decision: AccessDecision, body: Body | string): RawResponse | Promise<RawResponse> {
    if (!decision.ok) return this.#finish(this.#match!.route, jsonResponse(decision.status, decision.body));
    return this.#handle(body);
  }

  #handle(body: Body | string): RawResponse | Promise<RawResponse> {
    const { route, params } = this.#match!;
    const validators = this.#validators!;
    if (typeof body === 'string') return this.#reject(badRequest('Invalid body', body));
    const query = queryOf(this.#head.query);
    const wrong =
      validators.params(params) ??
      validators.query(query) ??
      licenseKeyErrors(body) ??
      validators.body?.(body);
    if (wrong) return this.#reject(invalidFields(wrong));
    const input = new RequestInput(params, query, body, this.#id, this.#signal!);
    const answer = route.handle(input, this.#options.service);
    if (!(answer instanceof Promise)) return this.#respond(answer);
    return answer.then((one) => this.#respond(one)).catch((error) => this.#respondToError(error));
  }

  /** A route with a form of errors of its own uses it for invalid requests as well. */
  #reject(error: EngineError): RawResponse | Promise<RawResponse> {
    const { route } = this.#match!;
    return route.onError ? this.#respondToError(error) : this.#finish(route, errorResponse(error, this.#id));
  }

  #respond(answer: {
    status: number;
    body: unknown;
    headers?: Readonly<Record<string, string>>;
  }): RawResponse | Promise<RawResponse> {
    const { route } = this.#match!;
    if (route.text === undefined)
      return this.#finish(route, jsonResponse(answer.status, answer.body, answer.headers));
    const headers = [['Content-Type', route.text] as const, ...Object.entries(answer.headers ?? {})];
    return this.#finish(route, { status: answer.status, headers, body: String(answer.body) });
  }

  async #respondToError(error: unknown): Promise<RawResponse> {
    const { route } = this.#match!;
    const { log, service } = this.#options;
    try {
      const declared = await route.onError?.(error, service);
      if (declared) return await this.#respond(declared);
    } catch (second) {
      return this.#respondInternal(route, second);
    }
    if (isInternal(error)) return this.#respondInternal(route, error);
    // The client has gone and nobody reads this, or the service is ending.
    if (engineErrors.CANCELLED.is(error)) {
      const status = this.#signal!().aborted ? CLIENT_GONE : 503;
      return this.#finish(route, plainError(status, 'Request ended early', 'The work was cancelled'));
    }
    const answer = errorResponse(error, this.#id);
    const about = { route: route.path, request_id: this.#id };
    // Busy, loading or not available: expected, so no stack in the log.
    if (answer.status === 503) log.info('request refused', { ...about, reason: toFields(error).message });
    else if (answer.status >= 500) log.warn('request failed', { ...about, error });
    return this.#finish(route, answer);
  }

  #respondInternal(route: Route, error: unknown): RawResponse | Promise<RawResponse> {
    this.#options.log.error('internal error', { route: route.path, request_id: this.#id, error });
    return this.#finish(route, errorResponse(error, this.#id));
  }

  #finish(route: Route, answer: RawResponse): RawResponse | Promise<RawResponse> {
    const { status, body: whole } = answer;
    const headers = this.#headers(answer);
    const encoding = encodingFor(this.#head.acceptEncoding, whole.length);
    if (encoding === undefined) return this.#complete(route, { status, headers, body: whole });
    const plain = typeof whole === 'string' ? Buffer.from(whole) : whole;
    const compressed = (body: Uint8Array): RawResponse => {
      headers.push(['Content-Encoding', encoding], ['Vary', 'Accept-Encoding']);
      return this.#complete(route, { status, headers, body });
    };
    // An internal error is too small to be compressed, so this does not repeat.
    return compress(plain, encoding).then(compressed, (error) => this.#respondInternal(route, error));
  }

  #headers(answer: RawResponse): (readonly [string, string])[] {
    const headers: (readonly [string, string])[] = [['X-Request-Id', this.#id]];
    for (const header of answer.headers) headers.push(header);
    const { origin } = this.#head;
    if (origin !== '' && this.#options.origins.includes(origin)) {
      headers.push(['Access-Control-Allow-Origin', origin], ['Vary', 'Origin']);
    }
    return headers;
  }

  /** Every response passes here once. */
  #complete(route: Route | null, answer: RawResponse): RawResponse {
    if (--this.#state.inFlight === 0) for (const resolve of this.#state.idle.splice(0)) resolve();
    const { status, body } = answer;
    const seconds = (this.#options.now() - this.#began) / 1000;
    this.#options.observe(route, status, seconds, this.#received, Buffer.byteLength(body));
    const { log } = this.#options;
    if (log.level === 'debug') {
      const { method, path } = this.#head;
      log.debug('request', {
        request_id: this.#id,
        method,
        path,
        status,
        ms: Math.round(seconds * 1e6) / 1e3,
      });
    }
    return answer;
  }
}

/** The signal is created when it is first read: most requests never need one. */
class RequestInput {
  readonly params: Record<string, string>;
  readonly query: Body;
  readonly body: Body;
  readonly id: string;
  readonly #signal: () => AbortSignal;

  constructor(
    params: Record<string, string>,
    query: Body,
    body: Body,
    id: string,
    signal: () => AbortSignal,
  ) {
    this.params = params;
    this.query = query;
    this.body = body;
    this.id = id;
    this.#signal = signal;
  }

  get signal(): AbortSignal {
    return this.#signal();
  }
}

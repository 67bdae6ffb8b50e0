// A request becomes an answer: host, route, license, checks, handler, and an error in its one form. No socket in here,
// so that a test calls a route as the network does.
import { type EngineError, engineErrors, toFields } from '../runtime/errors.ts';
import type { Log } from '../runtime/log.ts';
import type { Verdict } from './license/verdict.ts';
import { type Body, keyComplaint, parseBody, queryOf } from './request/body.ts';
import { compress, encodingFor } from './request/compress.ts';
import { badRequest, failed, failure, invalid, isFault, json, type Outgoing } from './request/response.ts';
import { type Check, checkOf } from './request/validation.ts';
import type { Route } from './route.ts';
import { createRouter, type Found } from './router.ts';
import type { Service } from './service.ts';

/** The start of a request, as text; what is missing is empty. */
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
  /** Bytes that are announced; NaN when nothing is. */
  readonly contentLength: number;
}

export interface AppOptions {
  readonly routes: readonly Route[];
  readonly service: Service;
  /** Whether a key opens the licensed routes. At once when it was asked lately. */
  license(key: string | undefined): Verdict | Promise<Verdict>;
  isAllowedHost(host: string): boolean;
  /** Origins of web pages that may read answers; none by default. */
  readonly origins: readonly string[];
  readonly log: Log;
  /** Told once for every answer. `route` is null when no route was found; `received`, `sent`: bytes of the bodies. */
  observe(route: Route | null, status: number, seconds: number, received: number, sent: number): void;
  newId(): string;
  now(): number;
  /** Bytes of a body; `MOST_BYTES` when left out. */
  readonly mostBytes?: number;
}

/** A request whose route was found: waits for its body. */
export interface Pending {
  readonly takesBody: boolean;
  /** `signal` is asked for by those who wait; made once, aborted when the client has gone. Throws and rejects never. */
  run(body: Uint8Array | null, signal: () => AbortSignal): Outgoing | Promise<Outgoing>;
  /** The client left before its body had come: there is nobody to answer. */
  abandon(): void;
  /** The body is larger than the limit. */
  tooLarge(): Outgoing;
}

export interface App {
  readonly mostBytes: number;
  /** Whether `Head.origin` is looked at. */
  readonly asksOrigin: boolean;
  begin(head: Head): Outgoing | Pending;
  /** From now on every licensed request is answered 503. */
  stopAdmitting(): void;
  /** Requests that were begun and not answered. */
  readonly inFlight: number;
  /** Resolves when every request that was begun is answered. */
  idle(): Promise<void>;
}

/** For log and metrics only: the client left before it was answered. */
const CLIENT_GONE = 499;

/** Inline pictures of faces: 50 MiB of them, a third more in base64, and room for the rest. */
export const MOST_BYTES = 80 * 1024 * 1024;

interface Checks {
  readonly params: Check;
  readonly query: Check;
  readonly body: Check | null;
}

interface AppState {
  stopping: boolean;
  inFlight: number;
  /** Who waits for the last answer. */
  idle: (() => void)[];
}

export function createApp(options: AppOptions): App {
  const find = createRouter(options.routes);
  const checks = new Map(options.routes.map((one) => [one, checksOf(one)]));
  const state: AppState = { stopping: false, inFlight: 0, idle: [] };
  return {
    mostBytes: mostBytesOf(options),
    asksOrigin: options.origins.length > 0,
    begin: (head) => {
      const exchange = new Exchange(options, state, head);
      if (!options.isAllowedHost(head.host)) {
        const message = `Host ${JSON.stringify(head.host)} is neither local nor configured`;
        return exchange.refuse(null, failure(403, 'Host not allowed', message));
      }
      if (head.method === 'OPTIONS' && options.origins.includes(head.origin)) return exchange.preflight();
      // HEAD is GET without the body, which the socket leaves out.
      const found = find(head.method === 'HEAD' ? 'GET' : head.method, head.path);
      if (found === null) return exchange.refuse(null, failure(404, 'Unknown path', head.path));
      if ('allow' in found) {
        const allow = found.allow.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one])).join(', ');
        return exchange.refuse(
          null,
          failure(405, 'Method not allowed', `${head.path} takes ${allow}`, { Allow: allow }),
        );
      }
      return exchange.open(found, checks.get(found.route)!);
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

function checksOf({ params, query, body }: Route): Checks {
  return {
    params: checkOf(params, { text: true }),
    query: checkOf(query, { text: true }),
    body: body && checkOf(body),
  };
}

/** An id that a client may choose. */
const isId = /^[\w.:-]{1,64}$/;

/** One request on its way to its answer. */
class Exchange implements Pending {
  readonly #options: AppOptions;
  readonly #state: AppState;
  readonly #head: Head;
  readonly #id: string;
  readonly #began: number;
  #found: Found | undefined;
  #checks: Checks | undefined;
  #controls: (() => AbortSignal) | undefined;
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
    const { body, method } = this.#found!.route;
    return body !== null || method !== 'GET' || this.#head.contentLength > 0;
  }

  open(found: Found, checks: Checks): Outgoing | Pending {
    this.#found = found;
    this.#checks = checks;
    return this.#head.contentLength > mostBytesOf(this.#options) ? this.tooLarge() : this;
  }

  /** Answered before the body was read. Too small to be compressed. */
  refuse(route: Route | null, answer: Outgoing): Outgoing {
    const { status, body } = answer;
    return this.#observed(route, { status, headers: this.#headers(answer), body });
  }

  preflight(): Outgoing {
    const headers = [
      ['Access-Control-Allow-Methods', 'GET, POST, PUT, DELETE'],
      ['Access-Control-Allow-Headers', 'Content-Type, X-License-Key, X-Request-Id'],
      ['Access-Control-Max-Age', '600'],
    ] as const;
    return this.refuse(null, { status: 204, headers, body: '' });
  }

  tooLarge(): Outgoing {
    const route = this.#found?.route ?? null;
    return this.refuse(
      route,
      failure(413, 'Body too large', `At most ${mostBytesOf(this.#options)} bytes are taken`),
    );
  }

  abandon(): void {
    this.#observed(this.#found?.route ?? null, { status: CLIENT_GONE, headers: [], body: '' });
  }

  run(bytes: Uint8Array | null, signal: () => AbortSignal): Outgoing | Promise<Outgoing> {
    this.#controls = signal;
    this.#received = bytes?.length ?? 0;
    try {
      return this.#admitted(bytes);
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** A route that takes no body may still be sent the key in one. */
  #admitted(bytes: Uint8Array | null): Outgoing | Promise<Outgoing> {
    const { route } = this.#found!;
    const body = route.body || route.access === 'licensed' ? parseBody(bytes) : {};
    if (route.access === 'open') return this.#checked(body);
    if (this.#state.stopping) {
      return this.#end(route, failure(503, 'Service is stopping', 'The service takes no more requests'));
    }
    const inBody = typeof body === 'string' ? '' : body['license_key'];
    const key = typeof inBody === 'string' && inBody !== '' ? inBody : this.#head.licenseKey;
    const verdict = this.#options.license(key === '' ? undefined : key);
    if (!(verdict instanceof Promise)) return this.#judged(verdict, body);
    return verdict.then((one) => this.#judged(one, body)).catch((error) => this.#failed(error));
  }

  #judged(verdict: Verdict, body: Body | string): Outgoing | Promise<Outgoing> {
    if (!verdict.ok) return this.#end(this.#found!.route, json(verdict.status, verdict.body));
    return this.#checked(body);
  }

  #checked(body: Body | string): Outgoing | Promise<Outgoing> {
    const { route, params } = this.#found!;
    const checks = this.#checks!;
    if (typeof body === 'string') return this.#refused(badRequest('Invalid body', body));
    const query = queryOf(this.#head.query);
    const wrong = checks.params(params) ?? checks.query(query) ?? keyComplaint(body) ?? checks.body?.(body);
    if (wrong) return this.#refused(invalid(wrong));
    const input = new RequestInput(params, query, body, this.#id, this.#controls!);
    const answer = route.handle(input, this.#options.service);
    if (!(answer instanceof Promise)) return this.#answered(answer);
    return answer.then((one) => this.#answered(one)).catch((error) => this.#failed(error));
  }

  /** A route that has its own form of errors has it for these as well. */
  #refused(error: EngineError): Outgoing | Promise<Outgoing> {
    const { route } = this.#found!;
    return route.onError ? this.#failed(error) : this.#end(route, failed(error, this.#id));
  }

  #answered(answer: {
    status: number;
    body: unknown;
    headers?: Readonly<Record<string, string>>;
  }): Outgoing | Promise<Outgoing> {
    const { route } = this.#found!;
    if (route.text === undefined) return this.#end(route, json(answer.status, answer.body, answer.headers));
    const headers = [['Content-Type', route.text] as const, ...Object.entries(answer.headers ?? {})];
    return this.#end(route, { status: answer.status, headers, body: String(answer.body) });
  }

  async #failed(error: unknown): Promise<Outgoing> {
    const { route } = this.#found!;
    const { log, service } = this.#options;
    try {
      const declared = await route.onError?.(error, service);
      if (declared) return await this.#answered(declared);
    } catch (second) {
      return this.#fault(route, second);
    }
    if (isFault(error)) return this.#fault(route, error);
    // The client has gone and nobody reads this, or the service is ending.
    if (engineErrors.CANCELLED.is(error)) {
      const status = this.#controls!().aborted ? CLIENT_GONE : 503;
      return this.#end(route, failure(status, 'Request ended early', 'The work was cancelled'));
    }
    const answer = failed(error, this.#id);
    const about = { route: route.path, request_id: this.#id };
    // Busy, loading, not available: the client is told, and a stack would say nothing more.
    if (answer.status === 503) log.info('request refused', { ...about, reason: toFields(error).message });
    else if (answer.status >= 500) log.warn('request failed', { ...about, error });
    return this.#end(route, answer);
  }

  #fault(route: Route, error: unknown): Outgoing | Promise<Outgoing> {
    this.#options.log.error('request met a fault', { route: route.path, request_id: this.#id, error });
    return this.#end(route, failed(error, this.#id));
  }

  #end(route: Route, answer: Outgoing): Outgoing | Promise<Outgoing> {
    const { status, body: whole } = answer;
    const headers = this.#headers(answer);
    const encoding = encodingFor(this.#head.acceptEncoding, whole.length);
    if (encoding === undefined) return this.#observed(route, { status, headers, body: whole });
    const plain = typeof whole === 'string' ? Buffer.from(whole) : whole;
    const compressed = (body: Uint8Array): Outgoing => {
      headers.push(['Content-Encoding', encoding], ['Vary', 'Accept-Encoding']);
      return this.#observed(route, { status, headers, body });
    };
    // An answer about a fault is too small to be compressed, so this ends here.
    return compress(plain, encoding).then(compressed, (error) => this.#fault(route, error));
  }

  #headers(answer: Outgoing): (readonly [string, string])[] {
    const headers: (readonly [string, string])[] = [['X-Request-Id', this.#id]];
    for (const header of answer.headers) headers.push(header);
    const { origin } = this.#head;
    if (origin !== '' && this.#options.origins.includes(origin)) {
      headers.push(['Access-Control-Allow-Origin', origin], ['Vary', 'Origin']);
    }
    return headers;
  }

  /** Every answer leaves here, once. */
  #observed(route: Route | null, answer: Outgoing): Outgoing {
    if (--this.#state.inFlight === 0) for (const told of this.#state.idle.splice(0)) told();
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

/** The signal is made when it is asked for: most requests are answered before anything could be aborted. */
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

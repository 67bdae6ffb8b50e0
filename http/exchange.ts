// One request and its response: body, license, validators, handler, and an error in its one form.
import { tellAway } from '../actors/index/roots/contract.ts';
import { type EngineError, engineErrors, toFields } from '../runtime/errors.ts';
import type { Log } from '../runtime/log.ts';
import type { OriginRule } from '../runtime/origin.ts';
import type { AccessDecision } from './license/decision.ts';
import { BodyRefusal, licenseKeyErrors, queryOf, RequestInput } from './request/body.ts';
import { type Conditions, contentAnswer } from './request/content.ts';
import type { FramingProblem } from './request/head.ts';
import {
  type BodyBudget,
  type BodyForm,
  type BodyParser,
  Intake,
  type ParsedBody,
} from './request/intake.ts';
import {
  askAgain,
  badRequest,
  compress,
  compressOnce,
  encodingFor,
  errorResponse,
  invalidBody,
  invalidFields,
  isInternal,
  isLive,
  isStream,
  jsonResponse,
  plainError,
  type RawResponse,
} from './request/response.ts';
import type { Validators } from './request/validation.ts';
import type { Content, Route } from './route.ts';
import { nowhere, type RouteMatch, unknownPath } from './router.ts';
import type { Service } from './service.ts';

/** Request line and headers as text; what is missing is empty. */
export interface RequestHead {
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
  /** Why it is not clear where the body ends, or that the head is too long. */
  readonly misframed: FramingProblem | null;
  /** A header by its name in small letters; empty without it. To be called while `begin` runs. */
  header(name: string): string;
  /** Range and conditions, read only for routes that know them. To be called while `begin` runs. */
  conditions(): Conditions;
}

export interface AppOptions {
  readonly routes: readonly Route[];
  readonly service: Service;
  /** Decides whether a key opens the licensed routes. Synchronous when the decision is cached. */
  license(key: string | undefined): AccessDecision | Promise<AccessDecision>;
  isAllowedHost(host: string): boolean;
  /** Origins of web pages of other sites that may send requests and read answers; none by default. */
  readonly origins: readonly string[];
  readonly bodies: BodyParser;
  readonly log: Log;
  /**
   * Called once for every response. `route` is null when no route was found; `received`, `sent`: bytes of the
   * bodies.
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
  /**
   * `body`: its chunks; those of a large body are *moved* away, others *borrowed* until this returns.
   * `signal` creates the signal at its first call; it is aborted when the client has gone. Never throws or
   * rejects.
   */
  run(body: readonly Uint8Array[] | null, signal: () => AbortSignal): RawResponse | Promise<RawResponse>;
  /** The client disconnected before its body was complete. */
  abandon(): void;
  /**
   * Called with each part of a body before it is kept; an answer when it may not be, and nothing more is read
   * then.
   */
  receive(bytes: number, isLast: boolean): RawResponse | null;
}

/** Seen in logs and metrics only: the client closed the connection before the response. */
const CLIENT_GONE = 499;

export interface AppState {
  stopping: boolean;
  inFlight: number;
  /** Called when nothing is in flight any more. */
  idle: (() => void)[];
  readonly bodies: BodyBudget;
  readonly origins: OriginRule;
  readonly mostBytes: number;
}

/** An id that a client may choose. */
const isId = /^[\w.:-]{1,64}$/;

/** One request and its response. */
export class Exchange implements Pending {
  readonly #options: AppOptions;
  readonly #state: AppState;
  readonly #head: RequestHead;
  readonly #id: string;
  readonly #began: number;
  #match: RouteMatch | undefined;
  #validators: Validators | undefined;
  #signal: (() => AbortSignal) | undefined;
  readonly #intake: Intake;
  /** Headers that the route reads. */
  #named: Readonly<Record<string, string>> = noHeaders;
  /** In a route of bytes. */
  #conditions: Conditions | undefined;

  constructor(options: AppOptions, state: AppState, head: RequestHead) {
    this.#options = options;
    this.#state = state;
    this.#head = head;
    this.#began = options.now();
    const { requestId, licenseKey } = head;
    const license = () => (licenseKey === '' ? null : options.license(licenseKey));
    this.#intake = new Intake({ budget: state.bodies, mostBytes: state.mostBytes, license });
    this.#id = requestId !== '' && isId.test(requestId) ? requestId : options.newId();
    state.inFlight++;
  }

  get takesBody(): boolean {
    const { body, method } = this.#match!.route;
    return body !== null || method !== 'GET' || this.#head.contentLength > 0;
  }

  open(match: RouteMatch, validators: Validators): RawResponse | Pending {
    this.#match = match;
    this.#validators = validators;
    const { headers, mostBytes } = match.route;
    if (isOfBytes(match.route)) this.#conditions = this.#head.conditions();
    if (headers) this.#named = Object.fromEntries(headers.map((name) => [name, this.#head.header(name)]));
    if (mostBytes !== undefined) this.#intake.limit(mostBytes);
    const isTooLarge = this.#head.contentLength > this.#intake.mostBytes;
    return isTooLarge ? this.refuse(match.route, this.#intake.tooLarge()) : this;
  }

  /** A response before the body was read; too small to be compressed. */
  refuse(route: Route | null, answer: RawResponse): RawResponse {
    return this.#complete(route, { ...answer, headers: this.#headers(answer) });
  }

  receive(bytes: number, isLast: boolean): RawResponse | null {
    const refused = this.#intake.receive(bytes, isLast);
    return refused && this.refuse(this.#match!.route, refused);
  }

  abandon(): void {
    this.#complete(this.#match?.route ?? null, { status: CLIENT_GONE, headers: [], body: '' });
  }

  run(chunks: readonly Uint8Array[] | null, signal: () => AbortSignal): RawResponse | Promise<RawResponse> {
    const { route } = this.#match!;
    this.#signal = signal;
    // The license key may come in a body also for routes that take none.
    const isRead = chunks !== null && (route.body !== null || route.access === 'licensed');
    try {
      const body = isRead ? this.#options.bodies.parse(chunks, signal, this.#bodyForm()) : this.#noBody();
      if (!(body instanceof Promise)) return this.#authorize(body);
      return body.then((value) => this.#authorize(value)).catch((error) => this.#respondToError(error));
    } catch (error) {
      return this.#respondToError(error);
    }
  }

  #bodyForm(): BodyForm {
    return { schema: this.#match!.route.body, validate: this.#validators!.body };
  }

  #noBody(): ParsedBody {
    const { validate } = this.#bodyForm();
    const body = {};
    return { body, validate: () => validate?.(body) ?? null };
  }

  #authorize(body: ParsedBody | BodyRefusal): RawResponse | Promise<RawResponse> {
    const { route } = this.#match!;
    if (route.access === 'open') return this.#handle(body);
    if (this.#state.stopping) {
      return this.#finish(
        route,
        plainError(503, 'Service is stopping', 'The service no longer accepts requests', askAgain),
      );
    }
    const key = this.#credential(body);
    const decision = this.#options.license(key === '' ? undefined : key);
    if (!(decision instanceof Promise)) return this.#authorized(decision, body);
    return decision
      .then((verdict) => this.#authorized(verdict, body))
      .catch((error) => this.#respondToError(error));
  }

  /** A key in the body counts before the one in the header. */
  #credential(parsed: ParsedBody | BodyRefusal): string {
    const inBody = parsed instanceof BodyRefusal ? '' : parsed.body['license_key'];
    return typeof inBody === 'string' && inBody !== '' ? inBody : this.#head.licenseKey;
  }

  #authorized(decision: AccessDecision, body: ParsedBody | BodyRefusal): RawResponse | Promise<RawResponse> {
    const { route } = this.#match!;
    if (!decision.ok) return this.#finish(route, jsonResponse(decision.status, decision.body));
    if (route === nowhere) return this.#finish(route, unknownPath(this.#head.path));
    return this.#handle(body);
  }

  #refuse({ status, refused }: BodyRefusal): RawResponse | Promise<RawResponse> {
    if (status === 400) return this.#reject(badRequest(invalidBody, refused));
    return this.#finish(this.#match!.route, plainError(status, 'Body too large', refused));
  }

  #handle(parsed: ParsedBody | BodyRefusal): RawResponse | Promise<RawResponse> {
    const { route, params } = this.#match!;
    const validators = this.#validators!;
    this.#intake.trust();
    if (parsed instanceof BodyRefusal) return this.#refuse(parsed);
    const { body, validate } = parsed;
    const query = queryOf(this.#head.query);
    const credential = this.#credential(parsed);
    const wrong =
      validators.params(params) ?? validators.query(query) ?? licenseKeyErrors(body) ?? validate();
    if (wrong) return this.#reject(invalidFields(wrong));
    const input = new RequestInput(params, query, body, this.#id, credential, this.#named, this.#signal!);
    const { service } = this.#options;
    const spelled = validators.spell(query, body);
    const answer = spelled ? spelled.then(() => route.handle(input, service)) : route.handle(input, service);
    if (!(answer instanceof Promise)) return this.#respond(answer);
    return answer.then((result) => this.#respond(result)).catch((error) => this.#respondToError(error));
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
    if (isOfBytes(route) && answer.status === 200) {
      const content = answer.body as Content;
      return this.#send(route, content, answer.headers ?? {}).catch((error) => this.#respondToError(error));
    }
    if (route.form && 'live' in route.form && isLive(answer.body)) {
      const headers = [['Content-Type', route.form.live] as const, ...Object.entries(answer.headers ?? {})];
      return this.#finish(route, { status: answer.status, headers, body: answer.body });
    }
    if (!route.form || !('text' in route.form))
      return this.#finish(route, jsonResponse(answer.status, answer.body, answer.headers, route.base64));
    const headers = [['Content-Type', route.form.text] as const, ...Object.entries(answer.headers ?? {})];
    return this.#finish(route, { status: answer.status, headers, body: String(answer.body) });
  }

  async #send(
    route: Route,
    content: Content,
    headers: Readonly<Record<string, string>>,
  ): Promise<RawResponse> {
    const request = { method: this.#head.method, conditions: this.#conditions! };
    let status = 200;
    const answer = await contentAnswer(content, request, headers, (sent, error) => {
      if (error !== undefined)
        this.#options.log.warn('sending ended early', {
          route: route.path,
          request_id: this.#id,
          sent,
          error,
        });
      this.#observe(route, status, sent);
    });
    status = answer.status;
    return this.#finish(route, answer);
  }

  async #respondToError(failure: unknown): Promise<RawResponse> {
    const { route } = this.#match!;
    const { log, service } = this.#options;
    const error = await tellAway(service.roots, failure).catch((second: unknown) => second);
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
      return this.#finish(
        route,
        plainError(status, 'Request ended early', 'The request was cancelled', askAgain),
      );
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
    // Films and pictures are compressed already, and a part is one of the bytes as they are.
    if (isStream(whole) || isLive(whole)) return this.#complete(route, { status, headers, body: whole });
    const encoding = encodingFor(this.#head.acceptEncoding, whole.length);
    if (encoding === undefined) return this.#complete(route, { status, headers, body: whole });
    const plain = typeof whole === 'string' ? Buffer.from(whole) : whole;
    const compressed = (body: Uint8Array): RawResponse => {
      headers.push(['Content-Encoding', encoding]);
      if (!headers.some(([name, value]) => name === 'Vary' && value === 'Accept-Encoding'))
        headers.push(['Vary', 'Accept-Encoding']);
      return this.#complete(route, { status, headers, body });
    };
    // An internal error is too small to be compressed, so this does not repeat.
    const bytes = answer.stays ? compressOnce(plain, encoding) : compress(plain, encoding);
    return bytes.then(compressed, (error) => this.#respondInternal(route, error));
  }

  #headers(answer: RawResponse): (readonly [string, string])[] {
    const headers: (readonly [string, string])[] = [['X-Request-Id', this.#id]];
    for (const header of answer.headers) headers.push(header);
    const { origin } = this.#head;
    if (origin !== '' && this.#state.origins.mayRead(origin)) {
      headers.push(['Access-Control-Allow-Origin', origin], ['Vary', 'Origin']);
    }
    return headers;
  }

  /** Every response passes here once. */
  #complete(route: Route | null, answer: RawResponse): RawResponse {
    this.#intake.release();
    if (--this.#state.inFlight === 0) for (const resolve of this.#state.idle.splice(0)) resolve();
    const { status, body } = answer;
    // A stream is observed when it has ended, live text when it begins.
    if (isLive(body)) this.#observe(route, status, 0);
    else if (!isStream(body)) this.#observe(route, status, Buffer.byteLength(body));
    return answer;
  }

  #observe(route: Route | null, status: number, sent: number): void {
    const seconds = (this.#options.now() - this.#began) / 1000;
    this.#options.observe(route === nowhere ? null : route, status, seconds, this.#intake.bytes, sent);
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
  }
}

const noHeaders: Readonly<Record<string, string>> = {};

function isOfBytes({ form }: Route): boolean {
  return form !== undefined && 'bytes' in form;
}

// A client of the service whose methods are the routes: `client.searchText({ query, cache_dir })`. What a
// method takes and answers is typed by the route itself; at run time only a table of addresses is loaded,
// none of the server. Other programs import it as `framehound/client`, compiled, on Node 20 or newer.

import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { addresses, type Operations } from './addresses.ts';
import { ApiError, clientErrors } from './error.ts';
import type { Methods, Progress } from './methods.ts';
import { type Address, type Input, parseAddress, requestOf } from './request.ts';

// `fetch` without a limit on how long a service may work before it answers. That of Node gives up after five
// minutes, and cutting a clip of a long film takes longer. It follows no redirects, which this service does
// not send.

/**
 * Ms of silence after which the system asks whether the other side is still there: one that is gone ends the
 * call.
 */
const keepAlive = 30_000;

/** Imported statically, these modules would load all of `fetch`, even if nothing is sent. */
const load = createRequire(import.meta.url) as (name: string) => typeof import('node:http');

type PatientFetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly signal?: AbortSignal;
  },
) => Promise<Response>;

/**
 * Rejects as `fetch` does: with the reason of the signal, or a TypeError that has the error of the network as
 * its cause.
 */
export const patientFetch: PatientFetch = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause: error }));
    };
    try {
      const { request } = load(url.startsWith('https:') ? 'node:https' : 'node:http');
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
      // A connection of its own: one that was kept may be closed by the service just as it is used again.
      const options = { method, headers: { ...headers, ...length }, agent: false, ...(signal && { signal }) };
      const sent = request(url, options, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', fail);
        answer.on('end', () => {
          const { statusCode: status = 0, headersDistinct } = answer;
          const all = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
            values.map((value): [string, string] => [name, value]),
          );
          try {
            resolve(new Response(isEmpty(status) ? null : Buffer.concat(parts), { status, headers: all }));
          } catch (error) {
            fail(error); // A status that no service sends.
          }
        });
      });
      sent.setSocketKeepAlive(true, keepAlive);
      sent.on('error', fail);
      sent.end(body);
    } catch (error) {
      fail(error);
    }
  });

/** Answers that `Response` allows no body. */
const isEmpty = (status: number) => [204, 205, 304].includes(status);

/** Operations that answer when all is done, which takes longer than the five minutes that `fetch` waits. */
const long: ReadonlySet<string> = new Set<keyof Operations>(['exportClips']);

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** How often to ask again after a 409 or 503 that says when; 0 unless said otherwise. */
  readonly retries?: number;
}

/**
 * Every method throws ApiError when the service says no, NO_SERVICE when none answers, and what `signal` was
 * aborted with.
 */
export type Client = Methods<CallOptions> & {
  readonly url: string;
  /**
   * The events of a task until it has ended; the last one says `done`. Reconnects when the connection is
   * lost, for as long as it takes: `signal` ends it. Throws ApiError for a task that is not there.
   */
  follow(task_id: string, options?: { readonly signal?: AbortSignal }): AsyncGenerator<Progress, void, void>;
};

export interface ClientOptions {
  /** Address of the service, with or without `/api/v1`: `http://localhost:6699`. */
  readonly url: string;
  /** License key; left out, only the open routes answer. */
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch;
  /** Waits between two tries, seconds. */
  readonly wait?: (seconds: number, signal?: AbortSignal) => Promise<unknown>;
}

interface Connection {
  readonly url: string;
  readonly key: string | undefined;
  readonly fetch: typeof fetch;
  wait(seconds: number, signal?: AbortSignal): Promise<unknown>;
}

/** Holds no connection: there is nothing to close. */
export function createClient(options: ClientOptions): Client {
  const connection: Connection = {
    url: rootOf(options.url),
    key: options.key,
    fetch: options.fetch ?? fetch,
    wait:
      options.wait ??
      ((seconds, signal) => setTimeout(seconds * 1000, undefined, { ...(signal && { signal }) })),
  };
  const methods = Object.entries(addresses).map(([id, address]) => {
    const operation = parseAddress(address);
    const patient = options.fetch === undefined && long.has(id);
    const callConnection = patient ? { ...connection, fetch: patientFetch as typeof fetch } : connection;
    const method = (input: Input = {}, { signal, retries = 0 }: CallOptions = {}) =>
      call(callConnection, operation, input, signal, retries);
    return [id, method] as const;
  });
  const { url } = connection;
  const client = Object.fromEntries(methods) as unknown as Client;
  return Object.assign(client, {
    url,
    follow: async function* (task_id: string, { signal }: { readonly signal?: AbortSignal } = {}) {
      // A room can be joined before its task exists: without this check a wrong id would wait for ever.
      await client.getTask({ task_id, limit: 1 }, { signal });
      // Few programs follow a task, and Socket.IO takes longer to load than all of this.
      const { follow } = await import('./follow.ts');
      yield* follow(url, task_id, signal);
    },
  });
}

function rootOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

async function call(
  connection: Connection,
  address: Address,
  input: Input,
  signal: AbortSignal | undefined,
  retries: number,
): Promise<unknown> {
  for (let tries = 0; ; tries++) {
    try {
      return await once(connection, address, input, signal);
    } catch (error) {
      const isRetryable = error instanceof ApiError && error.retryable && error.retryAfter !== null;
      if (!isRetryable || tries >= retries) throw error;
      await connection.wait(error.retryAfter, signal);
    }
  }
}

async function once(
  { url, key, fetch }: Connection,
  address: Address,
  input: Input,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { path, body } = requestOf(address, input);
  const headers = {
    ...(key !== undefined && { 'X-License-Key': key }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const init = {
    method: address.method,
    headers,
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
    // The key is for the address that was given.
    redirect: 'manual' as const,
  };
  try {
    const response = await fetch(url + path, init);
    if (isRedirect(response)) throw redirected(url, response);
    return await answerOf(response, await response.text());
  } catch (error) {
    const isAnswered = error instanceof ApiError || clientErrors.ODD_ANSWER.is(error);
    if (isAnswered || clientErrors.REDIRECTED.is(error)) throw error;
    if (signal?.aborted) throw signal.reason;
    throw clientErrors.NO_SERVICE(`no service is running at ${url} (${reasonOf(error)})`, { url }, error);
  }
}

/** A browser does not say which status it was. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

function redirected(url: string, { headers }: Response): Error {
  const location = headers.get('Location') ?? '';
  const to = URL.canParse(location, url) ? new URL(location, url).origin : 'another address';
  return clientErrors.REDIRECTED(
    `${url} redirects to ${to}, and redirects are not followed: give the address of the service itself`,
    { url },
  );
}

async function answerOf(response: Response, text: string): Promise<unknown> {
  const type = response.headers.get('Content-Type') ?? '';
  const body = type.startsWith('application/json') ? parsed(response, text) : text;
  if (response.ok && type.startsWith('text/html'))
    throw clientErrors.ODD_ANSWER(
      `${response.url} returned a web page: another program is running at this address`,
    );
  if (response.ok) return body;
  throw new ApiError(response, body);
}

function parsed(response: Response, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw clientErrors.ODD_ANSWER(
      `${response.url} returned status ${response.status} with invalid JSON`,
      {},
      error,
    );
  }
}

/** The cause of a network error: `fetch` puts it into `cause`. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? cause?.message ?? message ?? String(error);
}

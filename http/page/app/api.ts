// The operations of the service: `api.searchText({ query, cache_dir }, { signal })`, typed by the routes
// themselves. A session that is not known leads back to signing in, one that is refused for now is told, a
// service that does not answer is watched for; all are also thrown.

import { useEffect, useState } from 'preact/hooks';
import { addresses, type Operations } from '../../client/addresses.ts';
import { type InputOf, type OutputOf, parseAddress, requestOf } from '../../client/request.ts';
import { get, type Session, subscribe, update, useStore } from './store.ts';
import { failureText } from './words/errors.ts';

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

type Method<I, O> =
  Record<never, never> extends I
    ? (input?: I, options?: CallOptions) => Promise<O>
    : (input: I, options?: CallOptions) => Promise<O>;

export type Api = {
  readonly [K in keyof Operations]: Method<InputOf<Operations[K]>, OutputOf<Operations[K]>>;
};

/** Error answer of the service. `status` 0: it did not answer. */
export class ServiceError extends Error {
  readonly status: number;
  /** The short phrase; `message` has the details. */
  readonly phrase: string;
  /** Seconds after which asking again makes sense; null where it makes none. */
  readonly retryAfter: number | null;
  readonly body: unknown;
  /**
   * Whatever is asked for, the key is refused, maybe for a while. Signing in again with the same one changes
   * nothing.
   */
  readonly isOfLicense: boolean;

  constructor(status: number, body: unknown, retryAfter: number | null) {
    const fields = (body ?? {}) as { error?: unknown; message?: unknown; policy_error?: unknown };
    const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
    const phrase = text(fields.error) ?? text(fields.policy_error) ?? `Status ${status}`;
    super(text(fields.message) ?? phrase);
    this.name = 'ServiceError';
    this.status = status;
    this.phrase = phrase;
    this.retryAfter = retryAfter;
    this.body = body;
    this.isOfLicense =
      status === 403 && (text(fields.policy_error) !== null || fields.error === 'Pro license required');
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

export function messageOf(error: unknown): string {
  if (error instanceof ServiceError) return failureText(error.message, error.phrase);
  return error instanceof Error ? error.message : String(error);
}

/** An operation by its address, `POST /api/v1/search/text`; `token`: another than that of the session. */
export async function call<T>(
  address: string,
  input: Readonly<Record<string, unknown>> = {},
  { signal, token }: CallOptions & { readonly token?: string } = {},
  read: (response: Response) => Promise<T> = answerOf,
): Promise<T> {
  const operation = parseAddress(address);
  const { path, body } = requestOf(operation, input);
  const session = get().session;
  const key = token ?? session?.token;
  const response = await fetch(path, {
    method: operation.method,
    headers: {
      ...(key !== undefined && { 'X-License-Key': key }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
    cache: 'no-store',
  }).catch((error: unknown) => {
    if (isAbort(error) || signal?.aborted) throw error;
    update({ service: 'away' });
    throw new ServiceError(0, { error: 'No answer', message: messageOf(error) }, 1);
  });
  const error = response.ok ? null : await errorOf(response);
  if (token === undefined) hear(session, error);
  if (error) throw error;
  return read(response);
}

async function errorOf(response: Response): Promise<ServiceError> {
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return new ServiceError(
    response.status,
    await answerOf(response),
    Number.isFinite(seconds) ? seconds : null,
  );
}

/** Updates the session by an answer; answers to a session that was replaced meanwhile are ignored. */
function hear(session: Session | null, error: ServiceError | null): void {
  const { session: now, refusal, returns } = get();
  if (session === null || session !== now) return;
  if (error?.status === 401) update({ session: null, signInReason: 'ended', refusal: null });
  else if (error?.isOfLicense) update({ refusal: error.message });
  else if (error === null && refusal !== null) update({ refusal: null, returns: returns + 1 });
}

async function answerOf(response: Response) {
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
  return isJson ? response.json() : response.text();
}

export const api = Object.fromEntries(
  Object.entries(addresses).map(([name, address]) => [
    name,
    (input: Readonly<Record<string, unknown>> = {}, options: CallOptions = {}) =>
      call(address, input, options),
  ]),
) as unknown as Api;

/** An answer as it comes, for the worker to read. */
export function answerBytes<K extends keyof Operations>(
  name: K,
  input: InputOf<Operations[K]>,
  options: CallOptions,
): Promise<ArrayBuffer> {
  return call(addresses[name], input, options, (response) => response.arrayBuffer());
}

// A question to the service as a component sees it: loading, ready or failed; asked anew when what it depends
// on changes and when the service has come back, and given up when it is not needed any more.

export interface RequestState<T> {
  readonly state: 'loading' | 'ready' | 'failed';
  /** The latest answer, kept while it is asked again. */
  readonly value: T | null;
  readonly error: unknown;
  again(): void;
}

/** `question` null: nothing is asked. */
export function useAsk<T>(
  question: ((signal: AbortSignal) => Promise<T>) | null,
  dependencies: readonly unknown[],
): RequestState<T> {
  const [round, setRound] = useState(0);
  const [answer, setAnswer] = useState<Omit<RequestState<T>, 'again'>>({
    state: 'loading',
    value: null,
    error: null,
  });
  const returns = useStore((state) => state.returns);
  useEffect(() => {
    if (question === null) return;
    const aborter = new AbortController();
    setAnswer(({ value }) => ({ state: 'loading', value, error: null }));
    question(aborter.signal).then(
      (value) => {
        if (!aborter.signal.aborted) setAnswer({ state: 'ready', value, error: null });
      },
      (error: unknown) => {
        if (aborter.signal.aborted || isAbort(error)) return;
        // It is asked again when the service is back.
        const state = error instanceof ServiceError && error.status === 0 ? 'loading' : 'failed';
        setAnswer(({ value }) => ({ state, value, error }));
      },
    );
    return () => aborter.abort();
  }, [...dependencies, round, returns]);
  return { ...answer, again: () => setRound((before) => before + 1) };
}

// Watches whether the service answers. If it does not, it is polled until it does, and pending requests
// continue.

const FIRST_MS = 500;
const LONGEST_MS = 5000;

export function watchService(): void {
  let isAsking = false;
  subscribe(() => {
    if (get().service === 'up' || isAsking) return;
    isAsking = true;
    ask(FIRST_MS).finally(() => {
      isAsking = false;
    });
  });
  addEventListener('online', () => update({}));
}

/** Also where a request failed that was not one of `api`. */
export async function lookForService(): Promise<void> {
  await fetch('/livez', { cache: 'no-store' }).catch(() => update({ service: 'away' }));
}

async function ask(first: number): Promise<void> {
  for (let wait = first; get().service === 'away'; wait = Math.min(LONGEST_MS, wait * 1.6)) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    const answered = await fetch('/livez', { cache: 'no-store' }).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (answered) update(({ returns }) => ({ service: 'up', returns: returns + 1 }));
  }
}

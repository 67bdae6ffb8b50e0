// What a handler is given of a request.
import type { Body } from './body.ts';

/** The signal is created when it is first read: most requests never need one. */
export class RequestInput {
  readonly params: Record<string, string>;
  readonly query: Body;
  readonly body: Body;
  readonly id: string;
  readonly credential: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #signal: () => AbortSignal;

  constructor(
    params: Record<string, string>,
    query: Body,
    body: Body,
    id: string,
    credential: string,
    headers: Readonly<Record<string, string>>,
    signal: () => AbortSignal,
  ) {
    this.params = params;
    this.query = query;
    this.body = body;
    this.id = id;
    this.credential = credential;
    this.headers = headers;
    this.#signal = signal;
  }

  get signal(): AbortSignal {
    return this.#signal();
  }
}

// The events of a service as an iterator, over server-sent events. After a lost connection it connects again
// and asks for what it missed.
import { setTimeout } from 'node:timers/promises';
import { ApiError, clientErrors } from './error.ts';

export interface StreamedEvent {
  readonly event: string;
  readonly data: unknown;
}

export interface StreamOptions {
  /** Address of the service. */
  readonly url: string;
  readonly key: string;
  /** Query of the address: `event`, `task_id`, `search_id`. */
  readonly query: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Between two tries to connect again. */
const RETRY_MS = 2000;

/** Ends with `signal`. Throws ApiError, and NO_SERVICE when the first connection fails. */
export async function* stream(options: StreamOptions): AsyncGenerator<StreamedEvent, void, void> {
  const { signal } = options;
  let lastId = '';
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      const response = await open(options, lastId);
      for await (const { id, ...event } of eventsIn(response)) {
        lastId = id ?? lastId;
        if (event.data !== undefined) yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError) throw error;
      const message = `no events at ${options.url}`;
      if (tries === 0) throw clientErrors.NO_SERVICE(message, { url: options.url }, error);
    }
    await setTimeout(RETRY_MS, undefined, { signal }).catch(() => {});
  }
}

async function open({ url, key, query, signal }: StreamOptions, lastId: string): Promise<Response> {
  const headers = { 'X-License-Key': key, ...(lastId !== '' && { 'Last-Event-ID': lastId }) };
  const address = `${url}/api/v1/events/stream?${new URLSearchParams(query)}`;
  const response = await fetch(address, { headers, signal, redirect: 'manual' });
  if (!response.ok) throw new ApiError(response, await response.json());
  return response;
}

/** An event ends with an empty line. The service writes each field in one line. */
async function* eventsIn(response: Response) {
  let pending = '';
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (pending + part).split('\n\n');
    pending = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => splitField(line)));
      const data = fields.get('data');
      const id = fields.get('id');
      const event = fields.get('event') ?? 'message';
      yield { id, event, data: data === undefined ? undefined : (JSON.parse(data) as unknown) };
    }
  }
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(': ');
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 2)];
}

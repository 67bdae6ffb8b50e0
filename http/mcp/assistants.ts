// Answers of /mcp: messages of assistants, whose tools call this service in process, with the key of the
// message.
import type { LiveText } from '../../runtime/live-text.ts';
import { createClient } from '../client/client.ts';
import { type Assistants, isEventStream } from './contract.ts';
import type { McpEndpoint } from './protocol.ts';

interface AssistantsOptions {
  /** Asks this service. */
  readonly fetch: typeof fetch;
  /** The analysis folder when a message names none. */
  readonly cacheDir: string;
  readonly version: string;
  onError(error: Error): void;
}

/** Nothing of it is sent anywhere. */
const HERE = 'http://localhost';

export function createAssistants({
  fetch,
  cacheDir: defaultCacheDir,
  version,
  onError,
}: AssistantsOptions): Assistants {
  // On first use: a service that no assistant asks does not load the protocol.
  let endpoint: Promise<McpEndpoint> | undefined;
  const load = async () => (await import('./protocol.ts')).createMcpEndpoint(version, onError);
  return {
    answer: async ({ message, headers, credential, cacheDir, signal }) => {
      const request = new Request(`${HERE}/mcp`, {
        method: 'POST',
        headers: { ...sentOf(headers), 'Content-Type': 'application/json' },
        signal,
      });
      const client = createClient({ url: HERE, key: credential, fetch });
      endpoint ??= load();
      const desk = { client, cacheDir: cacheDir ?? defaultCacheDir, url: 'this address' };
      const answer = await (await endpoint).answer(request, message, desk);
      const { status } = answer;
      if (isEventStream(answer)) return { status, body: liveOf(answer.body) };
      const text = await answer.text();
      return { status, body: text === '' ? undefined : (JSON.parse(text) as object) };
    },
  };
}

function sentOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}

/** A stream of events as it is sent. A client that goes away ends it. */
function liveOf(body: ReadableStream<Uint8Array>): LiveText {
  return {
    open: (send, end) => {
      const reader = body.getReader();
      const text = new TextDecoder();
      const forward = async () => {
        for (let part = await reader.read(); !part.done; part = await reader.read())
          send(text.decode(part.value, { stream: true }));
      };
      forward().then(end, end);
      return () => void reader.cancel().catch(() => {});
    },
  };
}

// What /mcp answers: messages of assistants, whose tools ask this service in process, by the key that came
// with the message.
import { createClient } from '../client/client.ts';
import { type Assistants, protocolHeaders } from './contract.ts';
import type { McpEndpoint } from './protocol.ts';

export interface AssistantsOptions {
  /** Asks this service. */
  readonly fetch: typeof fetch;
  /** The analysis folder when a message names none. */
  readonly cacheDir: string;
  readonly version: string;
  onError(error: Error): void;
}

/** Nothing of it is sent anywhere. */
const HERE = 'http://localhost';

/** Whatever a client says of it: every answer is JSON, and no other body is taken. */
const forms = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

export function createAssistants({ fetch, cacheDir: own, version, onError }: AssistantsOptions): Assistants {
  // On first use: a service that no assistant asks does not load the protocol.
  let endpoint: Promise<McpEndpoint> | undefined;
  const load = async () => (await import('./protocol.ts')).createMcpEndpoint(version, onError);
  return {
    answer: async ({ message, headers, credential, cacheDir, signal }) => {
      const known = protocolHeaders.flatMap((name): [string, string][] => {
        const value = headers[name] ?? '';
        return value === '' ? [] : [[name, value]];
      });
      const request = new Request(`${HERE}/mcp`, {
        method: 'POST',
        headers: { ...forms, ...Object.fromEntries(known) },
        signal,
      });
      const client = createClient({ url: HERE, key: credential, fetch });
      endpoint ??= load();
      const desk = { client, cacheDir: cacheDir ?? own, url: 'this address' };
      const answer = await (await endpoint).answer(request, message, desk);
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as object) };
    },
  };
}

// Interface between the route of assistants and their protocol.
import type { LiveText } from '../../runtime/live-text.ts';

/** Headers that answers of the protocol depend on. */
export const protocolHeaders = ['accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

interface AssistantMessage {
  /** One message of JSON-RPC. */
  readonly message: object;
  /** Headers in `protocolHeaders`; missing ones are empty. */
  readonly headers: Readonly<Record<string, string>>;
  /** The license key as sent. */
  readonly credential: string;
  /** Absolute; null for that of the service. */
  readonly cacheDir: string | null;
  readonly signal: AbortSignal;
}

interface AssistantAnswer {
  readonly status: number;
  /** Undefined for none; live for a stream of events that ends with the answer. */
  readonly body: object | LiveText | undefined;
}

export interface Assistants {
  answer(message: AssistantMessage): Promise<AssistantAnswer>;
}

/** Content type of an answer that tells how far a call is. */
export const EVENTS = 'text/event-stream';

export function isEventStream(
  answer: Response,
): answer is Response & { readonly body: ReadableStream<Uint8Array<ArrayBuffer>> } {
  return answer.body !== null && answer.headers.get('content-type') === EVENTS;
}

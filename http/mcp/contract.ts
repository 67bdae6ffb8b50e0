// What the route of assistants hands on, and what it is answered.

/** Headers of the protocol that its answers depend on. */
export const protocolHeaders = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

export interface AssistantMessage {
  /** One message of JSON-RPC. */
  readonly message: object;
  readonly headers: Readonly<Record<string, string>>;
  /** What was sent as the license key. */
  readonly credential: string;
  /** Absolute; null for that of the service. */
  readonly cacheDir: string | null;
  readonly signal: AbortSignal;
}

export interface AssistantAnswer {
  readonly status: number;
  /** Undefined for none. */
  readonly body: object | undefined;
}

export interface Assistants {
  answer(message: AssistantMessage): Promise<AssistantAnswer>;
}

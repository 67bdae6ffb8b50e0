// Who may connect to the event server, and which requests the transports can take.
import { originRule } from '../http/request/origin.ts';

/** A request as the engine hands it on: header names in lower case. */
export interface EngineRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
}

export interface Guests {
  isAllowedHost(host: string | undefined): boolean;
  /** `scheme://name[:port]` */
  readonly origins: readonly string[];
}

/** Why this client may not connect; undefined when it may. */
export function refusal({ headers }: EngineRequest, { isAllowedHost, origins }: Guests): string | undefined {
  if (!isAllowedHost(headers['host'])) return 'Host not allowed';
  const { isAllowed } = originRule(origins, isAllowedHost);
  return isAllowed(headers['origin'] ?? '') ? undefined : 'Origin not allowed';
}

/**
 * False for requests that engine.io cannot handle: a websocket upgrade with `transport=polling` ends the
 * process, a plain request with `transport=websocket` is never answered. uWebSockets takes a key of 24
 * characters for an upgrade.
 */
export function isWellFormed({ method, headers, query }: EngineRequest): boolean {
  const upgrades = method === 'GET' && headers['sec-websocket-key']?.length === 24;
  if (upgrades) return query['transport'] === 'websocket';
  return query['transport'] === 'polling' && (method === 'GET' || method === 'POST');
}

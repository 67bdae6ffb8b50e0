// The Origin rule, against web pages of other sites: a page can send a body as text/plain to any address
// without asking, and only its browser's Origin header says where it comes from. Programs send none.
import type { RawResponse } from './response.ts';

export interface OriginRule {
  /** Whether a page of this origin may send requests. */
  isAllowed(origin: string): boolean;
  /** Whether it may read the answers as well (CORS). */
  mayRead(origin: string): boolean;
}

/**
 * `configured`: `scheme://name[:port]`. Pages of this machine and of a configured host may send too: the page
 * of a development server that forwards requests has another port.
 */
export function originRule(
  configured: readonly string[],
  isAllowedHost: (host: string) => boolean,
): OriginRule {
  const origins = new Set(configured.map((one) => one.toLowerCase()));
  const mayRead = (origin: string) => origins.size > 0 && origins.has(origin.toLowerCase());
  return {
    mayRead,
    isAllowed: (origin) => {
      if (origin === '' || mayRead(origin)) return true;
      const [, host] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? [];
      return host !== undefined && isAllowedHost(host);
    },
  };
}

/** Answer to a browser that asks whether a page may send a request. */
export const preflightAnswer: RawResponse = {
  status: 204,
  headers: [
    ['Access-Control-Allow-Methods', 'GET, POST, PUT, DELETE'],
    [
      'Access-Control-Allow-Headers',
      'Content-Type, X-License-Key, X-Request-Id, Authorization, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
    ],
    ['Access-Control-Max-Age', '600'],
  ],
  body: '',
};

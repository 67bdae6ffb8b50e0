// Which web pages and names a request may come from, and the addresses of the service.
import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { engineErrors } from './errors.ts';

// The Origin rule, against web pages of other sites: a page can send a body as text/plain to any address
// without asking, and only its browser's Origin header says where it comes from. Programs send none.

export interface OriginRule {
  /** True if a page of this origin may send requests. */
  isAllowed(origin: string): boolean;
  /** True if it may also read the answers (CORS). */
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
  const origins = new Set(configured.map((origin) => origin.toLowerCase()));
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

// The Host rule, against DNS rebinding: a web page can point a name of its own at 127.0.0.1, and the browser
// then takes the service for that page's server; the Host header still has the foreign name. So these pass:
// loopback names, the names of the settings, and the configured listen address, which cannot be rebound.
// 0.0.0.0 and :: allow nothing.

export type HostRule = (header: string | undefined) => boolean;

interface Authority {
  /** Lower case, no trailing dot, IPv6 in its short form without brackets. */
  readonly host: string;
  readonly port: number | null;
}

/** Size of the cache of headers that passed: a client sends the same one each time. */
const CACHED = 32;
const LONGEST = 300;

/**
 * `configured`: names, with a port when only that port is meant. Loopback names pass with any port, because a
 * port may be forwarded. Throws INVALID_CONFIG naming an entry that is no host name.
 */
export function hostRule(configured: readonly string[], bind: { readonly host: string }): HostRule {
  const ownName = listened(bind.host);
  const names = [...configured.map(entry), ...(ownName ? [ownName] : [])];
  const passed = new Set<string>();
  return (header) => {
    if (header === undefined) return false;
    if (passed.has(header)) return true;
    const requested = parse(header);
    if (!requested || !(isLoopback(requested.host) || names.some((name) => covers(name, requested))))
      return false;
    if (passed.size >= CACHED) passed.clear();
    passed.add(header);
    return true;
  };
}

function covers(name: Authority, requested: Authority): boolean {
  return name.host === requested.host && (name.port === null || name.port === requested.port);
}

/** Short forms such as 127.1 need not pass: browsers expand them before they send. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1';
}

/** Undefined for an invalid Host header: one with a user name, a path or letters outside ASCII. */
function parse(header: string): Authority | undefined {
  if (header.length > LONGEST) return undefined;
  const [, literal, name, port] =
    /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::([0-9]{1,5}))?$/i.exec(header) ?? [];
  const host = literal === undefined ? plain(name ?? '') : short(literal);
  if (host === undefined || (port !== undefined && Number(port) > 65_535)) return undefined;
  return { host, port: port === undefined ? null : Number(port) };
}

function plain(name: string): string | undefined {
  const host = name.toLowerCase().replace(/\.$/, '');
  const labels = host.split('.');
  return labels.every((label) => label.length > 0 && label.length <= 63) ? host : undefined;
}

function short(literal: string): string | undefined {
  return isIPv6(literal) ? new URL(`http://[${literal}]`).hostname.slice(1, -1) : undefined;
}

/** An entry of the settings; names outside ASCII become punycode, as browsers send them. */
function entry(text: string): Authority {
  const trimmed = text.trim();
  const [, name = '', port = ''] = /^([^/\\?#@%\s]*?)(:\d+)?$/.exec(trimmed) ?? [];
  const authority = isIPv6(trimmed)
    ? parse(`[${trimmed}]`)
    : parse(name.startsWith('[') ? trimmed : domainToASCII(name) + port);
  if (authority) return authority;
  throw engineErrors.INVALID_CONFIG(`hosts: "${text}" is not a host name, with or without a port`);
}

/** Null for a wildcard address. */
function listened(bind: string): Authority | null {
  const [address = ''] = bind.split('%');
  const authority = parse(isIPv6(address) ? `[${address}]` : address);
  return authority && !['0.0.0.0', '::'].includes(authority.host) ? { ...authority, port: null } : null;
}

// The address at which a person on this machine opens the page.

/**
 * `host`: the setting. A browser on this machine reaches every loopback name, and every address, as
 * localhost.
 */
export function pageAddress(host: string, port: number): string {
  return `http://${isOfThisMachine(host) ? 'localhost' : bracketed(host)}:${port}/`;
}

/** With a ticket behind the #, which browsers send to no server. */
export function signInAddress(page: string, ticket: string): string {
  return `${page}#${ticket}`;
}

/** Where a program on this machine reaches the service. */
export function localOrigin(host: string, port: number): string {
  const reached = ['0.0.0.0', 'localhost'].includes(host) ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${bracketed(reached)}:${port}`;
}

function isOfThisMachine(host: string): boolean {
  return ['localhost', '127.0.0.1', '0.0.0.0', '::', '::1'].includes(host);
}

/** The zone of an address is no part of a URL. */
function bracketed(host: string): string {
  const [address = ''] = host.split('%');
  return isIPv6(address) && !isIPv4(address) ? `[${address}]` : host;
}

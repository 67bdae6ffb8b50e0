// The address at which a person on this machine opens the page.
import { isIPv4, isIPv6 } from 'node:net';

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

// The service that watches: the one at --server, or the one of this machine at its usual address.

import type { Client } from '../../http/client/client.ts';
import { type Context, usageErrors } from '../context.ts';
import { serviceAt } from '../service.ts';

/** Where a service of these settings listens, as it is called on this machine. */
export function serviceUrl({ server, host, port }: Context['values']): string {
  if (server !== '') return server;
  if (port === 0)
    throw usageErrors.USAGE('with port 0 the service uses any free port: give its address with --server URL');
  const called = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${called.includes(':') ? `[${called}]` : called}:${port}`;
}

export function withWatcher<T>(context: Context, work: (client: Client) => Promise<T>): Promise<T> {
  return work(serviceAt(serviceUrl(context.values), context).client);
}

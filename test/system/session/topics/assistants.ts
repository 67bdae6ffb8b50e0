// The Model Context Protocol, as an assistant asks.
import type { Session } from '../session.ts';

export async function assistants(s: Session): Promise<void> {
  const headers = { Accept: 'application/json, text/event-stream' };
  const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
  const path = `/mcp?cache_dir=${encodeURIComponent(s.cacheDir)}`;
  const ask = (method: string, params?: object) =>
    s.ask(path, message(method, params), { bare: true, headers });
  const call = (name: string, args: object) => ask('tools/call', { name, arguments: args });
  await ask('tools/list');
  await call('list_library', {});
  await call('find_spoken', { text: 'red car' });
  await call('no_such_tool', {});
  await ask('no/such/method');
  await s.ask(path, undefined, { bare: true, method: 'GET', headers });
}

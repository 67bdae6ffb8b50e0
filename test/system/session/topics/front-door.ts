// Who may ask what: keys, sessions, addresses that are not there, and what is open to everybody.
import { hostRequest } from '../host-request.ts';
import type { Session } from '../session.ts';

const noKey = { 'X-License-Key': '' };

export async function frontDoor(s: Session): Promise<void> {
  await s.ask('/health');
  await s.ask('/livez', undefined, { bare: true });
  await s.ask('/metrics', undefined, { bare: true, keep: metricNames });
  await s.ask('/openapi.json', undefined, { bare: true, keep: (body: { openapi: string }) => body.openapi });
  await s.ask('/docs', undefined, { bare: true, keep: firstLine });
  const { body: page } = await s.ask<string>('/', undefined, { bare: true, keep: firstLine });
  const [script] = /\/page\/[^"']+\.js/.exec(page)!;
  s.mask.name(script, 'a script of the page');
  await s.ask(script, undefined, { bare: true, keep: () => 'a script' });
  await s.ask('/page/no-such-file.js', undefined, { bare: true });
  await s.ask('/models/loaded', undefined, { headers: noKey });
  await s.ask('/models/loaded', undefined, { headers: { 'X-License-Key': 'fh_of-nobody-at-all' } });
  await s.ask('/models/loaded', undefined, { headers: { 'X-License-Key': s.basicKey } });
  await s.ask('/models/loaded', undefined, {
    headers: { ...noKey, Authorization: `Bearer ${s.service.key}` },
  });
  await s.ask('/cache-paths', { license_key: 'fh_of-nobody-at-all', cache_dir: s.cacheDir });
  await s.ask(
    '/library/list',
    { license_key: s.service.key, cache_dir: '/no/such/folder' },
    { headers: noKey },
  );
  await s.ask('/no/such/path');
  await s.ask('/no/such/path', undefined, { headers: noKey });
  await s.ask('/analyze', undefined, { method: 'GET' });
  await s.ask('/media/metadata', '{"cache_dir": ');
  await s.ask('/media/metadata', '[]');
  await s.ask('/models/loaded', undefined, { headers: { Origin: 'https://elsewhere.example' } });
  s.note('another host', await hostRequest(s.service.address, 'elsewhere.example'));
}

/** When everything has started, which takes until some of it was used. */
export async function atTheEnd(s: Session): Promise<void> {
  await s.ask('/readyz', undefined, { bare: true });
}

export async function sessions(s: Session): Promise<void> {
  const { body } = await s.ask<{ ticket: string }>('/tickets', { cache_dir: s.cacheDir });
  const { ticket } = body;
  const { body: opened } = await s.ask<{ token: string }>('/sessions', { ticket }, { headers: noKey });
  await s.ask('/sessions', { ticket }, { headers: noKey });
  const asSession = { 'X-License-Key': opened.token };
  await s.ask('/settings', undefined, { headers: asSession });
  await s.ask('/cluster', undefined, { headers: asSession });
  await s.ask('/sessions', undefined, { method: 'DELETE', headers: asSession });
  await s.ask('/settings', undefined, { headers: asSession });
}

/** Of a line: `# TYPE framehound_tasks_total counter`. */
function metricNames(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('# TYPE '));
}

function firstLine(text: string): string {
  return text.split('\n')[0]!.slice(0, 80);
}

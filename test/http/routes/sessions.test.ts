// Signing in over the routes: what a page sends and what it is told, and who cannot.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { granted, noKey, refusal } from '../../../http/license/decision.ts';
import { sessionRoutes } from '../../../http/routes/sessions.ts';
import { settingsAnswer } from '../../../http/service.ts';
import { Access } from '../../../http/sessions/access.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { resolveConfig } from '../../../runtime/config.ts';
import { createLog } from '../../../runtime/log.ts';
import { settings } from '../../../settings.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { inject, KEY } from '../inject.ts';

function world(t: TestContext, given: { flags?: object; env?: Record<string, string>; file?: object } = {}) {
  const folder = temporaryFolder(t);
  const check = (key?: string) => (key === undefined ? noKey : key === KEY ? granted : refusal('wrong'));
  const access = new Access({
    licenses: { check, refresh: () => {}, close: () => {} },
    hasLicenseServer: false,
    isLocal: true,
    folder,
    clock: systemClock,
    now: Date.now,
    log: createLog('test', () => {}),
  });
  const config = resolveConfig(settings, { flags: {}, env: {}, file: {}, ...given } as never);
  const call = inject(
    sessionRoutes,
    { access, pageAddress: () => 'http://localhost:6699/', settings: settingsAnswer(config, '1.2.3') },
    { license: (key) => access.check(key) },
  );
  const ticket = async () => (await call('/api/v1/tickets', {})).body as { ticket: string; url: string };
  const swap = (body: unknown, headers = {}) =>
    call('/api/v1/sessions', body, { headers: { 'x-license-key': '', ...headers } });
  return { call, ticket, swap, access };
}

test('a ticket is swapped for a token, which is sent where the key is sent', async (t) => {
  const { call, ticket, swap } = world(t);
  const made = await ticket();
  assert.equal(made.url, `http://localhost:6699/#${made.ticket}`);
  const answer = await swap({ ticket: made.ticket });
  assert.equal(answer.headers['cache-control'], 'no-store');
  const { token, expires_at } = answer.body as { token: string; expires_at: number };
  assert.ok(expires_at * 1000 > Date.now());
  const asToken = { headers: { 'x-license-key': token } };
  assert.equal((await call('/api/v1/settings', undefined, asToken)).status, 200);
  const end = () => call('/api/v1/sessions', undefined, { method: 'DELETE', ...asToken });
  assert.deepEqual((await end()).body, { ended: true });
  assert.deepEqual((await end()).body, { ended: false });
  const { status, body } = await call('/api/v1/settings', undefined, asToken);
  assert.deepEqual([status, (body as { error: string }).error], [401, 'Authentication required']);
});

test('a page begins with the analysis folder that its ticket names', async (t) => {
  const { call, swap } = world(t, { flags: { home: '/h' } });
  assert.match(JSON.stringify(await call('/api/v1/tickets', { cache_dir: 'films' })), /Invalid cache_dir/);
  const { ticket } = (await call('/api/v1/tickets', { cache_dir: '/films/.analysis' })).body as {
    ticket: string;
  };
  const { token } = (await swap({ ticket })).body as { token: string };
  const folderFor = async (key: string) => {
    const { body } = await call('/api/v1/settings', undefined, { headers: { 'x-license-key': key } });
    return (body as { cache_dir: string }).cache_dir;
  };
  assert.deepEqual([await folderFor(token), await folderFor(KEY)], ['/films/.analysis', '/h/analysis']);
});

test('wrong, used and malformed tickets are told alike', async (t) => {
  const { ticket, swap } = world(t);
  const { ticket: used } = await ticket();
  assert.equal((await swap({ ticket: used })).status, 200);
  const said = [];
  for (const one of [used, 'fht_x', '', KEY]) said.push(await swap({ ticket: one }));
  for (const { status, body } of said) {
    assert.equal(status, 401);
    assert.deepEqual(body, said[0]!.body);
  }
});

test('a page of another site and a foreign host swap no ticket, and the ticket is still good', async (t) => {
  const { ticket, swap } = world(t);
  const made = await ticket();
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { host: 'evil.example' }])
    assert.equal((await swap({ ticket: made.ticket }, headers)).status, 403, JSON.stringify(headers));
  assert.equal((await swap({ ticket: made.ticket }, { origin: 'http://localhost' })).status, 200);
});

test('nobody makes a ticket without a key, and a ticket opens nothing but a session', async (t) => {
  const { call, ticket } = world(t);
  const { ticket: made } = await ticket();
  for (const [key, status] of [
    ['', 401],
    ['wrong', 403],
    ['fhs_x', 401],
    ['fho_x', 401],
    [made, 403],
  ] as const) {
    const headers = { 'x-license-key': key };
    assert.equal((await call('/api/v1/tickets', {}, { headers })).status, status, key);
  }
});

test('the settings are told with their source, and of a secret only that it is set', async (t) => {
  const { call } = world(t, {
    flags: { key: 'my-secret-key', home: '/h' },
    env: { FRAMEHOUND_PORT: '7000', FRAMEHOUND_SERVER: 'http://me:hidden@host' },
    file: { hosts: ['nas'] },
  });
  const { body } = await call('/api/v1/settings');
  const { version, cache_dir, settings: rows } = body as ReturnType<typeof settingsAnswer>;
  assert.deepEqual([version, cache_dir], ['1.2.3', '/h/analysis']);
  assert.deepEqual(
    rows.map(({ name }) => name),
    Object.keys(settings),
  );
  const row = (name: string) => {
    const { value, source } = rows.find((one) => one.name === name)!;
    return [value, source];
  };
  assert.deepEqual(row('home'), ['/h', 'flag']);
  assert.deepEqual(row('port'), [7000, 'environment']);
  assert.deepEqual(row('hosts'), [['nas'], 'file']);
  assert.deepEqual(row('origins'), [[], 'default']);
  assert.deepEqual(row('license_key'), ['(set)', 'flag']);
  assert.doesNotMatch(JSON.stringify(body), /my-secret-key|hidden/);
});

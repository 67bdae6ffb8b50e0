import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { license } from '../../../cli/commands/license.ts';
import { exit, usageErrors } from '../../../cli/context.ts';
import { hashOf, idOf, licenseErrors } from '../../../http/license/store.ts';
import { fakeHome } from '../fake-context.ts';

/** The command in a home of its own. */
function setUp(t: TestContext, env: Record<string, string> = {}) {
  const { home, run } = fakeHome(t, env);
  return { home, run: (...args: string[]) => run(license, ...args) };
}

test('issue prints the key alone on standard output', async (t) => {
  const { run } = setUp(t);
  const { code, out, err } = await run('issue', '--tier', 'pro', '--name', ' Cutting room ', '--days', '30');
  assert.equal(code, exit.ok);
  assert.match(out, /^fh_[\w-]{43}\n$/);
  assert.match(err, /^license [0-9a-f]{12} \(pro\) expires on \d{4}-\d\d-\d\d;/);
  assert.ok(!err.includes(out.trim()));
});

test('list shows every key and no key text', async (t) => {
  const { run } = setUp(t);
  assert.match((await run('list')).err, /framehound license issue --tier pro/);
  assert.equal((await run('list', '--json')).out, '[]\n');
  const pro = (await run('issue', '--tier', 'pro', '--name', 'A\x1b[31m', '--days', '2')).out.trim();
  const basic = (await run('issue', '--tier', 'basic')).out.trim();
  const { out } = await run('list');
  assert.match(out, new RegExp(`^${idOf(hashOf(pro))}  pro .*expires .*A\\\\x1b\\[31m$`, 'm'));
  assert.match(out, new RegExp(`^${idOf(hashOf(basic))}  basic .*does not expire`, 'm'));
  const json = (await run('list', '--json')).out;
  const rows = JSON.parse(json) as Record<string, unknown>[];
  const fields = ['created_at', 'expires_at', 'id', 'name', 'revoked_at', 'tier'];
  for (const row of rows) assert.deepEqual(Object.keys(row).sort(), fields);
  const one = rows.find(({ id }) => id === idOf(hashOf(pro)));
  assert.equal(Number(one?.['expires_at']) - Number(one?.['created_at']), 2 * 86_400);
  for (const secret of [pro, basic, hashOf(pro)]) assert.ok(!(out + json).includes(secret));
});

test('revoke takes an id or a key; an unknown one is an error that says where to look', async (t) => {
  const { run } = setUp(t);
  const [a, b] = [(await run('issue', '--tier', 'pro')).out, (await run('issue', '--tier', 'pro')).out];
  assert.equal((await run('revoke', idOf(hashOf(a.trim())))).code, exit.ok);
  assert.equal((await run('revoke', b.trim())).code, exit.ok);
  assert.equal((await run('list')).out.match(/revoked/g)?.length, 2);
  const unknown = (error: unknown) =>
    licenseErrors.UNKNOWN_LICENSE.is(error) && /license list/.test(error.message);
  await assert.rejects(run('revoke', '0123456789ab'), unknown);
});

test('a damaged key is named and makes the list fail', async (t) => {
  const { run, home } = setUp(t);
  const key = (await run('issue', '--tier', 'pro')).out.trim();
  const file = join(home, 'licenses', `${idOf(hashOf(key))}.json`);
  writeFileSync(file, readFileSync(file, 'utf8').slice(9));
  const { code, err } = await run('list');
  assert.equal(code, exit.error);
  assert.ok(err.includes(file));
  await assert.rejects(run('revoke', key), (error: Error) => error.message.includes(file));
});

test('what cannot be meant is a wrong command line', async (t) => {
  const { run } = setUp(t);
  const table = [
    ['sell'],
    ['toString'],
    ['issue'],
    ['issue', '--tier', 'gold'],
    ['issue', '--tier', 'Pro'],
    ...['0', '-1', '1.5', 'x', '', '1e3', '36501'].map((days) => [
      'issue',
      '--tier',
      'pro',
      `--days=${days}`,
    ]),
    ['issue', '--tier', 'pro', '--name', 'x'.repeat(201)],
    ['revoke'],
    ['revoke', 'a', 'b'],
  ];
  for (const args of table) await assert.rejects(run(...args), usageErrors.USAGE.is, args.join(' '));
  await assert.rejects(run('issue', '--tier', 'pro', '--for', 'me'), {
    code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION',
  });
  assert.equal((await run('list', '--json')).out, '[]\n');
});

test('issuing a key that a license server will be asked about is remarked on', async (t) => {
  const { run } = setUp(t, { FRAMEHOUND_LICENSE_URL: 'https://keys.example' });
  assert.match((await run('issue', '--tier', 'pro')).err, /no effect while license_url is set/);
});

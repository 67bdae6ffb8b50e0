import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { AccessDecision } from '../../../http/license/decision.ts';
import { openLicenses } from '../../../http/license/open.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { MINUTE, newWorld, words } from './fixture.ts';
import { answers, type Respond, startLicenseServer } from './license-server.ts';

const KEY = 'customer-key-1234';
const valid = answers({ valid: true, tier: 'pro', message: 'OK' });

async function setUp(t: TestContext, respond: Respond) {
  const world = newWorld(t);
  const server = await startLicenseServer(t, respond);
  const values = { home: world.folder, cache_dir: '', license_url: server.url, license_public_key: '' };
  const licenses = openLicenses(values, world);
  t.after(() => licenses.close());
  const check = async (key = KEY): Promise<string> => words(await licenses.check(key));
  return { ...world, server, values, licenses, check };
}

test('the server is asked with the key and the machine id, once in 30 minutes', async (t) => {
  const { check, server, clock, licenses, folder } = await setUp(t, valid);
  for (let i = 0; i < 3; i++) assert.equal(await check(), 'ok');
  const { machine_id } = JSON.parse(readFileSync(join(folder, 'machine', 'id.json'), 'utf8'));
  assert.match(machine_id, /^[0-9a-f-]{36}$/);
  const question = {
    method: 'POST',
    path: '/validate',
    type: 'application/json',
    body: { license_key: KEY, machine_id },
  };
  assert.deepEqual(server.asked, [question]);
  assert.ok(!(licenses.check(KEY) instanceof Promise));
  clock.advance(30 * MINUTE);
  await check();
  assert.deepEqual(server.asked, [question, question]);
});

test('the machine id is created once, readable by its owner only, and named when it is damaged', async (t) => {
  const { values, folder, ...world } = await setUp(t, valid);
  const path = join(folder, 'machine', 'id.json');
  const first = readFileSync(path, 'utf8');
  openLicenses(values, world).close();
  assert.equal(readFileSync(path, 'utf8'), first);
  if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o600);
  for (const text of ['', '{}', '{"machine_id":"x"}', '[]']) {
    writeFileSync(path, text);
    const open = () => openLicenses(values, world);
    assert.throws(
      open,
      (error) => engineErrors.INVALID_CONFIG.is(error) && error.message.includes(path),
      text,
    );
  }
});

test('every answer of the server becomes a decision', async (t) => {
  const { check, server } = await setUp(t, valid);
  const refused = (message: string) => `Pro license required | ${message}`;
  const table: [unknown, string, number?][] = [
    [{ valid: true, tier: 'Pro', message: null, policy_error: null }, 'ok'],
    [{ valid: true, tier: 'basic', message: 'OK' }, refused('OK')],
    [{ valid: true }, refused('OK')],
    [{ valid: false, tier: null, message: 'License expired' }, refused('License expired')],
    [{ valid: false, message: 'Unknown key' }, refused('Unknown key'), 403],
    [{ valid: false }, refused('The license key is not valid'), 404],
    [{ valid: true, tier: 'pro', policy_error: 'Not in this office' }, 'Not in this office'],
    [{ valid: false, policy_error: 'Not in this office' }, 'Not in this office', 403],
    [{ valid: false, message: `No ${KEY}-0` }, refused('No [license key]')],
  ];
  for (const [i, [body, decision, status]] of table.entries()) {
    server.respond = answers(body, status);
    const key = i === table.length - 1 ? `${KEY}-0` : `${KEY}-${i + 10}`;
    assert.equal(await check(key), decision, JSON.stringify(body));
  }
});

test('a reply that is no answer is an outage whose message says what came', async (t) => {
  const { check, server, logged } = await setUp(t, valid);
  const raw =
    (text: string, status = 200): Respond =>
    (response) =>
      response.writeHead(status).end(text);
  const table: [Respond, RegExp][] = [
    [raw('<html>Sign in</html>'), /not JSON/],
    [raw(''), /not JSON/],
    [raw('{"valid": tru'), /not JSON/],
    [answers('yes'), /status 200 without a validation/],
    [answers({ valid: 'yes', tier: 'pro' }), /status 200 without a validation/],
    [answers({ valid: true, tier: 7 }), /without a validation/],
    [answers({ tier: 'pro' }), /without a validation/],
    [answers({ valid: true, tier: 'pro' }, 404), /status 404 without a validation/],
    [answers({ valid: true, tier: 'pro' }, 500), /status 500/],
    [answers({ valid: true, tier: 'pro', message: 'x'.repeat(70_000) }), /larger than/],
    [(response) => response.destroy(), /UND_ERR_SOCKET|ECONNRESET/],
    [
      (response) =>
        void response.writeHead(200, { 'Content-Length': 99 }).write('{', () => response.destroy()),
      /reached/,
    ],
  ];
  for (const [i, [respond, reason]] of table.entries()) {
    server.respond = respond;
    const decision = await check(`${KEY}-${i}`);
    assert.match(decision, /^Pro license required \| The license server cannot be reached/);
    assert.match(decision, reason);
  }
  assert.ok(!logged().includes(KEY));
});

test('a key is sent to no address but the one of the settings', async (t) => {
  const other = await startLicenseServer(t, valid);
  for (const status of [301, 302, 307, 308]) {
    const respond: Respond = (response) => response.writeHead(status, { Location: other.url }).end();
    const { check, server } = await setUp(t, respond);
    assert.match(await check(), new RegExp(`status ${status}`));
    assert.equal(server.asked.length, 1);
  }
  assert.deepEqual(other.asked, []);
});

test('a server that does not answer is given five seconds', async (t) => {
  const silent: Respond[] = [() => {}, (response) => void response.writeHead(200).write('{"valid":')];
  for (const respond of silent) {
    const { check, server, clock } = await setUp(t, respond);
    const asked = server.question();
    const decision = check();
    await asked;
    clock.advance(5_000);
    assert.match(await decision, /cannot be reached \(no response within 5 s\)/);
  }
});

test('a service that stops does not wait for the license server', async (t) => {
  const { check, server, licenses, clock } = await setUp(t, () => {});
  const asked = server.question();
  const decision = check();
  await asked;
  licenses.close();
  assert.match(await decision, /the service is stopping/);
  assert.equal(clock.waiting, 0);
});

test('without the server what was validated holds for its 30 minutes, the rest is refused', async (t) => {
  const { check, server, clock, logged } = await setUp(t, valid);
  assert.equal(await check(), 'ok');
  await server.stop();
  clock.advance(29 * MINUTE);
  assert.equal(await check(), 'ok');
  assert.match(await check(`${KEY}-new`), /The license server cannot be reached \(ECONNREFUSED\)/);
  clock.advance(MINUTE);
  assert.match(await check(), /cannot be reached/);
  assert.match(logged(), /license keys cannot be validated/);
  assert.ok(!logged().includes(KEY));
});

test('a crash of the engine takes nothing from the 30 minutes of a key', async (t) => {
  const { check, server, clock, values, licenses: _, ...world } = await setUp(t, valid);
  let kept: { value: string; at: number } | undefined;
  /** The licenses of the engine process that comes next. */
  const next = (changed = {}) => {
    const sources = {
      ...world,
      clock,
      savedValue: kept && { ...kept, ageMs: clock.now() - kept.at },
      keep: (value: string) => {
        kept = { value, at: clock.now() };
      },
    };
    const licenses = openLicenses({ ...values, ...changed }, sources);
    t.after(() => licenses.close());
    return async (key = KEY): Promise<string> => words(await licenses.check(key));
  };
  assert.equal(await check(), 'ok');
  assert.equal(await next()(), 'ok');
  assert.match(kept!.value, /"hash"/);
  assert.ok(!kept!.value.includes(KEY));
  await server.stop();
  clock.advance(20 * MINUTE);
  assert.equal(await next()(), 'ok');
  assert.match(await next()(`${KEY}-new`), /cannot be reached/);
  // Another server may think otherwise of the key; what another version wrote is not read.
  assert.match(await next({ license_url: `${values.license_url}/other` })(), /cannot be reached/);
  const whole = kept;
  kept = { value: '{"server":1}', at: 0 };
  assert.match(await next()(), /cannot be reached/);
  kept = whole;
  clock.advance(9 * MINUTE);
  const late = next();
  assert.equal(await late(), 'ok');
  clock.advance(MINUTE);
  assert.match(await late(), /cannot be reached/);
  world.skew(-20 * MINUTE);
  assert.match(await next()(), /cannot be reached/, 'a wall clock that was set back gives no time');
});

test('concurrent requests with one key are one request to the server', async (t) => {
  let release = () => {};
  const { licenses, server } = await setUp(t, (response, request) => {
    release = () => valid(response, request);
  });
  const asked = server.question();
  const all: (AccessDecision | Promise<AccessDecision>)[] = Array.from({ length: 50 }, () =>
    licenses.check(KEY),
  );
  await asked;
  release();
  assert.ok((await Promise.all(all)).every(({ ok }) => ok));
  assert.equal(server.asked.length, 1);
});

test('no key is in the home folder', async (t) => {
  const { check, folder } = await setUp(t, valid);
  await check();
  for (const name of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (name.isFile()) assert.ok(!readFileSync(join(name.parentPath, name.name), 'utf8').includes(KEY));
  }
});

test('an unusable server address is an error of the settings; http is a warning', (t) => {
  const { folder: home, ...world } = newWorld(t);
  const open = (license_url: string) =>
    openLicenses({ home, cache_dir: '', license_url, license_public_key: '' }, world).close();
  for (const url of ['https://user:secret@keys.example/', 'https://']) {
    const named = (error: unknown) =>
      engineErrors.INVALID_CONFIG.is(error) && /^license_url: /.test(error.message);
    assert.throws(() => open(url), named);
  }
  for (const url of ['https://keys.example/v', 'http://localhost:1/v', 'http://127.0.0.1:1']) open(url);
  assert.equal(world.logged(), '');
  open('http://keys.example/v');
  assert.match(world.logged(), /clear text/);
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import crypto, { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openLicenses } from '../../../http/license/open.ts';
import {
  createKeyLookup,
  hashOf,
  issueKey,
  KEY_BYTES,
  keyText,
  licenseErrors,
  type NewKey,
  readKeys,
  revokeKey,
} from '../../../http/license/store.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { newWorld, START, words } from './fixture.ts';

const DAY = 86_400_000;
const proKey: NewKey = { tier: 'pro', name: '', days: null };
const asAdmin = process.getuid?.() === 0;

function setUp(t: TestContext) {
  const world = newWorld(t);
  const folder = join(world.folder, 'licenses');
  const issue = (request: Partial<NewKey> = {}) =>
    issueKey(folder, { ...proKey, ...request }, randomBytes(KEY_BYTES), world.now());
  const values = { home: world.folder, cache_dir: '', license_url: '', license_public_key: '' };
  return { ...world, folder, issue, open: () => openLicenses(values, world) };
}

const said = (decision: unknown) => words(decision as { ok: boolean });

test('a key is 32 random bytes behind a prefix, and only its hash is stored', (t) => {
  const { folder, issue } = setUp(t);
  const { key, issued } = issue({ name: 'Cutting room' });
  assert.match(key, /^fh_[\w-]{43}$/);
  assert.equal(key, keyText(Buffer.from(key.slice(3), 'base64url')));
  const [name, ...more] = readdirSync(folder);
  assert.deepEqual([name, more], [`${issued.id}.json`, []]);
  const text = readFileSync(join(folder, name!), 'utf8');
  assert.ok(text.includes(hashOf(key)) && !text.includes(key) && !text.includes(key.slice(3, 20)));
});

test('key files can be read by their owner only', { skip: process.platform === 'win32' }, (t) => {
  const { folder, issue } = setUp(t);
  const { issued } = issue();
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(statSync(join(folder, `${issued.id}.json`)).mode & 0o777, 0o600);
});

test('each key of this machine has its decision', (t) => {
  const { folder, issue, open, clock, now } = setUp(t);
  const [pro, basic, week, gone] = [issue(), issue({ tier: 'basic' }), issue({ days: 7 }), issue()];
  revokeKey(folder, gone.issued.id, now());
  const licenses = open();
  const notIssued =
    'Pro license required | The license key was not issued on this machine; to issue one: framehound license issue --tier pro';
  const table = [
    [pro.key, 'ok'],
    [week.key, 'ok'],
    [basic.key, 'Pro license required | OK'],
    [gone.key, 'Pro license required | The license key was revoked on 2030-01-01'],
    [`${pro.key}x`, notIssued],
    [pro.issued.id, notIssued],
    [pro.issued.hash, notIssued],
  ] as const;
  for (const [key, decision] of table) assert.equal(said(licenses.check(key)), decision);
  clock.advance(7 * DAY);
  assert.equal(said(licenses.check(pro.key)), 'ok');
  assert.match(said(licenses.check(week.key)), /expired on 2030-01-08/);
  licenses.close();
});

test('a running service takes a new key and refuses a revoked one a second later', (t) => {
  const { folder, issue, open, clock, now } = setUp(t);
  const licenses = open();
  const early = keyText(Buffer.alloc(KEY_BYTES, 7));
  assert.match(said(licenses.check(early)), /not issued on this machine/);
  issueKey(folder, proKey, Buffer.alloc(KEY_BYTES, 7), now());
  clock.advance(1_000);
  assert.equal(said(licenses.check(early)), 'ok');
  const { key } = issue();
  clock.advance(1_000);
  assert.equal(said(licenses.check(key)), 'ok');
  revokeKey(folder, key, now());
  clock.advance(1_000);
  assert.match(said(licenses.check(key)), /revoked/);
  assert.equal(said(licenses.check(early)), 'ok');
  licenses.close();
});

test('a key issued in the same tick of the file clock is seen as well', (t) => {
  const { folder, issue, open, clock } = setUp(t);
  issue();
  utimesSync(folder, START / 1000, START / 1000);
  const licenses = open();
  const { key } = issue();
  utimesSync(folder, START / 1000, START / 1000);
  clock.advance(1_000);
  assert.equal(said(licenses.check(key)), 'ok');
  licenses.close();
});

test('revoking takes an id or a key, twice is once, and an unknown one is not repeated', (t) => {
  const { folder, issue, now } = setUp(t);
  const [a, b] = [issue(), issue()];
  revokeKey(folder, a.issued.id.toUpperCase(), START);
  revokeKey(folder, ` ${b.key}\n`, START);
  revokeKey(folder, a.key, START + DAY);
  for (const { revoked_at } of readKeys(folder).keys) assert.equal(revoked_at, START / 1000);
  const unknown = keyText(randomBytes(KEY_BYTES));
  for (const which of [unknown, 'ffffffffffff', '../x', '']) {
    const refused = (error: unknown) =>
      licenseErrors.UNKNOWN_LICENSE.is(error) && !error.message.includes(unknown);
    assert.throws(() => revokeKey(folder, which, now()), refused);
  }
});

test('a damaged file is named, its key opens nothing and every other key does', (t) => {
  const { folder, issue, open, logged } = setUp(t);
  const [whole, cut, swapped, edited] = [issue(), issue(), issue(), issue({ tier: 'basic' })];
  const other = issue();
  const pathOf = (one: typeof whole) => join(folder, `${one.issued.id}.json`);
  writeFileSync(pathOf(cut), readFileSync(pathOf(cut), 'utf8').slice(0, 40));
  writeFileSync(pathOf(swapped), readFileSync(pathOf(whole), 'utf8'));
  writeFileSync(pathOf(edited), JSON.stringify({ ...edited.issued, tier: 'gold' }));
  writeFileSync(pathOf(other), JSON.stringify({ ...other.issued, hash: whole.issued.hash }));
  const { keys, damaged } = readKeys(folder);
  assert.deepEqual(
    keys.map(({ id }) => id),
    [whole.issued.id],
  );
  assert.deepEqual(damaged.map(({ file }) => file).sort(), [cut, swapped, edited, other].map(pathOf).sort());
  const licenses = open();
  assert.equal(said(licenses.check(whole.key)), 'ok');
  for (const { key } of [cut, swapped, edited, other])
    assert.match(said(licenses.check(key)), /not issued on this machine/);
  for (const one of [cut, swapped, edited, other]) assert.ok(logged().includes(pathOf(one)));
  licenses.close();
});

test('a folder that cannot be read is an error at start, and a refusal that says so later', (t) => {
  const { folder, open, issue, clock, logged } = setUp(t);
  const { key } = issue();
  const licenses = open();
  assert.equal(said(licenses.check(key)), 'ok');
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'a file');
  assert.throws(open, (error) => engineErrors.INVALID_CONFIG.is(error) && error.message.includes(folder));
  assert.throws(issue, engineErrors.INVALID_CONFIG.is);
  clock.advance(1_000);
  assert.match(said(licenses.check(key)), /cannot be read; see the log/);
  clock.advance(1_000);
  assert.match(said(licenses.check(key)), /cannot be read/);
  assert.equal(logged().match(/keys cannot be read/g)?.length, 1);
  rmSync(folder);
  clock.advance(5_000);
  assert.match(said(licenses.check(key)), /not issued on this machine/);
  licenses.close();
});

test('a home that cannot be written is a clear error', {
  skip: asAdmin && 'an administrator may write',
}, (t) => {
  const { folder, issue } = setUp(t);
  mkdirSync(folder, { mode: 0o500 });
  assert.throws(issue, (error) => engineErrors.INVALID_CONFIG.is(error) && error.message.includes(folder));
});

test('a key is compared with every stored one in constant time, wherever it stands', (t) => {
  const { folder, issue } = setUp(t);
  const made = Array.from({ length: 5 }, () => issue());
  const { keys } = readKeys(folder);
  const find = createKeyLookup(keys);
  const compare = t.mock.method(crypto, 'timingSafeEqual');
  syncBuiltinESMExports();
  t.after(() => {
    compare.mock.restore();
    syncBuiltinESMExports();
  });
  for (const { key, issued } of made) assert.equal(find(hashOf(key))?.id, issued.id);
  assert.equal(find(hashOf('other')), undefined);
  assert.equal(compare.mock.callCount(), 6 * keys.length);
});

test('two processes that issue at once lose no key', async (t) => {
  const { folder } = setUp(t);
  const script = fileURLToPath(new URL('./issue-process.ts', import.meta.url));
  const run = () => promisify(execFile)(process.execPath, [script, folder, '40']);
  const printed = await Promise.all([run(), run()]);
  const ids = printed.flatMap(({ stdout }) => stdout.trim().split('\n'));
  const { keys, damaged } = readKeys(folder);
  assert.deepEqual(keys.map(({ id }) => id).sort(), ids.sort());
  assert.equal(ids.length, 80);
  assert.deepEqual(damaged, []);
  assert.ok(readdirSync(folder).every((name) => name.endsWith('.json')));
});

test('no key appears in the log or in a decision', (t) => {
  const { folder, issue, open, logged, clock, now } = setUp(t);
  const made = [issue(), issue({ tier: 'basic' }), issue({ days: 1 })];
  const licenses = open();
  const verdicts = made.map(({ key }) => JSON.stringify(licenses.check(key)));
  revokeKey(folder, made[0]!.key, now());
  clock.advance(2 * DAY);
  verdicts.push(...made.map(({ key }) => JSON.stringify(licenses.check(key))));
  for (const { key } of made) assert.ok(!(logged() + verdicts.join()).includes(key.slice(3)));
  licenses.close();
});

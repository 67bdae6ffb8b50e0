import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import fc from 'fast-check';
import { type MachineFile, verifyMachineFile } from '../../../http/license/machine-file.ts';
import { openLicenses, readPublicKey } from '../../../http/license/open.ts';
import { hashOf, idOf } from '../../../http/license/store.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { MINUTE, newWorld, START, words } from './fixture.ts';
import { type Asked, answers, startLicenseServer } from './license-server.ts';

const DAY = 24 * 60 * MINUTE;
const KEY = 'customer-key-1234';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519');
const pem = (key: KeyObject) => String(key.export({ type: 'spki', format: 'pem' }));
const raw = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url');

function signed(payload: unknown, key = privateKey, form: 'text' | 'base64' = 'base64'): MachineFile {
  const bytes = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const signature = sign(null, bytes, key).toString('base64');
  return { payload: bytes.toString(form === 'text' ? 'utf8' : 'base64'), signature };
}

const expected = { machineId: 'm', keyHash: hashOf(KEY), now: START };
const inADay = new Date(START + DAY).toISOString();
const good = { machine_id: 'm', expiry: inADay };

test('a machine file is valid for its machine, its key and its time only', () => {
  const table: [unknown, RegExp | 'ok'][] = [
    [good, 'ok'],
    [{ machine_id: 'm', expiry: (START + DAY) / 1000 }, 'ok'],
    [{ machine_id: 'm', expires_at: inADay, tier: 'pro' }, 'ok'],
    [{ ...good, license_hash: hashOf(KEY).toUpperCase() }, 'ok'],
    [{ ...good, issued_at: START / 1000 + 240 }, 'ok'],
    [{ ...good, machine_id: 'M' }, /another machine/],
    [{ ...good, license_hash: hashOf('other') }, /another license key/],
    [{ ...good, expiry: START / 1000 }, /expired on 2030-01-01/],
    [{ ...good, expires_at: START / 1000 - 1 }, /expired on 2029-12-31/],
    [{ ...good, issued_at: START / 1000 + 360 }, /issued in the future/],
    [{ ...good, issued_at: 'yesterday' }, /issued in the future/],
    [{ machine_id: 'm' }, /no readable expiry/],
    [{ ...good, expiry: 'never' }, /no readable expiry/],
    [{ ...good, expiry: 1e300 }, /no readable expiry/],
    [{ ...good, expiry: null }, /contains no machine_id and expiry/],
    [{ expiry: inADay }, /contains no machine_id and expiry/],
    ['{"machine_id":', /contains no machine_id and expiry/],
    [[], /contains no machine_id and expiry/],
    [null, /contains no machine_id and expiry/],
  ];
  for (const [payload, outcome] of table) {
    for (const form of ['base64', 'text'] as const) {
      const found = verifyMachineFile(signed(payload, privateKey, form), publicKey, expected);
      const said = JSON.stringify(payload);
      if (outcome === 'ok') assert.ok(found.ok && found.until === START + DAY, said);
      else if (form === 'base64' || said.startsWith('{'))
        assert.match(found.ok ? 'ok' : found.why, outcome, said);
    }
  }
});

test('a file that anybody else signed, or that was changed after it was signed, is refused', () => {
  const file = signed(good);
  const forged = signed(good, stranger.privateKey);
  const wrong = { ok: false, why: 'has an invalid signature' };
  for (const signature of [forged.signature, '', 'x', file.signature.slice(4), `AAAA${file.signature}`]) {
    assert.deepEqual(verifyMachineFile({ ...file, signature }, publicKey, expected), wrong);
  }
  const bytes = Buffer.from(file.payload, 'base64');
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ by;
      const payload = changed.toString('base64');
      assert.deepEqual(verifyMachineFile({ ...file, payload }, publicKey, expected), wrong);
    }),
  );
});

test('the public key is taken as PEM, as its path and as base64; what it cannot be is said', (t) => {
  const { folder } = newWorld(t);
  const path = join(folder, 'key.pem');
  writeFileSync(path, pem(publicKey));
  const forms = [pem(publicKey), pem(publicKey).replaceAll('\n', '\\n'), path, raw.toString('base64')];
  for (const form of [...forms, raw.toString('base64url'), ` ${raw.toString('base64')}\n`]) {
    assert.ok(readPublicKey(form).equals(publicKey), form);
  }
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
  const notPem = join(folder, 'key.txt');
  writeFileSync(notPem, 'no key');
  const secret = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const table = [
    ['nothing', /must be PEM/],
    [raw.subarray(1).toString('base64'), /must be PEM/],
    [folder, /must be PEM.*EISDIR/],
    [notPem, /is not PEM/],
    [pem(publicKey).replace('MCow', 'MCox'), /cannot be parsed/],
    [pem(rsa), /rsa, not Ed25519/],
    [secret, /private key; use the public key/],
  ] as const;
  for (const [form, message] of table) {
    const named = (error: unknown) =>
      engineErrors.INVALID_CONFIG.is(error) &&
      /^license_public_key: /.test(error.message) &&
      message.test(error.message) &&
      !error.message.includes(secret.split('\n')[1]!);
    assert.throws(() => readPublicKey(form), named, form);
  }
});

test('a public key without a server is an error of the settings', (t) => {
  const { folder: home, ...world } = newWorld(t);
  const values = { home, cache_dir: '', license_url: '', license_public_key: raw.toString('base64') };
  assert.throws(() => openLicenses(values, world), /license_public_key: .*license_url/);
});

/** An on-prem server and the service beside it; `payload` is what the next file is signed over. */
async function onPrem(t: TestContext) {
  const world = newWorld(t);
  const state = { payload: {} as object, tier: 'pro', signer: privateKey, file: true };
  const server = await startLicenseServer(t, (response, request: Asked) => {
    const { machine_id } = request.body;
    const named = { tier: 'pro', license_hash: hashOf(String(request.body['license_key'])) };
    const expiry = (world.now() + DAY) / 1000;
    const file = signed({ machine_id, expiry, ...named, ...state.payload }, state.signer);
    const body = {
      valid: true,
      tier: state.tier,
      message: 'OK',
      ...(state.file ? { machine_file: file } : {}),
    };
    answers(body)(response, request);
  });
  const license_public_key = raw.toString('base64');
  const values = { home: world.folder, cache_dir: '', license_url: server.url, license_public_key };
  /** As after a restart: nothing is held in memory. */
  const restart = () => {
    const licenses = openLicenses(values, world);
    t.after(() => licenses.close());
    return async (key = KEY): Promise<string> => words(await licenses.check(key));
  };
  const kept = join(world.folder, 'machine', `${idOf(hashOf(KEY))}.json`);
  const machineId = () =>
    String(JSON.parse(readFileSync(join(world.folder, 'machine', 'id.json'), 'utf8')).machine_id);
  return { ...world, state, server, restart, kept, machineId };
}

test('an on-prem answer opens nothing without a valid machine file', async (t) => {
  const { state, restart, kept } = await onPrem(t);
  const table: [Partial<typeof state>, string][] = [
    [{ file: false }, 'The license server sent no machine file'],
    [{ signer: stranger.privateKey }, "The license server's machine file has an invalid signature"],
    [{ payload: { machine_id: 'other' } }, "The license server's machine file is for another machine"],
    [{ payload: { expiry: 1 } }, "The license server's machine file expired on 1970-01-01T00:00:01.000Z"],
    [{ payload: { tier: 'basic' } }, 'OK'],
    [{ tier: 'basic', payload: { tier: 'pro' } }, 'OK'],
  ];
  for (const [change, message] of table) {
    Object.assign(state, { payload: {}, tier: 'pro', signer: privateKey, file: true }, change);
    assert.equal(await restart()(), `Pro license required | ${message}`);
    assert.ok(!existsSync(kept), message);
  }
});

test('a stored machine file opens the service after a restart without the server, until it expires', async (t) => {
  const { server, restart, kept, clock, logged } = await onPrem(t);
  assert.equal(await restart()(), 'ok');
  if (process.platform !== 'win32') assert.equal(statSync(kept).mode & 0o777, 0o600);
  assert.ok(!readFileSync(kept, 'utf8').includes(KEY));
  await server.stop();
  const check = restart();
  assert.equal(await check(), 'ok');
  assert.match(logged(), /validated by its machine file/);
  assert.match(await check(`${KEY}-other`), /cannot be reached/);
  clock.advance(DAY);
  assert.match(
    await check(),
    /cannot be reached \(ECONNREFUSED\); the cached machine file expired on 2030-01-02/,
  );
  assert.ok(!logged().includes(KEY));
});

test('a stored machine file that was tampered with or copied to another key opens nothing', async (t) => {
  const { server, restart, kept, logged } = await onPrem(t);
  await restart()();
  const whole = JSON.parse(readFileSync(kept, 'utf8'));
  await server.stop();
  const later = Buffer.from(JSON.stringify({ machine_id: 'x', expiry: 9e9 })).toString('base64');
  writeFileSync(kept, JSON.stringify({ ...whole, machine_file: { ...whole.machine_file, payload: later } }));
  assert.match(await restart()(), /cached machine file has an invalid signature/);
  writeFileSync(kept.replace(idOf(hashOf(KEY)), idOf(hashOf('other'))), JSON.stringify(whole));
  assert.match(await restart()('other'), /cached machine file is for another license key/);
  writeFileSync(kept, '{');
  assert.match(await restart()(), /cannot be reached \(ECONNREFUSED\)$/);
  assert.match(logged(), /machine file cannot be stored or read/);
});

test('a machine file that names no key or no tier holds only while its server answers', async (t) => {
  const { server, state, restart, kept, logged, machineId } = await onPrem(t);
  for (const payload of [
    { license_hash: undefined },
    { tier: undefined },
    { license_hash: '' },
    { tier: null },
  ]) {
    state.payload = {};
    assert.equal(await restart()(), 'ok');
    assert.ok(existsSync(kept));
    state.payload = payload;
    assert.equal(await restart()(), 'ok');
    assert.ok(!existsSync(kept), JSON.stringify(payload));
  }
  assert.match(logged(), /without license_hash and tier is valid only while its server responds/);
  await server.stop();
  assert.match(await restart()(), /cannot be reached \([A-Z_]+\)$/);
  // As an earlier version kept it: the tier beside the signed text is anybody's.
  const machine_file = signed({ machine_id: machineId(), expiry: inADay });
  writeFileSync(kept, JSON.stringify({ license_hash: hashOf(KEY), tier: 'pro', machine_file }));
  assert.match(await restart()(), /cached machine file contains no license_hash and tier$/);
});

test('when a key is no longer Pro, its stored machine file is removed', async (t) => {
  const { server, restart, kept } = await onPrem(t);
  const check = restart();
  for (const body of [
    { valid: false, message: 'Revoked' },
    { valid: true, tier: 'basic' },
    { valid: true, tier: 'pro', policy_error: 'Not here' },
  ]) {
    const before = server.respond;
    assert.equal(await restart()(), 'ok');
    assert.ok(existsSync(kept));
    server.respond = answers(body);
    assert.notEqual(await restart()(), 'ok');
    assert.ok(!existsSync(kept), JSON.stringify(body));
    server.respond = before;
  }
  await server.stop();
  assert.match(await check(), /cannot be reached/);
});

test('a machine file that cannot be stored does not change what the server says', async (t) => {
  const { restart, folder, kept, logged } = await onPrem(t);
  await restart()();
  rmSync(kept);
  const check = restart();
  rmSync(join(folder, 'machine'), { recursive: true });
  writeFileSync(join(folder, 'machine'), 'a file');
  assert.equal(await check(), 'ok');
  assert.match(logged(), /machine file cannot be stored/);
  assert.deepEqual(readdirSync(folder), ['machine']);
});

test('a grant ends with its machine file', async (t) => {
  const { restart, state, now, clock } = await onPrem(t);
  state.payload = { expiry: (now() + 10 * MINUTE) / 1000 };
  const check = restart();
  assert.equal(await check(), 'ok');
  clock.advance(10 * MINUTE);
  assert.match(await check(), /machine file expired/);
});

// Who starts the service when several could.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { writeServiceFile } from '../../cli/service-file.ts';
import { claimStart } from '../../cli/sign-in.ts';
import { systemClock } from '../../runtime/clock.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { thisProcess } from '../../runtime/process/identity.ts';

function world(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'framehound-start-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const claim = () => claimStart(home, { clock: systemClock, signal: new AbortController().signal });
  return { home, path: join(home, 'service.starting'), claim };
}

test('one command starts, and what one left behind keeps nobody from starting', async (t) => {
  const { path, claim } = world(t);
  const release = await claim();
  assert.ok(release);
  assert.equal(await claim(), null, 'this process starts already');
  release();
  assert.equal(existsSync(path), false);
  const left = [
    '{"pid":',
    JSON.stringify({ ...thisProcess(), pid: 0 }),
    JSON.stringify({ ...thisProcess(), pid: 0, host: 'name-of-before' }),
    JSON.stringify({ ...thisProcess(), started: 'before/1', host: 'another-machine' }),
  ];
  for (const text of left) {
    writeFileSync(path, text);
    // Whoever looks at what was left behind at the same moment starts none.
    const claims = await Promise.all([claim(), claim(), claim()]);
    assert.equal(claims.filter((one) => one !== null).length, 1, text);
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), thisProcess());
  }
});

test('where a service runs by now, none is started: the command that started it has given its claim back', async (t) => {
  const { home, path, claim } = world(t);
  const listening = { host: '127.0.0.1', port: 1, owner: null, guarded: false };
  const forget = writeServiceFile(home, listening);
  assert.equal(await claim(), null);
  assert.equal(existsSync(path), false);
  assert.ok(forget);
  forget();
  assert.ok(await claim());
});

test('an interrupt ends the wait for the claim', async (t) => {
  const { home, path } = world(t);
  const stopped = claimStart(home, { clock: systemClock, signal: AbortSignal.abort() });
  await assert.rejects(stopped, engineErrors.CANCELLED.is);
  assert.equal(existsSync(path), false);
});

// What commands learn of the service that runs with their home folder.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  askToStop,
  heedStop,
  keepServiceFile,
  runningService,
  writeServiceFile,
} from '../../cli/service-file.ts';
import { claimStart } from '../../cli/sign-in.ts';
import { systemClock } from '../../runtime/clock.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { createLog } from '../../runtime/log.ts';
import { identityOf, thisProcess } from '../../runtime/process/identity.ts';
import { manualClock } from '../runtime/manual-clock.ts';
import { temporaryFolder } from '../temporary-folder.ts';

function world(t: TestContext) {
  const home = temporaryFolder(t);
  const path = join(home, 'service.json');
  const listening = { host: '127.0.0.1', port: 6699, owner: 'fho_x', guarded: false };
  const put = (more: object) => {
    const service = {
      version: 1,
      engine: thisProcess(),
      guardian: null,
      program: '0',
      host: 'h',
      port: 1,
      owner: null,
    };
    writeFileSync(path, JSON.stringify({ ...service, ...more }));
  };
  return { home, path, listening, put };
}
/** A number that was given out again: no process began then. */
const past = { ...thisProcess(), started: 'before/1' };

test('a service is found while it runs, by its owner only, and not after its end', (t) => {
  const { home, path, listening } = world(t);
  assert.equal(runningService(home), null);
  assert.equal(runningService(join(home, 'not-there')), null);
  const forget = writeServiceFile(home, listening);
  assert.ok(forget);
  const { host, port, owner, engine } = runningService(home)!;
  assert.deepEqual([host, port, owner, engine], ['127.0.0.1', 6699, 'fho_x', thisProcess()]);
  if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o600);
  forget();
  assert.equal(existsSync(path), false);
});

test('what a crash left behind is no service, also when its process id is used again', {
  skip: process.platform !== 'linux',
}, (t) => {
  const { home, put, listening } = world(t);
  put({ engine: past });
  assert.equal(runningService(home), null);
  put({ engine: past, guardian: thisProcess() });
  assert.ok(runningService(home), 'a guardian starts its engine again');
  put({ engine: { ...past, host: 'another-machine' } });
  assert.equal(runningService(home), null);
  assert.ok(writeServiceFile(home, listening));
});

test('a service is found when the machine has got another name since it started', {
  skip: process.platform !== 'linux',
}, (t) => {
  const { home, put, listening } = world(t);
  put({ engine: { ...thisProcess(), host: 'name-of-before' } });
  assert.ok(runningService(home));
  put({ engine: past, guardian: { ...thisProcess(), host: 'name-of-before' } });
  assert.ok(runningService(home));
  put({ engine: { ...thisProcess(), host: 'another-machine', started: '' } });
  assert.equal(runningService(home), null);
  put({ engine: { ...past, pid: 0 }, guardian: { ...identityOf(process.ppid), host: 'name-of-before' } });
  assert.ok(writeServiceFile(home, { ...listening, guarded: true }), 'the engine is started again');
});

test('a file that is damaged, or of another version, is no service', (t) => {
  const { home, path, put } = world(t);
  put({ version: 2 });
  assert.equal(runningService(home), null);
  writeFileSync(path, '{"version":1');
  assert.equal(runningService(home), null);
});

test('a second service of the same home does not hide the first, and does not take its file away', (t) => {
  const { home, path, put, listening } = world(t);
  put({ guardian: identityOf(process.ppid) });
  assert.equal(writeServiceFile(home, listening), false);
  assert.equal(JSON.parse(readFileSync(path, 'utf8')).host, 'h');
  put({});
  const forget = writeServiceFile(home, listening);
  assert.ok(forget);
  put({ engine: identityOf(process.ppid) });
  forget();
  assert.ok(existsSync(path));
});

test('of two services without a guardian the first stays the one that is found', (t) => {
  const { home, path, put, listening } = world(t);
  put({ engine: identityOf(process.ppid) });
  assert.equal(writeServiceFile(home, listening), false);
  assert.equal(JSON.parse(readFileSync(path, 'utf8')).host, 'h');
});

test('when the first of two services has ended the second is found, and leaves the file of a third alone', (t) => {
  const { home, path, put, listening } = world(t);
  const clock = manualClock();
  const lines: string[] = [];
  const log = createLog('test', ({ message }) => lines.push(message));
  const engineOf = () => JSON.parse(readFileSync(path, 'utf8')).engine;
  const first = identityOf(process.ppid);
  put({ engine: first });
  const end = keepServiceFile(home, listening, { clock, log });
  clock.advance(20_000);
  assert.deepEqual(engineOf(), first);
  assert.equal(lines.length, 1);
  rmSync(path);
  clock.advance(20_000);
  assert.deepEqual(engineOf(), thisProcess());
  put({ engine: first });
  end();
  assert.deepEqual([engineOf(), clock.waiting], [first, 0]);
});

test('the file of a service of another machine stays, also when its process has the same number', (t) => {
  const { home, path, put, listening } = world(t);
  const forget = writeServiceFile(home, listening);
  assert.ok(forget);
  put({ engine: { ...past, host: 'another-machine' } });
  forget();
  assert.ok(existsSync(path));
});

test('a service that is asked by a file stops once, and leaves what is meant for another one', (t) => {
  const { home, put } = world(t);
  const clock = manualClock();
  let stopped = 0;
  const ignore = heedStop(home, { guarded: false, clock }, () => {
    stopped++;
  });
  put({ engine: past });
  writeFileSync(join(home, 'service.stop'), JSON.stringify(past));
  clock.advance(2_000);
  writeFileSync(join(home, 'service.stop'), '{"pid":');
  clock.advance(2_000);
  assert.equal(stopped, 0);
  put({});
  askToStop(home, runningService(home)!);
  clock.advance(500);
  assert.equal(stopped, 1);
  assert.ok(!existsSync(join(home, 'service.stop')));
  askToStop(home, runningService(home)!);
  clock.advance(2_000);
  assert.equal(stopped, 1);
  ignore();
  // The guardian is asked for whichever of its engines runs.
  const guardian = identityOf(process.ppid);
  put({ engine: past, guardian });
  askToStop(home, runningService(home)!);
  heedStop(home, { guarded: true, clock }, () => {
    stopped++;
  });
  assert.equal(stopped, 2);
});

// Who starts the service when several could.

function startWorld(t: TestContext) {
  const home = temporaryFolder(t);
  const claim = () => claimStart(home, { clock: systemClock, signal: new AbortController().signal });
  return { home, path: join(home, 'service.starting'), claim };
}

test('one command starts, and what one left behind keeps nobody from starting', async (t) => {
  const { path, claim } = startWorld(t);
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
  const { home, path, claim } = startWorld(t);
  const listening = { host: '127.0.0.1', port: 1, owner: null, guarded: false };
  const forget = writeServiceFile(home, listening);
  assert.equal(await claim(), null);
  assert.equal(existsSync(path), false);
  assert.ok(forget);
  forget();
  assert.ok(await claim());
});

test('an interrupt ends the wait for the claim', async (t) => {
  const { home, path } = startWorld(t);
  const stopped = claimStart(home, { clock: systemClock, signal: AbortSignal.abort() });
  await assert.rejects(stopped, engineErrors.CANCELLED.is);
  assert.equal(existsSync(path), false);
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { Environment } from '../../../../actors/index/store/environment.ts';
import { leaseKey } from '../../../../actors/index/store/names.ts';
import { expiresAfterMs, isHeld, newLease, renewEveryMs } from '../../../../actors/index/store/open-work.ts';
import { LeaseRow } from '../../../../actors/index/store/records.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { seal, unseal } from '../../../../actors/index/store/table.ts';
import type { WriterOptions } from '../../../../actors/index/store/writer.ts';
import { manualClock } from '../../../runtime/manual-clock.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord, preview } from '../footage.ts';
import { someFootage } from '../handlers.ts';

const d = 32;
const start = Date.UTC(2026, 0, 1);
const elsewhere = { host: 'another-host', pid: 7, started: '', token: 'other' };

function records(t: TestContext, cache_dir: string): Environment {
  const environment = Environment.open(join(cache_dir, 'records.mdb'), 'write');
  t.after(() => environment.close());
  return environment;
}

function storeOf(t: TestContext, cache_dir: string, options: WriterOptions = {}): Store {
  const store = new Store(cache_dir, options);
  t.after(() => store.close());
  return store;
}

const putLease = (environment: Environment, lease: LeaseRow) =>
  environment.transact((writes) => writes.put(leaseKey, seal(LeaseRow, leaseKey, lease)));

function leaseIn(environment: Environment): LeaseRow | null {
  environment.refresh();
  const bytes = environment.get(leaseKey);
  return bytes === undefined ? null : unseal(LeaseRow, leaseKey, bytes, environment.file);
}

test('who holds a lease: what is known of the process decides, and where nothing is known its age', () => {
  const own = { ...newLease(), renewed_ms: start };
  const parent = { ...own, pid: process.ppid, token: 'other' };
  const fresh = start + expiresAfterMs - 1;
  const old = start + expiresAfterMs;
  const cases: [string, Partial<LeaseRow>, number, boolean][] = [
    ['another host, renewed', { host: 'another-host' }, fresh, true],
    ['another host, a minute old', { host: 'another-host' }, old, false],
    ['another host, from a clock far ahead', { host: 'another-host' }, start - expiresAfterMs, false],
    ['never renewed, of an earlier version', { host: 'another-host', renewed_ms: 0 }, start, false],
    ['start time unknown, renewed', { started: '' }, fresh, true],
    ['start time unknown, a minute old', { started: '' }, old, false],
    ['this process, another thread', { pid: process.pid }, fresh, false],
    ['an id that is used again', { started: 'another boot/1' }, fresh, process.platform !== 'linux'],
  ];
  for (const [name, lease, now, held] of cases) {
    assert.equal(isHeld({ ...parent, ...lease }, own, now), held, name);
  }
});

test('the lease of a host that is gone is taken over a minute after it was renewed, and until then the error names it', (t) => {
  const cache_dir = temporaryFolder(t);
  const environment = records(t, cache_dir);
  putLease(environment, { ...elsewhere, renewed_ms: start });
  let now = start + expiresAfterMs - 1;
  const store = storeOf(t, cache_dir, { now: () => now });
  assert.throws(
    () => store.begin('aa', 'model', d),
    (error) =>
      storeErrors.STORE_IN_USE.is(error) &&
      error.message ===
        `Process 7 on another-host is writing to ${cache_dir}: wait until it is done, or end it ` +
          '(last seen 2026-01-01T00:00:00.000Z); if it has ended, try again in 60 s',
  );
  now++;
  store.abort(store.begin('aa', 'model', d));
});

test('a lease is renewed while it is held, and no timer is left when it is given back', (t) => {
  const cache_dir = temporaryFolder(t);
  const environment = records(t, cache_dir);
  const clock = manualClock();
  const store = storeOf(t, cache_dir, { clock, now: () => start + clock.now() });
  const stage = store.begin('aa', 'model', d);
  assert.equal(leaseIn(environment)?.renewed_ms, start);
  for (let n = 1; n <= 10; n++) {
    clock.advance(renewEveryMs);
    assert.equal(leaseIn(environment)?.renewed_ms, start + n * renewEveryMs);
  }
  store.append(stage, { frames: [0], vectors: someFootage(1, 1), previews: [preview(0)] });
  assert.equal(store.commit(stage, mediaRecord('aa')), 1);
  assert.deepEqual([leaseIn(environment), clock.waiting], [null, 0]);
});

test('a lease is renewed also when the clock of the system was set back', (t) => {
  const cache_dir = temporaryFolder(t);
  const environment = records(t, cache_dir);
  const clock = manualClock();
  let setBack = 0;
  const store = storeOf(t, cache_dir, { clock, now: () => start + clock.now() - setBack });
  const stage = store.begin('aa', 'model', d);
  setBack = 3600_000;
  clock.advance(renewEveryMs);
  assert.equal(leaseIn(environment)?.renewed_ms, start + renewEveryMs - setBack);
  store.abort(stage);
});

test('a writer that was taken over is told, stores nothing more and leaves the lease alone', (t) => {
  const cache_dir = temporaryFolder(t);
  const environment = records(t, cache_dir);
  const clock = manualClock();
  const store = storeOf(t, cache_dir, { clock, now: () => start + clock.now() });
  const stage = store.begin('aa', 'model', d);
  store.append(stage, { frames: [0], vectors: someFootage(1, 1), previews: [preview(0)] });
  const other = { ...elsewhere, renewed_ms: start };
  putLease(environment, other);
  clock.advance(renewEveryMs);
  assert.throws(
    () => store.commit(stage, mediaRecord('aa')),
    (error) => storeErrors.STORE_IN_USE.is(error) && error.message.includes('another-host'),
  );
  assert.deepEqual(leaseIn(environment), other);
  assert.deepEqual(store.visual.stored('model', ['aa']), [false]);
});

test('a damaged lease keeps nobody from writing', (t) => {
  const cache_dir = temporaryFolder(t);
  records(t, cache_dir).transact((writes) => writes.put(leaseKey, new Uint8Array(40).fill(3)));
  const store = storeOf(t, cache_dir);
  const stage = store.begin('aa', 'model', d);
  store.append(stage, { frames: [0], vectors: someFootage(1, 1), previews: [preview(0)] });
  assert.equal(store.commit(stage, mediaRecord('aa')), 1);
});

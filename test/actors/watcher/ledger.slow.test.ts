import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { watcherErrors } from '../../../actors/watcher/contract.ts';
import { fileState } from '../../../actors/watcher/file-state.ts';
import { hashOf } from '../../../actors/watcher/hash.ts';
import { Ledger, removeLedger } from '../../../actors/watcher/ledger.ts';
import {
  type EndRecord,
  headerBytes,
  headerOf,
  type LedgerRecord,
  recordBytes,
} from '../../../actors/watcher/ledger-format.ts';
import { nodeCommand } from '../../node-command.ts';
import { temporaryFolder } from './start.ts';

const record = (i: number, state: EndRecord['state'] = fileState.analyzed): EndRecord => ({
  path: hashOf(`film-${i}.mp4`),
  mark: hashOf(`mark ${i}`),
  state,
});
const records = (count: number) => Array.from({ length: count }, (_, i) => record(i));
const none = () => [];

function read(path: string, plan = 'all'): { told: LedgerRecord[]; isWhole: boolean; ledger: Ledger } {
  const told: LedgerRecord[] = [];
  const ledger = new Ledger(path, plan);
  const isWhole = ledger.read(
    (one) => told.push(one),
    () => {},
  );
  return { told, isWhole, ledger };
}

function written(t: Pick<TestContext, 'after'>, all: readonly LedgerRecord[], plan = 'all') {
  const path = join(temporaryFolder(t), 'ledger');
  const ledger = new Ledger(path, plan);
  ledger.replace([]);
  for (const one of all) ledger.append([one], none);
  return { path, ledger };
}

test('what is appended is read again, in its order', (t) => {
  const all: LedgerRecord[] = [
    { root: hashOf('5:77') },
    record(1),
    record(2, fileState.failed),
    record(1, fileState.filtered),
  ];
  const { path } = written(t, all);
  const { told, isWhole } = read(path);
  assert.deepEqual(told, all);
  assert.ok(isWhole);
});

test('a ledger that is not there, is empty, of another version or of another plan tells nothing', (t) => {
  const { path } = written(t, records(3));
  const cases: Record<string, () => void> = {
    missing: () => rmSync(path),
    empty: () => writeFileSync(path, ''),
    'half a header': () => truncateSync(path, 30),
    'something else': () => writeFileSync(path, 'x'.repeat(500)),
    'another version': () => {
      const bytes = readFileSync(path);
      bytes.writeUInt32LE(2, 8);
      writeFileSync(path, bytes);
    },
    'another plan': () => written(t, records(2), 'other') && copyFileSync(written(t, [], 'other').path, path),
  };
  for (const [name, damage] of Object.entries(cases)) {
    damage();
    const { told, isWhole } = read(path);
    assert.deepEqual(told, [], name);
    assert.equal(isWhole, false, name);
  }
});

test('cut at any byte, only the records behind the cut are lost', (t) => {
  const all = records(6);
  const { path } = written(t, all);
  const bytes = readFileSync(path);
  for (let length = 0; length <= bytes.length; length++) {
    writeFileSync(path, bytes.subarray(0, length));
    const whole = Math.max(0, Math.floor((length - headerBytes) / recordBytes));
    const { told, isWhole } = read(path);
    assert.deepEqual(told, all.slice(0, whole), `cut at ${length}`);
    assert.equal(isWhole, length >= headerBytes && (length - headerBytes) % recordBytes === 0, `${length}`);
  }
});

test('a flipped byte loses its record and no other', (t) => {
  const all = records(6);
  const { path } = written(t, all);
  const bytes = readFileSync(path);
  const byte = fc.integer({ min: headerBytes, max: bytes.length - 1 });
  fc.assert(
    fc.property(byte, fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= flip;
      writeFileSync(path, damaged);
      const { told, isWhole } = read(path);
      const lost = Math.floor((at - headerBytes) / recordBytes);
      assert.deepEqual(told, all.toSpliced(lost, 1));
      assert.equal(isWhole, false);
    }),
  );
});

test('a page of zeros behind a power cut tells nothing', (t) => {
  const { path } = written(t, records(2));
  writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(recordBytes * 5)]));
  const { told, isWhole } = read(path);
  assert.deepEqual([told, isWhole], [records(2), false]);
});

test('a ledger that somebody replaced, cut or removed is written anew with what is known', (t) => {
  const meanwhile: ((path: string) => void)[] = [
    (path) => rmSync(path),
    (path) => truncateSync(path, headerBytes + 5),
    (path) => writeFileSync(path, 'somebody else'),
    // Of the same length and plan, by another process.
    (path) => copyFileSync(written(t, [record(8), record(9)]).path, path),
  ];
  for (const change of meanwhile) {
    const { path, ledger } = written(t, records(2));
    change(path);
    ledger.append([record(5)], () => records(2));
    assert.deepEqual(read(path).told, [...records(2), record(5)], String(change));
    ledger.append([record(6)], none);
    assert.deepEqual(read(path).told, [...records(2), record(5), record(6)], String(change));
  }
});

test('what was read is gone on with', (t) => {
  const { path } = written(t, records(3));
  const { ledger } = read(path);
  const before = readFileSync(path);
  ledger.append([record(3)], () => assert.fail('it is as it was left'));
  assert.deepEqual(readFileSync(path).subarray(0, before.length), before);
  assert.deepEqual(read(path).told, records(4));
});

test('a ledger that cannot be written or read is LEDGER_UNWRITABLE', (t) => {
  const folder = temporaryFolder(t);
  const isUnwritable = (error: unknown) => watcherErrors.LEDGER_UNWRITABLE.is(error);
  const away = new Ledger(join(folder, 'away', 'ledger'), 'all');
  assert.throws(() => away.replace([]), isUnwritable);
  assert.throws(() => away.append([record(1)], none), isUnwritable);
  mkdirSync(join(folder, 'ledger'));
  assert.throws(() => read(join(folder, 'ledger')), isUnwritable);
  assert.throws(() => removeLedger(join(folder, 'ledger')), isUnwritable);
  removeLedger(join(folder, 'not there'));
});

const hasLimits = process.platform === 'linux';
test('a disk that is full in the middle of a record keeps what was there', { skip: !hasLimits }, (t) => {
  const child = fileURLToPath(new URL('./full-disk.ts', import.meta.url));
  // Of 512 or 1024 bytes, as the shell has it.
  const limited = [
    '-c',
    'trap "" XFSZ; ulimit -f 3; exec "$@"',
    'sh',
    ...nodeCommand,
    child,
    join(temporaryFolder(t), 'ledger'),
  ];
  const { stdout, stderr } = spawnSync('sh', limited, { encoding: 'utf8' });
  assert.ok(stdout, stderr);
  const { appended, ...found } = JSON.parse(stdout);
  assert.deepEqual(found, {
    isUnwritable: true,
    isAsBefore: true,
    left: headerBytes % recordBytes,
    read: appended,
    isWhole: true,
  });
  assert.ok(appended >= 56, String(appended));
});

test('a ledger is long when most of its records say nothing any more', (t) => {
  const { path, ledger } = written(t, []);
  ledger.append(records(3000), none);
  assert.ok(!ledger.isLongFor(3000));
  assert.ok(!ledger.isLongFor(1000));
  assert.ok(ledger.isLongFor(900));
  ledger.replace(records(900));
  assert.ok(!ledger.isLongFor(900));
  assert.equal(statSync(path).size, headerBytes + 900 * recordBytes);
  assert.deepEqual(read(path).told, records(900));
});

test('more records than are read at once are all read', (t) => {
  const { path, ledger } = written(t, []);
  ledger.replace(records(70_000));
  let alive = 0;
  let told = 0;
  const isWhole = new Ledger(path, 'all').read(
    () => (told += 1),
    () => (alive += 1),
  );
  assert.deepEqual([told, isWhole], [70_000, true]);
  assert.ok(alive >= 3);
});

test('two ledgers of one plan have headers of their own', () => {
  assert.notDeepEqual(headerOf('all', Buffer.alloc(8, 1)), headerOf('all', Buffer.alloc(8, 2)));
});

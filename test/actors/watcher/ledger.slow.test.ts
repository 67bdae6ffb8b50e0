import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import fc from 'fast-check';
import { watcherErrors } from '../../../actors/watcher/contract.ts';
import { type EndRecord, Ledger, type LedgerRecord, removeLedger } from '../../../actors/watcher/ledger.ts';
import { nodeCommand } from '../../node-command.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const plan = { work: 'all', store: 'a' };
const record = (i: number, end: EndRecord['end'] = 'analyzed'): EndRecord => ({
  path: `day 1/film-${i}.mp4`,
  mark: `${i}-${i}`,
  end,
});
const records = (count: number) => Array.from({ length: count }, (_, i) => record(i));
const isUnwritable = (error: unknown) => watcherErrors.LEDGER_UNWRITABLE.is(error);

/** A ledger and what it tells when it is opened, which is all that is to be remembered. */
function opened(path: string, under = plan) {
  const told: LedgerRecord[] = [];
  const ledger = new Ledger(
    path,
    under,
    () => told,
    (one) => told.push(one),
  );
  return { told, ledger };
}

/** The path of a ledger with these records. */
function written(t: Pick<TestContext, 'after'>, all: readonly LedgerRecord[]): string {
  const path = join(temporaryFolder(t), 'ledger');
  const { ledger } = opened(path);
  for (const one of all) ledger.append([one]);
  return path;
}

test('what is appended is read again, in its order', (t) => {
  const all = [{ root: '5:77' }, record(1), record(2, 'failed'), record(1, 'filtered')];
  const path = written(t, all);
  const before = readFileSync(path);
  const { told, ledger } = opened(path);
  assert.deepEqual(told, all);
  ledger.append([record(3)]);
  assert.deepEqual(readFileSync(path).subarray(0, before.length), before);
  assert.deepEqual(opened(path).told, [...all, record(3)]);
});

test('a ledger that is not there, no ledger, of another version or plan tells nothing, and is begun anew', (t) => {
  const header = { version: 2, plan };
  const cases: Record<string, (path: string) => void> = {
    missing: (path) => rmSync(path),
    empty: (path) => writeFileSync(path, ''),
    'half a header': (path) => truncateSync(path, 12),
    'something else': (path) => writeFileSync(path, 'x'.repeat(500)),
    'another version': (path) =>
      writeFileSync(path, `${JSON.stringify(header)}\n${JSON.stringify(record(1))}\n`),
    'another plan': (path) => void opened(path, { work: 'other', store: 'a' }),
    'another analysis folder': (path) => void opened(path, { work: 'all', store: 'b' }),
  };
  for (const [name, damage] of Object.entries(cases)) {
    const path = written(t, records(3));
    damage(path);
    const { told, ledger } = opened(path);
    assert.deepEqual(told, [], name);
    ledger.append([record(5)]);
    assert.deepEqual(opened(path).told, [record(5)], name);
  }
});

test('cut at any byte, only the records behind the cut are lost', (t) => {
  const all = records(4);
  const path = written(t, all);
  const bytes = readFileSync(path);
  for (let length = 0; length <= bytes.length; length++) {
    writeFileSync(path, bytes.subarray(0, length));
    const lines = bytes.subarray(0, length).toString().split('\n').length - 1;
    const whole = all.slice(0, Math.max(0, lines - 1));
    assert.deepEqual(opened(path).told, whole, `cut at ${length}`);
    assert.deepEqual(opened(path).told, whole, `cut at ${length}, and written anew`);
  }
});

test('a page of zeros behind a power cut, and a byte that flipped, lose no other record', (t) => {
  const path = written(t, records(6));
  const bytes = readFileSync(path);
  writeFileSync(path, Buffer.concat([bytes, Buffer.alloc(4096)]));
  assert.deepEqual(opened(path).told, records(6));
  const from = bytes.indexOf('\n') + 1;
  fc.assert(
    fc.property(
      fc.integer({ min: from, max: bytes.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      (at, flip) => {
        const damaged = Buffer.from(bytes);
        damaged[at]! ^= flip;
        writeFileSync(path, damaged);
        const told = new Set(opened(path).told.map((one) => JSON.stringify(one)));
        const lost = records(6).filter((one) => !told.has(JSON.stringify(one)));
        // Without a line break between them two records are none.
        assert.ok(lost.length <= 2, `${lost.length}`);
      },
    ),
  );
});

test('a ledger that cannot be written or read is LEDGER_UNWRITABLE', (t) => {
  const folder = temporaryFolder(t);
  assert.throws(() => opened(join(folder, 'away', 'ledger')), isUnwritable);
  mkdirSync(join(folder, 'ledger'));
  assert.throws(() => opened(join(folder, 'ledger')), isUnwritable);
  assert.throws(() => removeLedger(join(folder, 'ledger')), isUnwritable);
  removeLedger(join(folder, 'not there'));
});

test('a disk that is full in the middle of a record keeps what was there', {
  skip: process.platform !== 'linux' && 'there are no limits of that kind',
}, (t) => {
  const path = join(temporaryFolder(t), 'ledger');
  const module = new URL('../../../actors/watcher/ledger.ts', import.meta.url).href;
  const program = `
    import { Ledger } from ${JSON.stringify(module)};
    const ledger = new Ledger(${JSON.stringify(path)}, ${JSON.stringify(plan)}, () => [], () => {});
    let appended = 0;
    try {
      for (;; appended++) ledger.append([{ path: String(appended), mark: 'm', end: 'failed' }]);
    } catch (error) {
      process.stdout.write(JSON.stringify({ code: error.code, appended }));
    }`;
  // Of 512 or 1024 bytes, as the shell has it.
  const limited = ['-c', 'trap "" XFSZ; ulimit -f 3; exec "$@"', 'sh', ...nodeCommand];
  const { stdout, stderr } = spawnSync('sh', [...limited, '--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  assert.ok(stdout, stderr);
  const { code, appended } = JSON.parse(stdout);
  assert.equal(code, 'LEDGER_UNWRITABLE');
  const { told } = opened(path);
  assert.deepEqual([told.length, appended >= 20], [appended, true]);
});

test('what could not be appended is written with all that is remembered when it can be', (t) => {
  const path = join(temporaryFolder(t), 'ledger');
  const remembered = records(2);
  const ledger = new Ledger(
    path,
    plan,
    () => remembered,
    () => {},
  );
  rmSync(path);
  mkdirSync(path);
  assert.throws(() => ledger.append([record(2)]), isUnwritable);
  rmSync(path, { recursive: true });
  ledger.append([record(2)]);
  assert.deepEqual(opened(path).told, records(3));
});

test('a ledger is written anew when most of its records are outdated', (t) => {
  const path = join(temporaryFolder(t), 'ledger');
  const ledger = new Ledger(
    path,
    plan,
    () => records(900),
    () => {},
  );
  ledger.append(records(3000));
  ledger.compact(1000 + 500);
  assert.equal(opened(path).told.length, 3900);
  ledger.compact(900);
  assert.deepEqual(opened(path).told, records(900));
});

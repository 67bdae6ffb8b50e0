import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { openJournal } from '../../../../actors/analysis/recovery/journal.ts';
import {
  isQuarantined,
  type JournalEntry,
  readJournal,
  stageKey,
} from '../../../../actors/analysis/recovery/quarantine.ts';
import { world } from '../fakes.ts';

const key = stageKey('h', 'visual', 'm');
const start = (pid: number): JournalEntry => ({ type: 'engine-start', time: 0, pid });
const stage = (pid: number, of = key): JournalEntry => ({
  type: 'stage-start',
  time: 0,
  task_id: 't',
  key: of,
  pid,
});
const ended = (pid: number, of = key): JournalEntry => ({
  type: 'stage-end',
  time: 0,
  task_id: 't',
  key: of,
  pid,
  outcome: 'stored',
});
const stop = (pid: number): JournalEntry => ({ type: 'engine-stop', time: 0, pid });

test('a file that was running in two crashes of the engine is quarantined', () => {
  const table: [JournalEntry[], number[], number][] = [
    [[start(1), stage(1)], [], 1],
    [[start(1), stage(1), start(2), stage(2)], [], 2],
    // An engine that still runs has not crashed, one that stopped by itself did not crash.
    [[start(1), stage(1), start(2), stage(2)], [2], 1],
    [[start(1), stage(1), stop(1)], [], 0],
    [[start(1), stage(1), ended(1)], [], 0],
    // The same process id again: the earlier engine is gone.
    [[start(1), stage(1), start(1), stage(1)], [1], 1],
    // What later ended by itself did not end the engine.
    [[start(1), stage(1), start(2), stage(2), ended(2)], [], 0],
  ];
  for (const [entries, alive, crashes] of table) {
    const state = readJournal(entries, (pid) => alive.includes(pid));
    assert.equal(state.crashes.get(key) ?? 0, crashes, JSON.stringify(entries));
    assert.equal(isQuarantined(state, key), crashes >= 2);
  }
});

test('an engine whose process number was given to another process has crashed', () => {
  const entries: JournalEntry[] = [{ ...start(1), started: 'boot/100' } as JournalEntry, stage(1)];
  assert.equal(readJournal(entries, (_, started) => started === 'boot/200').crashes.get(key), 1);
  assert.equal(readJournal(entries, (_, started) => started === 'boot/100').crashes.size, 0);
});

test('a journal with a line cut short keeps every other line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  const path = join(folder, 'home', 'journal.ndjson');
  const journal = openJournal(path, () => 0);
  journal.write({ type: 'stage-start', task_id: 't', key: 'kept' });
  appendFileSync(path, '{"type":"stage-start","task_id":"t","key":"cut');
  const again = openJournal(path, () => 0);
  again.write({ type: 'stage-start', task_id: 't', key: 'after' });
  assert.deepEqual(
    [...openJournal(path, () => 0).before.crashes],
    [
      ['kept', 1],
      ['after', 1],
    ],
  );
  assert.match(
    readFileSync(path, 'utf8'),
    /\n\{"time":0,"pid":\d+,"type":"engine-start","started":"[^"]*"\}\n/,
  );
  rmSync(folder, { recursive: true });
});

test('files that were running in a crash are analysed last and alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  const journal = join(folder, 'journal.ndjson');
  const suspects = ['x', 'y'].map((name) => stageKey(name, 'visual', 'fake'));
  for (const entry of [start(-1), ...suspects.map((key) => stage(-1, key))]) {
    appendFileSync(journal, `${JSON.stringify(entry)}\n`);
  }
  const files = ['x', 'a', 'y', 'b'].map((name) => ({ name, frames: 6 }));
  const w = await world(files, { journal });
  assert.ok((await w.run()).results.every(({ outcome }) => outcome === 'analyzed'));
  assert.deepEqual(new Set(w.decoded.slice(0, 2)), new Set(['a', 'b']));
  const running = new Set<string>();
  for (const line of readFileSync(journal, 'utf8').split('\n').filter(Boolean)) {
    const entry = JSON.parse(line) as JournalEntry;
    if (entry.type === 'stage-start' && entry.pid > 0 && entry.key.includes('/visual/')) {
      if (suspects.includes(entry.key)) assert.equal(running.size, 0, `${entry.key} was not alone`);
      running.add(entry.key);
    } else if (entry.type === 'stage-end') running.delete(entry.key);
  }
  await w.end();
  rmSync(folder, { recursive: true });
});

test('an analysis leaves a quarantined file alone and says how to try again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  const journal = join(folder, 'journal.ndjson');
  const fatal = stageKey('killer', 'visual', 'fake');
  for (const entry of [start(-1), stage(-1, fatal), start(-2), stage(-2, fatal)]) {
    appendFileSync(journal, `${JSON.stringify(entry)}\n`);
  }
  const w = await world(
    [
      { name: 'killer', frames: 2 },
      { name: 'good', frames: 2 },
    ],
    { journal },
  );
  const { results } = await w.run();
  const killer = results.find(({ path }) => path.endsWith('killer'));
  assert.equal(killer?.error?.code, 'QUARANTINED');
  assert.match(killer?.error?.message ?? '', /--force/);
  assert.deepEqual(w.decoded, ['good']);
  assert.equal(
    (await w.run(undefined, true)).results.every(({ outcome }) => outcome === 'analyzed'),
    true,
  );
  await w.end();
  rmSync(folder, { recursive: true });
});

import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { type JournalOptions, openJournal } from '../../../../actors/analysis/recovery/journal.ts';
import {
  type JournalEntry,
  JournalHistory,
  quarantineReason,
  stageKey,
} from '../../../../actors/analysis/recovery/quarantine.ts';
import { createLog, type LogLine } from '../../../../runtime/log.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { world } from '../fakes.ts';

const key = stageKey('h', 'visual', 'm');
const other = stageKey('other', 'visual', 'm');
const start = (pid: number, more: object = {}): JournalEntry => ({
  type: 'engine-start',
  time: 0,
  pid,
  ...more,
});
const stage = (pid: number, of = key, time = 0): JournalEntry => ({
  type: 'stage-start',
  time,
  task_id: 't',
  key: of,
  pid,
});
const ended = (pid: number, of = key, outcome = 'stored', more: object = {}): JournalEntry => ({
  type: 'stage-end',
  time: 0,
  task_id: 't',
  key: of,
  pid,
  outcome,
  ...more,
});
const stop = (pid: number): JournalEntry => ({ type: 'engine-stop', time: 0, pid });

function read(
  entries: readonly JournalEntry[],
  alive: (pid: number, started: string) => boolean = () => false,
) {
  const history = new JournalHistory();
  for (const entry of entries) history.take(entry);
  history.settle(alive);
  return history;
}

/** A journal of an engine whose log is read. */
function open(path: string, options: Partial<JournalOptions> = {}) {
  const lines: LogLine[] = [];
  const log = createLog('test', (line) => lines.push(line));
  return { journal: openJournal(path, { log, now: () => 0, before: null, ...options }), lines };
}

test('a file is quarantined by two deaths in which it alone was being worked on', () => {
  // Entries, engines that live, strikes at all, left alone.
  const table: [JournalEntry[], number[], boolean, boolean][] = [
    [[start(1), stage(1)], [], true, false],
    [[start(1), stage(1), start(2), stage(2)], [], true, true],
    // Twelve good files that were worked on together say nothing about any of them.
    [[start(1), stage(1), stage(1, other), start(2), stage(2), stage(2, other)], [], true, false],
    [[start(1), stage(1), stage(1, other), start(2), stage(2)], [], true, false],
    [[start(1), stage(1), stage(1, other), start(2), stage(2), start(3), stage(3)], [], true, true],
    // Two stages of the same file are one file; another file that ended before is none.
    [[start(1), stage(1), stage(1, stageKey('h', 'speech', 'm')), start(2), stage(2)], [], true, true],
    [[start(1), stage(1, other), ended(1, other), stage(1), start(2), stage(2)], [], true, true],
    // An engine that still runs has not died, one that was asked to stop may be killed.
    [[start(1), stage(1), start(2), stage(2)], [2], true, false],
    [[start(1), stage(1), stop(1)], [], false, false],
    [[start(1), stage(1), ended(1)], [], false, false],
    // The same process id again: the earlier engine is gone.
    [[start(1), stage(1), start(1), stage(1)], [1], true, false],
    // A stage that later ended by itself did not end the engine; a cancel says nothing.
    [[start(1), stage(1), start(2), stage(2), ended(2)], [], false, false],
    [[start(1), stage(1), start(2), stage(2), ended(2, key, 'left')], [], true, false],
    // Work that hung twice is left alone, whatever the engine did then.
    [[start(1), stage(1), ended(1, key, 'hung', { alone: true })], [1], true, false],
    [
      [
        ...[start(1), stage(1), stage(1, other)],
        ...[ended(1, key, 'hung', { alone: true }), stage(1), ended(1, key, 'hung', { alone: true })],
      ],
      [1],
      true,
      true,
    ],
    [
      [start(1), stage(1), stage(1, other), ended(1, key, 'hung'), stage(1), ended(1, key, 'hung')],
      [1],
      true,
      false,
    ],
    // Compacted by an older version, which did not say what else was running.
    [[stage(0), start(0), stage(0), start(0)], [], true, false],
  ];
  for (const [entries, alive, suspect, left] of table) {
    const history = read(entries, (pid) => alive.includes(pid));
    assert.deepEqual(
      [history.isSuspect(key), history.quarantine(key) !== null],
      [suspect, left],
      JSON.stringify(entries),
    );
    // Compaction changes none of it.
    const again = read([...history.entries()], (pid) => alive.includes(pid));
    assert.deepEqual([...again.entries()], [...history.entries()]);
  }
});

test('the reason says what was seen', () => {
  const at = Date.parse('2026-03-01T10:00:00Z');
  const before = { pid: 1, how: 'SIGKILL' };
  const died = read([start(1), stage(1, key, at), start(2, { before }), stage(2, key, at + 60_000)]);
  assert.equal(
    quarantineReason(died.quarantine(key) ?? []),
    'the engine crashed twice while this was the only file being analysed ' +
      '(started 2026-03-01T10:00:00Z, ended by SIGKILL; started 2026-03-01T10:01:00Z)',
  );
  const hung = read([start(1), stage(1, key, at), ended(1, key, 'hung'), start(2), stage(2, key, at)]);
  assert.match(
    quarantineReason(hung.quarantine(key) ?? []),
    /^the engine crashed or the analysis hung twice while/,
  );
});

test('an engine whose process number was given to another process has crashed', () => {
  const entries = [start(1, { started: 'boot/100' }), stage(1)];
  assert.ok(read(entries, (_, started) => started === 'boot/200').isSuspect(key));
  assert.ok(!read(entries, (_, started) => started === 'boot/100').isSuspect(key));
});

test('a journal with a line cut short keeps every other line', (t) => {
  const path = join(temporaryFolder(t), 'home', 'journal.ndjson');
  const { journal } = open(path);
  journal.write({ type: 'stage-start', task_id: 't', key: 'kept' });
  appendFileSync(path, '{"type":"stage-start","task_id":"t","key":"cut');
  const again = open(path).journal;
  again.write({ type: 'stage-start', task_id: 't', key: 'after' });
  assert.deepEqual(open(path).journal.history.suspects, ['kept', 'after']);
});

test('an engine starts from a damaged or huge journal, says so, and keeps what can be read', (t) => {
  const path = join(temporaryFolder(t), 'journal.ndjson');
  const lines = (...entries: JournalEntry[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  const damage = [
    '\0'.repeat(3 << 20),
    'null\n[]\n{"type":"stage-start"}\n',
    `{"key":"${'x'.repeat(1 << 18)}"}\n`,
  ];
  writeFileSync(path, lines(start(-1), stage(-1)) + damage.join('') + lines(start(-2), stage(-2)));
  const { journal, lines: said } = open(path);
  assert.ok(journal.history.quarantine(key));
  assert.match(said[0]?.message ?? '', /damaged/);
  assert.ok(statSync(path).size < 2_000);
  assert.deepEqual(open(path).lines, [], 'said once');
  truncateSync(path, 1 << 30);
  assert.match(open(path).lines[0]?.message ?? '', /too long/);
  assert.ok(statSync(path).size < 2_000);
});

test('a journal stays small while the engine runs, and keeps what runs and what died', (t) => {
  const path = join(temporaryFolder(t), 'journal.ndjson');
  writeFileSync(
    path,
    [start(-1), stage(-1, 'dead/visual/m')].map((entry) => `${JSON.stringify(entry)}\n`).join(''),
  );
  const compactBytes = 20_000;
  const { journal } = open(path, { compactBytes });
  journal.write({ type: 'stage-start', task_id: 't', key });
  for (let i = 0; i < 2_000; i++) {
    const look = { task_id: 'metadata', key: `${i}/survey//unreadable` };
    journal.write({ type: 'stage-start', ...look });
    journal.write({ type: 'stage-end', ...look, outcome: 'failed' });
    assert.ok(statSync(path).size < 2 * compactBytes);
  }
  // The journal is as after a kill: the process of the journal is this one.
  const after = open(path).journal.history;
  assert.deepEqual(new Set(after.suspects), new Set(['dead/visual/m', key]));
});

test('an engine whose journal was compacted by another one says anew what it works on', (t) => {
  const path = join(temporaryFolder(t), 'journal.ndjson');
  const { journal } = open(path);
  journal.write({ type: 'stage-start', task_id: 't', key });
  journal.write({ type: 'stage-start', task_id: 't', key: other });
  rmSync(path);
  journal.write({ type: 'stage-end', task_id: 't', key: other, outcome: 'stored' });
  assert.deepEqual(open(path).journal.history.suspects, [key]);
});

test('work that is killed after the engine was asked to stop is no suspect', (t) => {
  const path = join(temporaryFolder(t), 'journal.ndjson');
  const { journal } = open(path);
  journal.write({ type: 'stage-start', task_id: 't', key });
  journal.stopping();
  journal.write({ type: 'stage-start', task_id: 't', key: other });
  assert.deepEqual(open(path).journal.history.suspects, []);
});

test('files that were running in a crash are analysed last and alone', async (t) => {
  const journal = join(temporaryFolder(t), 'journal.ndjson');
  const suspects = ['x', 'y'].map((name) => stageKey(name, 'visual', 'fake'));
  for (const entry of [start(-1), ...suspects.map((key) => stage(-1, key))]) {
    appendFileSync(journal, `${JSON.stringify(entry)}\n`);
  }
  const files = ['x', 'a', 'y', 'b'].map((name) => ({ name, frames: 6 }));
  const w = await world(files, { journal });
  assert.ok((await w.run()).results.every(({ outcome }) => outcome === 'analyzed'));
  assert.deepEqual(new Set(w.decoded.slice(0, 2)), new Set(['a', 'b']));
  expectAlone(journal, (key) => suspects.includes(key));
  await w.end();
});

test('a suspect has the whole engine for itself: no look at a file and no other lane works meanwhile', async (t) => {
  const journal = join(temporaryFolder(t), 'journal.ndjson');
  const files = ['x', 'a', 'y', 'b', 'c'].map((name) => ({ name, frames: 6, sound: true }));
  const w = await world(files, { journal });
  const speech = w.paths.map((path) => ({ path, ...spoken }));
  await w.run(undefined, false, w.paths, speech);
  const lines = readFileSync(journal, 'utf8').split('\n').filter(Boolean);
  const keys = lines.map((line) => JSON.parse(line) as { type: string; key?: string });
  const suspects = keys.flatMap(({ type, key = '' }) =>
    type === 'stage-start' && (key.startsWith('x/') || /survey.*\/y$/.test(key)) ? [key] : [],
  );
  assert.equal(suspects.length, 3);
  for (const key of suspects) w.journal.history.take(stage(-1, key));
  w.journal.history.died({ pid: -1, how: '' });
  writeFileSync(journal, '');
  w.state.media.clear();
  w.state.decoded.length = 0;
  const { results } = await w.run(undefined, true, w.paths, speech);
  assert.deepEqual(new Set(results.map(({ outcome }) => outcome)), new Set(['analyzed']));
  assert.equal(results.length, 10);
  expectAlone(journal, (key) => suspects.includes(key));
  const order = results.map(({ path }) => path.at(-1));
  assert.deepEqual(new Set(order.slice(-4)), new Set(['x', 'y']), order.join(' '));
  assert.equal(w.journal.history.suspects.length, 0);
  await w.end();
});

test('a film that hangs its decoder is done again last; the second time it is left alone, and so it stays', async (t) => {
  const journal = join(temporaryFolder(t), 'journal.ndjson');
  const hanging = { name: 'hangs', frames: 6, failAt: 3, failures: 2, error: 'hang' } as const;
  const files = [{ ...hanging }, { name: 'good', frames: 6 }, { name: 'other', frames: 6 }];
  const w = await world(files, { journal });
  const [hangs = ''] = w.paths;
  const { results } = await w.run();
  // Two files are surveyed at a time, so either may come first.
  assert.deepEqual(w.decoded.slice(0, 3).sort(), ['good', 'hangs', 'other']);
  assert.deepEqual(w.decoded.slice(3), ['hangs']);
  const failed = results.find(({ path }) => path === hangs);
  assert.equal(failed?.error?.code, 'QUARANTINED');
  assert.match(failed?.error?.message ?? '', /the analysis hung twice/);
  assert.equal(results.filter(({ outcome }) => outcome === 'analyzed').length, 2);
  const again = await w.run(undefined, false, [hangs]);
  assert.equal(again.results[0]?.error?.code, 'QUARANTINED');
  assert.equal(w.decoded.length, 4);
  await w.end();
});

const spoken = {
  language: 'en',
  channels: null,
  detect_speakers: true,
  speaker_count: 'auto',
  preferred: 'auto',
} as const;

/** The work that `isSuspect` names began while nothing else was running. */
function expectAlone(journal: string, isSuspect: (key: string) => boolean): void {
  const running = new Set<string>();
  for (const line of readFileSync(journal, 'utf8').split('\n').filter(Boolean)) {
    const entry = JSON.parse(line) as JournalEntry;
    if (entry.type === 'stage-start' && entry.pid > 0) {
      assert.ok(![...running].some(isSuspect), `${entry.key} began beside a suspect`);
      if (isSuspect(entry.key)) assert.equal(running.size, 0, `${entry.key} was not alone`);
      running.add(entry.key);
    } else if (entry.type === 'stage-end') running.delete(entry.key);
  }
}

test('an analysis leaves a quarantined file alone and says how to try again', async (t) => {
  const journal = join(temporaryFolder(t), 'journal.ndjson');
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
  assert.match(
    killer?.error?.message ?? '',
    /the engine crashed twice while this was the only file.*--force/,
  );
  assert.deepEqual(w.decoded, ['good']);
  assert.equal(
    (await w.run(undefined, true)).results.every(({ outcome }) => outcome === 'analyzed'),
    true,
  );
  await w.end();
});

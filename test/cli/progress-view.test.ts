import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { WorkResult } from '../../actors/analysis/contract.ts';
import { ProgressModel, progressOf } from '../../actors/analysis/progress.ts';
import { stageKinds } from '../../actors/analysis/stages/kinds.ts';
import { createProgressView, createTally, summary, taskLine } from '../../cli/progress-view.ts';
import { widthOf } from '../../cli/terminal.ts';
import { manualClock } from '../runtime/manual-clock.ts';
import { task } from './task-progress.ts';

function screenOf(columns: number, isTerminal: boolean) {
  const written: string[] = [];
  const screen = { write: (text: string) => void written.push(text), columns, isTerminal };
  return { screen, text: () => written.join('') };
}

test('the line of the whole tells frames a second, times real time and what is left', () => {
  const line = taskLine(stageKinds, task, 200);
  assert.match(line, /25% · 1\/2 files · 30\/120 frames · 10.0 frames\/s · 10.0× real time · 9 s left/);
  assert.doesNotMatch(taskLine(stageKinds, { ...task, speed: 0 }, 200), /real time/);
});

test('a terminal shows a bar for each file and one for the whole, and redraws in place', () => {
  const clock = manualClock();
  const { screen, text } = screenOf(120, true);
  const view = createProgressView(screen, clock);
  view.event({ type: 'task', task });
  view.event({ type: 'file', file: { path: '/x/one.mp4', type: 'video', done: 1, all: 4, percentage: 25 } });
  clock.advance(100);
  assert.match(text(), /one\.mp4 .*█████░+ {2}25% 1\/4/);
  const before = text().length;
  view.event({ type: 'file', file: { path: '/x/one.mp4', type: 'video', done: 2, all: 4, percentage: 50 } });
  clock.advance(100);
  assert.ok(text().slice(before).startsWith('\x1b[2A\x1b[J'));
});

test('without a terminal there is a line a result and no control sequence', () => {
  const { screen, text } = screenOf(80, false);
  const view = createProgressView(screen, manualClock());
  const facts = { frames: 0, missing_frames: 0 };
  const result = { type: 'video', hash_str: 'h', reason: null, facts, duration_seconds: 3, error: null };
  view.event({ type: 'task', task });
  view.event({
    type: 'result',
    result: { ...result, path: '/a.mp4', outcome: 'analyzed', facts: { frames: 3, missing_frames: 0 } },
  });
  const slides = { frames: 600, missing_frames: 2, frames_reused: 540 };
  view.event({
    type: 'result',
    result: { ...result, path: '/slides.mp4', outcome: 'analyzed', facts: slides },
  });
  view.event({ type: 'result', result: { ...result, path: '/s.mp3', outcome: 'not_applicable' } });
  const error = { code: 'NOT_MEDIA', message: '/b\nc: not media' };
  view.event({ type: 'result', result: { ...result, path: '/b', outcome: 'failed', error } });
  view.end();
  assert.deepEqual(text().split('\n').slice(0, 4), [
    '✓ a.mp4: 3 frames',
    '✓ slides.mp4: 600 frames, 540 unchanged, 2 cannot be decoded',
    '– s.mp3: sound only, no pictures to analyse',
    '✗ NOT_MEDIA: /b\\x0ac: not media',
  ]);
  assert.ok(!text().includes('\x1b'));
});

const ofFile = (path: string, type: string, more: Partial<WorkResult> = {}): WorkResult => ({
  ...{ path, type, hash_str: 'h', outcome: 'analyzed', reason: null, duration_seconds: 3, error: null },
  facts: {
    frames: 3,
    missing_frames: 0,
    things: { tracks: 2, missing_frames: 0 },
    text: { lines: 0, missing_frames: 0 },
  },
  ...more,
});

test('a file has one line, whatever kinds of work there are, and a broken one is one failure', () => {
  const { screen, text } = screenOf(80, false);
  const view = createProgressView(screen, manualClock());
  const types = ['video', 'text', 'things'];
  view.event({ type: 'task', task: { ...task, types } });
  for (const type of ['things', 'video', 'text'])
    view.event({ type: 'result', result: ofFile('/a.mp4', type) });
  const error = { code: 'NOT_MEDIA', message: '/b.mp4: not media' };
  for (const type of types)
    view.event({ type: 'result', result: ofFile('/b.mp4', type, { outcome: 'failed', error }) });
  const words = { code: 'TEXT_FAILED', message: '/c.mp4: words cannot be read' };
  view.event({ type: 'result', result: ofFile('/c.mp4', 'text', { outcome: 'failed', error: words }) });
  view.event({ type: 'result', result: ofFile('/c.mp4', 'video') });
  const before = text();
  view.end();
  assert.equal(before, '✓ a.mp4: 3 frames, 2 things\n✗ NOT_MEDIA: /b.mp4: not media\n');
  const [line] = text().slice(before.length).split('\n');
  assert.equal(line, '✗ TEXT_FAILED: /c.mp4: words cannot be read (apart from that: 3 frames)');
});

test('results before the kinds of work are known wait, and a still needs no word of its speech', () => {
  const { screen, text } = screenOf(80, false);
  const view = createProgressView(screen, manualClock());
  const error = { code: 'NOT_MEDIA', message: '/b.mp4: not media' };
  view.event({ type: 'result', result: ofFile('/b.mp4', 'video', { outcome: 'failed', error }) });
  assert.equal(text(), '');
  view.event({ type: 'task', task: { ...task, types: ['video', 'speech'] } });
  view.event({ type: 'result', result: ofFile('/b.mp4', 'speech', { outcome: 'failed', error }) });
  const one = { facts: { frames: 1, missing_frames: 0 } };
  view.event({ type: 'result', result: ofFile('/still.jpg', 'video', one) });
  assert.equal(text(), '✗ NOT_MEDIA: /b.mp4: not media\n✓ still.jpg: analysed\n');
});

test('of a file to which no kind of work applies the first kind says why', () => {
  const tally = createTally();
  const more = { outcome: 'not_applicable', facts: {} } as const;
  tally.add(ofFile('/tone.wav', 'speech', { ...more, reason: 'no_sound' }));
  tally.add(ofFile('/tone.wav', 'video', { ...more, reason: 'no_picture' }));
  assert.deepEqual([tally.ofFiles.no_picture, tally.ofFiles.no_sound], [1, 0]);
});

test('a file at work has one bar, whatever kinds of work there are', () => {
  const clock = manualClock();
  const { screen, text } = screenOf(120, true);
  const view = createProgressView(screen, clock);
  view.event({ type: 'task', task });
  for (const [type, percentage] of [
    ['video', 20],
    ['text', 40],
  ] as const)
    view.event({ type: 'file', file: { path: '/x/one.mp4', type, done: 1, all: 4, percentage } });
  clock.advance(100);
  assert.equal(text().split('one.mp4').length, 2);
  assert.match(text(), /one\.mp4 .* 30%\n/);
});

test('what the machine lacks is said once for all files', () => {
  const { screen, text } = screenOf(80, false);
  const view = createProgressView(screen, manualClock());
  view.event({ type: 'task', task: { ...task, types: ['video', 'speech'] } });
  for (const path of ['/a.mp4', '/b.mp4', '/c.mp4']) {
    const error = {
      code: 'NO_SPEECH_MODEL',
      message: `${path}: there are no subtitles. No model is downloaded`,
    };
    view.event({ type: 'result', result: ofFile(path, 'video') });
    view.event({ type: 'result', result: ofFile(path, 'speech', { outcome: 'failed', error }) });
  }
  view.end();
  assert.deepEqual(text().split('\n').slice(0, 4), [
    '✓ a.mp4: 3 frames',
    '✓ b.mp4: 3 frames',
    '✓ c.mp4: 3 frames',
    '✗ NO_SPEECH_MODEL: /a.mp4 and 2 more files: there are no subtitles. No model is downloaded',
  ]);
});

test('files that a stop left do not count as done', () => {
  const { screen, text } = screenOf(80, false);
  const view = createProgressView(screen, manualClock());
  const facts = { frames: 0, missing_frames: 0 };
  const result = { type: 'video', hash_str: 'h', reason: null, facts, duration_seconds: 3, error: null };
  view.event({ type: 'result', result: { ...result, path: '/a.mp4', outcome: 'cancelled' } });
  view.event({ type: 'task', task: { ...task, files_done: 2 } });
  view.end();
  assert.match(text(), / 1\/2 files /);
});

test('without a terminal the whole is told every ten seconds, in plain text', () => {
  const clock = manualClock();
  const { screen, text } = screenOf(80, false);
  const view = createProgressView(screen, clock);
  for (let second = 0; second < 25; second++) {
    view.event({ type: 'task', task });
    clock.advance(1000);
  }
  const lines = text().split('\n').slice(0, -1);
  assert.equal(lines.length, 2);
  assert.match(lines[0]!, /^25% · 1\/2 files · 30\/120 frames · .* · 9 s left$/);
  view.end();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  assert.doesNotMatch(text(), /[\x00-\x09\x0b-\x1f█░]/);
});

test('a narrow terminal shows what is left and the speed first, and no half of a number', () => {
  assert.equal(taskLine(stageKinds, task, 40), '9 s left · 10.0× real time · 25%');
  assert.equal(taskLine(stageKinds, task, 60), '9 s left · 10.0× real time · 25% · 1/2 files');
  for (let columns = 10; columns < 120; columns++)
    assert.ok(taskLine(stageKinds, task, columns).length < columns, `${columns}`);
});

test('no line is as wide as the terminal, or redrawing in place would count wrongly', () => {
  for (const columns of [20, 40, 60, 80, 120]) {
    const clock = manualClock();
    const { screen, text } = screenOf(columns, true);
    const view = createProgressView(screen, clock);
    view.event({ type: 'task', task });
    for (const name of [
      'a-very-long-name-of-a-film-that-somebody-exported.mp4',
      '東京の夜の長い映画の名前です.mp4',
    ]) {
      view.event({
        type: 'file',
        file: { path: `/x/${name}`, type: 'video', done: 11, all: 40, percentage: 27 },
      });
    }
    clock.advance(100);
    for (const line of stripVTControlCharacters(text()).split('\n'))
      assert.ok(widthOf(line) < columns, `${columns}: ${line}`);
    assert.match(text(), /27% 11\/40/, `${columns}`);
  }
});

test('a job that is clustered has a bar, and its end is a line with its whole name', () => {
  const clock = manualClock();
  const { screen, text } = screenOf(120, true);
  const view = createProgressView(screen, clock);
  const name = 'days/Monday';
  view.event({ type: 'closing', closing: { name, type: 'faces', percentage: 50 } });
  view.event({ type: 'task', task });
  clock.advance(100);
  assert.match(text(), /days\/Monday .*█████+░+ {2}50%\n/);
  const clustering = {
    ...{ model_key: 'm', eps: 0.48, min_samples: 5, clusters: 2, total_entries: 12, noise_entries: 1 },
    ...{ kept_clusters: 0, kept_corrections: 0, conflicts: [], kept_names: 0, lost_names: [] },
    ...{ media_hashes: ['a'], sample_face_naming: null },
  };
  const ended = { path: name, type: 'faces', hash_str: null, outcome: 'analyzed', reason: null } as const;
  const facts = { faces: null, clustering };
  view.event({
    type: 'result',
    result: { ...ended, facts, duration_seconds: 0, error: null, closing: true },
  });
  clock.advance(100);
  assert.match(text(), /✓ days\/Monday: 2 people in 12 faces, 1 face ungrouped\n/);
  assert.equal(text().slice(text().indexOf('✓')).match(/50%/), null);
});

test('a task of two kinds of work counts steps from the first line on, also where one is stored already', () => {
  const model = new ProgressModel(stageKinds, { files: { video: 2, summary: 2 } });
  assert.match(taskLine(stageKinds, model.view(0), 200), / 0\/4 steps/);
  for (const path of ['/a', '/b']) model.end('video', { path, outcome: 'stored' });
  assert.match(taskLine(stageKinds, model.view(1), 200), / 2\/4 steps/);
});

test('a clustering is told beside the files, and as all there is where there are none', () => {
  const both = taskLine(stageKinds, { ...task, jobs: 1, jobs_done: 0 }, 200);
  assert.match(both, /· 1\/2 files · 0\/1 clustering · /);
  const alone = {
    types: ['faces'],
    files: 0,
    files_done: 0,
    jobs: 2,
    jobs_done: 1,
    surveyed: true,
    percentage: 50,
  };
  const again = taskLine(
    stageKinds,
    progressOf(stageKinds, { ...alone, elapsed_seconds: 3, amounts: {} }),
    200,
  );
  assert.match(again, / 50% · 1\/2 clusterings$/);
});

function ended(path: string, type: string, outcome: WorkResult['outcome']): WorkResult {
  const error = outcome === 'failed' ? { code: 'DECODE_FAILED', message: `${path}: no picture` } : null;
  const reason = outcome === 'not_applicable' ? 'no_picture' : null;
  return { path, type, hash_str: null, outcome, reason, facts: {}, duration_seconds: 1, error };
}

test('the report counts each file once, whatever work was done on it, and repeats no failure', () => {
  const tally = createTally();
  const became: [string, WorkResult['outcome'], WorkResult['outcome']][] = [
    ['/both', 'analyzed', 'analyzed'],
    ['/known', 'stored', 'stored'],
    ['/more', 'stored', 'analyzed'],
    ['/sound', 'not_applicable', 'analyzed'],
    ['/bad', 'failed', 'failed'],
    ['/half', 'analyzed', 'failed'],
  ];
  for (const [path, pictures, summaries] of became) {
    tally.add(ended(path, 'video', pictures));
    tally.add(ended(path, 'summary', summaries));
  }
  const { counts, ofFiles, failures } = tally;
  assert.deepEqual([counts.done, ofFiles.files, ofFiles.done], [12, 6, 6]);
  assert.deepEqual(
    failures.map(({ path }) => path),
    ['/bad', '/bad', '/half'],
  );
  const report = { cancelled: false, error: null, counts, ofFiles, failures, progress: undefined };
  const text = summary({ ...report, model_key: null }, 1);
  assert.equal(text, 'Done: 3 analysed, 1 already analysed, 3 failed in 0 s\n');
});

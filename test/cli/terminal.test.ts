import assert from 'node:assert/strict';
import test from 'node:test';
import { createProgressView, duration, printable, taskLine } from '../../cli/terminal.ts';
import { manualClock } from '../../runtime/clock.ts';

const task = {
  files: 2,
  files_done: 1,
  surveyed: true,
  percentage: 25,
  frames: 30,
  grid_frames: 120,
  heard_seconds: 0,
  sound_seconds: 0,
  media_seconds: 30,
  elapsed_seconds: 3,
};

function screenOf(columns: number, isTerminal: boolean) {
  const written: string[] = [];
  const screen = { write: (text: string) => void written.push(text), columns, isTerminal };
  return { screen, text: () => written.join('') };
}

test('the line of the whole tells frames a second, times real time and what is left', () => {
  const line = taskLine(task, 200);
  assert.match(line, /25% · 1\/2 files · 30\/120 frames · 10.0 frames\/s · 10.0× real time · 9 s left/);
});

test('a terminal shows a bar for each file and one for the whole, and redraws in place', () => {
  const clock = manualClock();
  const { screen, text } = screenOf(120, true);
  const view = createProgressView(screen, clock);
  view.event({ type: 'task', task });
  view.event({ type: 'file', file: { path: '/x/one.mp4', type: 'video', frames: 1, grid_frames: 4 } });
  clock.advance(100);
  assert.match(text(), /one\.mp4 .*█████░+ {2}25% 1\/4/);
  const before = text().length;
  view.event({ type: 'file', file: { path: '/x/one.mp4', type: 'video', frames: 2, grid_frames: 4 } });
  clock.advance(100);
  assert.ok(text().slice(before).startsWith('\x1b[2A\x1b[J'));
});

test('without a terminal there is a line a result and no control sequence', () => {
  const { screen, text } = screenOf(80, false);
  const view = createProgressView(screen, manualClock());
  const result = {
    type: 'video' as const,
    hash_str: 'h',
    missing_frames: 0,
    duration_seconds: 3,
    speech: null,
    error: null,
  };
  view.event({ type: 'task', task });
  view.event({ type: 'result', result: { ...result, path: '/a.mp4', outcome: 'analyzed', frames: 3 } });
  view.event({ type: 'result', result: { ...result, path: '/s.mp3', outcome: 'no_picture', frames: 0 } });
  const error = { code: 'NOT_MEDIA', message: '/b\nc: not media' };
  view.event({ type: 'result', result: { ...result, path: '/b', outcome: 'failed', frames: 0, error } });
  view.end();
  assert.deepEqual(text().split('\n').slice(0, 3), [
    '✓ a.mp4: 3 frames',
    '– s.mp3: sound only, no picture to look at',
    '✗ /b\\x0ac: not media',
  ]);
  assert.ok(!text().includes('\x1b'));
});

test('control characters of file names are shown, not sent to the terminal', () => {
  assert.equal(printable('a\x1b[2Jb\n'), 'a\\x1b[2Jb\\x0a');
});

test('durations are written as a person says them', () => {
  assert.deepEqual([0.2, 59, 61, 3_725].map(duration), ['1 s', '59 s', '1 min 1 s', '1 h 2 min']);
});

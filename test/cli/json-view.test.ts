import assert from 'node:assert/strict';
import test from 'node:test';
import { noneDone } from '../../actors/analysis/result.ts';
import { stageKinds } from '../../actors/analysis/stages/kinds.ts';
import { createJsonView } from '../../cli/media-task.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { manualClock } from '../runtime/manual-clock.ts';
import { task } from './task-progress.ts';

const file = { path: '/x/one.mp4', type: 'video', done: 1, all: 4, percentage: 25 };
const result = {
  type: 'video',
  path: '/x/one.mp4',
  hash_str: 'h',
  outcome: 'analyzed',
  reason: null,
  facts: { frames: 4, missing_frames: 0 },
  duration_seconds: 4,
  error: null,
} as const;

function view() {
  const clock = manualClock();
  let text = '';
  const made = createJsonView((more) => {
    text += more;
  }, clock);
  const lines = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { clock, view: made, lines };
}

test('every event is one line of JSON, and the last one is the end with counts and exit code', () => {
  const { view: json, lines } = view();
  json.found({ files: ['/x/one.mp4'], failures: [] });
  json.event({ type: 'task', task });
  json.event({ type: 'file', file });
  json.event({ type: 'result', result });
  const counts = { ...noneDone(stageKinds, 1), done: 1, analyzed: 1 };
  const ended = { cancelled: false, error: null, counts, ofFiles: counts, failures: [] };
  const report = { ...ended, progress: task, model_key: 'm' };
  json.report(report, 0);
  const all = lines();
  assert.deepEqual(
    all.map(({ event }) => event),
    ['found', 'progress', 'file', 'result', 'end'],
  );
  assert.deepEqual(
    [all[1]?.['percentage'], all[1]?.['frames'], all[1]?.['grid_frames'], all[1]?.['speed']],
    [25, 30, 120, 10],
  );
  assert.deepEqual([all[2]?.['path'], all[2]?.['file_frames']], ['/x/one.mp4', 1]);
  assert.deepEqual([all[3]?.['outcome'], all[3]?.['frames']], ['analyzed', 4]);
  const { state, exit_code, counts: counted, error } = all[4] as Record<string, unknown>;
  assert.deepEqual([state, exit_code, counted, error], ['completed', 0, { ...counts, files: 2 }, null]);
});

test('progress comes at most twice a second for each file and for the whole, the last one always', () => {
  const { clock, view: json, lines } = view();
  for (let done = 0; done < 40; done++) {
    json.event({ type: 'task', task: { ...task, percentage: done } });
    clock.advance(50);
  }
  json.end();
  const told = lines().map(({ percentage }) => percentage);
  assert.ok(told.length <= 6, told.join());
  assert.equal(told.at(-1), 39);
});

test('what breaks is the last line too', () => {
  const { view: json, lines } = view();
  json.broke(engineErrors.CANCELLED('told to'), 130);
  const [{ event, state, exit_code, error }] = lines() as [Record<string, unknown>];
  assert.deepEqual([event, state, exit_code], ['end', 'cancelled', 130]);
  assert.equal((error as { code: string }).code, 'CANCELLED');
});

test('the clustering of a job is told beside files', () => {
  const { view: json, lines } = view();
  json.event({ type: 'closing', closing: { name: 'Family', type: 'faces', percentage: 30 } });
  assert.deepEqual(lines(), [{ event: 'closing', name: 'Family', type: 'faces', percentage: 30 }]);
});

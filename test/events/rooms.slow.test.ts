import assert from 'node:assert/strict';
import test from 'node:test';
import { array, assert as check, constant, integer, oneof, property, record } from 'fast-check';
import { Check } from 'typebox/value';
import type { TaskEvent } from '../../actors/analysis/contract.ts';
import { stageKinds } from '../../actors/analysis/stages/kinds.ts';
import type { EndState } from '../../actors/analysis/tasks/contract.ts';
import { endOf, newRun, recordOf } from '../../events/payload.ts';
import { ProgressEvent } from '../../events/protocol.ts';
import { createRooms } from '../../events/rooms.ts';
import { type ManualClock, manualClock } from '../runtime/manual-clock.ts';
import { draws } from '../shared.ts';
import { detailOf } from './fake-tasks.ts';
import { end, failure, progress } from './task-events.ts';

interface Emitted extends ProgressEvent {
  readonly at: number;
}

function roomsOf(clock: ManualClock) {
  const emitted: Emitted[] = [];
  const rooms = createRooms({
    clock,
    everyMs: 110,
    emit: (event) => {
      assert.ok(Check(ProgressEvent, event), JSON.stringify(event));
      emitted.push({ ...event, at: clock.now() });
    },
  });
  return { rooms, emitted };
}

test('a state says where the task is, which file is worked on and how long it may still take', () => {
  const { rooms, emitted } = roomsOf(manualClock());
  rooms.publish('t', {
    type: 'file',
    file: { path: '/a.mp4', type: 'video', done: 10, all: 40, percentage: 25 },
  });
  rooms.publish('t', progress(33.37));
  assert.deepEqual(emitted, [
    {
      at: 0,
      task_id: 't',
      progress: 33.3,
      video_path: '/a.mp4',
      done: false,
      type: 'video',
      files: 4,
      files_done: 1,
      frames: 30,
      grid_frames: 120,
      heard_seconds: 0,
      sound_seconds: 0,
      face_frames: 0,
      face_grid_frames: 0,
      text_frames: 0,
      text_grid_frames: 0,
      thing_frames: 0,
      thing_grid_frames: 0,
      listened_seconds: 0,
      listening_seconds: 0,
      summarized_seconds: 0,
      summary_seconds: 0,
      surveyed: true,
      elapsed_seconds: 3,
      estimated_remaining_seconds: 9,
      file_progress: 25,
      file_frames: 10,
      file_grid_frames: 40,
    },
  ]);
});

test('a task that is resumed goes on at the percentage where it stood', () => {
  const { rooms, emitted } = roomsOf(manualClock());
  rooms.publish('t', { type: 'start', files: 4, types: ['video'], percentage: 57 });
  rooms.publish('t', progress(3));
  assert.deepEqual(
    emitted.map((event) => event.progress),
    [57],
  );
});

test('progress of pictures and of speech is sent side by side, and the end once, after both', () => {
  const clock = manualClock();
  const { rooms, emitted } = roomsOf(clock);
  rooms.publish('t', { type: 'start', files: 2, types: ['video', 'speech'] });
  rooms.publish('t', {
    type: 'file',
    file: { path: '/a.mp4', type: 'video', done: 10, all: 40, percentage: 25 },
  });
  rooms.publish('t', progress(10));
  rooms.publish('t', {
    type: 'file',
    file: { path: '/b.wav', type: 'speech', done: 12.5, all: 50, percentage: 25 },
  });
  rooms.publish('t', progress(20, {}, { done: 12.5, all: 50 }));
  rooms.publish('t', end('completed'));
  clock.advance(1000);
  assert.deepEqual(
    emitted.map(({ type, video_path, file_heard_seconds, done }) => [
      type,
      video_path,
      file_heard_seconds,
      done,
    ]),
    [
      ['video', null, undefined, false],
      ['speech', '/b.wav', 12.5, false],
      ['video', null, undefined, true],
    ],
  );
  const late = rooms.replay('t') ?? [];
  assert.deepEqual(
    late.map(({ type, done }) => [type, done]),
    [
      ['speech', false],
      ['video', true],
    ],
  );
});

test('a task of speech alone is sent as speech from its start to its end', () => {
  const { rooms, emitted } = roomsOf(manualClock());
  rooms.publish('t', { type: 'start', files: 1, types: ['speech'] });
  rooms.publish('t', end('completed'));
  rooms.flush();
  assert.deepEqual(
    emitted.map(({ type, done }) => [type, done]),
    [
      ['speech', false],
      ['speech', true],
    ],
  );
});

test('of many states the newest is sent, and the end comes in its turn', () => {
  const clock = manualClock();
  const { rooms, emitted } = roomsOf(clock);
  rooms.publish('t', { type: 'start', files: 4, types: ['video'] });
  for (const percentage of [1, 2, 3]) rooms.publish('t', progress(percentage));
  clock.advance(110);
  rooms.publish('t', progress(50));
  rooms.publish('t', end('completed'));
  clock.advance(1000);
  assert.deepEqual(
    emitted.map(({ at, progress, done }) => [at, progress, done]),
    [
      [0, 0, false],
      [110, 3, false],
      [220, 100, true],
    ],
  );
  assert.equal(clock.waiting, 0);
});

test('no progress but the end reaches 100', () => {
  const { rooms, emitted } = roomsOf(manualClock());
  rooms.publish('t', progress(100));
  assert.equal(emitted[0]?.progress, 99.9);
});

test('the ends: completed, cancelled, failed and interrupted, of a run and of a record alike', () => {
  const rows: [EndState, Partial<ProgressEvent>][] = [
    ['completed', { progress: 100 }],
    ['cancelled', { progress: 40, cancelled: true }],
    ['failed', { progress: 40, error: '/c: the disk is full', error_code: 'DISK_FULL' }],
    ['interrupted', { progress: 40, interrupted: true, error_code: 'INTERRUPTED' }],
  ];
  for (const [state, expected] of rows) {
    const ended = end(state) as Extract<TaskEvent, { type: 'end' }>;
    const run = { ...newRun(stageKinds, 't', 4), percentage: 40 };
    const record = recordOf(stageKinds, detailOf('t', { state, progress: 40, error: ended.error }));
    for (const event of [endOf(run, ended), record]) {
      assert.ok(Check(ProgressEvent, event));
      assert.deepEqual({ ...event, ...expected, done: true, video_path: null, task_id: 't' }, event);
      assert.equal('error' in event, state === 'failed' || state === 'interrupted');
      assert.equal('cancelled' in event, state === 'cancelled');
    }
  }
  assert.match(
    String(endOf(newRun(stageKinds, 'a b', 1), end('interrupted') as never).error),
    /tasks\/a%20b\/resume/,
  );
  assert.equal(recordOf(stageKinds, detailOf('t', { state: 'running' })), undefined);
  assert.equal(recordOf(stageKinds, detailOf('t', { state: 'stopping' })), undefined);
  assert.equal(recordOf(stageKinds, detailOf('t', { state: 'queued' })), undefined);
});

test('a task that waits tells its place, at the pace of other events, and no more when it runs or ends', () => {
  const clock = manualClock();
  const { rooms, emitted } = roomsOf(clock);
  const waits = (queue_position: number) =>
    rooms.publish('t', {
      type: 'queued',
      files: 0,
      jobs: 1,
      types: ['pull'],
      queue_position,
      waits_for: 'other',
    });
  for (const place of [3, 2, 1]) waits(place);
  clock.advance(1000);
  const standing = () =>
    emitted.map(({ type, done, queue_position, waits_for }) => [type, done, queue_position, waits_for]);
  const told = [
    ['pull', false, 3, 'other'],
    ['pull', false, 1, 'other'],
  ];
  assert.deepEqual(standing(), told);
  assert.equal(rooms.replay('t')?.at(-1)?.queue_position, 1, 'who joins late knows it, too');
  rooms.publish('t', { type: 'start', files: 0, jobs: 1, types: ['pull'] });
  clock.advance(1000);
  assert.deepEqual(standing(), [...told, ['pull', false, undefined, undefined]]);
  rooms.publish('t', end('cancelled'));
  clock.advance(1000);
  waits(1);
  rooms.publish('t', end('cancelled'));
  clock.advance(1000);
  const last = rooms.replay('t');
  assert.deepEqual(
    last?.map(({ done, cancelled, queue_position }) => [done, cancelled, queue_position]),
    [[true, true, undefined]],
  );
  for (const event of emitted) assert.ok(Check(ProgressEvent, event));
});

test('a file that fails is sent with its path and its reason, one at a time', () => {
  const clock = manualClock();
  const { rooms, emitted } = roomsOf(clock);
  for (const path of ['/a', '/b', '/c']) rooms.publish('t', failure(path));
  rooms.publish('t', progress(70));
  clock.advance(1000);
  assert.deepEqual(
    emitted.map(({ at, video_path, error, error_code, done }) => [at, video_path, error, error_code, done]),
    [
      [0, '/a', '/a: cannot be read', 'UNREADABLE', false],
      [110, '/b', '/b: cannot be read', 'UNREADABLE', false],
      [220, '/c', '/c: cannot be read', 'UNREADABLE', false],
      [330, null, undefined, undefined, false],
    ],
  );
});

test('many failures that wait when the task ends are sent within some two seconds, before the end', () => {
  const clock = manualClock();
  const { rooms, emitted } = roomsOf(clock);
  for (let i = 0; i < 10_000; i++) rooms.publish('t', failure(`/${i}`));
  rooms.publish('t', end('completed'));
  clock.advance(2500);
  assert.deepEqual(
    emitted.slice(0, -1).map(({ video_path }) => video_path),
    Array.from({ length: 10_000 }, (_, i) => `/${i}`),
  );
  assert.equal(emitted.at(-1)?.done, true);
});

test('a task that runs again starts anew, after the end of the run before', () => {
  const clock = manualClock();
  const { rooms, emitted } = roomsOf(clock);
  rooms.publish('t', progress(60));
  rooms.publish('t', failure('/a'));
  rooms.publish('t', end('interrupted'));
  rooms.publish('t', progress(61));
  rooms.publish('t', { type: 'start', files: 4, types: ['video'] });
  clock.advance(1000);
  assert.deepEqual(
    emitted.map(({ progress, video_path, done }) => [progress, video_path, done]),
    [
      [60, null, false],
      [60, '/a', false],
      [60, null, true],
      [60, null, false],
    ],
  );
});

test('a client that joins a task that was just resumed is not sent the end of the run before', () => {
  const clock = manualClock();
  const { rooms } = roomsOf(clock);
  rooms.publish('t', end('cancelled'));
  rooms.publish('t', { type: 'start', files: 4, types: ['video'] });
  assert.deepEqual(rooms.replay('t'), []);
  clock.advance(110);
  assert.deepEqual(
    rooms.replay('t')?.map(({ done }) => done),
    [false],
  );
});

test('a client that joins late is sent the last event of its own room', () => {
  const clock = manualClock();
  const { rooms } = roomsOf(clock);
  assert.equal(rooms.replay('a'), undefined);
  rooms.publish('a', progress(10));
  rooms.publish('b', progress(20));
  rooms.publish('a', progress(30));
  assert.deepEqual(
    rooms.replay('a')?.map(({ progress }) => progress),
    [10],
  );
  clock.advance(110);
  assert.deepEqual(
    rooms.replay('a')?.map(({ progress }) => progress),
    [30],
  );
  assert.deepEqual(
    rooms.replay('b')?.map(({ progress }) => progress),
    [20],
  );
});

test('a client that joins late is sent the latest hundred failures of this run, and the last event once', () => {
  const clock = manualClock();
  const { rooms } = roomsOf(clock);
  const paths = () => rooms.replay('t')?.map(({ video_path, done }) => (done ? 'end' : video_path));
  rooms.publish('t', progress(10));
  rooms.publish('t', failure('/a'));
  clock.advance(110);
  assert.deepEqual(paths(), ['/a']);
  rooms.publish('t', failure('/b'));
  rooms.publish('t', end('completed'));
  clock.advance(1000);
  assert.deepEqual(paths(), ['/a', '/b', 'end']);
  rooms.publish('t', { type: 'start', files: 200, types: ['video'] });
  clock.advance(1000);
  assert.deepEqual(paths(), [null]);
  for (let i = 0; i < 150; i++) rooms.publish('t', failure(`/${i}`));
  rooms.publish('t', end('failed'));
  clock.advance(10_000);
  assert.deepEqual(paths(), [...Array.from({ length: 100 }, (_, i) => `/${i + 50}`), 'end']);
});

test('the last events of the last 200 ended tasks are kept, and those of tasks that run', () => {
  const { rooms, emitted } = roomsOf(manualClock());
  rooms.publish('runs', progress(10));
  for (let i = 0; i < 1000; i++) {
    rooms.publish(`t${i}`, progress(10));
    rooms.publish(`t${i}`, end('completed'));
  }
  const kept = Array.from({ length: 1000 }, (_, i) => rooms.replay(`t${i}`) !== undefined);
  assert.equal(kept.indexOf(true), 800);
  assert.equal(kept.lastIndexOf(false), 799);
  assert.ok(rooms.replay('runs'));
  rooms.flush();
  assert.equal(emitted.filter(({ done }) => done).length, 1000);
});

test('never more than ten a second while it runs, the last always, each failure once, never backwards', () => {
  const step = record({
    wait: oneof(constant(0), integer({ min: 0, max: 300 })),
    what: oneof(constant('fail' as const), constant('state' as const)),
    percentage: integer({ min: 0, max: 100 }),
  });
  check(
    property(array(step, { maxLength: 120 }), (steps) => {
      const clock = manualClock();
      const { rooms, emitted } = roomsOf(clock);
      rooms.publish('t', { type: 'start', files: steps.length, types: ['video'] });
      const failed: string[] = [];
      for (const { wait, what, percentage } of steps) {
        clock.advance(wait);
        if (what === 'state') rooms.publish('t', progress(percentage));
        else rooms.publish('t', failure(`/${failed.push(`/${failed.length}`) - 1}`));
      }
      const over = clock.now();
      rooms.publish('t', end('completed'));
      clock.advance(10_000);
      const running = emitted.filter(({ at }) => at < over);
      for (const { at } of running) {
        assert.ok(running.filter((other) => other.at >= at && other.at < at + 1000).length <= 10);
      }
      assert.deepEqual(
        emitted.filter(({ error }) => error !== undefined).map(({ video_path }) => video_path),
        failed,
      );
      for (const [i, event] of emitted.entries()) {
        assert.ok(i === 0 || Number(event.progress) >= Number(emitted[i - 1]?.progress));
        assert.equal(event.done, i === emitted.length - 1);
      }
      assert.equal(clock.waiting, 0);
    }),
    { numRuns: draws(200) },
  );
});

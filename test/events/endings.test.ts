// Every file of a task is named in an event, however states are conflated.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Check } from 'typebox/value';
import { ProgressEvent } from '../../events/protocol.ts';
import { createRooms } from '../../events/rooms.ts';
import { manualClock } from '../runtime/manual-clock.ts';
import { ending, failure, progress } from './task-events.ts';

function started(types: readonly string[] = ['video']) {
  const clock = manualClock();
  const emitted: (ProgressEvent & { readonly at: number })[] = [];
  const rooms = createRooms({
    clock,
    everyMs: 110,
    emit: (event) => {
      assert.ok(Check(ProgressEvent, event), JSON.stringify(event));
      emitted.push({ ...event, at: clock.now() });
    },
  });
  rooms.publish('t', { type: 'start', files: 9, types });
  const end = () => {
    rooms.publish('t', { type: 'end', state: 'completed', error: null });
    clock.advance(60_000);
  };
  const named = () => emitted.flatMap(({ ended_files = [] }) => ended_files.map((one) => one.video_path));
  return { clock, emitted, end, named, publish: rooms.publish, rooms };
}

const namesOf = (count: number) => Array.from({ length: count }, (_, i) => `/${i}`);

test('files that end at once have an event each before the end, in the order in which they ended', () => {
  const { publish, emitted, end } = started();
  for (const path of ['/a', '/b']) publish('t', ending(path));
  publish('t', ending('/c', 'stored'));
  publish('t', progress(99));
  end();
  assert.deepEqual(
    emitted.map(({ at, video_path, ended_files, done }) => [at, video_path, ended_files?.[0]?.outcome, done]),
    [
      [0, null, undefined, false],
      [110, '/a', 'analyzed', false],
      [220, '/b', 'analyzed', false],
      [330, '/c', 'stored', false],
      [440, null, undefined, true],
    ],
  );
});

test('files are named within a second, also when nothing else happens for long', () => {
  const { publish, emitted, named, clock } = started(['video', 'faces']);
  for (const path of namesOf(500)) publish('t', ending(path));
  publish('t', progress(50));
  clock.advance(60_000);
  assert.deepEqual(named(), namesOf(500));
  const late = emitted.filter(({ at, ended_files }) => ended_files !== undefined && at > 1000);
  assert.deepEqual(late, []);
});

test('of very many each is named once, in few events and within some seconds', () => {
  const { publish, emitted, end, named, clock } = started();
  const paths = namesOf(10_000);
  for (const [i, path] of paths.entries()) {
    publish('t', i % 100 === 0 ? failure(path) : ending(path, 'stored'));
    publish('t', progress(i / 200));
    clock.advance(1);
  }
  const over = clock.now();
  end();
  assert.deepEqual(named().toSorted(), paths.toSorted());
  assert.ok(emitted.at(-1)!.at - over < 5000);
  assert.equal(emitted.at(-1)!.done, true);
});

test('long paths are spread over more events', () => {
  const { publish, emitted, end, named } = started();
  const paths = namesOf(4000).map((name) => name.padEnd(4096, 'x'));
  for (const path of paths) publish('t', ending(path));
  end();
  assert.deepEqual(named(), paths);
  for (const event of emitted) assert.ok(JSON.stringify(event).length < 1_000_000);
});

test('while stills end, the film that is worked on is told of as well', () => {
  const { publish, emitted, clock } = started();
  const film = { path: '/film', type: 'video', done: 1, all: 9, percentage: 11 };
  for (const path of namesOf(50)) {
    publish('t', { type: 'file', file: film });
    publish('t', ending(path));
    publish('t', progress(10));
    clock.advance(110);
  }
  const films = emitted.filter(({ video_path }) => video_path === '/film');
  assert.ok(films.length >= 24, `${films.length}`);
  assert.ok(films.every(({ file_progress }) => file_progress === 11));
});

test('sound among the pictures is told, and so is a file of the other kind of work', () => {
  const { publish, emitted, end, rooms } = started(['video', 'speech']);
  publish('t', ending('/a.wav', 'not_applicable'));
  publish('t', ending('/a.wav', 'analyzed', 'speech'));
  end();
  assert.deepEqual(
    emitted.slice(1).map(({ type, ended_files, warning }) => [type, ended_files?.[0]?.outcome, warning]),
    [
      ['video', 'no_picture', '/a.wav: sound only, no pictures to analyse'],
      ['speech', 'analyzed', undefined],
      ['video', undefined, undefined],
    ],
  );
  assert.deepEqual(
    rooms.replay('t')?.map(({ type }) => type),
    ['speech', 'video'],
  );
});

test('a cancelled file is in no event', () => {
  const { publish, end, named } = started();
  publish('t', ending('/a', 'cancelled'));
  end();
  assert.deepEqual(named(), []);
});

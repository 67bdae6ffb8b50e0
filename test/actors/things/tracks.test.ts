import assert from 'node:assert/strict';
import test from 'node:test';
import type { Thing } from '../../../actors/things/contract.ts';
import { ThingTracker } from '../../../actors/things/tracks.ts';

const thing = (name: Thing['class'], left: number, more: Partial<Thing> = {}): Thing => ({
  class: name,
  score: 0.6,
  box: [left, 0.2, 0.2, 0.4],
  colours: [],
  ...more,
});

function tracksOf(frames: readonly (readonly [number, readonly Thing[]])[]) {
  const tracker = new ThingTracker();
  for (const [frame, things] of frames) tracker.add(frame, things);
  return tracker.end();
}

test('what stays is one track, also when it is missed for two seconds; what comes back later is another', () => {
  const chair = thing('chair', 0.1);
  const best = thing('chair', 0.12, { score: 0.9 });
  const tracks = tracksOf([
    [0, [chair]],
    [1, [best]],
    [2, []],
    [3, []],
    [4, [chair]],
    [5, []],
    [6, []],
    [7, []],
    [8, [chair]],
  ]);
  assert.deepEqual(
    tracks.map(({ start, end, best, score, box }) => [start, end, best, score, box[0]]),
    [
      [0, 5, 1, 0.9, 0.12],
      [8, 9, 8, 0.6, 0.1],
    ],
  );
});

test('two of a class are two tracks, and each goes on with the nearer one', () => {
  const tracks = tracksOf([
    [0, [thing('car', 0), thing('car', 0.5)]],
    [1, [thing('car', 0.52), thing('car', 0.02)]],
    [2, [thing('bus', 0.02)]],
  ]);
  assert.deepEqual(
    tracks.map((track) => [track.class, track.start, track.end, track.box[0]]),
    [
      ['car', 0, 2, 0.02],
      ['car', 0, 2, 0.5],
      ['bus', 2, 3, 0.02],
    ],
  );
});

test('a thing is shown where it is large and whole, not where it leaves the picture', () => {
  const [track] = tracksOf([
    [0, [thing('car', 0.5, { score: 0.7, box: [0.5, 0.3, 0.3, 0.4] })]],
    [1, [thing('car', 0.5, { score: 0.75, box: [0.65, 0.3, 0.2, 0.4] })]],
    [2, [thing('car', 0.5, { score: 0.8, box: [0.6, 0.3, 0.4, 0.4] })]],
  ]);
  assert.deepEqual([track!.best, track!.score, track!.box[0]], [0, 0.8, 0.5]);
});

test('what moves on leaves a track for each place', () => {
  const tracks = tracksOf([0, 1, 2, 3].map((frame) => [frame, [thing('dog', frame * 0.2)]] as const));
  assert.deepEqual(
    tracks.map(({ start, end }) => [start, end]),
    [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ],
  );
});

test('colours are the mean of the frames in which it is seen', () => {
  const red = thing('car', 0, { colours: [{ colour: 'red', share: 0.8 }] });
  const dark = thing('car', 0, {
    colours: [
      { colour: 'black', share: 0.6 },
      { colour: 'red', share: 0.2 },
    ],
  });
  const [track] = tracksOf([
    [0, [red]],
    [1, [dark]],
  ]);
  assert.deepEqual(track?.colours, [
    { colour: 'red', share: 0.5 },
    { colour: 'black', share: 0.3 },
  ]);
});

test('another thing at the same place is another track when it shares no colour', () => {
  const car = (colour: 'red' | 'blue') => thing('car', 0.4, { colours: [{ colour, share: 0.6 }] });
  const shaded = thing('car', 0.4, {
    colours: [
      { colour: 'black', share: 0.5 },
      { colour: 'red', share: 0.2 },
    ],
  });
  const tracks = tracksOf([
    [0, [car('red')]],
    [1, [shaded]],
    [2, [thing('car', 0.4)]],
    [3, [car('blue')]],
  ]);
  assert.deepEqual(
    tracks.map(({ start, end, colours }) => [start, end, colours[0]?.colour]),
    [
      [0, 3, 'red'],
      [3, 4, 'blue'],
    ],
  );
});

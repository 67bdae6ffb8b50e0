// The films of the bench of shots, and its score.
import assert from 'node:assert/strict';
import test from 'node:test';
import { type Change, Draft, filmKinds } from '../../bench/shots/films.ts';
import { pairs, scoreOf } from '../../bench/shots/score.ts';
import { height, type Take, width } from '../../bench/shots/takes.ts';

const rate = 25;
const hard = (frame: number): Change => ({ kind: 'hard', frame, end: frame });
const found = (...frames: number[]) => frames.map((frame) => ({ frame, seconds: frame / rate }));

test('a change is found once, by the nearest one within a second', () => {
  const [first, second] = [hard(100), hard(110)];
  const film = { rate, changes: [first, second], found: found(96, 101, 136) };
  const frames = pairs(film).map(([change, one]) => [change.frame, one.frame]);
  assert.deepEqual(frames, [
    [100, 101],
    [110, 96],
  ]);
});

test('a gradual change is found anywhere between its beginning and its end', () => {
  const dissolve = { kind: 'dissolve', frame: 100, end: 150 };
  for (const [frame, count] of [
    [74, 0],
    [75, 1],
    [130, 1],
    [175, 1],
    [176, 0],
  ] as const) {
    assert.equal(pairs({ rate, changes: [dissolve], found: found(frame) }).length, count, `${frame}`);
  }
});

test('the score counts what is missed, what is false and how far hard cuts are off', () => {
  const changes = [hard(100), hard(200), { kind: 'fade', frame: 300, end: 320 }];
  const score = scoreOf([
    { rate, changes, found: found(100, 203, 400, 500) },
    { rate, changes: [], found: found(10) },
  ]);
  assert.deepEqual([score.precision, score.recall, score.f1], [2 / 5, 2 / 3, 0.5]);
  assert.deepEqual([score.exact, score.framesOff], [0.5, 1.5]);
  assert.deepEqual(score.kinds, [
    { kind: 'hard', count: 2, recall: 1 },
    { kind: 'fade', count: 1, recall: 0 },
  ]);
});

/** Every picture of a take has the grey level of the take. */
const takes = [90, 170, 250].map((level): Take => {
  const picture = new Uint8Array(width * height * 3).fill(level);
  return {
    group: `${level}`,
    seconds: 60,
    film: null,
    read: async (_, seconds, rate) => Array.from({ length: Math.floor(seconds * rate) }, () => picture),
  };
});

test('the pictures of a drawn film change where it says', async () => {
  for (const { name, rate, draw } of filmKinds) {
    if (name === 'flashes' || name === 'exposure') continue;
    const draft = new Draft(takes, rate, 1);
    await draw(draft);
    const { pictures, changes } = draft;
    const changed = pictures.flatMap((picture, n) =>
      n > 0 && Buffer.compare(picture, pictures[n - 1]!) !== 0 ? [n] : [],
    );
    const said = changes.flatMap(({ frame, end }) =>
      Array.from({ length: end - frame + 1 }, (_, i) => frame + i),
    );
    assert.deepEqual(changed, said, name);
    assert.ok(changes.length > 0, name);
  }
});

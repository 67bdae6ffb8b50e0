import assert from 'node:assert/strict';
import test from 'node:test';
import { type SeenFace, shotsOf } from '../../../../actors/index/things/stored-shots.ts';
import type { Track } from '../../../../actors/things/tracks.ts';

const person = (box: Track['box'], more: Partial<Track> = {}): Track => {
  return { class: 'person', start: 0, end: 1, best: 0, score: 0.8, box, colours: [], ...more };
};
/** Upright, and so high from brow to chin, as a share of the picture; `aspect` 2. */
function face(height: number, frame = 0, score = 0.9): SeenFace {
  const [eyes, mouth] = [0.3, 0.3 + height / 2.8];
  return { frame, score, landmarks: [0.4, eyes, 0.5, eyes, 0.45, 0.35, 0.42, mouth, 0.48, mouth] };
}
const sizesOf = (tracks: Track[], faces: SeenFace[] = []) =>
  shotsOf(tracks, faces, 2).map(({ size }) => size);

test('the largest face says how large people are, whatever its tilt', () => {
  assert.deepEqual(sizesOf([], [face(0.35)]), ['close_up']);
  assert.deepEqual(sizesOf([], [face(0.32), face(0.05)]), ['medium']);
  assert.deepEqual(sizesOf([], [face(0.14)]), ['medium']);
  assert.deepEqual(sizesOf([], [face(0.12)]), ['wide']);
  // Lies on its side: from left to right it is 0.18 of the width of a picture twice as wide as high.
  const lying = { ...face(0), landmarks: [0.4, 0.4, 0.4, 0.6, 0.5, 0.5, 0.58, 0.4, 0.58, 0.6] };
  assert.deepEqual(sizesOf([], [lying]), ['close_up']);
  assert.deepEqual(sizesOf([person([0, 0, 0.2, 1])], [face(0.5)]), ['close_up']);
});

test('without a face it is the shape of a person who is cut off at the lower edge', () => {
  assert.deepEqual(sizesOf([person([0.2, 0.1, 0.5, 0.9])]), ['close_up']);
  assert.deepEqual(sizesOf([person([0.2, 0.1, 0.3, 0.9])]), ['medium']);
  assert.deepEqual(sizesOf([person([0.2, 0.1, 0.15, 0.9])]), ['wide']);
  assert.deepEqual(sizesOf([person([0.2, 0.1, 0.3, 0.8])]), ['wide'], 'seen whole');
  assert.deepEqual(sizesOf([person([0.2, 0.5, 0.2, 0.5])]), ['wide'], 'small');
  assert.deepEqual(sizesOf([person([0.2, 0, 0.2, 0.3])]), [], 'a hand from above');
  assert.deepEqual(sizesOf([person([0.8, 0.3, 0.2, 0.3])]), [], 'half of somebody');
});

test('nothing is said without people, or of those who are uncertain', () => {
  assert.deepEqual(sizesOf([person([0, 0, 1, 1], { class: 'dog' })]), []);
  assert.deepEqual(sizesOf([person([0, 0, 1, 1], { score: 0.59 })]), []);
});

test('frames in a row are one shot, with the frame that shows it best', () => {
  const whole = person([0.2, 0.1, 0.15, 0.8], { start: 0, end: 3 });
  const faces = [face(0.4, 3, 0.7), face(0.4, 4, 0.9), face(0.4, 6, 0.8)];
  assert.deepEqual(shotsOf([whole], faces, 2), [
    { size: 'wide', start: 0, end: 3, score: 0.8, best: 0 },
    { size: 'close_up', start: 3, end: 5, score: 0.9, best: 4 },
    { size: 'close_up', start: 6, end: 7, score: 0.8, best: 6 },
  ]);
});

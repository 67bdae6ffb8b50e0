import assert from 'node:assert/strict';
import test from 'node:test';
import { confidenceOf, isMeasured } from '../../../actors/things/confidence.ts';
import type { ClassName } from '../../../actors/things/contract.ts';

const still = (name: ClassName, score: number) => confidenceOf({ class: name, score, start: 0, end: 1 }, 1);
const inFilm = (name: ClassName, score: number, seconds: number, gridFrames = 60) =>
  confidenceOf({ class: name, score, start: 10, end: 10 + seconds }, gridFrames);

test('the same score says more of a class that is rarely taken for another', () => {
  assert.deepEqual([still('car', 0.55), still('laptop', 0.55)], ['likely', 'weak']);
  assert.deepEqual([still('car', 0.49), still('laptop', 0.71)], ['weak', 'likely']);
  assert.deepEqual([still('kite', 0.72), still('kite', 0.78)], ['weak', 'likely'], 'balloons are no kites');
  assert.deepEqual([still('car', 0.62), still('laptop', 0.83)], ['likely', 'likely']);
  assert.deepEqual([still('car', 0.64), still('laptop', 0.85)], ['strong', 'strong']);
});

test('nothing is certain of a class that was hardly seen when the bars were chosen', () => {
  assert.ok(!isMeasured('toaster') && isMeasured('person'));
  assert.deepEqual(
    [still('toaster', 0.64), still('toaster', 0.66), still('toaster', 1)],
    ['weak', 'likely', 'likely'],
  );
});

test('what a film shows for a moment needs more', () => {
  assert.deepEqual([inFilm('dog', 0.6, 2), inFilm('dog', 0.6, 3)], ['weak', 'likely']);
  assert.deepEqual([inFilm('dog', 0.7, 2), inFilm('dog', 0.7, 3)], ['likely', 'strong']);
  // The whole film is no moment, however short it is.
  assert.equal(inFilm('dog', 0.6, 2, 2), 'likely');
});

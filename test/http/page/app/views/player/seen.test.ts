import assert from 'node:assert/strict';
import test from 'node:test';
import { boxesAt, lanesOfSeen } from '../../../../../../http/page/app/views/player/seen.ts';

const box: [number, number, number, number] = [0.25, 0.5, 0.125, 0.25];

test('sounds, things that were measured, printed words and faces are lanes, with the boxes of each second', () => {
  const track = { start_seconds: 2, end_seconds: 5, box };
  const thing = (name: 'car' | 'kite', measured: boolean) => ({
    ...{ class: name, measured, score: 0.7, ranges: [[2, 5]] as [number, number][], tracks: [track] },
  });
  const lanes = lanesOfSeen({
    things: [thing('car', true), thing('kite', false)],
    lines: [{ ...track, text: 'EXIT', score: 1 }],
    faces: [7, 8, 20].map((time_seconds) => ({ time_seconds, box })),
    sounds: [
      { sound: 'music', confidence: 0.9, start_seconds: 1, end_seconds: 6 },
      { sound: 'music', confidence: 0.8, start_seconds: 9, end_seconds: 12 },
    ],
  });
  assert.deepEqual(
    lanes.map(({ kind, name, spans, texts }) => [kind, name, [...spans], texts]),
    [
      ['sound', 'music', [1, 6, 9, 12], []],
      ['thing', 'car', [2, 5], []],
      ['line', '', [2, 5], ['EXIT']],
      ['face', '', [7, 9, 20, 21], []],
    ],
  );
  const [, things, , faces] = lanes;
  assert.deepEqual(
    [1.9, 2, 4.9, 5].map((at) => boxesAt(things!.boxes, at)),
    [[], [box], [box], []],
  );
  assert.deepEqual(boxesAt(faces!.boxes, 20.5), [box]);
});

test('what is not seen has no lane', () => {
  assert.deepEqual(lanesOfSeen({ things: [], lines: [], faces: [], sounds: null }), []);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { overlaps } from '../../../../actors/index/transcripts/loaded.ts';

test('ranges of time are half-open, and a segment without length lies in the one that holds its start', () => {
  const range = [2, 4] as const;
  const inside: [start: number, end: number][] = [
    [2, 4],
    [0, 2.1],
    [3.9, 9],
    [0, 9],
    [2, 2],
    [3, 3],
  ];
  for (const [start, end] of inside) assert.equal(overlaps(start, end, range), true, `${start}-${end}`);
  const outside: [start: number, end: number][] = [
    [0, 2],
    [4, 6],
    [4, 4],
    [1, 1],
  ];
  for (const [start, end] of outside) assert.equal(overlaps(start, end, range), false, `${start}-${end}`);
});

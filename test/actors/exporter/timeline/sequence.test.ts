import assert from 'node:assert/strict';
import test from 'node:test';
import type { Rational } from '../../../../actors/decoder/contract.ts';
import { sourceFacts } from '../../../../actors/exporter/timeline/sequence.ts';
import { probeOf } from '../../analysis/fake-file.ts';
import { rates } from './sources.ts';

const factsOf = (text: string, rate: Rational, drop_frame = false) =>
  sourceFacts('/a.mov', { ...probeOf({ name: 'a.mov', frames: 9 }), timecode: { text, drop_frame, rate } });

test('a timecode counts at its own rate; a film without one, and of an odd rate, counts as its frames do', () => {
  assert.equal(factsOf('00:00:00:00', { num: 25, den: 2 }).timecode, null);
  assert.equal(factsOf('00:00:00:40', rates['25']).timecode, null);
  assert.deepEqual(factsOf('00:00:01:00', rates['25']).timecode, {
    frame: 25,
    rate: rates['25'],
    dropFrame: false,
  });
  assert.deepEqual(factsOf('00:01:00:02', rates['29.97'], true).timecode, {
    frame: 1800,
    rate: rates['29.97'],
    dropFrame: true,
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { segmentAt, speakerLanes } from '../../../../../../http/page/app/views/player/media.ts';
import { picturesOfStrip } from '../../../../../../http/page/app/views/player/timeline.ts';
import { columnsOf } from '../../../../../../http/page/app/worker.ts';

const said = (start_seconds: number, end_seconds: number, speaker: string, text = 'words') => ({
  segment_index: start_seconds,
  start_seconds,
  end_seconds,
  text,
  speaker,
  speaker_name: speaker === 'SPEAKER_01' ? 'Ada' : '',
});

test('a lane for each speaker: by name where there is one, who speaks longest first, short gaps closed', () => {
  const lanes = speakerLanes(
    [said(0, 2, 'SPEAKER_00'), said(2.5, 4, 'SPEAKER_00'), said(5, 15, 'SPEAKER_01'), said(20, 21, '')],
    'Speech',
  );
  assert.deepEqual(
    lanes.map(({ label, spans }) => [label, spans.map(({ start, end }) => [start, end])]),
    [
      ['Ada', [[5, 15]]],
      ['Speaker 1', [[0, 4]]],
      ['Speech', [[20, 21]]],
    ],
  );
});

test('the segment at a time is the last one that has begun', () => {
  const segments = [said(1, 2, ''), said(3, 4, ''), said(8, 9, '')];
  assert.deepEqual(
    [0, 1, 2.5, 3, 100].map((seconds) => segmentAt(segments, seconds)),
    [-1, 0, 0, 1, 2],
  );
  assert.equal(segmentAt([], 5), -1);
});

test('the loudest peak of each column is drawn, and none is lost', () => {
  assert.deepEqual(columnsOf([0.1, 0.9, 0.2, 0.3], 2), [0.9, 0.3]);
  assert.deepEqual(columnsOf([0.4], 3), [0.4, 0.4, 0.4]);
  assert.deepEqual(columnsOf([], 5), []);
  const property = fc.property(
    fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 300 }),
    fc.integer({ min: 1, max: 400 }),
    (peaks, columns) => {
      assert.equal(Math.max(...columnsOf(peaks, columns)), Math.max(...peaks));
    },
  );
  fc.assert(property);
});

test('a strip covers the film without gaps, with pictures of seconds that it covers', () => {
  const shots = fc
    .array(fc.integer({ min: 1, max: 3599 }), { maxLength: 80 })
    .map((starts) => [0, ...new Set(starts)].sort((a, b) => a - b))
    .map((starts) =>
      starts.map((start, i) => ({ start_seconds: start, end_seconds: starts[i + 1] ?? 3600 })),
    );
  const property = fc.property(shots, fc.integer({ min: 1, max: 500 }), (given, most) => {
    const cells = picturesOfStrip(given, 3600, most);
    assert.equal(cells[0]!.start, 0);
    assert.ok(Math.abs(cells.at(-1)!.end - 3600) < 1e-6);
    for (const [i, { start, end, second }] of cells.entries()) {
      assert.ok(Math.abs(start - (cells[i - 1]?.end ?? 0)) < 1e-6);
      assert.ok(
        end > start && second >= 0 && second < 3600 && second >= start - 1 && second <= end,
        `${start} ${end} ${second}`,
      );
    }
    // Half as many again at most: cells are cut to the nearest number.
    assert.ok(cells.length <= 1.5 * most + 1, `${cells.length} of ${most}`);
  });
  fc.assert(property);
  assert.deepEqual(picturesOfStrip([], 0, 10), []);
});

test('the picture of a shot is one of its own, also of a shot between two seconds', () => {
  const starts = [0, 2.48, 2.8, 5, 5.9, 7.2];
  const shots = starts.map((start, i) => ({ start_seconds: start, end_seconds: starts[i + 1] ?? 8.4 }));
  const cells = picturesOfStrip(shots, 8.4, 1000).filter(({ isShot }) => isShot);
  assert.deepEqual(
    cells.map(({ start }) => start),
    starts,
  );
  for (const { start, second } of picturesOfStrip(shots, 8.4, 1000)) {
    const shot = shots.findLast((one) => one.start_seconds <= start + 1e-9)!;
    assert.ok(shot.start_seconds <= second && second < shot.end_seconds, `${start} ${second}`);
  }
  const seconds = picturesOfStrip(shots, 8.4, 27).map(({ second }) => second);
  assert.ok(
    seconds.some((second) => Math.abs(second - 2.64) < 1e-9),
    `${seconds}`,
  );
});

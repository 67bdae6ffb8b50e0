import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { arrange } from '../../../../actors/exporter/timeline/arrange.ts';
import type { TimelineItem } from '../../../../actors/exporter/timeline/contract.ts';
import { markersOf } from '../../../../actors/exporter/timeline/model.ts';
import { film, item, known, rates, recording, request } from './sources.ts';

const chapter = (title: string, start_seconds: number, end_seconds: number) => ({
  title,
  start_seconds,
  end_seconds,
});
const chapters = new Map([
  ['/a.mov', [chapter('One', 0, 4), chapter('Two', 4, 10), chapter('Three', 10, 100)]],
]);
const facts = known(film('/a.mov'), film('/b.mov', { rate: rates['29.97'] }), recording('/c.wav'));
const markers = (items: readonly TimelineItem[], more = {}) =>
  markersOf(arrange(request(items, more), facts, chapters).timeline);

test('a chapter is marked where it is shown, clipped to the used part of each clip', () => {
  assert.deepEqual(markers([item('/a.mov', 3, 6), item('/b.mov', 0, 2), item('/a.mov', 9, 11)]), [
    { name: 'One', start: 0, end: 25 },
    { name: 'Two', start: 25, end: 75 },
    { name: 'Two', start: 125, end: 150 },
    { name: 'Three', start: 150, end: 175 },
  ]);
  assert.deepEqual(markers([item('/a.mov', 4, 10)]), [{ name: 'Two', start: 0, end: 150 }]);
  assert.deepEqual(markers([item('/b.mov', 4, 10)]), [], 'a file without chapters has no marker');
});

test('picture and sound of one moment are marked once', () => {
  const both = [item('/a.mov', 3, 6), item('/a.mov', 3, 6, { track: 'audio' })];
  assert.equal(markers(both).length, 2);
  const apart = [item('/a.mov', 3, 6), item('/a.mov', 3, 6, { track: 'audio', timeline_start_seconds: 9 })];
  assert.equal(markers(apart).length, 4);
});

test('a chapter of which less than half a frame is shown has no marker', () => {
  assert.deepEqual(markers([item('/a.mov', 3, 4.01)]), [{ name: 'One', start: 0, end: 25 }]);
  assert.deepEqual(markers([item('/a.mov', 3.99, 5)]).at(0), { name: 'One', start: 0, end: 1 });
});

test('property: the markers of a clip lie in it one after the other and cover it, at every rate', () => {
  const someRate = fc.constantFrom(...Object.values(rates));
  fc.assert(
    fc.property(
      someRate,
      fc.constantFrom(...Object.keys(rates)),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 30 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 1, max: 90 })), {
        minLength: 1,
        maxLength: 9,
      }),
      (rate, fps, lengths, ranges) => {
        const cuts = [0];
        for (const length of lengths) cuts.push(cuts.at(-1)! + length);
        const all = lengths.map((_, i) => chapter(`${i}`, cuts[i]!, cuts[i + 1]!));
        const end = cuts.at(-1)!;
        const source = film('/f.mov', { rate, seconds: 100 });
        const items = ranges.map(([start, length]) => item('/f.mov', start / 10, (start + length) / 10));
        const { timeline } = arrange(
          request(items, { fps: Number(fps) }),
          known(source),
          new Map([['/f.mov', all]]),
        );
        for (const [i, { markers: own, start, end: last }] of timeline.video[0]!.clips.entries()) {
          for (const [n, one] of own.entries()) {
            assert.ok(one.start < one.end && one.start >= start && one.end <= last);
            if (n > 0) assert.equal(one.start, own[n - 1]!.end, 'they meet');
          }
          if (ranges[i]![0] / 10 < end) assert.equal(own[0]?.start, start);
          if (ranges[i]![0] / 10 + ranges[i]![1] / 10 <= end) assert.equal(own.at(-1)?.end, last);
        }
      },
    ),
  );
});

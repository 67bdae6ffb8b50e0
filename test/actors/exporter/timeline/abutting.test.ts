// A scene that goes on in the next one: neither the sequence nor the film may lose or repeat a picture there.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { arrange } from '../../../../actors/exporter/timeline/arrange.ts';
import { type Clip, frameAt, nanoseconds } from '../../../../actors/exporter/timeline/model.ts';
import { film, item, known, rates, request } from './sources.ts';

const names = Object.keys(rates) as (keyof typeof rates)[];
/** As programs write seconds: all digits, or to a microsecond, rounded or cut. */
const writings: readonly ((seconds: number) => number)[] = [
  (seconds) => seconds,
  (seconds) => Number(seconds.toFixed(6)),
  (seconds) => Math.floor(seconds * 1e6) / 1e6,
];

function assertGoesOn(clips: readonly Clip[], what: string): void {
  for (const [i, clip] of clips.entries()) {
    const before = clips[i - 1];
    if (!before) continue;
    assert.equal(clip.start, before.end, `${what}, clip ${i}`);
    assert.equal(clip.in, before.out, `${what}: the film goes on in clip ${i}`);
    assert.equal(clip.out - clip.in, clip.end - clip.start, `${what}, clip ${i}`);
  }
}

test('thousands of scenes of a film that meet show every picture once, placed by sums or by order', () => {
  for (const name of names) {
    for (const isPlaced of [true, false]) {
      const facts = known(film('/a', { rate: rates[name], seconds: 20_000 }));
      let at = 0;
      const cuts = Array.from({ length: 2000 }, (_, i) => 7.3 + i * 2.5 + (i % 7) * 0.123_456_7);
      const items = cuts.slice(1).map((end, i) => {
        const one = item('/a', cuts[i]!, end, isPlaced ? { timeline_start_seconds: at } : {});
        at += end - cuts[i]!;
        return one;
      });
      const { video, duration } = arrange(request(items), facts).timeline;
      assertGoesOn(video[0]!.clips, name);
      const { num, den } = rates[name];
      const drift = (duration * den) / num - (cuts.at(-1)! - cuts[0]!);
      assert.ok(Math.abs(drift) <= den / num, `${name}: ${drift} s`);
    }
  }
});

test('whatever the cuts are, and however their seconds are written', () => {
  const lengths = fc.array(fc.double({ min: 0.07, max: 20, noNaN: true }), { minLength: 2, maxLength: 30 });
  const first = fc.double({ min: 0, max: 3000, noNaN: true });
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.constantFrom(...writings),
      first,
      lengths,
      fc.boolean(),
      (name, write, start, each, isPlaced) => {
        let at = start;
        const items = each.map((length) => {
          const from = at;
          at += length;
          const place = isPlaced ? { timeline_start_seconds: write(from - start) } : {};
          return item('/a', write(from), write(at), place);
        });
        const facts = known(film('/a', { rate: rates[name], seconds: 4000 }));
        const { video } = arrange(request(items), facts).timeline;
        assert.equal(video.length, 1);
        assertGoesOn(video[0]!.clips, name);
        for (const [i, { in: from }] of video[0]!.clips.entries()) {
          const nearest = frameAt(nanoseconds(items[i]!.source_start_seconds), rates[name]);
          assert.ok(Math.abs(from - nearest) <= 2, `${from} for ${nearest}`);
        }
      },
    ),
  );
});

test('a cut on every picture of a film at twice the rate is rounded the same way each time', () => {
  const pairs = [
    ['59.94', '29.97'],
    ['50', '25'],
    ['60', '30'],
  ] as const;
  for (const [own, of] of pairs) {
    const { num, den } = rates[own];
    for (const write of writings) {
      // One second from every odd picture: half a frame of the sequence.
      const items = Array.from({ length: 3000 }, (_, i) => {
        const start = ((2 * i + 1) * den) / num;
        return item('/a', write(start), write(start + (60 * den) / num));
      });
      const facts = known(film('/a', { rate: rates[own], seconds: 4000 }));
      const { clips } = arrange(request(items, { fps: Number(of) }), facts).timeline.video[0]!;
      for (const [i, { in: from, out, start, end }] of clips.entries()) {
        assert.deepEqual([end - start, from, out], [30, 2 * i + 1, 2 * i + 61], `${own} in ${of}, clip ${i}`);
      }
    }
  }
});

test('a cut in the film is a cut: what begins elsewhere begins at its nearest frame', () => {
  const facts = known(film('/a', { rate: rates['25'] }), film('/b', { rate: rates['25'] }));
  const items = [
    item('/a', 1.01, 2.03),
    item('/a', 2.05, 3.05),
    item('/b', 3.05, 4.01),
    item('/a', 4.01, 5),
    item('/a', 5, 6, { timeline_start_seconds: 20.01 }),
  ];
  const { clips } = arrange(request(items), facts).timeline.video[0]!;
  assert.deepEqual(
    clips.map(({ in: from }) => from),
    [25, 51, 76, 100, 125],
  );
});

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { arrange } from '../../../../actors/exporter/timeline/arrange.ts';
import { type TimelineItem, timelineErrors } from '../../../../actors/exporter/timeline/contract.ts';
import { frameAt, isSameRate, nanoseconds, secondsOf } from '../../../../actors/exporter/timeline/model.ts';
import { film, item, known, rates, recording, request } from './sources.ts';

const names = Object.keys(rates) as (keyof typeof rates)[];
const anyRate = fc.constantFrom(...names);

test('items that meet in seconds meet in frames, at every rate, whatever the rate of their source', () => {
  const cuts = fc.array(fc.double({ min: 0.05, max: 90, noNaN: true }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(anyRate, anyRate, cuts, (own, of, lengths) => {
      let at = 0;
      const items = lengths.map((length) => {
        const one = item('/a', 0, length, { timeline_start_seconds: at });
        at += length;
        return one;
      });
      const { timeline } = arrange(
        request(items, { fps: Number(of) }),
        known(film('/a', { rate: rates[own] })),
      );
      assert.equal(timeline.video.length, 1);
      const { clips } = timeline.video[0]!;
      for (const [i, { start, end }] of clips.entries()) {
        assert.equal(start, i === 0 ? 0 : clips[i - 1]!.end);
        assert.ok(end > start);
      }
      assert.equal(timeline.duration, clips.at(-1)!.end);
    }),
  );
});

test('a clip shows as many frames of its source as it lasts, and none that the source does not have', () => {
  const some = fc.record({
    start: fc.double({ min: 0, max: 90, noNaN: true }),
    length: fc.double({ min: 0.05, max: 30, noNaN: true }),
  });
  fc.assert(
    fc.property(
      anyRate,
      anyRate,
      some,
      fc.double({ min: 0, max: 1e5, noNaN: true }),
      (own, of, { start, length }, at) => {
        const end = Math.min(100, start + length);
        const facts = known(film('/a', { rate: rates[own] }));
        const { timeline } = arrange(
          request([item('/a', start, end, { timeline_start_seconds: at })], { fps: Number(of) }),
          facts,
        );
        const [clip] = timeline.video[0]!.clips;
        const { frames, rate } = timeline.sources[0]!;
        assert.ok(clip!.in >= 0 && clip!.out <= frames && clip!.out > clip!.in);
        assert.ok(Math.abs(clip!.in - frameAt(nanoseconds(start), rate)) <= 1);
        if (isSameRate(rate, timeline.rate)) assert.equal(clip!.out - clip!.in, clip!.end - clip!.start);
        const lasts = secondsOf(clip!.end - clip!.start, timeline.rate);
        const past = secondsOf(clip!.in, rate) + lasts - secondsOf(frames, rate);
        assert.ok(past <= 1e-9 || clip!.end - clip!.start === 1, `${past} s past the end of the file`);
        const drift = ((clip!.end - clip!.start) * timeline.rate.den) / timeline.rate.num - (end - start);
        // A frame of the sequence that reaches past the file is left out, and where it begins is rounded.
        assert.ok(Math.abs(drift) <= secondsOf(1, timeline.rate) + secondsOf(1, rate));
      },
    ),
  );
});

test('sums of seconds that come out a little off are the same frame', () => {
  for (const name of names) {
    const { num, den } = rates[name];
    for (let k = 0; k < 2000; k++) {
      const half = ((k + 0.5) * den) / num;
      const near = [half - 1e-11, half, half + 1e-11].map((seconds) =>
        frameAt(nanoseconds(seconds), rates[name]),
      );
      assert.equal(new Set(near).size, 1, `${name} ${k}`);
    }
  }
});

test('both is what the file has of picture and sound, and what follows begins after the later of the two', () => {
  const facts = known(film('/a'), recording('/b'), film('/silent', { sound: null }));
  const both = { track: 'both' as const };
  const { timeline } = arrange(
    request([
      item('/a', 0, 2, both),
      item('/b', 0, 3, both),
      item('/silent', 0, 1, both),
      item('/a', 4, 5, both),
    ]),
    facts,
  );
  const placesOf = (tracks: readonly { clips: readonly { start: number; end: number }[] }[]) =>
    tracks.flatMap(({ clips }) => clips.map(({ start, end }) => [start / 25, end / 25]));
  assert.deepEqual(placesOf(timeline.video), [
    [0, 2],
    [5, 6],
    [6, 7],
  ]);
  assert.deepEqual(
    placesOf(timeline.audio).toSorted((a, b) => a[0]! - b[0]!),
    [
      [0, 2],
      [2, 5],
      [6, 7],
    ],
  );
});

test('items without a place follow the one before them of their kind; the latest end counts, gaps and all', () => {
  const items = [
    item('/a', 10, 12),
    item('/s', 0, 3, { track: 'audio' }),
    item('/a', 0, 1),
    item('/a', 0, 1, { timeline_start_seconds: 10 }),
    item('/a', 0, 1),
    item('/s', 0, 20, { track: 'audio' }),
  ];
  const { timeline } = arrange(request(items), known(film('/a'), recording('/s')));
  const spans = (clips: readonly { start: number; end: number }[]) =>
    clips.map(({ start, end }) => [start, end]);
  assert.deepEqual(spans(timeline.video[0]!.clips), [
    [0, 50],
    [50, 75],
    [250, 275],
    [275, 300],
  ]);
  assert.deepEqual(spans(timeline.audio[0]!.clips), [
    [0, 75],
    [75, 575],
  ]);
  assert.equal(timeline.duration, 575);
  assert.deepEqual(
    timeline.sources.map(({ path }) => path),
    ['/a', '/s'],
  );
});

test('what overlaps lies above what came before, and tracks have their clips in order', () => {
  const at = (start: number, end: number) => item('/a', 0, end - start, { timeline_start_seconds: start });
  const { timeline } = arrange(
    request([at(0, 10), at(5, 15), at(10, 20), at(30, 31), at(20, 30)]),
    known(film('/a')),
  );
  const starts = timeline.video.map(({ clips }) => clips.map(({ start }) => start / 25));
  assert.deepEqual(starts, [[0, 20, 30], [5], [10]]);
  const many = Array.from({ length: 100 }, () => at(0, 1));
  assert.throws(
    () => arrange(request(many), known(film('/a'))),
    /items\[99\]\.timeline_start_seconds overlaps/,
  );
});

test('sound with another number of channels lies on tracks of its own', () => {
  const mono = { channels: 1, streams: 1, isStereo: false, sampleRate: 44_100 };
  const facts = known(recording('/s'), recording('/m', { sound: mono }));
  const items = [item('/s', 0, 1, { track: 'audio' }), item('/m', 0, 1, { track: 'audio' })];
  const { audio, video } = arrange(request(items), facts).timeline;
  assert.deepEqual(
    audio.map(({ channels, isStereo }) => [channels, isStereo]),
    [
      [2, true],
      [1, false],
    ],
  );
  assert.equal(video.length, 0);
});

test('the rate and the size are those of the first film, a still without one takes what is usual', () => {
  const facts = known(
    film('/a', { rate: { num: 2997, den: 100 }, width: 1081, height: 608 }),
    film('/i', { kind: 'image', rate: null, seconds: 0, width: 40, height: 30 }),
  );
  const both = arrange(request([item('/i', 0, 5), item('/a', 0, 1)]), facts).timeline;
  assert.deepEqual([both.rate, both.width, both.height], [rates['29.97'], 1082, 608]);
  const still = arrange(request([item('/i', 0, 5)]), facts).timeline;
  assert.deepEqual([still.rate, still.width, still.duration], [rates['25'], 40, 125]);
  assert.equal(still.sources[0]!.frames, 125);
});

test('the rate and the size are those of most clips, of equally many those of the first', () => {
  const facts = known(
    film('/phone', { rate: rates['30'], width: 1080, height: 1920 }),
    film('/a', { rate: rates['50'], width: 3840, height: 2160 }),
    film('/b', { rate: rates['25'], width: 3840, height: 2160 }),
    film('/i', { kind: 'image', rate: null, seconds: 0, width: 40, height: 30 }),
  );
  const of = (...paths: string[]) => {
    const { rate, width, height } = arrange(request(paths.map((path) => item(path, 0, 1))), facts).timeline;
    return [rate, width, height];
  };
  assert.deepEqual(of('/phone', '/b', '/b'), [rates['25'], 3840, 2160]);
  // The size is that of two files, the rate that of the clips of one.
  assert.deepEqual(of('/phone', '/a', '/b', '/phone'), [rates['30'], 1080, 1920]);
  assert.deepEqual(of('/phone', '/a', '/b'), [rates['30'], 3840, 2160]);
  assert.deepEqual(of('/i', '/i', '/phone'), [rates['30'], 1080, 1920]);
});

test('without an end an item goes to that of its file, and a still lasts five seconds', () => {
  const facts = known(
    film('/a', { seconds: 12.32 }),
    film('/i', { kind: 'image', rate: null, seconds: 0, width: 40, height: 30, sound: null }),
    recording('/endless', { seconds: 0 }),
  );
  const items = [item('/i', 0, 1), item('/a', 10, 11)].map(({ source_end_seconds: _, ...own }) => own);
  const { timeline } = arrange(request(items), facts);
  assert.deepEqual(
    timeline.video[0]!.clips.map(({ start, end }) => [start, end]),
    [
      [0, 125],
      [125, 183],
    ],
  );
  const refusal = (own: TimelineItem) => () => arrange(request([own]), facts);
  const sound = { media_path: '/endless', source_start_seconds: 0, track: 'audio' } as const;
  assert.throws(refusal(sound), /items\[0\]\.source_end_seconds is needed/);
  const late = { media_path: '/a', source_start_seconds: 13, track: 'video' } as const;
  assert.throws(refusal(late), /items\[0\]\.source_start_seconds is past the end/);
});

test('a rate that varies is counted at the nearest one, and that is told', () => {
  const facts = known(
    film('/v', { rate: { num: 179, den: 6 } }),
    film('/u', { rate: null }),
    film('/b', { rate: rates['50'] }),
  );
  const { timeline, warnings } = arrange(
    request([item('/v', 0, 1), item('/u', 0, 1), item('/b', 0, 1)]),
    facts,
  );
  assert.deepEqual(
    timeline.sources.map(({ rate }) => rate),
    [rates['29.97'], rates['29.97'], rates['50']],
  );
  assert.match(warnings[0]!, /^\/v: .*29\.833 frames per second.* counted at 29\.97 per second$/);
  assert.match(warnings[1]!, /^\/u: its frame rate is unknown/);
  assert.match(warnings[2]!, /^\/b: has 50 frames per second, but the sequence has 29\.97/);
  assert.deepEqual(arrange(request([item('/b', 0, 1)]), facts).warnings, []);
});

test('a rate that varies about one of editing programs is told too', () => {
  const facts = known(film('/v', { rate: rates['30'], varies: true }));
  const own = arrange(request([item('/v', 0, 1), item('/v', 5, 6)]), facts);
  assert.deepEqual(own.warnings, ['/v: its frame rate varies; frames are counted at 30 per second']);
  const other = arrange(request([item('/v', 0, 1)], { fps: 25 }), facts).warnings;
  assert.deepEqual(other.slice(1), ['/v: has 30 frames per second, but the sequence has 25']);
});

test('a film of an odd rate is counted where its frames begin: one of 12.5 at 25, not at 13', () => {
  const odd = [
    [{ num: 25, den: 2 }, rates['25']],
    [
      { num: 15, den: 2 },
      { num: 15, den: 1 },
    ],
    [{ num: 25, den: 3 }, rates['25']],
    [{ num: 12_000, den: 1001 }, rates['23.976']],
    [{ num: 179, den: 6 }, rates['29.97']],
  ] as const;
  for (const [rate, counted] of odd) {
    const { timeline, warnings } = arrange(request([item('/a', 4, 8)]), known(film('/a', { rate })));
    assert.deepEqual(timeline.sources[0]!.rate, counted);
    assert.equal(timeline.sources[0]!.frames, Math.round((100 * counted.num) / counted.den));
    assert.match(warnings[0]!, /editing programs do not support .* the rate may vary; frames are counted at/);
  }
});

test('a sequence has a rate that people edit at, whatever its first film has', () => {
  const pairs = [
    [{ num: 25, den: 2 }, rates['25']],
    [{ num: 15, den: 1 }, rates['30']],
    [{ num: 10, den: 1 }, rates['30']],
    [{ num: 15_000, den: 1001 }, rates['29.97']],
    [{ num: 179, den: 6 }, rates['29.97']],
    [
      { num: 240, den: 1 },
      { num: 120, den: 1 },
    ],
    ...Object.values(rates).map((rate) => [rate, rate] as const),
  ] as const;
  for (const [own, expected] of pairs) {
    const { timeline } = arrange(request([item('/a', 0, 1)]), known(film('/a', { rate: own })));
    assert.deepEqual(timeline.rate, expected);
  }
});

test('drop-frame is taken from the first film or from the timecode that is asked for', () => {
  const timecode = { frame: 107_892, rate: rates['29.97'], dropFrame: true };
  const facts = known(film('/d', { rate: rates['29.97'], timecode }));
  const of = (more = {}) => arrange(request([item('/d', 0, 1)], more), facts).timeline.timecode;
  assert.deepEqual(of(), { frame: 0, rate: rates['29.97'], dropFrame: true });
  assert.deepEqual(of({ start_timecode: '01:00:00;00' }), timecode);
  assert.deepEqual(of({ start_timecode: '01:00:00:00' }), { ...timecode, frame: 108_000, dropFrame: false });
  assert.equal(of({ fps: 25 }).dropFrame, false);
});

test('an end in the last second of a file is its end; one behind that is refused', () => {
  const facts = known(film('/a', { seconds: 12.3 }));
  const [clip] = arrange(request([item('/a', 12, 13)]), facts).timeline.video[0]!.clips;
  assert.deepEqual([clip!.in, clip!.out], [300, 308]);
  assert.throws(
    () => arrange(request([item('/a', 12, 14)]), facts),
    /items\[0\]\.source_end_seconds is past the end of \/a/,
  );
});

test('what is wrong with an item or the sequence names its field', () => {
  const facts = known(film('/a'), film('/mute', { sound: null }), recording('/s'));
  const wrong = [
    [item('/a', 5, 5), {}, 'items[0].source_end_seconds'],
    [item('/a', 5, 4), {}, 'items[0].source_end_seconds'],
    [item('/a', Number.NaN, 4), {}, 'items[0].source_start_seconds'],
    [item('/a', 0, Number.NaN), {}, 'items[0].source_end_seconds'],
    [item('/a', 0, 0.001), {}, 'items[0].source_end_seconds'],
    [item('/a', 100, 101), {}, 'items[0].source_start_seconds'],
    [item('/a', 0, 1, { timeline_start_seconds: Number.NaN }), {}, 'items[0].timeline_start_seconds'],
    [item('/a', 0, 1, { name: '\u0001 \uffff' }), {}, 'items[0].name'],
    [item('/s', 0, 1), {}, 'items[0].track'],
    [item('/mute', 0, 1, { track: 'audio' }), {}, 'items[0].track'],
    [item('/a', 0, 1), { fps: 27.3 }, 'fps'],
    [item('/a', 0, 1), { sequence_name: '\u0000' }, 'sequence_name'],
    [item('/a', 0, 1), { start_timecode: '01:00:00:25' }, 'start_timecode'],
    [item('/a', 0, 1), { start_timecode: '01:00:00;00' }, 'start_timecode'],
    [item('/a', 0, 1), { start_timecode: '24:00:00:00' }, 'start_timecode'],
    [item('/a', 0, 1), { start_timecode: '00:60:00:00' }, 'start_timecode'],
    [item('/a', 0, 1), { start_timecode: '00:00:00:000' }, 'start_timecode'],
    [item('/a', 0, 1), { fps: 29.97, start_timecode: '01:01:00;00' }, 'start_timecode'],
  ] as const;
  for (const [one, more, field] of wrong) {
    assert.throws(
      () => arrange(request([one], more), facts),
      (error: unknown) =>
        (timelineErrors.ITEM_INVALID.is(error) || timelineErrors.SEQUENCE_INVALID.is(error)) &&
        error.details['field'] === field &&
        error.message.startsWith(field),
      field,
    );
  }
});

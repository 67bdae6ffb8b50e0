import assert from 'node:assert/strict';
import test from 'node:test';
import { arrange } from '../../../../actors/exporter/timeline/arrange.ts';
import { type TimelineItem, timelineErrors } from '../../../../actors/exporter/timeline/contract.ts';
import { editsOf, edl, reelNames } from '../../../../actors/exporter/timeline/edl.ts';
import { matchesGolden } from './golden.ts';
import { film, item, known, rates, recording, request } from './sources.ts';

const timecode = { frame: 107_892, rate: rates['29.97'], dropFrame: true };
const long = 'A name of more than thirty-two characters, with ümlaut';
const facts = known(
  film('/media/Größe 1.mov', { rate: rates['29.97'], timecode }),
  film('/media/b.mp4', { rate: rates['25'] }),
  recording('/media/music.wav'),
);
const arranged = (items: readonly TimelineItem[], more = {}) =>
  arrange(request(items, { format: 'edl', ...more }), facts).timeline;

test('a cut is the EDL that was read by hand', () => {
  const items = [
    item('/media/Größe 1.mov', 2.002, 4.004, { name: long }),
    item('/media/b.mp4', 1, 3),
    item('/media/Größe 1.mov', 58.058, 62.062, { timeline_start_seconds: 59.059 }),
    item('/media/music.wav', 0, 5, { track: 'audio' }),
  ];
  matchesGolden('cut.edl', edl(arranged(items, { start_timecode: '01:00:00;00' })));
});

test('what comes after the drop of a minute has the numbers that are left', () => {
  const text = edl(arranged([item('/media/Größe 1.mov', 59.993267, 60.06)]));
  // Frames 1798 and 1799 are the last of the minute; the next one is :00;02 of the next.
  assert.match(text, /01:00:59;28 01:01:00;02 00:00:00;00 00:00:00;02\n/);
});

test('a source that counts otherwise is in the numbers of the sequence, and its own are in a comment', () => {
  const of = (rate: keyof typeof rates, frame: number) =>
    known(film('/f.mov', { rate: rates[rate], timecode: { frame, rate: rates[rate], dropFrame: false } }));
  const lines = (rate: keyof typeof rates, fps: number) => {
    const facts = of(rate, 10 * 3600 * Math.round(Number(rate)));
    const items = [item('/f.mov', 1.5, 3.5)];
    return edl(arrange(request(items, { format: 'edl', fps }), facts).timeline).split('\n');
  };
  const faster = lines('50', 25);
  assert.match(faster[3]!, /C {8}10:00:01:13 10:00:03:13 00:00:00:00 00:00:02:00$/);
  assert.equal(faster.at(-2), '* SOURCE TIMECODE: 10:00:01:25 AT 50 FRAMES PER SECOND');
  const slower = lines('24', 30);
  assert.match(slower[3]!, /C {8}10:00:01:15 10:00:03:15 00:00:00:00 00:00:02:00$/);
});

test('a source as many numbers a second, but slower, is told with its speed', () => {
  const facts = known(film('/f.mov', { rate: rates['23.976'], seconds: 400 }), film('/g.mov'));
  const items = [item('/f.mov', 0, 200), item('/g.mov', 0, 4)];
  const text = edl(arrange(request(items, { format: 'edl', fps: 24 }), facts).timeline);
  // 200 s are 4800 frames of 24, and 4795 of the film.
  assert.match(
    text,
    /00:00:00:00 00:03:19:19 00:00:00:00 00:03:20:00\nM2 {3}F {13}023\.976 {16}00:00:00:00\n/,
  );
  assert.equal(text.match(/^M2/gm)!.length, 1);
});

test('in an EDL of any rate every edit lasts as long in its source, in numbers that exist', () => {
  const names = Object.keys(rates) as (keyof typeof rates)[];
  const number = (text: string, count: number) => {
    const [h, m, s, f] = text.split(/[:;]/).map(Number) as [number, number, number, number];
    assert.ok(f < count, `${text} at ${count}`);
    return ((h * 60 + m) * 60 + s) * count + f;
  };
  for (const own of names) {
    for (const of of names) {
      const facts = known(film('/f.mov', { rate: rates[own] }));
      const items = Array.from({ length: 60 }, (_, i) => item('/f.mov', i * 1.37, i * 1.37 + 0.9));
      const text = edl(arrange(request(items, { format: 'edl', fps: Number(of) }), facts).timeline);
      const count = Math.round(Number(of));
      const edits = [...text.matchAll(/C {8}(\S+) (\S+) (\S+) (\S+)\n(M2)?/g)];
      assert.equal(edits.length, 60);
      for (const [, first, last, start, end, motion] of edits) {
        const [source, record] = [
          [first, last],
          [start, end],
        ].map(([from, to]) => number(to!, count) - number(from!, count));
        assert.ok(source === record || motion === 'M2', `${own} in ${of}: ${first} ${last} ${start} ${end}`);
      }
    }
  }
});

test('reels have eight letters and digits, and every file has its own', () => {
  const named = (...names: string[]) => reelNames(names.map((name) => ({ name })));
  assert.deepEqual(
    named('A001_C002_0101AB.mov', 'A001_C002_0101AC.mov', 'Größe 1.mov', '日本.mov', 'bl.mov', 'b.mp4'),
    ['A001C002', 'A001C003', 'GROSSE1', 'REEL1', 'BL2', 'B'],
  );
  const many = named(...Array.from({ length: 12_000 }, () => 'clip.mov'));
  assert.equal(new Set(many).size, 12_000);
  for (const reel of many) assert.match(reel, /^[A-Z0-9]{1,8}$/);
});

test('what an EDL cannot say is refused before anything is written', () => {
  const a = (more = {}) => item('/media/b.mp4', 0, 1, more);
  const sound = item('/media/music.wav', 0, 1, { track: 'audio', timeline_start_seconds: 0 });
  const wrong = [
    [[a(), a({ timeline_start_seconds: 0 })], /one video track/],
    [[sound, sound], /2 audio channels, but these clips need 4/],
    [Array.from({ length: 1000 }, () => a()), /at most 999 edits, but these are 1000/],
    [[a({ timeline_start_seconds: 86_400 })], /24 hours/],
    [[a({ timeline_start_seconds: 86_399 })], /24 hours/],
    [[a()], /at most 100 frames per second.*set fps/, { fps: 120 }],
  ] as const;
  for (const [items, message, more] of wrong) {
    assert.throws(
      () => editsOf(arranged(items, more)),
      (error: unknown) =>
        timelineErrors.FORMAT_UNFIT.is(error) &&
        message.test(error.message) &&
        error.details['field'] === 'format',
    );
  }
  assert.equal(editsOf(arranged(Array.from({ length: 999 }, () => a()))).length, 999);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { arrange } from '../../../../actors/exporter/timeline/arrange.ts';
import { type TimelineItem, timelineErrors } from '../../../../actors/exporter/timeline/contract.ts';
import { editsOf } from '../../../../actors/exporter/timeline/edits.ts';
import { edl } from '../../../../actors/exporter/timeline/edl.ts';
import { reelNames } from '../../../../actors/exporter/timeline/reels.ts';
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
    [[a(), a({ timeline_start_seconds: 0 })], /one track of pictures/],
    [[sound, sound], /2 channels of sound, and these need 4/],
    [Array.from({ length: 1000 }, () => a()), /at most 999 edits, and these are 1000/],
    [[a({ timeline_start_seconds: 86_400 })], /24 hours/],
  ] as const;
  for (const [items, message] of wrong) {
    assert.throws(
      () => editsOf(arranged(items)),
      (error: unknown) =>
        timelineErrors.FORMAT_UNFIT.is(error) &&
        message.test(error.message) &&
        error.details['field'] === 'format',
    );
  }
  assert.equal(editsOf(arranged(Array.from({ length: 999 }, () => a()))).length, 999);
});

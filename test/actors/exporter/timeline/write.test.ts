import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rational } from '../../../../actors/decoder/contract.ts';
import { arrange } from '../../../../actors/exporter/timeline/arrange.ts';
import { type TimelineItem, timelineErrors } from '../../../../actors/exporter/timeline/contract.ts';
import { editsOf, edl, reelNames } from '../../../../actors/exporter/timeline/edl.ts';
import { fcpxml, secondsOf, shownSeconds, sum } from '../../../../actors/exporter/timeline/fcpxml.ts';
import { pathUrl } from '../../../../actors/exporter/timeline/model.ts';
import { otio } from '../../../../actors/exporter/timeline/otio.ts';
import { sourceFacts } from '../../../../actors/exporter/timeline/sequence.ts';
import { xmeml } from '../../../../actors/exporter/timeline/xmeml.ts';
import { probeOf } from '../../analysis/fake-file.ts';
import { cut } from './cut.ts';
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

test('mono clips go on A1 and A2 of an EDL, also beside and after stereo ones', () => {
  const mono = { channels: 1, streams: 1, isStereo: false, sampleRate: 48_000 };
  const facts = known(recording('/m', { sound: mono }), recording('/n', { sound: mono }), recording('/s'));
  const channelsOf = (...items: readonly (readonly [path: string, start: number, end: number])[]) =>
    editsOf(
      arrange(
        request(
          items.map(([path, start, end]) =>
            item(path, 0, end - start, { track: 'audio', timeline_start_seconds: start }),
          ),
          { format: 'edl' },
        ),
        facts,
      ).timeline,
    ).map(({ clip, channels }) => `${clip.name} ${channels}`);
  assert.deepEqual(channelsOf(['/m', 0, 4], ['/s', 4, 8], ['/n', 8, 9]), ['m A', 's AA', 'n A']);
  assert.deepEqual(channelsOf(['/m', 0, 4], ['/n', 2, 6], ['/m', 4, 8]), ['m A', 'n A2', 'm A']);
  assert.throws(() => channelsOf(['/m', 0, 4], ['/s', 3, 8]), /2 audio channels, but these clips need 3/);
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

test('a cut is the FCPXML that was read by hand', () => {
  matchesGolden('cut.fcpxml', fcpxml(cut({ start_timecode: '01:00:00;00' }).timeline));
});

test('seconds are exact fractions in lowest terms', () => {
  assert.equal(shownSeconds(secondsOf(1, rates['29.97'])), '1001/30000s');
  assert.equal(shownSeconds(secondsOf(50, rates['25'])), '2s');
  assert.equal(shownSeconds(secondsOf(0, rates['25'])), '0s');
  assert.equal(shownSeconds(sum(secondsOf(1, rates['25']), secondsOf(1, rates['23.976']))), '1961/24000s');
  assert.equal(shownSeconds(secondsOf(24 * 3600 * 60, rates['59.94'])), '432432/5s');
});

test('the storyline has no hole: every element begins where the one before it ends', () => {
  const text = fcpxml(cut().timeline);
  const story = [...text.matchAll(/^ {12}<(?:gap|asset-clip|video) .*$/gm)].map(([line]) => line);
  const fraction = (line: string, name: string) => {
    const [, num, den = '1'] = new RegExp(` ${name}="(\\d+)(?:/(\\d+))?s"`).exec(line)!;
    return Number(num) / Number(den);
  };
  assert.equal(story.length, 5);
  let at = 0;
  for (const line of story) {
    assert.ok(Math.abs(fraction(line, 'offset') - at) < 1e-9, line);
    at += fraction(line, 'duration');
  }
  assert.ok(Math.abs(at - (240 * 1001) / 30_000) < 1e-9);
});

test('a clip of another rate says it in a word of version 1.8, or not at all', () => {
  const words = [
    [rates['23.976'], '23.98'],
    [rates['59.94'], '59.94'],
    [{ num: 120, den: 1 }, undefined],
    [{ num: 13, den: 1 }, undefined],
  ] as const;
  for (const [rate, word] of words) {
    const facts = known(film('/a', { rate }));
    const text = fcpxml(arrange(request([item('/a', 0, 1)], { fps: 25 }), facts).timeline);
    const [, found] = /<conform-rate scaleEnabled="0"(?: srcFrameRate="([^"]+)")?\/>/.exec(text)!;
    assert.equal(found, word);
  }
});

test('a cut is the OpenTimelineIO that was read by hand', () => {
  matchesGolden('cut.otio', otio(cut({ start_timecode: '01:00:00;00' }).timeline));
});

interface Child {
  readonly OTIO_SCHEMA: string;
  readonly source_range: { readonly duration: { readonly value: number; readonly rate: number } };
}

test('clips and gaps of a track add up to where its last clip ends, in frames of the sequence', () => {
  const { timeline } = cut();
  const { tracks } = JSON.parse(otio(timeline)) as {
    tracks: { children: { kind: string; children: Child[] }[] };
  };
  const ends = [...timeline.video, ...timeline.audio].map(({ clips }) => clips.at(-1)!.end);
  for (const [i, { children }] of tracks.children.entries()) {
    for (const { source_range } of children) assert.equal(source_range.duration.rate, 30_000 / 1001);
    assert.equal(
      children.reduce((sum, { source_range }) => sum + source_range.duration.value, 0),
      ends[i],
    );
  }
});

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

test('a cut is the XMEML that was read by hand', () => {
  matchesGolden('cut.xml', xmeml(cut().timeline));
});

test('XMEML scales pictures of another size than the sequence, and no others', () => {
  const facts = known(
    film('/same'),
    film('/small', { width: 1280, height: 720 }),
    film('/tall', { width: 1080, height: 1920 }),
    film('/odd', { width: 1919, height: 1079 }),
    film('/tiny', { kind: 'image', rate: null, width: 20, height: 10, sound: null }),
    recording('/sound'),
  );
  const items = ['/same', '/small', '/tall', '/odd', '/tiny'].map((path) => item(path, 0, 1));
  const sound = item('/sound', 0, 1, { track: 'audio' });
  const text = xmeml(arrange(request([...items, sound], { width: 1920, height: 1080 }), facts).timeline);
  const scales = text
    .split('<clipitem ')
    .slice(1)
    .map((clip) => /<value>([\d.]+)<\/value>/.exec(clip)?.[1]);
  assert.deepEqual(scales.slice(0, 5), [undefined, '150', '56.25', undefined, '1000']);
  assert.ok(scales.slice(5).every((scale) => scale === undefined));
});

test('a file is described once and referred to after that, in the order of the document', () => {
  const text = xmeml(cut().timeline);
  assert.equal(text.match(/<pathurl>/g)!.length, 5);
  const files = [...text.matchAll(/<file id="([^"]+)"(\/?)>/g)].map(([, id, closed]) => [id, closed === '/']);
  const seen = new Set<string>();
  for (const [id, isReference] of files as [string, boolean][]) {
    assert.equal(isReference, seen.has(id), id);
    seen.add(id);
  }
});

test('a picture is without its sound, and every rate says whether it is NTSC', () => {
  const facts = known(film('/a', { rate: rates['23.976'] }));
  const text = xmeml(arrange(request([item('/a', 0, 1)]), facts).timeline);
  assert.doesNotMatch(text, /<link>|<mediatype>audio/);
  assert.match(text, /<channelcount>2</);
  assert.deepEqual(
    new Set(text.match(/<timebase>.*\n.*<ntsc>\w+/g)!.map((one) => one.replace(/\s+/g, ''))),
    new Set(['<timebase>24</timebase><ntsc>TRUE']),
  );
});

test('a picture and the channels of its sound are linked to each other', () => {
  const items = [item('/a', 0, 1, { track: 'both' }), item('/a', 5, 6, { track: 'both' })];
  const text = xmeml(arrange(request(items), known(film('/a'))).timeline);
  const clips = [...text.matchAll(/<clipitem id="([^"]+)"[\s\S]*?<\/clipitem>/g)].map(([whole, id]) => {
    const links = [...whole.matchAll(/<link>[\s\S]*?<\/link>/g)].map(([link]) =>
      [...link.matchAll(/<(?:linkclipref|mediatype|trackindex|clipindex)>([^<]+)</g)].map(([, one]) => one),
    );
    return [id, links];
  });
  const linked = (place: string, picture: string, left: string, right: string) => [
    [picture, 'video', '1', place],
    [left, 'audio', '1', place],
    [right, 'audio', '2', place],
  ];
  const [first, second] = [
    linked('1', 'clipitem-1', 'clipitem-3', 'clipitem-4'),
    linked('2', 'clipitem-2', 'clipitem-5', 'clipitem-6'),
  ];
  assert.deepEqual(clips, [
    ['clipitem-1', first],
    ['clipitem-2', second],
    ['clipitem-3', first],
    ['clipitem-5', second],
    ['clipitem-4', first],
    ['clipitem-6', second],
  ]);
});

test('what looks like a reference in a name is the name', () => {
  const facts = known(film('/a'));
  const name = 'R&B; &amp; &#0; &lt; ]]>';
  const { timeline } = arrange(request([item('/a', 0, 1, { name })], { sequence_name: name }), facts);
  const written = 'R&amp;B; &amp;amp; &amp;#0; &amp;lt; ]]&gt;';
  assert.equal(xmeml(timeline).split(`<name>${written}</name>`).length, 3);
  assert.equal(fcpxml(timeline).split(` name="${written}"`).length, 4);
});

test('addresses are percent-encoded: spaces, letters of any script, drives and shares of Windows', () => {
  const urls: readonly (readonly [string, string])[] = [
    ['/a b/ü#1?.mov', 'file://localhost/a%20b/%C3%BC%231%3F.mov'],
    ["/100%/it's (1)!.mov", 'file://localhost/100%25/it%27s%20%281%29%21.mov'],
    ['/日本/a&b.mov', 'file://localhost/%E6%97%A5%E6%9C%AC/a%26b.mov'],
    ['C:\\My Films\\a.mov', 'file://localhost/C%3A/My%20Films/a.mov'],
    ['\\\\nas\\films\\a b.mov', 'file://nas/films/a%20b.mov'],
    ['\\\\?\\D:\\long\\a.mov', 'file://localhost/D%3A/long/a.mov'],
    ['\\\\?\\UNC\\nas\\films\\a.mov', 'file://nas/films/a.mov'],
    ['/back\\slash.mov', 'file://localhost/back%5Cslash.mov'],
  ];
  for (const [path, url] of urls) assert.equal(pathUrl(path, 'localhost'), url);
  assert.equal(pathUrl('/a b', ''), 'file:///a%20b');
  for (const [path, url] of urls.filter(([path]) => path.startsWith('/')))
    assert.equal(decodeURIComponent(url.slice('file://localhost'.length)), path);
});

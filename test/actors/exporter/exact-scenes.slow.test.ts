// Scenes between exact edges as an editor gets them: on timelines of every format and as clips. The number
// that is drawn into each picture says which one it is.
import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { clipModes } from '../../../actors/decoder/clips/contract.ts';
import { arrange } from '../../../actors/exporter/timeline/arrange.ts';
import type { TimelineFormat } from '../../../actors/exporter/timeline/contract.ts';
import { sourceFacts } from '../../../actors/exporter/timeline/sequence.ts';
import { write } from '../../../actors/exporter/timeline/write.ts';
import type { Shot } from '../../../actors/index/visual/contract.ts';
import { allShots } from '../../../actors/index/visual/shots.ts';
import { askProbe, turnFor } from '../decoder/ask-decoder.ts';
import { cut, stampsOf } from '../decoder/clips/cut.ts';
import { type Clip, type StampedFilm, stamped } from '../decoder/footage/clip.ts';
import { ntsc, x264 } from '../decoder/footage/codec-options.ts';
import { item, known, request } from './timeline/sources.ts';

const frames = 300;
/** With a scene of less than a second, one of six pictures, and one that is a single picture. */
const edges = [13, 62, 70, 125, 131, 180, 201, 202, 277];
const groups = { ...x264, g: '24', bf: '2', 'x264-params': 'scenecut=0' };

/** Most pictures last 30 to 50 ms, one in nine 170 ms. */
const uneven = Array.from({ length: frames }, (_, n) => 3 * n + (n % 3) + 14 * Math.floor(n / 9));

function film(file: string, more: Partial<StampedFilm>): Clip {
  return stamped(file, { file, frames, options: groups, frameRate: { num: 25, den: 1 }, ...more });
}

const even = [
  film('scenes-25.mp4', {}),
  film('scenes-23.976.mov', { frameRate: ntsc(24) }),
  film('scenes-59.94.mp4', { frameRate: ntsc(60) }),
  film('scenes-29.97.mkv', { frameRate: ntsc(30) }),
];
const varying = film('scenes-uneven.mp4', { times: { base: { num: 1, den: 90 }, ticks: uneven } });

/** As the index answers them. */
function shotsOf({ facts }: Clip): Shot[] {
  const seconds = Float64Array.from(edges, (frame) => facts.frames[frame]!.seconds);
  return allShots({ seconds, frames: Uint32Array.from(edges), end: facts.duration });
}

const picturesOf = ({ start_frame, end_frame }: Shot): number[] =>
  Array.from({ length: (end_frame ?? frames) - start_frame }, (_, i) => start_frame + i);

async function timelineOf(film: Clip, shots: readonly Shot[]) {
  const path = await film.make();
  const facts = sourceFacts(path, await askProbe(path, turnFor(), true));
  const items = shots.map((shot) => item(path, shot.start_seconds, shot.end_seconds));
  return arrange(request(items), known(facts)).timeline;
}

/** First picture of each clip and the one behind its last, counted at the rate of the source. */
const readers: Readonly<Record<TimelineFormat, (text: string, rate: number) => [number, number][]>> = {
  xmeml: (text) => {
    const numbers = (name: string) =>
      [...text.matchAll(new RegExp(`<${name}>(\\d+)</${name}>`, 'g'))].map(([, n]) => Number(n));
    const outs = numbers('out');
    return numbers('in').map((from, i) => [from, outs[i]!]);
  },
  fcpxml: (text, rate) => {
    const seconds = (value: string) => {
      const [num, den = '1'] = value.replace(/s$/, '').split('/');
      return Number(num) / Number(den);
    };
    return [...text.matchAll(/<asset-clip [^>]*start="([^"]+)" duration="([^"]+)"/g)].map(
      ([, from, length]) => {
        const start = seconds(from!) * rate;
        return [Math.round(start), Math.round(start + seconds(length!) * rate)];
      },
    );
  },
  otio: (text) => {
    const ranges: [number, number][] = [];
    JSON.parse(text, (_, value) => {
      if (value?.OTIO_SCHEMA === 'Clip.2') {
        const { start_time, duration } = value.source_range;
        ranges.push([start_time.value, start_time.value + duration.value]);
      }
      return value;
    });
    return ranges;
  },
  edl: (text, rate) => {
    const number = (code: string) => {
      const [hours, minutes, seconds, frame] = code.split(/[:;]/).map(Number) as [
        number,
        number,
        number,
        number,
      ];
      return ((hours * 60 + minutes) * 60 + seconds) * Math.round(rate) + frame;
    };
    return [...text.matchAll(/^\d{3} .* C +(\S+) (\S+) \S+ \S+$/gm)].map(([, from, until]) => [
      number(from!),
      number(until!),
    ]);
  },
};

describe('each scene on a timeline begins with its first picture and ends with its last', () => {
  for (const film of even) {
    test(film.name, async () => {
      const shots = shotsOf(film);
      assert.equal(shots.length, 10);
      const { num, den } = film.facts.frameRate!;
      // In another order, so that no scene goes on where the one before it ended.
      const order = [3, 0, 9, 7, 1, 8, 2, 6, 4, 5].map((at) => shots[at]!);
      const timeline = await timelineOf(film, order);
      const wanted = order.map(({ start_frame, end_frame }) => [start_frame, end_frame ?? frames]);
      for (const [format, read] of Object.entries(readers)) {
        const text = await write({ timeline, format: format as TimelineFormat });
        assert.deepEqual(read(text, num / den), wanted, format);
      }
    });
  }
});

test('where pictures come at unequal times, each frame of a scene shows one of its pictures', async () => {
  const shots = shotsOf(varying);
  const { video, sources, rate } = await timelineOf(varying, shots);
  const lasting = (count: number, { num, den } = rate) => (count * den) / num;
  const { frames: pictures } = varying.facts;
  for (const [i, clip] of video[0]!.clips.entries()) {
    const { start_frame, end_frame } = shots[i]!;
    for (let frame = 0; frame < clip.end - clip.start; frame++) {
      const at = lasting(clip.in, sources[0]!.rate) + lasting(frame) + 1e-6;
      const shown = pictures.findLastIndex(({ seconds }) => seconds <= at);
      assert.ok(
        start_frame <= shown && shown < (end_frame ?? frames),
        `scene ${i}, frame ${frame}: ${shown}`,
      );
    }
  }
});

describe('a clip of a scene has all of its pictures and no other', () => {
  for (const film of [even[0]!, even[3]!, varying]) {
    for (const mode of clipModes.filter((one) => one !== 'copy')) {
      test(`${film.name}, ${mode}`, async () => {
        const path = await film.make();
        for (const shot of shotsOf(film)) {
          const made = await cut(path, [shot.start_seconds, shot.end_seconds], mode);
          const stamps = await stampsOf(made.path);
          const wanted = picturesOf(shot);
          assert.deepEqual([made.frames, stamps.map(({ stamp }) => stamp)], [wanted.length, wanted]);
        }
      });
    }
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DecoderActor } from '../../../../../actors/analysis/stages/parts.ts';
import { lookBytes } from '../../../../../actors/analysis/stages/picture/cuts.ts';
import { EdgeSearch, Liveliness } from '../../../../../actors/analysis/stages/picture/edges.ts';
import { beginOf, type FilmPart, type SmallPictures } from '../../../../../actors/decoder/frames/contract.ts';
import type { MediaRecord } from '../../../../../actors/index/store/contract.ts';
import { seeded } from '../../../../seeded.ts';

const [rate, length] = [10, 40];
/** Pictures at which another shot begins, and random access points. */
const cuts = [47, 91, 122, 128, 210, 305, 391];
const entries = [0, 80, 120, 240, 300];
const frames = Array.from({ length }, (_, frame) => frame);
/** Seconds 8 to 30 are looked at in one run, which is longer than a part; 31 has no change. */
const begins = frames.filter((frame) => [5, 10, 39, 40].includes(frame) || (frame > 12 && frame < 33));
const media = { path: 'film', probe: { video: { frame_rate: { num: rate, den: 1 } } } } as MediaRecord;

const pictures = Array.from({ length: rate * length }, (_, n) => {
  const random = seeded(1 + cuts.filter((cut) => cut <= n).length);
  return Uint8Array.from({ length: lookBytes }, () => random() * 200 + (n % 5));
});

/** Pictures of numbers `from` to `to`. */
const small = (from: number, to: number, more: Partial<SmallPictures> = {}): SmallPictures => {
  const numbers = pictures.map((_, n) => n).filter((n) => n >= from && n <= to);
  return {
    ...{ after: Number.NEGATIVE_INFINITY, before: (to + 1) / rate },
    entries: entries.filter((n) => n >= from && n <= to).map((n) => n / rate),
    seconds: numbers.map((n) => n / rate),
    pictures: Buffer.concat(numbers.map((n) => pictures[n]!)),
    ...more,
  };
};

/** A decoder that counts the pictures it decodes for parts. */
function decoder() {
  const counts = { decoded: 0 };
  const feed = async function* (_: string, { parts }: { parts: FilmPart[] }) {
    for (const part of parts) {
      const begin = beginOf(
        part,
        entries.map((n) => n / rate),
      );
      const { seconds, pictures } = small(Math.ceil(begin * rate - 1e-6), Math.floor(part.to * rate + 1e-6));
      counts.decoded += seconds.length;
      yield { seconds, pictures };
    }
  };
  return { counts, decoder: { feed } as unknown as DecoderActor };
}

/** `sent`: the small pictures that come with a frame. */
async function search(sent: (frame: number) => SmallPictures | undefined, takenUp = 0) {
  const { counts, decoder: reader } = decoder();
  const found = new EdgeSearch(media, new Liveliness(), new AbortController().signal);
  found.takeUp(begins.filter((frame) => frame < takenUp));
  for (const frame of frames.slice(takenUp)) await found.see(frame, begins.includes(frame), sent(frame));
  return { edges: await found.finish(reader), ...counts };
}

const all = (frame: number) => {
  const isLast = frame === length - 1;
  const before = isLast ? Number.POSITIVE_INFINITY : frame + 1 / rate;
  return small((frame - 1) * rate + 1, isLast ? length * rate : frame * rate, { before });
};

test('pictures that come with the frames give the edges of those that are decoded later', async () => {
  const later = await search(() => undefined);
  assert.deepEqual(later.edges?.frames, cuts);
  assert.ok(later.decoded > 250, `${later.decoded}`);
  assert.deepEqual(await search(all), { edges: later.edges, decoded: 0 });
});

test('parts of which a picture is missing are decoded, also after an interruption', async () => {
  const { edges, decoded } = await search(() => undefined);
  // Nothing up to second 20, and nothing between 33 and 37.
  const after = (frame: number) => (frame > 33 ? 37 : 20);
  const holey = await search((frame) => {
    const some = small((frame - 1) * rate + 1, frame * rate, { after: Math.min(frame, after(frame)) });
    return frame <= 20 || (frame > 33 && frame <= 37)
      ? { ...some, seconds: [], pictures: new Uint8Array() }
      : some;
  });
  assert.deepEqual(holey.edges, edges);
  assert.ok(holey.decoded > 0 && holey.decoded < decoded, `${holey.decoded} of ${decoded}`);
  const goesOn = await search((frame) => ({ ...all(frame), after: 24 }), 25);
  assert.deepEqual(goesOn.edges, edges);
  assert.ok(goesOn.decoded > 0 && goesOn.decoded < decoded, `${goesOn.decoded} of ${decoded}`);
});

test('all pictures are asked for while many seconds may hold a cut', async () => {
  const found = new EdgeSearch(media, new Liveliness(), new AbortController().signal);
  const asked: number[] = [];
  for (let frame = 0; frame < 60; frame++) {
    // A cut every five seconds is not many, and then all seconds hold one.
    await found.see(frame, frame < 20 ? frame % 5 === 0 : frame <= 40);
    asked.push(found.small.all[0]!);
  }
  const first = asked.indexOf(1);
  assert.ok(first > 25 && first < 35, `${first}`);
  assert.equal(asked.slice(first, 41).includes(0), false);
  assert.equal(asked.at(-1), 0);
});

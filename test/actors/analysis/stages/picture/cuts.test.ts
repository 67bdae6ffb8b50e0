import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  changeBetween,
  changesOf,
  lookBytes,
  lookHeight,
  lookWidth,
  reduced,
  SmallPicture,
  worthLooking,
} from '../../../../../actors/analysis/stages/picture/cuts.ts';
import { atOnce } from '../../../../../runtime/sync/checkpoint.ts';
import { seeded } from '../../../../seeded.ts';

type Picture = Float32Array;

/** Soft shapes of many colours that move by `shift` px; another seed is another place. */
function place(seed: number, shift = 0): Picture {
  const random = seeded(seed);
  const spots = Array.from({ length: 40 }, () => ({
    x: random() * lookWidth,
    y: random() * lookHeight,
    size: 2 + random() * 5,
    colour: [random() * 255, random() * 255, random() * 255],
  }));
  const picture = new Float32Array(lookBytes).fill(90);
  for (let y = 0, at = 0; y < lookHeight; y++) {
    for (let x = 0; x < lookWidth; x++, at += 3) {
      for (const spot of spots) {
        const near = Math.exp(-((x - shift - spot.x) ** 2 + (y - spot.y) ** 2) / spot.size ** 2);
        for (let c = 0; c < 3; c++) picture[at + c]! += near * (spot.colour[c]! - picture[at + c]!);
      }
    }
  }
  return picture;
}

const flat = (red: number, green: number, blue: number): Picture =>
  Float32Array.from({ length: lookBytes }, (_, i) => [red, green, blue][i % 3]!);

const mixed = (one: Picture, other: Picture, share: number): Picture =>
  one.map((value, i) => value * (1 - share) + other[i]! * share);

/** A take of so many pictures in which the camera moves a little. */
const take = (seed: number, count: number): Picture[] =>
  Array.from({ length: count }, (_, i) => place(seed, i * 0.04));

const looks = (pictures: readonly Picture[]) =>
  pictures.map(
    (picture) => new SmallPicture(Uint8Array.from(picture, (value) => Math.max(0, Math.min(255, value)))),
  );

/** At 25 pictures a second. */
const changes = (pictures: readonly Picture[]) =>
  atOnce(changesOf({ seconds: pictures.map((_, i) => i / 25), looks: looks(pictures) }));

const hard = (...at: number[]) => at.map((one) => ({ at: one, isGradual: false }));

test('a cut is the first picture of the new shot, also several in a second', () => {
  const pictures = [take(1, 12), take(2, 8), take(3, 20), take(1, 15)].flat();
  assert.deepEqual(changes(pictures), hard(12, 20, 40));
});

test('a shot and its reverse shot are cuts each time', () => {
  const pictures = [take(1, 20), take(2, 20), take(1, 20), take(2, 20)].flat();
  assert.deepEqual(changes(pictures), hard(20, 40, 60));
});

test('cuts to, from and between pictures without texture are cuts', () => {
  const colours = [flat(0, 0, 0), flat(200, 180, 40)];
  const pictures = [take(1, 15), ...colours.map((colour) => Array(15).fill(colour)), take(2, 15)].flat();
  assert.deepEqual(changes(pictures), hard(15, 30, 45));
});

test('a title that gives way to another one on the same ground is a cut', () => {
  const title = (from: number) => {
    const picture = flat(250, 250, 250);
    for (let x = from; x < from + 20; x += 2) {
      for (let y = 8; y < 20; y += 3) picture.fill(30, (y * lookWidth + x) * 3, (y * lookWidth + x + 1) * 3);
    }
    return picture;
  };
  assert.deepEqual(changes([Array(20).fill(title(5)), Array(20).fill(title(20))].flat()), hard(20));
});

test('one layout in other colours is a cut', () => {
  const layout = place(11);
  const [red, blue] = [
    [1.2, 0.5, 0.4],
    [0.4, 0.6, 1.3],
  ].map((gains) => layout.map((value, i) => value * gains[i % 3]!));
  assert.deepEqual(changes([Array(20).fill(red), Array(20).fill(blue)].flat()), hard(20));
});

test('flashes, steps of exposure and an inset are no cuts', () => {
  const shot = take(4, 50);
  const flashes = shot.map((picture, i) =>
    i % 17 < 2 ? mixed(picture, flat(255, 255, 255), 0.85) : picture,
  );
  assert.deepEqual(changes(flashes), []);
  const exposed = shot.map((picture, i) => picture.map((value) => value * (i < 25 ? 1 : 0.6)));
  assert.deepEqual(changes(exposed), []);
  const other = take(5, 50);
  const inset = shot.map((picture, i) =>
    picture.map((value, at) => {
      const pixel = Math.floor(at / 3);
      const isInside = pixel % lookWidth < 21 && pixel < lookWidth * 12;
      return i >= 20 && i < 40 && isInside ? other[i]![at]! : value;
    }),
  );
  assert.deepEqual(changes(inset), []);
});

test('a pan that begins, goes fast and ends is no cut', () => {
  const speeds = Array.from({ length: 60 }, (_, i) => (i < 20 || i > 40 ? 0.05 : 1.5));
  const shifts = speeds.map((_, i) => speeds.slice(0, i).reduce((sum, speed) => sum + speed, 0));
  assert.deepEqual(changes(shifts.map((shift) => place(6, shift))), []);
});

test('a dissolve is one change, where the new picture prevails', () => {
  const [before, after] = [take(7, 50), take(8, 50)];
  const pictures = before.map((picture, i) =>
    mixed(picture, after[i]!, Math.min(1, Math.max(0, (i - 15) / 20))),
  );
  const [change, ...more] = changes(pictures);
  assert.deepEqual([change?.isGradual, more.length], [true, 0]);
  assert.ok(Math.abs(change!.at - 25) <= 2, `${change?.at}`);
});

test('a fade through black is a change', () => {
  const shares = Array.from({ length: 60 }, (_, i) => Math.min(1, Math.max(0, (i - 15) / 30)));
  const [before, after] = [place(9), place(10)];
  const pictures = shares.map((share) =>
    share < 0.5 ? mixed(before, flat(0, 0, 0), share * 2) : mixed(flat(0, 0, 0), after, share * 2 - 1),
  );
  assert.ok(changes(pictures).length >= 1);
});

test('the pictures of two seconds say whether a cut may lie between them', () => {
  const [one, moved, other, dark, colour] = looks([
    place(1),
    place(1, 0.3),
    place(2),
    flat(0, 0, 0),
    flat(200, 180, 40),
  ]);
  assert.ok(changeBetween(one!, moved!) < worthLooking);
  for (const [a, b] of [
    [one, other],
    [one, dark],
    [dark, colour],
  ] as const) {
    assert.ok(changeBetween(a!, b!) >= worthLooking);
  }
  assert.equal(changeBetween(one!, one!), 0);
});

test('a picture of any size is reduced to its mean colours', () => {
  for (const [width, height] of [
    [96, 54],
    [224, 224],
    [5, 3],
  ] as const) {
    const rgb = new Uint8Array(width * height * 3);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++)
        rgb.set([x < width / 2 ? 200 : 20, y < height / 2 ? 90 : 30, 7], (y * width + x) * 3);
    }
    const look = reduced(rgb, width, height);
    assert.deepEqual([...look.subarray(0, 3)], [200, 90, 7], `${width}×${height}`);
    assert.deepEqual([...look.subarray(-3)], [20, 30, 7], `${width}×${height}`);
  }
});

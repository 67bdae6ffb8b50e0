import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type Bars,
  barsOf,
  fillsFrame,
  type Levels,
  together,
} from '../../../../actors/decoder/pixels/bars.ts';
import { seeded } from '../../../seeded.ts';

const [width, height] = [320, 240];
type Draw = (x: number, y: number) => number;

function draw(level: Draw): Levels {
  const levels = Uint8Array.from({ length: width * height }, (_, i) =>
    Math.max(0, Math.min(255, Math.round(level(i % width, Math.floor(i / width))))),
  );
  return { levels, width, height };
}

/** Waves of light, with dark places in them. */
const scene: Draw = (x, y) => 110 + 60 * Math.sin(x / 17) + 50 * Math.sin(y / 11 + x / 40);

/** `inside` between bars of so many lines. */
function barred(inside: Draw, lines: Partial<Record<keyof Bars, number>>, bar: Draw = () => 0): Draw {
  const { left = 0, top = 0, right = 0, bottom = 0 } = lines;
  return (x, y) =>
    x < left || x >= width - right || y < top || y >= height - bottom ? bar(x, y) : inside(x, y);
}

/** In lines, at most two more than there are: the edge goes with the bar. */
function assertBars(levels: Levels, lines: Partial<Record<keyof Bars, number>>) {
  const found = barsOf(levels);
  assert.ok(found, 'no bars');
  for (const side of ['left', 'top', 'right', 'bottom'] as const) {
    const got = found[side] * (side === 'left' || side === 'right' ? width : height);
    const least = lines[side] ?? 0;
    assert.ok(
      got >= least - 1e-6 && got <= least + (least > 0 ? 2 : 0) + 1e-6,
      `${side}: ${got}, not ${least}`,
    );
  }
}

test('bars above and below, at the sides and all around are found, of equal height or not', () => {
  for (const lines of [
    { top: 30, bottom: 30 },
    { top: 4, bottom: 4 },
    { top: 20, bottom: 45 },
    { left: 40, right: 40 },
    { left: 110, right: 110 },
    { top: 30, bottom: 30, left: 40, right: 40 },
    { top: 12 },
  ]) {
    assertBars(draw(barred(scene, lines)), lines);
  }
});

test('a bar may be not quite black, noisy, and blurred at its edge', () => {
  const random = seeded(5);
  const noisy = draw(barred(scene, { top: 30, bottom: 30 }, () => 18 + 10 * (random() - 0.5)));
  assertBars(noisy, { top: 30, bottom: 30 });
  const blurred = draw((x, y) => {
    const inside = Math.min(1, Math.max(0, (y - 29) / 2)) * Math.min(1, Math.max(0, (210 - y) / 2));
    return scene(x, y) * inside;
  });
  assertBars(blurred, { top: 29, bottom: 29 });
});

test('a subtitle or a logo in a bar leaves it a bar', () => {
  const letters: Draw = (x, y) => (y > 212 && y < 222 && x > 80 && x < 240 && x % 8 < 4 ? 240 : 0);
  assertBars(draw(barred(scene, { top: 40, bottom: 40 }, letters)), { top: 40, bottom: 40 });
  const logo: Draw = (x, y) => (x > 270 && x < 300 && y > 10 && y < 25 ? 220 : 0);
  assertBars(draw(barred(scene, { top: 40, bottom: 40 }, logo)), { top: 40, bottom: 40 });
});

test('what is dark and no bar stays', () => {
  const lamp: Draw = (x, y) => (Math.hypot(x - 200, y - 100) < 25 ? 230 : 4);
  const lit: Draw = (x, y) => Math.max(3, 200 - 1.2 * Math.hypot(x - 160, y - 120));
  const cases: Record<string, Draw> = {
    'a black picture': () => 0,
    'a lamp in the night': lamp,
    'light that falls off to the corners': lit,
    'a sky that grows light': (_, y) => 5 + y / 2,
    'a thing on black': (x, y) => (x > 150 && x < 250 && y > 60 && y < 120 ? 180 : 0),
    'a black ground below a straight horizon': (x, y) => (y < 150 ? scene(x, y) : 2),
    'black and white stripes': (_, y) => (Math.floor(y / 60) % 2 === 0 ? 0 : 200),
    'bars around nothing': barred(() => 12, { top: 30, bottom: 30 }),
    'white bars': barred(scene, { top: 30, bottom: 30 }, () => 255),
    'dark blue at the borders': barred(scene, { top: 30, bottom: 30 }, () => 90),
    'a line that is left of the picture': barred(scene, { top: 115, bottom: 115 }),
    'a whole picture': scene,
  };
  for (const [name, level] of Object.entries(cases)) assert.equal(barsOf(draw(level)), null, name);
});

test('pictures together have the bars of their film, whatever one of them is', () => {
  const lines = { top: 30, bottom: 30 };
  const dark = draw(barred((x, y) => (Math.hypot(x - 200, y - 100) < 25 ? 230 : 4), lines));
  const subtitle: Draw = (x, y) => (y > 214 && y < 226 && x > 40 && x < 280 ? 240 : 0);
  const spoken = draw(barred(scene, lines, subtitle));
  const shifted = draw(barred((x, y) => scene(x + 60, y + 20), lines));
  assert.equal(barsOf(dark), null);
  assertBars(together([dark, draw(() => 0), shifted, draw(barred(scene, lines)), spoken]), lines);
  assert.equal(barsOf(together([dark, dark, dark])), null);
});

test('only a picture that reaches all borders fills the frame', () => {
  assert.equal(fillsFrame(draw((x, y) => scene(x, y) + 40)), true);
  for (const lines of [{ top: 5 }, { bottom: 5 }, { left: 5 }, { right: 5 }]) {
    assert.equal(fillsFrame(draw(barred((x, y) => scene(x, y) + 40, lines))), false);
  }
});

// Pictures that show no scene, for fitting alone: grain, mosaics, bands at any angle, checks, slopes of light
// and spots, in colours by chance. Without them a fit says anything of what is neither a photograph nor a
// drawing of a place.
import { type Random, seeded } from '../diarization/random.ts';
import { SIDE } from './picture.ts';

type Colour = readonly [number, number, number];
/** 0..1 at a point of the square. */
type Field = (x: number, y: number) => number;

const kinds: Readonly<Record<string, (random: Random) => Field>> = {
  grain: (random) => () => random.between(0, 1),
  mosaic: (random) => {
    const across = 3 + random.below(40);
    const tiles = Array.from({ length: across * across }, () => random.between(0, 1));
    return (x, y) => tiles[Math.floor(y * across) * across + Math.floor(x * across)]!;
  },
  clouded: (random) => {
    const waves = Array.from({ length: 12 }, (_, i) => {
      const often = 1 + random.between(0, 1) * 2 ** (1 + i / 2);
      const turn = random.between(0, 1) * Math.PI * 2;
      return {
        a: often * Math.cos(turn),
        b: often * Math.sin(turn),
        at: random.between(0, 1) * 7,
        how: 1 / often,
      };
    });
    return (x, y) =>
      0.5 +
      0.25 * waves.reduce((sum, { a, b, at, how }) => sum + how * Math.sin(6 * (a * x + b * y) + at), 0);
  },
  bands: (random) => {
    const turn = [0, Math.PI / 2, Math.PI / 4, random.between(0, 1) * Math.PI][random.below(4)]!;
    const often = 2 + random.between(0, 1) * 25;
    return (x, y) => (((x * Math.cos(turn) + y * Math.sin(turn)) * often + 50) % 1 < 0.5 ? 0 : 1);
  },
  uneven: (random) => {
    const rows = Array.from({ length: 2 + random.below(12) }, () => random.between(0, 1));
    const upright = random.below(2) === 0;
    return (x, y) => rows[Math.floor((upright ? x : y) * rows.length)]!;
  },
  checks: (random) => {
    const often = 2 + random.below(20);
    return (x, y) => (Math.floor(x * often) + Math.floor(y * often)) % 2;
  },
  slope: (random) => {
    const turn = random.between(0, 1) * Math.PI * 2;
    return (x, y) => 0.5 + (x - 0.5) * Math.cos(turn) + (y - 0.5) * Math.sin(turn);
  },
  patch: (random) => {
    const [left, top, width, height] = [0, 0, 0, 0].map(() => random.between(0, 1)) as [
      number,
      number,
      number,
      number,
    ];
    return (x, y) => (Math.abs(x - left) < width / 2 && Math.abs(y - top) < height / 2 ? 1 : 0);
  },
  spots: (random) => {
    const spots = Array.from(
      { length: 3 + random.below(40) },
      () => [random.between(0, 1), random.between(0, 1)] as const,
    );
    const size = 0.01 + random.between(0, 1) * 0.06;
    return (x, y) => (spots.some(([a, b]) => Math.hypot(x - a, y - b) < size) ? 1 : 0);
  },
};

/** `each` of every kind. */
export function nothing(each: number, first: number): { name: string; pixels: Uint8Array }[] {
  return Object.entries(kinds).flatMap(([kind, make], k) =>
    Array.from({ length: each }, (_, i) => {
      const random = seeded(first + k * each + i);
      return { name: `${kind} ${i}`, pixels: painted(make(random), random) };
    }),
  );
}

/** Between two colours or three, with the noise of a camera on every second one. */
function painted(field: Field, random: Random): Uint8Array {
  const colours = [colour(random), colour(random), colour(random)] as const;
  const middle = random.below(2) === 0 ? mixed(colours[0], colours[2], 0.5) : colours[1];
  const noise = random.below(2) * 12;
  const pixels = new Uint8Array(SIDE * SIDE * 3);
  for (let at = 0; at < SIDE * SIDE; at++) {
    const value = Math.min(1, Math.max(0, field((at % SIDE) / SIDE, Math.floor(at / SIDE) / SIDE)));
    const [from, to] = value < 0.5 ? [colours[0], middle] : [middle, colours[2]];
    const point = mixed(from, to, value < 0.5 ? value * 2 : value * 2 - 1);
    const off = (random.between(0, 1) - 0.5) * noise;
    point.forEach((part, c) => {
      pixels[at * 3 + c] = Math.min(255, Math.max(0, part + off));
    });
  }
  return pixels;
}

/** Any colour; of four one is grey, black and white among them. */
function colour(random: Random): Colour {
  const grey = random.between(0, 1) * 255;
  if (random.below(4) === 0) return [grey, grey, grey];
  return [random.between(0, 1) * 255, random.between(0, 1) * 255, random.between(0, 1) * 255];
}

function mixed(a: Colour, b: Colour, share: number): Colour {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share];
}

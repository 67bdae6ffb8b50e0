// The mixed set: pictures of many kinds, and for each query which kinds it asks for and which may rightly
// come as well.
import { Canvas, Dice, ellipse, type Shape } from './canvas.ts';
import * as places from './places.ts';
import { anyShape, checker, clutter, plain, stripes, symmetrical, thing, tinted } from './things.ts';

type Draw = (canvas: Canvas) => Uint8Array;

const colours = [
  'black',
  'white',
  'grey',
  'red',
  'orange',
  'yellow',
  'green',
  'blue',
  'purple',
  'pink',
  'brown',
  'dark blue',
  'light blue',
  'dark green',
  'light green',
  'dark red',
  'turquoise',
  'beige',
  'gold',
  'olive',
  'lavender',
  'magenta',
];

const scene =
  (draw: (canvas: Canvas) => Canvas): Draw =>
  (canvas) =>
    draw(canvas).bytes();

const halves: Readonly<Record<string, (at: number) => Shape>> = {
  top: (at) => (_, y) => y < at,
  bottom: (at) => (_, y) => y > 1 - at,
  left: (at) => (x) => x < at,
  right: (at) => (x) => x > 1 - at,
  centre: (at) => ellipse(0.5, 0.5, at * 0.6, at * 0.6),
};

const placed = Object.entries(halves).flatMap(([place, shape]) =>
  ['red', 'blue', 'green'].map((name): [string, Draw] => [
    `${name} ${place}`,
    (canvas) => thing(canvas, name, shape(canvas.dice.between(0.28, 0.42))),
  ]),
);

/** Name of each kind, and how one picture of it is drawn. */
export const kinds: ReadonlyMap<string, Draw> = new Map<string, Draw>([
  ...colours.map((name): [string, Draw] => [
    name,
    (canvas) => thing(canvas, name, anyShape(canvas, 0.16, 0.4)),
  ]),
  ...placed,
  ['blue sky', scene((canvas) => places.blueSky(canvas).sensor(0.01))],
  ['sky over land', scene(places.skyOverLand)],
  ['overcast', scene(places.overcastOverLand)],
  ['sea', scene(places.sea)],
  ['foliage', scene(places.foliage)],
  ['forest', scene(places.forest)],
  ['grass', scene(places.grass)],
  ['snow', scene(places.snow)],
  ['beach', scene(places.beach)],
  ['desert', scene(places.desert)],
  ['night', scene(places.night)],
  ['city lights', scene(places.cityLights)],
  ['sunset', scene(places.sunset)],
  ['fire', scene(places.fire)],
  ['face', scene(places.face)],
  ['document', scene(places.document)],
  ['title', scene(places.title)],
  ['fog', scene(places.fog)],
  ['room', scene(places.room)],
  ['street', scene(places.street)],
  ['horizontal stripes', (canvas) => stripes(canvas, 0)],
  ['vertical stripes', (canvas) => stripes(canvas, 90)],
  ['diagonal stripes', (canvas) => stripes(canvas, canvas.dice.pick([45, 135]))],
  ['checker', checker],
  ['symmetrical', symmetrical],
  ['plain', plain],
  ['bright', (canvas) => clutter(canvas, canvas.dice.whole(2, 6), [0.72, 0.95], 0.5).bytes()],
  ['dark', (canvas) => clutter(canvas, canvas.dice.whole(2, 6), [0.04, 0.2], 0.5).bytes()],
  ['cluttered', (canvas) => clutter(canvas, 60, [0.1, 0.9], 0.8).bytes()],
  [
    'blurred',
    (canvas) => clutter(canvas, 12, [0.1, 0.9], 0.6).blur(canvas.dice.whole(4, 8)).sensor(0.006).bytes(),
  ],
  ['colourless', (canvas) => tinted(clutter(canvas, 8, [0.1, 0.9], 0.6), [1, 1, 1])],
  ['sepia', (canvas) => tinted(clutter(canvas, 8, [0.2, 0.9], 0.6), [1.05, 0.88, 0.66])],
  ['vivid', (canvas) => clutter(canvas, 10, [0.42, 0.55], 1).bytes()],
]);

export interface Claim {
  readonly query: string;
  /** Kinds that must come first. */
  readonly kinds: readonly string[];
  /** Kinds and colours that may rightly come as well: pictures with them are left out of the comparison. */
  readonly also?: readonly string[];
  /** Least area under the curve: the chance that a picture asked for ranks above one that is not. */
  readonly bar: number;
}

export interface Drawn {
  readonly kind: string;
  /** Names of the colours that things in it were given. */
  readonly colours: ReadonlySet<string>;
  readonly pixels: Uint8Array;
}

/** `each` pictures of every kind, or of those named. */
export function drawSet(each: number, seed: number, only?: readonly string[]): Drawn[] {
  return [...kinds].flatMap(([kind, draw], k) => {
    if (only !== undefined && !only.includes(kind)) return [];
    return Array.from({ length: each }, (_, i) => {
      const canvas = new Canvas(new Dice(seed + k * 1000 + i));
      const pixels = draw(canvas);
      return { kind, colours: canvas.colours, pixels };
    });
  });
}

export function isAskedFor(claim: Claim, { kind }: Drawn): boolean {
  return claim.kinds.includes(kind);
}

/** True for a picture that must rank below those asked for. */
export function isCounted(claim: Claim, drawn: Drawn): boolean {
  if (isAskedFor(claim, drawn)) return false;
  return !claim.also?.some((name) => name === drawn.kind || drawn.colours.has(name));
}

// Patterns, colours and light without a scene, and test patterns of cameras and screens.
import type { Random } from '../diarization/random.ts';
import { type Drawing, SIDE } from './picture.ts';
import { all, ball, blurred, frame, gradient, grain, hsl, path, rect } from './svg.ts';

type Draw = (random: Random) => Drawing;
const scene = (svg: string, tags: readonly string[], maybe: readonly string[] = []): Drawing => ({
  svg,
  tags,
  maybe,
});
const full = (fill: string) => rect(0, 0, SIDE, SIDE, fill);

/** Two colours that are far apart, with what they are called. */
function pair(random: Random): readonly [string, string] {
  const hue = random.between(0, 360);
  const [light, dark] = [random.between(72, 92), random.between(18, 42)];
  const otherHue = hue + random.between(90, 270);
  return random.below(2)
    ? [hsl(hue, 55, light), hsl(otherHue, 60, dark)]
    : [hsl(hue, 60, dark), hsl(otherHue, 30, light)];
}
const anyColour = ['red', 'orange', 'yellow', 'green', 'blue', 'purple', 'pink', 'brown', 'cyan'];
const loud = [...anyColour, 'colourful', 'vivid', 'high contrast', 'symmetrical'];

/** Stripes at any pitch, with light that falls off and some noise, as on cloth or blinds. */
function striped(random: Random, angle: number, kind: string, named: readonly string[] = []): Drawing {
  const [a, b] = named.length > 0 ? named.map((name) => colour(random, name)) : pair(random);
  const [pitch, share] = [random.between(9, 34), random.between(0.35, 0.65)];
  const bands = all(60, (i) => rect(-200, -220 + i * pitch, 640, pitch * share, b!));
  const shade = `<rect width="${SIDE}" height="${SIDE}" fill="#000" opacity="${random.between(0, 0.25)}"/>`;
  return scene(
    `${full(a!)}<g transform="rotate(${angle} 112 112)">${bands}</g>${random.below(2) ? shade : ''}`,
    ['stripes', kind, ...named],
    [...loud, 'busy'],
  );
}
const checker: Draw = (random) => {
  const [a, b] = pair(random);
  const size = random.between(11, 34);
  const squares = all(24 * 24, (i) =>
    (Math.floor(i / 24) + i) % 2 ? rect((i % 24) * size, Math.floor(i / 24) * size, size, size, b) : '',
  );
  return scene(
    `${full(a)}<g transform="rotate(${random.between(-9, 9)} 112 112)">${squares}</g>`,
    ['grid', 'checker'],
    [...loud, 'busy', 'stripes'],
  );
};
const lattice: Draw = (random) => {
  const [a, b] = pair(random);
  const [pitch, width] = [random.between(14, 40), random.between(1.5, 5)];
  const lines = all(
    40,
    (i) => rect(-50, -40 + i * pitch, 340, width, b) + rect(-50 + i * pitch, -50, width, 340, b),
  );
  return scene(
    `${full(a)}<g transform="rotate(${random.between(-5, 5)} 112 112)">${lines}</g>`,
    ['grid'],
    [...loud, 'busy', 'stripes', 'brick wall'],
  );
};
const bricks: Draw = (random) => {
  const [w, h] = [random.between(26, 44), random.between(11, 18)];
  const tone = () => hsl(random.between(6, 22), random.between(28, 50), random.between(30, 46));
  const wall = all(400, (i) => {
    const row = Math.floor(i / 16);
    return rect((i % 16) * w - (row % 2 ? w / 2 : 0) - 30, row * h - 10, w - 2.5, h - 2.5, tone());
  });
  return scene(
    full(hsl(30, 8, random.between(58, 72))) + wall,
    ['brick wall'],
    ['grid', 'stripes', 'busy', 'brown', 'red', 'rock', 'textured', 'orange'],
  );
};
const dots: Draw = (random) => {
  const [a, b] = pair(random);
  const pitch = random.between(20, 36);
  return scene(
    full(a) +
      all(144, (i) => ball((i % 12) * pitch, Math.floor(i / 12) * pitch, pitch * 0.28, pitch * 0.28, b)),
    [],
    [...loud, 'busy', 'grid'],
  );
};
const noise: Draw = (random) =>
  scene(
    grain(random, frame, {
      across: 0.25,
      down: 0.25,
      octaves: 4,
      colours: [
        [20, 20, 20],
        [230, 230, 230],
      ],
      contrast: 1.5,
    }),
    ['textured', 'colourless'],
    ['busy', 'grey', 'rock'],
  );
const clutter: Draw = (random) =>
  scene(
    all(110, () => {
      const [x, y, w, h] = [
        random.between(-10, 210),
        random.between(-10, 210),
        random.between(8, 46),
        random.between(8, 46),
      ];
      const fill = hsl(random.between(0, 360), random.between(10, 95), random.between(8, 92));
      return random.below(2) ? rect(x, y, w, h, fill) : ball(x, y, w / 2, h / 2, fill);
    }),
    ['busy', 'colourful'],
    [...loud, 'textured'],
  );
const mirrored: Draw = (random) => {
  const half = all(14, () =>
    ball(
      random.between(0, 112),
      random.between(0, SIDE),
      random.between(6, 26),
      random.between(6, 26),
      hsl(random.between(0, 360), 50, random.between(25, 80)),
    ),
  );
  return scene(
    `${full(hsl(random.between(0, 360), 20, 85))}${half}<g transform="translate(${SIDE} 0) scale(-1 1)">${half}</g>`,
    ['symmetrical'],
    [...loud, 'busy'],
  );
};

/** Hue, saturation and lightness that nobody calls otherwise. */
const names: Readonly<Record<string, readonly [number, number, number, number, number, number]>> = {
  red: [-4, 4, 70, 95, 38, 48],
  orange: [24, 33, 88, 100, 48, 55],
  yellow: [51, 56, 85, 100, 50, 60],
  green: [105, 140, 45, 85, 25, 45],
  blue: [212, 230, 60, 95, 32, 55],
  purple: [270, 286, 45, 80, 30, 48],
  pink: [328, 342, 65, 95, 70, 80],
  brown: [20, 30, 40, 58, 22, 34],
  black: [0, 360, 0, 12, 2, 6],
  white: [0, 360, 0, 10, 96, 99],
  grey: [0, 360, 0, 3, 42, 60],
};
export const colourNames = Object.keys(names);
const colour = (random: Random, name: string) => {
  const [h0, h1, s0, s1, l0, l1] = names[name]!;
  return hsl(random.between(h0, h1), random.between(s0, s1), random.between(l0, l1));
};
const kin: Readonly<Record<string, readonly string[]>> = {
  red: ['orange', 'pink', 'brown'],
  orange: ['red', 'yellow', 'brown'],
  yellow: ['orange'],
  green: [],
  blue: ['purple'],
  purple: ['blue', 'pink'],
  pink: ['red', 'purple'],
  brown: ['orange', 'red'],
  black: ['grey'],
  white: ['grey'],
  grey: ['white', 'black'],
};
/** Most of the frame in one colour, a blob of another. */
const mostly =
  (name: string): Draw =>
  (random) => {
    const back = colour(random, name);
    const otherColour = colourNames[random.below(colourNames.length)]!;
    const blob = ball(
      random.between(50, 174),
      random.between(50, 174),
      random.between(18, 34),
      random.between(18, 34),
      colour(random, otherColour),
    );
    return scene(
      full(back) + blob,
      [name],
      [
        otherColour,
        ...kin[name]!,
        ...kin[otherColour]!,
        'plain',
        'vivid',
        'dark',
        'bright',
        'colourful',
        'colourless',
        'high contrast',
        'blurred',
        'symmetrical',
      ],
    );
  };
const places: Readonly<Record<string, readonly [number, number, number, number]>> = {
  left: [0, 0, 74, SIDE],
  right: [150, 0, 74, SIDE],
  top: [0, 0, SIDE, 74],
  bottom: [0, 150, SIDE, 74],
  centre: [74, 74, 76, 76],
};
/** A colour at a place, on another one. */
const placed =
  (name: string, place: string): Draw =>
  (random) => {
    const others = ['white', 'grey', 'black', 'brown'].filter((colourName) => colourName !== name);
    const back = others[random.below(others.length)]!;
    const [x, y, w, h] = places[place]!;
    return scene(
      full(colour(random, back)) + rect(x, y, w, h, colour(random, name)),
      [name, back, `${name} ${place}`],
      [
        ...kin[name]!,
        ...kin[back]!,
        'plain',
        'vivid',
        'dark',
        'bright',
        'high contrast',
        'symmetrical',
        'colourful',
        'colourless',
      ],
    );
  };
const blobs = (
  random: Random,
  count: number,
  saturation: readonly [number, number],
  lightness: readonly [number, number],
) =>
  all(count, () =>
    ball(
      random.between(0, SIDE),
      random.between(0, SIDE),
      random.between(16, 60),
      random.between(16, 60),
      hsl(random.between(0, 360), random.between(...saturation), random.between(...lightness)),
    ),
  );
const lit =
  (
    tag: string,
    saturation: readonly [number, number],
    lightness: readonly [number, number],
    more: readonly string[] = [],
  ): Draw =>
  (random) =>
    scene(
      full(hsl(random.between(0, 360), saturation[1] * 0.8, (lightness[0] + lightness[1]) / 2)) +
        blobs(random, 14, saturation, lightness),
      [tag],
      [...anyColour, 'plain', ...more],
    );
const blurry: Draw = (random) =>
  scene(
    full(hsl(random.between(0, 360), 20, 50)) +
      blurred(random.between(7, 12), blobs(random, 16, [10, 60], [12, 88])),
    ['blurred'],
    [...anyColour, 'colourful', 'plain', 'overcast', 'clouds'],
  );
const greys: Draw = (random) =>
  scene(
    full(`hsl(0,0%,${random.between(20, 80).toFixed(0)}%)`) + blobs(random, 14, [0, 0], [5, 95]),
    ['colourless', 'grey'],
    ['black', 'white', 'high contrast', 'dark', 'bright'],
  );
const sepia: Draw = (random) =>
  scene(
    full(hsl(34, 30, random.between(55, 75))) +
      all(14, () =>
        ball(
          random.between(0, SIDE),
          random.between(0, SIDE),
          random.between(14, 50),
          random.between(14, 50),
          hsl(random.between(30, 37), random.between(22, 38), random.between(12, 88)),
        ),
      ),
    ['sepia'],
    ['brown', 'sand', 'plain'],
  );

const bars = ['#c0c0c0', '#c0c000', '#00c0c0', '#00c000', '#c000c0', '#c00000', '#0000c0'];
const lowerBars = ['#0000c0', '#131313', '#c000c0', '#131313', '#00c0c0', '#131313', '#c0c0c0'];
const test = (svg: string, maybe: readonly string[] = []): Drawing =>
  scene(svg, ['test pattern'], [...maybe]);
const testPatterns: Readonly<Record<string, Draw>> = {
  'colour bars': () =>
    test(
      all(7, (i) => rect(i * 32, 0, 33, SIDE, bars[i]!)),
      [...loud, 'stripes', 'vertical stripes'],
    ),
  smpte: () =>
    test(
      all(7, (i) => rect(i * 32, 0, 33, 150, bars[i]!) + rect(i * 32, 150, 33, 18, lowerBars[i]!)) +
        rect(0, 168, 40, 56, '#00214c') +
        rect(40, 168, 40, 56, '#fff') +
        rect(80, 168, 40, 56, '#32006a') +
        rect(120, 168, 104, 56, '#131313'),
      [...loud, 'stripes', 'vertical stripes'],
    ),
  'grey ramp': () =>
    test(
      path(frame, 'none') + all(112, (i) => rect(i * 2, 0, 2.2, SIDE, `hsl(0,0%,${(i / 1.12).toFixed(1)}%)`)),
      ['colourless', 'grey', 'plain', 'blurred', 'black', 'white'],
    ),
  'grey steps': () =>
    test(
      all(11, (i) => rect(i * 20.4, 0, 21, SIDE, `hsl(0,0%,${i * 10}%)`)),
      ['colourless', 'grey', 'stripes', 'vertical stripes', 'black', 'white'],
    ),
  uniform: (random) =>
    test(full(hsl(random.between(0, 360), random.between(0, 100), random.between(5, 95))), [
      ...loud,
      ...colourNames,
      'plain',
      'dark',
      'bright',
      'colourless',
      'sepia',
      'pastel',
    ]),
  'skin-coloured': (random) =>
    test(full(hsl(22, 50, random.between(50, 78))), [
      ...colourNames,
      'plain',
      'bright',
      'pastel',
      'vivid',
      'sepia',
    ]),
};

export const patterns: Readonly<Record<string, Draw>> = {
  'horizontal stripes': (random) => striped(random, random.between(-6, 6), 'horizontal stripes'),
  'vertical stripes': (random) => striped(random, 90 + random.between(-6, 6), 'vertical stripes'),
  'diagonal stripes': (random) => striped(random, random.below(2) ? 45 : 135, 'diagonal stripes'),
  'red and white stripes': (random) =>
    striped(random, random.between(-4, 4), 'horizontal stripes', ['red', 'white']),
  checker,
  lattice,
  bricks,
  dots,
  noise,
  clutter,
  mirrored,
  ...Object.fromEntries(colourNames.map((name) => [`mostly ${name}`, mostly(name)])),
  ...Object.fromEntries(
    ['red', 'blue', 'yellow'].flatMap((name) =>
      Object.keys(places).map((place) => [`${name} ${place}`, placed(name, place)]),
    ),
  ),
  bright: lit('bright', [20, 70], [80, 94], ['pastel', 'white', 'colourful']),
  dark: lit('dark', [20, 70], [3, 16], ['black', 'night']),
  vivid: lit('vivid', [92, 100], [45, 55], ['colourful', 'busy']),
  pastel: lit('pastel', [40, 70], [78, 86], ['bright', 'colourful', 'white']),
  blurred: blurry,
  greys,
  sepia,
  wash: (random) =>
    scene(
      gradient([hsl(random.between(0, 360), 50, 60), hsl(random.between(0, 360), 50, 60)]),
      ['plain'],
      [...anyColour, 'blurred', 'colourful', 'bright'],
    ),
  ...testPatterns,
};

// Scenes as a flat illustration: few plain shapes, few colours, no texture.
import type { Random } from '../diarization/random.ts';
import { type Drawing, SIDE } from './picture.ts';
import { all, ball, blurred, gradient, hsl, lower, path, rect, ridge, writing } from './svg.ts';

type Draw = (random: Random) => Drawing;
const pick = <T>(random: Random, list: readonly T[]): T => list[random.below(list.length)]!;
const scene = (svg: string, tags: readonly string[], maybe: readonly string[] = []): Drawing => ({
  svg,
  tags,
  maybe,
});

const day = (random: Random) => {
  const hue = random.between(196, 216);
  return gradient([hsl(hue, 75, random.between(52, 66)), hsl(hue, 80, 84)]);
};
const cloud = (random: Random, colour = '#fff') => {
  const [x, y, r] = [random.between(20, 200), random.between(15, 70), random.between(9, 16)];
  return (
    ball(x, y, r, r * 0.8, colour) +
    ball(x + r, y + 3, r * 0.9, r * 0.7, colour) +
    ball(x - r, y + 4, r, r * 0.6, colour) +
    rect(x - 2 * r, y + 2, 4 * r, r * 0.7, colour)
  );
};
const hill = (random: Random, y: number, colour: string) =>
  path(
    `M-10 ${SIDE}C40 ${y - random.between(0, 40)} 120 ${y + random.between(-20, 30)} 234 ${y}V${SIDE}Z`,
    colour,
  );
const pine = (x: number, foot: number, size: number, colour: string) =>
  rect(x - size * 0.05, foot - size * 0.2, size * 0.1, size * 0.2, '#5b3a22') +
  all(3, (i) =>
    path(
      `M${x - size * (0.32 - i * 0.07)} ${foot - size * (0.15 + 0.25 * i)}L${x} ${foot - size * (0.55 + 0.25 * i)}L${x + size * (0.32 - i * 0.07)} ${foot - size * (0.15 + 0.25 * i)}Z`,
      colour,
    ),
  );
const waves = (random: Random, from: number, colour: string) =>
  all(9, () => {
    const [x, y] = [random.between(0, 180), random.between(from + 8, SIDE - 6)];
    return `<path d="M${x} ${y}q6 -5 12 0t12 0t12 0" stroke="${colour}" stroke-width="2" fill="none"/>`;
  });

const blueSky: Draw = (random) =>
  scene(
    day(random) + all(random.below(3), () => cloud(random)),
    ['blue sky', 'blue'],
    ['clouds', 'plain', 'landscape'],
  );
const overcast: Draw = (random) => {
  const light = random.between(66, 78);
  const sky = gradient([hsl(210, 6, light - 14), hsl(210, 8, light)]);
  const cover = all(7, () => cloud(random, hsl(210, random.between(3, 9), light + random.between(-8, 10))));
  return scene(
    sky + cover + hill(random, 185, hsl(110, 12, 35)),
    ['overcast', 'clouds'],
    ['fog', 'landscape', 'grey', 'grass'],
  );
};
const sea: Draw = (random) => {
  const [y, hue] = [random.between(80, 120), random.between(195, 215)];
  const boat = path(`M150 ${y + 16}h36l-8 10h-20zM168 ${y - 14}v28h-16z`, '#fff');
  return scene(
    day(random) +
      rect(0, y, SIDE, SIDE, hsl(hue, 70, 38)) +
      waves(random, y, hsl(hue, 60, 62)) +
      (random.below(2) ? boat : ''),
    ['water', 'blue'],
    ['blue sky', 'landscape'],
  );
};
const underwater: Draw = (random) => {
  const hue = random.between(188, 212);
  const bubbles = all(
    14,
    () =>
      `<circle cx="${random.between(0, SIDE)}" cy="${random.between(0, 170)}" r="${random.between(2, 6)}" fill="none" stroke="${hsl(hue, 50, 80)}" stroke-width="1.2"/>`,
  );
  const fish = all(3, () => {
    const [x, y] = [random.between(20, 180), random.between(30, 150)];
    return path(
      `M${x} ${y}q14 -12 30 0q-16 12 -30 0l-10 -7v14z`,
      pick(random, ['#f5a623', '#ffd84a', '#ff7d5a']),
    );
  });
  const weed = all(6, () => {
    const x = random.between(0, SIDE);
    return path(`M${x} ${SIDE}q-10 -20 0 -40q8 -16 2 -30q14 20 6 36q-6 18 2 34z`, hsl(150, 45, 26));
  });
  return scene(
    gradient([hsl(hue, 75, 52), hsl(hue + 8, 80, 30), hsl(hue + 14, 80, 16)]) + bubbles + fish + weed,
    ['underwater'],
    ['water', 'blue', 'sand'],
  );
};
const forest: Draw = (random) => {
  const hue = random.between(95, 150);
  const rows = [0, 1, 2].map((row) =>
    all(8, (i) =>
      pine(
        i * 30 + random.between(-8, 8),
        120 + row * 45,
        random.between(100, 140),
        hsl(hue, 42, 30 - row * 6),
      ),
    ),
  );
  return scene(
    rect(0, 0, SIDE, SIDE, hsl(hue, 30, 62)) + rows.join('') + rect(0, 200, SIDE, 24, hsl(hue, 35, 20)),
    ['forest', 'green'],
    ['foliage', 'grass'],
  );
};
const foliage: Draw = (random) => {
  const leaf = () => {
    const [x, y, turn, size] = [
      random.between(0, SIDE),
      random.between(0, SIDE),
      random.between(0, 360),
      random.between(14, 34),
    ];
    return `<g transform="translate(${x} ${y}) rotate(${turn})">${path(`M0 0Q${size / 2} ${-size / 2} ${size} 0Q${size / 2} ${size / 2} 0 0Z`, hsl(random.between(85, 140), random.between(35, 60), random.between(18, 45)))}</g>`;
  };
  return scene(
    rect(0, 0, SIDE, SIDE, hsl(125, 45, 14)) + all(220, leaf),
    ['foliage', 'green'],
    ['forest', 'grass', 'busy'],
  );
};
const grass: Draw = (random) => {
  const hue = random.between(85, 125);
  const y = random.between(110, 150);
  const blades = all(80, () => {
    const [x, foot] = [random.between(0, SIDE), random.between(y + 10, SIDE)];
    return path(`M${x} ${foot}l2 -11l2 11z`, hsl(hue, 50, random.between(28, 50)));
  });
  return scene(
    day(random) + hill(random, y, hsl(hue, 55, 44)) + rect(0, y + 12, SIDE, SIDE, hsl(hue, 50, 40)) + blades,
    ['grass', 'blue sky', 'landscape', 'grass under sky'],
    ['green', 'blue', 'foliage'],
  );
};
const snow: Draw = (random) => {
  const overcast = random.below(2) === 0;
  const sky = overcast ? gradient([hsl(210, 35, 74), hsl(210, 30, 88)]) : day(random);
  const trees = all(5, () =>
    pine(random.between(10, 214), random.between(140, 175), random.between(45, 70), hsl(165, 28, 30)),
  );
  const drift = hill(random, random.between(120, 150), hsl(210, 30, 93)) + trees + hill(random, 180, '#fff');
  const flakes = random.below(2)
    ? all(40, () => ball(random.between(0, SIDE), random.between(0, 150), 1.6, 1.6, '#fff'))
    : '';
  return scene(sky + drift + flakes, overcast ? ['snow'] : ['snow', 'blue sky'], [
    'white',
    'landscape',
    'blue',
    'forest',
    'overcast',
  ]);
};
const beach: Draw = (random) => {
  const [y, shore] = [random.between(70, 90), random.between(125, 150)];
  const palm =
    `<path d="M190 ${shore + 30}q6 -50 -4 -90" stroke="#7a5230" stroke-width="6" fill="none"/>` +
    all(5, (i) =>
      path(
        `M186 ${shore - 60}q${(i - 2) * 18} -16 ${(i - 2) * 28} ${6 + Math.abs(i - 2) * 5}q${-(i - 2) * 12} -6 ${-(i - 2) * 28} ${-6 - Math.abs(i - 2) * 5}z`,
        '#2f8a4a',
      ),
    );
  const sand = hsl(random.between(36, 46), random.between(50, 70), random.between(74, 82));
  return scene(
    day(random) +
      rect(0, y, SIDE, SIDE, hsl(random.between(185, 200), 70, 48)) +
      path(`M0 ${shore}q56 -14 112 0t112 0V${SIDE}H0Z`, '#fff') +
      path(`M0 ${shore + 6}q56 -14 112 0t112 0V${SIDE}H0Z`, sand) +
      (random.below(2) ? palm : ''),
    ['beach', 'sand'],
    ['water', 'blue sky', 'landscape', 'blue', 'desert'],
  );
};
const desert: Draw = (random) => {
  const hue = random.between(30, 42);
  const cactus =
    rect(60, 110, 10, 60, '#3d7a44') + rect(46, 130, 24, 7, '#3d7a44') + rect(46, 115, 7, 20, '#3d7a44');
  return scene(
    day(random) +
      hill(random, random.between(110, 135), hsl(hue, 60, 70)) +
      hill(random, random.between(150, 170), hsl(hue, 58, 62)) +
      hill(random, 200, hsl(hue, 55, 54)) +
      (random.below(2) ? cactus : ''),
    ['desert', 'sand'],
    ['blue sky', 'landscape', 'beach', 'orange', 'brown', 'blue'],
  );
};
const dark = (random: Random) =>
  gradient([hsl(random.between(225, 250), 50, 8), hsl(random.between(225, 250), 45, 18)]);
const starDots = (random: Random, to: number) =>
  all(70, () =>
    ball(
      random.between(0, SIDE),
      random.between(0, to),
      random.between(0.5, 1.3),
      random.between(0.5, 1.3),
      '#fff',
    ),
  );
const night: Draw = (random) =>
  scene(
    dark(random) +
      ball(random.between(40, 180), random.between(30, 70), 15, 15, '#f4f0d8') +
      hill(random, 150, hsl(235, 35, 6)) +
      hill(random, 185, '#04050c'),
    ['night', 'dark'],
    ['stars', 'blue', 'black', 'landscape'],
  );
const stars: Draw = (random) =>
  scene(
    dark(random) + starDots(random, 190) + hill(random, 195, '#04050c'),
    ['stars', 'night', 'dark'],
    ['black', 'blue'],
  );
const cityLights: Draw = (random) => {
  const towers = all(9, (i) => {
    const [x, w, top] = [i * 26 - 5, random.between(20, 27), random.between(60, 150)];
    const windows = all(40, (k) =>
      random.between(0, 1) < 0.45
        ? rect(
            x + 3 + (k % 4) * 5.5,
            top + 6 + Math.floor(k / 4) * 11,
            3,
            5,
            pick(random, ['#ffd76a', '#ffe9a8', '#ffb84d']),
          )
        : '',
    );
    return rect(x, top, w, SIDE, hsl(235, 30, random.between(7, 12))) + windows;
  });
  return scene(dark(random) + towers, ['city lights', 'night', 'dark'], ['stars', 'black', 'blue']);
};
const sunset: Draw = (random) => {
  const y = random.between(130, 165);
  const sun = ball(random.between(60, 160), y - 4, 22, 22, hsl(48, 100, 72));
  const overSea = random.below(2) === 0;
  const ground = overSea
    ? rect(0, y, SIDE, SIDE, hsl(random.between(255, 345), 35, 30)) + waves(random, y, '#ffb56b')
    : hill(random, y, hsl(280, 30, 14));
  const sky = gradient(
    [
      hsl(random.between(250, 290), 40, 38),
      hsl(random.between(335, 355), 70, 60),
      hsl(random.between(24, 36), 95, 62),
    ],
    0,
    y + 20,
  );
  return scene(sky + sun + ground, overSea ? ['sunset', 'water', 'sunset over water'] : ['sunset'], [
    'landscape',
    'orange',
    'pink',
    'purple',
    'backlit',
    'red',
  ]);
};
const fire: Draw = (random) => {
  const tongue = (grow: number, colour: string) =>
    path(
      `M${112 - 50 * grow} 196q-14 -60 ${30 * grow} ${-80 * grow}q4 34 ${20 * grow} 20q-4 -50 ${26 * grow} ${-100 * grow}q2 50 ${30 * grow} ${76 * grow}q12 -16 8 -40q40 50 ${14 * grow} 124z`,
      colour,
    );
  const logs = rect(50, 190, 124, 14, '#4a2c18') + rect(62, 202, 100, 12, '#3a2012');
  return scene(
    rect(0, 0, SIDE, SIDE, hsl(random.between(225, 270), 25, random.between(6, 12))) +
      tongue(1, '#e0401c') +
      tongue(0.78, '#ff8a1e') +
      tongue(0.5, '#ffd84a') +
      logs,
    ['fire', 'dark'],
    ['night', 'orange', 'red', 'black', 'sunset'],
  );
};
const fog: Draw = (random) => {
  const light = random.between(74, 84);
  const layers = all(4, (i) => path(ridge(random, 90 + i * 32, 14, 9), hsl(205, 8, light - 3 - i * 3)));
  return scene(
    rect(0, 0, SIDE, SIDE, hsl(205, 9, light + 2)) + blurred(3, layers),
    ['fog'],
    ['overcast', 'grey', 'landscape', 'clouds', 'white', 'plain', 'blurred', 'snow'],
  );
};
const rock: Draw = (random) => {
  const stone = () => {
    const [x, y, r] = [random.between(0, SIDE), random.between(0, SIDE), random.between(12, 30)];
    const corners = Array.from(
      { length: 7 },
      (_, i) =>
        `${(x + Math.cos(i * 0.9) * r * random.between(0.7, 1.1)).toFixed(1)} ${(y + Math.sin(i * 0.9) * r * 0.8 * random.between(0.7, 1.1)).toFixed(1)}`,
    );
    return path(
      `M${corners.join('L')}Z`,
      hsl(random.between(20, 220), random.between(2, 10), random.between(30, 68)),
      'stroke="#2c2c2e" stroke-width="1.5"',
    );
  };
  return scene(
    rect(0, 0, SIDE, SIDE, '#3b3b3d') + all(110, stone),
    ['rock', 'grey'],
    ['colourless', 'busy', 'brick wall'],
  );
};
const face: Draw = (random) => {
  const skin = pick(random, ['#f2c9a8', '#e0a87e', '#c58a5e', '#8d5a3a', '#6b4229']);
  const hair = pick(random, ['#2b1a12', '#5a3620', '#c79a4a', '#7d2f1c']);
  const eye = (x: number) => ball(x, 108, 9, 6, '#fff') + ball(x, 108, 4.5, 5, '#2b2b2b');
  return scene(
    rect(0, 0, SIDE, SIDE, hsl(random.between(0, 360), 35, 72)) +
      ball(112, 92, 68, 76, hair) +
      ball(112, 118, 56, 74, skin) +
      eye(90) +
      eye(134) +
      path('M106 128l6 18l8 -2', 'none', `stroke="#7a4a34" stroke-width="3"`) +
      path('M90 160q22 18 44 0q-22 6 -44 0z', '#b04a4a'),
    ['face'],
    [],
  );
};
const document: Draw = (random) =>
  scene(
    rect(0, 0, SIDE, SIDE, '#fbfaf6') +
      writing(random, 20, 18, 60, 12, 1, '#222') +
      writing(random, 20, 46, 184, random.between(6, 8), 12, '#333'),
    ['document', 'text', 'white'],
    ['colourless', 'busy'],
  );
const title: Draw = (random) =>
  scene(
    rect(0, 0, SIDE, SIDE, hsl(random.between(0, 360), 60, random.between(14, 40))) +
      writing(random, 40, 85, 150, 20, 2, '#fff'),
    ['text'],
    ['dark', 'plain', 'white'],
  );
const landscape: Draw = (random) =>
  scene(
    day(random) +
      path(ridge(random, 95, 30, 7), hsl(220, 20, 60)) +
      hill(random, 130, hsl(100, 40, 45)) +
      hill(random, 170, hsl(95, 45, 36)),
    ['landscape', 'blue sky'],
    ['grass', 'green', 'blue', 'grass under sky'],
  );
const backlit: Draw = (random) =>
  scene(
    gradient(['#ffe9c0', '#fff8ea']) +
      ball(112, 70, 14, 18, '#0c0a0a') +
      path(`M88 ${SIDE}q0 -140 24 -140t24 140z`, '#0c0a0a') +
      path(lower(random.between(190, 205)), '#0c0a0a'),
    ['backlit'],
    ['yellow', 'high contrast', 'sunset', 'black'],
  );

export const flatScenes: Readonly<Record<string, Draw>> = {
  'blue sky': blueSky,
  overcast,
  sea,
  underwater,
  forest,
  foliage,
  grass,
  snow,
  beach,
  desert,
  night,
  stars,
  'city lights': cityLights,
  sunset,
  fire,
  fog,
  rock,
  face,
  document,
  title,
  landscape,
  backlit,
};

// Scenes out of fractal noise and light on bumps: closer to photographs than plain shapes.

import type { Random } from '../diarization/random.ts';
import { type Draw, day, near, rough, scene, seaTone, shifted, type Tone, water } from './noise.ts';
import { noiseNights } from './noise-nights.ts';
import { SIDE } from './picture.ts';
import { all, ball, blurred, clouds, frame, gradient, grain, hsl, lower, path, rect, ridge } from './svg.ts';

const blueSky: Draw = (random) =>
  scene(day(random, random.between(0, 0.3)), ['blue sky', 'blue'], ['clouds', 'plain', 'landscape']);
const overcast: Draw = (random) => {
  const tone = near(random, [148, 152, 158]);
  const sky = rough(random, frame, tone, 34, { across: 0.008, down: 0.017, octaves: 5 });
  return scene(
    sky + rough(random, ridge(random, 188, 10, 12), [62, 68, 52], 24),
    ['overcast', 'clouds'],
    ['fog', 'landscape', 'grey', 'colourless'],
  );
};
const sea: Draw = (random) => {
  const y = random.between(70, 120);
  return scene(
    day(random) + water(random, y, seaTone(random)),
    ['water'],
    ['blue', 'blue sky', 'clouds', 'landscape'],
  );
};
const underwater: Draw = (random) => {
  const hue = random.between(185, 208);
  const rays = all(6, () => {
    const x = random.between(10, 200);
    return path(
      `M${x} -5l${random.between(10, 24)} 0l${random.between(-20, 30)} 190l-40 0z`,
      `hsla(${hue},60%,82%,0.16)`,
    );
  });
  const fish = all(5, () =>
    ball(
      random.between(10, 214),
      random.between(30, 150),
      random.between(4, 10),
      3,
      hsl(random.between(20, 220), 30, 45),
    ),
  );
  const bed = rough(random, ridge(random, 190, 14, 9), [34, 74, 84], 26);
  return scene(
    gradient([hsl(hue, 60, random.between(45, 60)), hsl(hue + 6, 70, 32), hsl(hue + 10, 70, 17)]) +
      blurred(5, rays) +
      fish +
      bed +
      clouds(random, SIDE, 0.05, [0.6, 0.85, 0.9]),
    ['underwater'],
    ['water', 'blue'],
  );
};
const foliageTones = (random: Random): readonly Tone[] => [
  [10, 18, 8],
  near(random, [40, 66, 26], 8),
  near(random, [92, 124, 50], 12),
  [170, 186, 110],
];
const foliage: Draw = (random) =>
  scene(
    grain(random, frame, {
      across: 0.055,
      down: 0.06,
      octaves: 5,
      colours: foliageTones(random),
      contrast: 1.3,
      bumps: 5,
    }),
    ['foliage', 'green'],
    ['forest', 'grass', 'busy', 'textured'],
  );
const forest: Draw = (random) => {
  const trunks = all(9, () => {
    const [x, w] = [random.between(0, SIDE), random.between(4, 13)];
    return rough(
      random,
      `M${x} 0H${x + w}L${x + w + 2} ${SIDE}H${x - 2}Z`,
      near(random, [58, 46, 36], 8),
      20,
      { across: 0.2, down: 0.02 },
    );
  });
  return scene(
    grain(random, frame, {
      across: 0.045,
      down: 0.04,
      octaves: 5,
      colours: foliageTones(random),
      contrast: 1.2,
    }) +
      trunks +
      rough(random, lower(195), [52, 58, 30], 24),
    ['forest'],
    ['foliage', 'green', 'grass', 'busy', 'textured', 'brown'],
  );
};
const grass: Draw = (random) => {
  const y = random.between(70, 130);
  return scene(
    day(random) +
      grain(random, ridge(random, y, 4, 14), {
        across: 0.16,
        down: 0.05,
        octaves: 4,
        colours: [[36, 62, 18], near(random, [88, 122, 44], 10), [150, 178, 82]],
        contrast: 1.1,
      }),
    ['grass', 'blue sky', 'landscape', 'grass under sky'],
    ['green', 'clouds', 'foliage', 'blue', 'textured'],
  );
};
const snow: Draw = (random) => {
  const y = random.between(95, 140);
  const clear = random.below(2) === 0;
  const sky = clear ? day(random) : rough(random, frame, [190, 196, 204], 16, { across: 0.008, down: 0.02 });
  const mountain = grain(random, ridge(random, y - 45, 30, 6), {
    across: 0.04,
    down: 0.03,
    octaves: 5,
    colours: [
      [70, 78, 92],
      [150, 160, 176],
      [236, 240, 246],
    ],
    contrast: 1.3,
    bumps: 4,
  });
  const ground = grain(random, ridge(random, y, 8, 5), {
    across: 0.012,
    down: 0.03,
    octaves: 4,
    colours: [
      [188, 200, 222],
      [232, 238, 246],
      [252, 253, 255],
    ],
    bumps: 2,
  });
  return scene(sky + (random.below(2) ? mountain : '') + ground, clear ? ['snow', 'blue sky'] : ['snow'], [
    'white',
    'clouds',
    'overcast',
    'landscape',
    'rock',
    'blue',
  ]);
};
const sandTone = (random: Random): Tone => near(random, [206, 178, 136], 14);
const beach: Draw = (random) => {
  const [y, shore] = [random.between(60, 85), random.between(120, 150)];
  const foam = grain(random, ridge(random, shore, 4, 7), {
    across: 0.03,
    down: 0.1,
    octaves: 3,
    colours: [
      [200, 214, 216],
      [244, 248, 248],
    ],
  });
  return scene(
    day(random) +
      water(random, y, near(random, [58, 128, 150], 10)) +
      foam +
      rough(random, ridge(random, shore + 9, 4, 7), sandTone(random), 16, {
        across: 0.2,
        down: 0.25,
        bumps: 1.2,
      }),
    ['beach', 'sand'],
    ['water', 'blue sky', 'clouds', 'landscape', 'desert', 'blue'],
  );
};
const desert: Draw = (random) => {
  const tone = near(random, [202, 154, 100], 12);
  const dune = (y: number, by: number) =>
    rough(random, `M0 ${SIDE}V${y}Q70 ${y - 40} 130 ${y + 6}T224 ${y - 10}V${SIDE}Z`, shifted(tone, by), 22, {
      across: 0.02,
      down: 0.09,
      octaves: 3,
      bumps: 2,
    });
  return scene(
    day(random, 0.1) + dune(random.between(95, 115), 8) + dune(150, -8) + dune(190, -22),
    ['desert', 'sand'],
    ['beach', 'blue sky', 'landscape', 'brown', 'orange', 'blue'],
  );
};
const fog: Draw = (random) => {
  const light = random.between(176, 206);
  const layers = all(3, (i) =>
    rough(
      random,
      ridge(random, 105 + i * 34, 16, 11),
      [light - 14 - i * 14, light - 12 - i * 14, light - 10 - i * 14],
      8,
    ),
  );
  return scene(
    rough(random, frame, [light, light + 2, light + 4], 8, { across: 0.006, down: 0.012 }) +
      blurred(4, layers),
    ['fog'],
    ['overcast', 'grey', 'landscape', 'clouds', 'white', 'plain', 'blurred', 'colourless', 'snow'],
  );
};
const rock: Draw = (random) => {
  const tone = near(random, random.below(2) ? [128, 124, 118] : [146, 122, 102], 14);
  return scene(
    grain(random, frame, {
      across: random.between(0.02, 0.04),
      down: random.between(0.03, 0.06),
      octaves: 6,
      colours: [shifted(tone, -60), tone, shifted(tone, 50)],
      contrast: 1.2,
      bumps: 9,
    }),
    ['rock', 'textured'],
    ['grey', 'brown', 'busy', 'colourless', 'sand', 'brick wall'],
  );
};
const face: Draw = (random) => {
  const skin: Tone = (
    [
      [226, 184, 158],
      [204, 154, 122],
      [148, 104, 78],
      [104, 70, 52],
    ] as const
  )[random.below(4)]!;
  const shade = (by: number) => `rgb(${shifted(skin, by).map(Math.round).join(',')})`;
  const parts =
    ball(112, 88, 70, 80, hsl(24, 30, random.between(8, 24))) +
    ball(112, 122, 56, 76, shade(0)) +
    ball(96, 120, 30, 60, shade(12)) +
    ball(88, 108, 11, 5, '#efe9e4') +
    ball(136, 108, 11, 5, '#efe9e4') +
    ball(88, 108, 5, 5, '#241a14') +
    ball(136, 108, 5, 5, '#241a14') +
    ball(112, 138, 9, 5, shade(-26)) +
    ball(112, 162, 22, 6, `rgb(${skin[0] - 30},${skin[1] - 70},${skin[2] - 60})`) +
    path(`M40 ${SIDE}q10 -40 72 -36q62 -4 72 36z`, hsl(random.between(0, 360), 30, 35));
  return scene(
    rough(random, frame, near(random, [110, 112, 108], 40), 14, { across: 0.01, down: 0.01 }) +
      blurred(1.4, parts),
    ['face'],
    [],
  );
};
const landscape: Draw = (random) =>
  scene(
    day(random) +
      rough(random, ridge(random, 95, 26, 8), [104, 118, 140], 14) +
      grain(random, ridge(random, 132, 10, 8), {
        across: 0.05,
        down: 0.09,
        octaves: 5,
        colours: [
          [40, 58, 30],
          [96, 112, 60],
          [150, 150, 96],
        ],
      }),
    ['landscape', 'blue sky'],
    ['grass', 'clouds', 'green', 'foliage', 'blue', 'grass under sky'],
  );
const soil: Draw = (random) =>
  scene(
    rough(random, frame, near(random, [98, 68, 46], 10), 42, {
      across: 0.09,
      down: 0.12,
      octaves: 5,
      bumps: 5,
    }),
    ['brown', 'textured'],
    ['rock', 'sand', 'busy', 'brick wall'],
  );
const room: Draw = (random) =>
  scene(
    rough(random, frame, near(random, [190, 180, 164], 16), 8, { across: 0.01 }) +
      rough(random, lower(165), near(random, [122, 88, 60], 12), 20, { across: 0.02, down: 0.2 }) +
      rect(30, 90, 60, 90, hsl(random.between(0, 360), 25, 35)) +
      rect(130, 40, 60, 70, hsl(random.between(0, 360), 15, 80)),
    [],
    ['brown', 'plain'],
  );

export const noiseScenes: Readonly<Record<string, Draw>> = {
  'blue sky': blueSky,
  overcast,
  sea,
  underwater,
  foliage,
  forest,
  grass,
  snow,
  beach,
  desert,
  ...noiseNights,
  fog,
  rock,
  face,
  landscape,
  soil,
  room,
};

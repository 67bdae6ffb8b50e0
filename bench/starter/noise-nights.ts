// Scenes out of fractal noise in which light is scarce or burns.
import type { Random } from '../diarization/random.ts';
import { type Draw, near, rough, scene, water } from './noise.ts';
import { SIDE } from './picture.ts';
import { all, ball, blurred, clouds, frame, gradient, grain, hsl, lower, ridge } from './svg.ts';

const dusk = (random: Random) =>
  rough(random, frame, near(random, [12, 14, 26], 4), 9, { across: 0.01, down: 0.02 });
const glow = (x: number, y: number, r: number, colour: string) =>
  blurred(r, ball(x, y, r * 1.4, r * 1.4, colour)) + ball(x, y, r * 0.5, r * 0.5, '#fffbe8');
const night: Draw = (random) =>
  scene(
    dusk(random) +
      rough(random, ridge(random, 150, 16, 10), [7, 8, 12], 6) +
      glow(random.between(30, 190), random.between(90, 140), 6, '#f0c070'),
    ['night', 'dark'],
    ['stars', 'city lights', 'black', 'blue', 'low key'],
  );
const stars: Draw = (random) =>
  scene(
    dusk(random) +
      clouds(random, SIDE, 0.08, [0.3, 0.3, 0.42]) +
      all(160, () =>
        ball(
          random.between(0, SIDE),
          random.between(0, 205),
          random.between(0.3, 1),
          random.between(0.3, 1),
          hsl(random.between(190, 240), 40, random.between(75, 98)),
        ),
      ) +
      rough(random, ridge(random, 204, 8, 20), [5, 6, 8], 4),
    ['stars', 'night', 'dark'],
    ['black', 'blue', 'low key'],
  );
const cityLights: Draw = (random) => {
  const lights = all(36, () =>
    glow(
      random.between(0, SIDE),
      random.between(100, 170),
      random.between(0.9, 2.6),
      hsl(random.between(28, 50), 95, 62),
    ),
  );
  return scene(
    dusk(random) +
      rough(random, ridge(random, 110, 18, 26), [13, 14, 22], 8) +
      lights +
      rough(random, lower(180), [20, 20, 28], 10, { across: 0.02, down: 0.15 }),
    ['city lights', 'night', 'dark'],
    ['stars', 'black', 'blue', 'low key'],
  );
};
const sunset: Draw = (random) => {
  const y = random.between(130, 170);
  const overSea = random.below(2) === 0;
  const sky =
    gradient(
      [
        hsl(random.between(215, 260), 30, 34),
        hsl(random.between(5, 20), 60, 54),
        hsl(random.between(28, 40), 90, 62),
      ],
      0,
      y + 20,
    ) + clouds(random, y, 0.4, [0.93, 0.52, 0.36]);
  const ground = overSea
    ? water(random, y, [122, 76, 66])
    : rough(random, ridge(random, y, 10, 10), [26, 20, 20], 12);
  return scene(
    sky + glow(random.between(50, 170), y - 14, 9, '#ffd890') + ground,
    overSea ? ['sunset', 'water', 'sunset over water'] : ['sunset'],
    ['clouds', 'landscape', 'orange', 'backlit', 'brown', 'red'],
  );
};
const fire: Draw = (random) => {
  const flames = grain(random, `M40 ${SIDE}Q20 120 70 90Q80 30 112 16Q130 60 150 50Q196 110 186 ${SIDE}Z`, {
    across: 0.035,
    down: 0.014,
    octaves: 4,
    colours: [
      [60, 8, 2],
      [196, 52, 6],
      [250, 150, 30],
      [255, 236, 150],
    ],
    contrast: 1.5,
  });
  return scene(
    rough(random, frame, [20, 12, 10], 10) + blurred(3, flames),
    ['fire', 'dark'],
    ['night', 'orange', 'red', 'black', 'sunset'],
  );
};
export const noiseNights: Readonly<Record<string, Draw>> = {
  night,
  stars,
  'city lights': cityLights,
  sunset,
  fire,
};

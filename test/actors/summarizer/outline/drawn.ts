// Films of our own drawn scenes for tests, one picture a second through the starter model, with subtitles:
// chapters are known, as each has scenes and a subject of its own.

import type { SpokenLine } from '../../../../actors/summarizer/outline/summary-inputs.ts';
import { beach } from '../../../../bench/samples/drawings/beach.ts';
import { Canvas } from '../../../../bench/samples/drawings/canvas.ts';
import { campFire } from '../../../../bench/samples/drawings/fire.ts';
import { flowers } from '../../../../bench/samples/drawings/flowers.ts';
import { forest } from '../../../../bench/samples/drawings/forest.ts';
import { hillsAndClouds } from '../../../../bench/samples/drawings/hills.ts';
import { snowyMountain } from '../../../../bench/samples/drawings/mountain.ts';
import { road } from '../../../../bench/samples/drawings/road.ts';
import type { Scene } from '../../../../bench/samples/drawings/scene.ts';
import { movingShape, printedPage, stripes } from '../../../../bench/samples/drawings/shapes.ts';
import { sunset } from '../../../../bench/samples/drawings/sunset.ts';
import type { Starter } from '../../models/starter/starter-model.ts';
import type { ComposedFilm } from './composed.ts';
import { withCuts } from './with-cuts.ts';

/** Side of the pictures, as the starter model takes them. */
const side = 224;

interface Chapter {
  readonly scenes: readonly Scene[];
  readonly lines: readonly string[];
}

const chapters: Readonly<Record<string, Chapter>> = {
  sea: {
    scenes: [beach(4), sunset(3, 0, 0.4, 30), beach(14)],
    lines: [
      'The waves come up to the parasol.',
      'The sea is warm in the evening.',
      'Waves and sea, nothing else.',
      'Then the sun goes down over the sea.',
    ],
  },
  road: {
    scenes: [
      road(6, { night: true, car: [218, 26, 30] }),
      road(16, { night: true, car: [252, 210, 32] }),
      road(6, { night: true, car: [30, 86, 214] }),
    ],
    lines: [
      'The car takes the long road to the city.',
      'Nobody drives a car here at night.',
      'The road is empty.',
      'The car has lost a lamp on the road.',
    ],
  },
  wood: {
    scenes: [forest(5, 30), hillsAndClouds(5, 30), forest(23, 30)],
    lines: [
      'Between the trees it is cool.',
      'These trees are older than the village.',
      'A fox lives below the old trees.',
      'Behind the trees there are green hills.',
    ],
  },
  snow: {
    scenes: [snowyMountain(5), snowyMountain(35)],
    lines: [
      'Up on the mountain it is snowing.',
      'The hut on the mountain has no stove.',
      'Snow lies until June.',
      'The path over the mountain is closed by snow.',
    ],
  },
  fire: {
    scenes: [campFire(3), campFire(13)],
    lines: [
      'Come closer to the fire.',
      'The fire needs dry wood.',
      'Stories are told beside a fire.',
      'Keep the wood dry, or the fire dies.',
    ],
  },
  garden: {
    scenes: [flowers(4, [214, 26, 38]), flowers(9, [240, 200, 40])],
    lines: [
      'The tulips have opened this week.',
      'Bees visit the tulips first.',
      'The gardener cuts tulips on Friday.',
      'Bees sleep in the tulips.',
    ],
  },
  studio: {
    scenes: [
      movingShape('circle', [218, 26, 30], [250, 250, 250]),
      stripes([252, 210, 32], [20, 20, 24], 12, 0.4),
      movingShape('star', [252, 210, 32], [96, 40, 150]),
      printedPage('A page', ['The first line of a page.', 'And the second line of it, which is longer.']),
    ],
    lines: [
      'A circle moves across the screen.',
      'The designer draws a star.',
      'A star and a circle, printed on paper.',
      'The designer keeps every circle.',
    ],
  },
};

/** Films as lists of chapters, each with the seconds of its shots. */
export const drawnFilms: readonly (readonly (readonly [keyof typeof chapters, readonly number[]])[])[] = [
  [
    ['sea', [6, 4, 7, 5]],
    ['road', [8, 5, 6, 7]],
    ['wood', [5, 6, 5, 8]],
    ['fire', [9, 7, 6]],
  ],
  [
    ['studio', [3, 3, 4, 3, 5]],
    ['snow', [9, 8, 7]],
    ['garden', [5, 6, 4, 5]],
    ['road', [6, 6, 5]],
    ['sea', [7, 9, 6]],
  ],
  [
    ['wood', [14, 9, 12, 10]],
    ['garden', [8, 7, 9]],
    ['fire', [20, 12]],
  ],
];

/** A film as it is to be painted, one picture a second. */
export interface DrawnPlan {
  readonly seconds: number;
  /** Of each chapter but the first. */
  readonly chapterStarts: readonly number[];
  readonly segments: readonly SpokenLine[];
  /** Pictures in the order of time, one a second. */
  pictures(width: number, height: number): Generator<Canvas>;
}

export function planOf(film: (typeof drawnFilms)[number]): DrawnPlan {
  const segments: SpokenLine[] = [];
  const starts: number[] = [];
  let seconds = 0;
  for (const [name, shots] of film) {
    starts.push(seconds);
    const lasts = shots.reduce((sum, shot) => sum + shot, 0);
    segments.push(...segmentsOf(chapters[name]!.lines, seconds, lasts));
    seconds += lasts;
  }
  return { seconds, chapterStarts: starts.slice(1), segments, pictures: (...size) => paint(film, ...size) };
}

function segmentsOf(lines: readonly string[], start: number, lasts: number): SpokenLine[] {
  const each = lasts / lines.length;
  return lines.map((line, i) => ({
    start_seconds: start + i * each + 0.5,
    end_seconds: start + i * each + Math.min(4, each - 0.4),
    text: ` ${line}`,
    speaker: null,
  }));
}

function* paint(film: (typeof drawnFilms)[number], width: number, height: number): Generator<Canvas> {
  for (const [name, shots] of film) {
    const paints = chapters[name]!.scenes.map((scene) => scene(width, height));
    for (const [shot, seconds] of shots.entries()) {
      for (let second = 0; second < seconds; second++) {
        const canvas = new Canvas(width, height);
        paints[shot % paints.length]!(canvas, second + 2 * Math.floor(shot / paints.length));
        yield canvas;
      }
    }
  }
}

/** Paints a film and makes its vectors. */
export async function drawnFilm(starter: Starter, film: (typeof drawnFilms)[number]): Promise<ComposedFilm> {
  const { seconds, chapterStarts, segments, pictures } = planOf(film);
  const painted = Array.from(pictures(side, side), (canvas) => Uint8Array.from(canvas.rgb));
  const made = await starter.pictures(painted);
  const dimensions = made[0]!.length;
  const vectors = new Float32Array(made.length * dimensions);
  for (const [i, vector] of made.entries()) vectors.set(vector, i * dimensions);
  const frames = made.map((_, i) => i);
  return {
    chapterStarts: [...chapterStarts],
    material: { seconds, pictures: withCuts({ vectors, dimensions, frames }), segments, people: [] },
  };
}

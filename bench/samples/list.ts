// The list of samples: each film with its scenes, sound and subtitles, each still with its scene.

import { beach } from './drawings/beach.ts';
import type { Color } from './drawings/canvas.ts';
import { campFire } from './drawings/fire.ts';
import { flowers } from './drawings/flowers.ts';
import { forest } from './drawings/forest.ts';
import { hillsAndClouds } from './drawings/hills.ts';
import { snowyMountain } from './drawings/mountain.ts';
import { road } from './drawings/road.ts';
import type { Scene } from './drawings/scene.ts';
import { checkerboard, gradient, movingShape, printedPage, stripes } from './drawings/shapes.ts';
import { birds, crackle, engine, type Fill, melody, surf } from './drawings/sound.ts';
import { stopSign } from './drawings/stop-sign.ts';
import { sunset } from './drawings/sunset.ts';
import type { Cue } from './writer/captions.ts';

export interface SampleShot {
  readonly scene: Scene;
  readonly seconds: number;
}

interface Sample {
  readonly file: string;
  /** One line for a person to read. */
  readonly description: string;
  /** px. */
  readonly width: number;
  readonly height: number;
}

export interface SampleFilm extends Sample {
  readonly kind: 'film';
  readonly frameRate: number;
  readonly codec: 'h264' | 'hevc' | 'vp9';
  /** In order, with a cut between two of them. */
  readonly shots: readonly SampleShot[];
  readonly sound?: () => Fill;
  readonly cues?: readonly Cue[];
  readonly tags?: Readonly<Record<string, string>>;
}

export interface SampleStill extends Sample {
  readonly kind: 'still';
  readonly scene: Scene;
  /** Time in the scene, in seconds. */
  readonly moment: number;
}

const white: Color = [250, 250, 250];
const red: Color = [218, 26, 30];
const blue: Color = [30, 86, 214];
const yellow: Color = [252, 210, 32];
const pageOfText = [
  'The ferry to the island leaves at nine in the morning and comes back at six. Tickets are sold on board. Dogs travel free.',
  'On clear days the lighthouse can be seen from the beach. It was built in 1887 and sends its light twenty miles out to sea.',
  'The fish market opens on Friday. Bring a basket and come early, for the best of the catch is gone before the church bell rings.',
  'Weather: a fresh wind from the west, rain in the evening, sun on Sunday.',
  'The choir sings in the old harbour hall at eight on Saturday. Seats are free, and there will be tea and cake for all who come.',
  'Lost: a grey cat with one white paw, last seen near the boat yard. Please call at the white house behind the mill.',
];
const nightDrive = { night: true, car: red };
const dayDrive = { night: false, car: blue };

const cue = (startSeconds: number, endSeconds: number, text: string): Cue => ({
  startSeconds,
  endSeconds,
  text,
});

const films: readonly SampleFilm[] = [
  {
    kind: 'film',
    file: 'sunset-over-the-sea.mp4',
    description: 'The sun sets over the sea, then night falls with moon and stars',
    width: 640,
    height: 360,
    frameRate: 24,
    codec: 'h264',
    shots: [{ scene: sunset(3, 0, 1, 13), seconds: 15 }],
    sound: () => surf(1),
    cues: [
      cue(0.5, 3.5, 'The sun stands low over the sea.'),
      cue(4.5, 7.5, 'Now it touches the water and the sky turns red.'),
      cue(10.5, 14.5, 'Night. The moon rises and the stars come out.'),
    ],
    tags: { timecode: '10:00:00:00', creation_time: '2024-06-21T19:42:00Z' },
  },
  {
    kind: 'film',
    file: 'a-day-outdoors.mp4',
    description: 'Clouds over green hills, a walk in the forest, a snowy mountain',
    width: 640,
    height: 360,
    frameRate: 25,
    codec: 'h264',
    shots: [
      { scene: hillsAndClouds(5, 6), seconds: 6 },
      { scene: forest(5, 5), seconds: 5 },
      { scene: snowyMountain(5), seconds: 5 },
    ],
    sound: () => birds(2),
    cues: [
      cue(0.5, 4, 'White clouds drift over the green hills.'),
      cue(6.2, 10, 'Between the trees of the forest it is cool and quiet.'),
      cue(11.4, 15, 'Up on the mountain it is snowing.'),
    ],
    tags: { timecode: '01:00:00:00', creation_time: '2024-05-04T09:15:00Z' },
  },
  {
    kind: 'film',
    file: 'the-red-car.mp4',
    description: 'A red car on a road at night, then a blue car on the same road by day',
    width: 640,
    height: 360,
    frameRate: 30,
    codec: 'h264',
    shots: [
      { scene: road(6, nightDrive), seconds: 6 },
      { scene: road(6, dayDrive), seconds: 4 },
    ],
    sound: () => engine(3),
  },
  {
    kind: 'film',
    file: 'beach.mp4',
    description: 'Blue waves with white foam run up a sandy beach with a parasol',
    width: 640,
    height: 360,
    frameRate: 25,
    codec: 'h264',
    shots: [{ scene: beach(4), seconds: 10 }],
    sound: () => surf(7),
    tags: { creation_time: '2023-08-12T14:03:20Z' },
  },
  {
    kind: 'film',
    file: 'camp-fire.mkv',
    description: 'A camp fire burns in the dark',
    width: 640,
    height: 360,
    frameRate: 25,
    codec: 'hevc',
    shots: [{ scene: campFire(3), seconds: 9 }],
    sound: () => crackle(4),
    cues: [cue(1, 4, 'Come closer to the fire.'), cue(5, 8, 'It is a cold night.')],
  },
  {
    kind: 'film',
    file: 'shapes.webm',
    description:
      'Moving shapes on plain grounds: red circle, blue square, green triangle, star, stripes, squares',
    width: 480,
    height: 270,
    frameRate: 24,
    codec: 'vp9',
    shots: [
      { scene: movingShape('circle', red, white), seconds: 3 },
      { scene: movingShape('square', blue, yellow), seconds: 3 },
      { scene: movingShape('triangle', [34, 176, 74], [18, 18, 22]), seconds: 3 },
      { scene: movingShape('star', yellow, [96, 40, 150]), seconds: 3 },
      { scene: stripes(yellow, [20, 20, 24], 12, 0.4), seconds: 2 },
      { scene: checkerboard([20, 20, 24], white, 6), seconds: 2 },
    ],
    sound: () => melody(5),
  },
];

const stills: readonly SampleStill[] = [
  still('sunset.jpg', 'An orange sunset over the sea', 1280, 720, sunset(11, 0.28, 0.28, 1)),
  still('moon-over-the-sea.jpg', 'The moon and stars over a dark sea', 1280, 720, sunset(12, 1, 1, 1)),
  still('hills.jpg', 'Green hills under a blue sky with white clouds', 1280, 720, hillsAndClouds(21, 1)),
  still('forest.jpg', 'Trees in a green forest', 960, 1280, forest(23, 1)),
  still('snowy-mountain.jpg', 'A mountain covered with snow', 1280, 800, snowyMountain(35)),
  still('beach.webp', 'A sandy beach and blue sea', 1280, 720, beach(14), 1.5),
  still('red-flowers.jpg', 'Red flowers close up before green leaves', 1200, 900, flowers(4, [214, 26, 38])),
  still(
    'street-at-night.jpg',
    'A yellow car in a street at night, with lit windows',
    1280,
    720,
    road(16, { night: true, car: yellow }),
    2.2,
  ),
  still('fire.webp', 'Flames in the dark', 1024, 768, campFire(13), 2),
  still(
    'stop-sign.jpg',
    'A red stop sign beside a road, and a blue car',
    1280,
    720,
    stopSign(6, dayDrive),
    1.2,
  ),
  still(
    'page-of-text.png',
    'A printed page, black text on white paper',
    900,
    1200,
    printedPage('Harbour News', pageOfText),
  ),
  still('stripes.png', 'Red and white stripes', 800, 600, stripes(red, white, 16, 0)),
  still(
    'blue-gradient.png',
    'A smooth gradient from light to dark blue',
    800,
    600,
    gradient([
      [214, 236, 255],
      [60, 132, 230],
      [10, 24, 92],
    ]),
  ),
];

function still(
  file: string,
  description: string,
  width: number,
  height: number,
  scene: Scene,
  moment = 0,
): SampleStill {
  return { kind: 'still', file, description, width, height, scene, moment };
}

export const samples: readonly (SampleFilm | SampleStill)[] = [...films, ...stills];

/**
 * Every still, and every shot of the films at a moment in its first third: what the pictures of the library
 * look like.
 */
export const sampleShots: readonly {
  readonly name: string;
  readonly scene: Scene;
  readonly moment: number;
}[] = samples.flatMap((sample) =>
  sample.kind === 'still'
    ? [{ name: sample.file, scene: sample.scene, moment: sample.moment }]
    : sample.shots.map(({ scene, seconds }, i) => ({
        name: `${sample.file} ${i}`,
        scene,
        moment: seconds / 3,
      })),
);

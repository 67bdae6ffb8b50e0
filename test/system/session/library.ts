// A small library that is made in a second: two films, sound with subtitles beside it, two stills, and a file
// that is none.
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Canvas, type Color, mix } from '../../../bench/samples/drawings/canvas.ts';
import { flowers } from '../../../bench/samples/drawings/flowers.ts';
import { forest } from '../../../bench/samples/drawings/forest.ts';
import { road } from '../../../bench/samples/drawings/road.ts';
import type { Paint } from '../../../bench/samples/drawings/scene.ts';
import { stripes } from '../../../bench/samples/drawings/shapes.ts';
import { sampleRate, surf } from '../../../bench/samples/drawings/sound.ts';
import { sunset } from '../../../bench/samples/drawings/sunset.ts';
import { type Film, writeFilm } from '../../../bench/samples/writer/film.ts';
import { writeStill } from '../../../bench/samples/writer/still.ts';
import { faceMiddles, faceSide } from './face-models.ts';

const [width, height] = [320, 180];
/** Frames a second. */
const rate = 5;
const red: Color = [255, 60, 60];
const green: Color = [60, 255, 60];
const blue: Color = [60, 60, 255];

export const seconds = { places: 12, people: 8, talk: 9 } as const;

/** Three scenes of four seconds. */
const places: readonly Paint[] = [
  sunset(3, 0, 0.3, 4)(width, height),
  road(6, { night: true, car: red })(width, height),
  forest(5, 4)(width, height),
];

/**
 * Whose faces are seen on the left and on the right, for two seconds each; null is nobody. No two are seen
 * for the same time.
 */
const cast: readonly (readonly (Color | null)[])[] = [
  [red, green],
  [red, null],
  [blue, green],
  [null, null],
];

/** A face is squares of a colour, light and dark. */
function drawFace(canvas: Canvas, [x, y]: readonly [number, number], colour: Color): void {
  const square = faceSide / 8;
  for (let at = 0; at < 64; at++) {
    const [column, row] = [at % 8, Math.floor(at / 8)];
    const left = x - faceSide / 2 + column * square;
    const top = y - faceSide / 2 + row * square;
    const isLight = (column + row) % 2 === 0;
    canvas.box(left, top, square, square, isLight ? colour : mix(colour, [0, 0, 0], 0.4));
  }
}

function drawPeople(canvas: Canvas, faces: readonly (Color | null)[]): void {
  canvas.rows(0, canvas.height, () => [12, 12, 16]);
  for (const [at, colour] of faces.entries()) if (colour) drawFace(canvas, faceMiddles[at]!, colour);
}

function picture(
  length: number,
  draw: (canvas: Canvas, seconds: number) => void,
): NonNullable<Film['picture']> {
  return {
    width,
    height,
    frames: length * rate,
    frameRate: { num: rate, den: 1 },
    encoder: 'libx264',
    options: { preset: 'veryfast', crf: '20', g: '10', threads: '1', mbtree: '0' },
    draw: (n, rgb) => draw(new Canvas(width, height, rgb), n / rate),
  };
}

const soundOf = (length: number, encoder: string) => {
  return { sampleRate, channels: 1, seconds: length, encoder, fill: surf(1) };
};

function films(folder: string): readonly Film[] {
  const paintPlaces = (canvas: Canvas, at: number) => places[Math.floor(at / 4)]!(canvas, at % 4);
  return [
    {
      path: join(folder, 'places.mp4'),
      picture: picture(seconds.places, paintPlaces),
      sound: soundOf(seconds.places, 'aac'),
      captions: {
        codec: 'mov_text',
        language: 'eng',
        cues: [
          { startSeconds: 0.5, endSeconds: 3.5, text: 'The sun stands low over the sea.' },
          { startSeconds: 4.5, endSeconds: 7.5, text: 'A red car drives through the night.' },
          { startSeconds: 8.5, endSeconds: 11, text: 'In the forest it is cool and quiet.' },
        ],
      },
      tags: { creation_time: '2024-06-21T19:42:00Z' },
    },
    {
      path: join(folder, 'people.mkv'),
      picture: picture(seconds.people, (canvas, at) => drawPeople(canvas, cast[Math.floor(at / 2)]!)),
    },
    {
      path: join(folder, 'clock.mov'),
      // Players count timecode at the rates of films only.
      picture: {
        ...picture(1, (canvas) => drawPeople(canvas, [])),
        frames: 25,
        frameRate: { num: 25, den: 1 },
      },
      tags: { timecode: '10:00:00:00' },
    },
    { path: join(folder, 'talk.wav'), sound: soundOf(seconds.talk, 'pcm_s16le') },
  ];
}

const subtitles = [
  ['00:00:00,500', '00:00:03,000', 'ANN: The budget is larger than last year.'],
  ['00:00:03,500', '00:00:06,000', 'BEN: Who drives the red car?'],
  ['00:00:06,500', '00:00:08,500', 'ANN: Nobody knows.'],
];

/** Creates the library in an empty folder and answers the paths of its files by name. */
export async function makeLibrary(folder: string) {
  mkdirSync(folder, { recursive: true });
  for (const film of films(folder)) await writeFilm(film);
  const stills = {
    'flowers.jpg': flowers(4, red)(width, height),
    'stripes.png': stripes(red, [250, 250, 250], 16, 0)(width, height),
    'ann.png': (canvas: Canvas) => drawPeople(canvas, [red, null]),
    'nobody.png': (canvas: Canvas) => drawPeople(canvas, []),
    'both.png': (canvas: Canvas) => drawPeople(canvas, [red, blue]),
  };
  for (const [name, paint] of Object.entries(stills)) {
    const canvas = new Canvas(width, height);
    paint(canvas, 0);
    const { buffer, byteOffset, length } = canvas.rgb;
    const rgb = new Uint8Array(buffer, byteOffset, length);
    await writeStill({ path: join(folder, name), width, height, rgb });
  }
  const cues = subtitles.map(([start, end, text], at) => `${at + 1}\n${start} --> ${end}\n${text}\n`);
  writeFileSync(join(folder, 'talk.srt'), cues.join('\n'));
  writeFileSync(join(folder, 'broken.mp4'), 'no film');
  writeFileSync(join(folder, 'notes.txt'), 'no media');
  const modified = new Date('2024-07-01T12:00:00Z');
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), modified, modified);
  const path = (name: string) => join(folder, name);
  return {
    places: path('places.mp4'),
    people: path('people.mkv'),
    talk: path('talk.wav'),
    flowers: path('flowers.jpg'),
    stripes: path('stripes.png'),
    ann: path('ann.png'),
    both: path('both.png'),
    nobody: path('nobody.png'),
    clock: path('clock.mov'),
    broken: path('broken.mp4'),
    notes: path('notes.txt'),
    gone: path('gone.mp4'),
  };
}

export type LibraryPaths = Awaited<ReturnType<typeof makeLibrary>>;

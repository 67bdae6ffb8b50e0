// Draws the sample library of the product, in actors/samples/media/: the same bytes on every run, on
// processors with the same vector instructions. Run when its list changes:
// node runtime/process/launch.mjs --node bench/samples/make.ts
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Canvas } from './drawings/canvas.ts';
import type { Paint } from './drawings/scene.ts';
import { sampleRate } from './drawings/sound.ts';
import { type SampleFilm, type SampleStill, samples } from './list.ts';
import { type Film, writeFilm } from './writer/film.ts';
import type { FilmPicture } from './writer/picture.ts';
import { writeStill } from './writer/still.ts';

export const sampleFolder = fileURLToPath(new URL('../../actors/samples/media/', import.meta.url));

/** Draws these samples, or all, into `folder`. */
export async function drawSamples(folder: string, files?: readonly string[]): Promise<void> {
  for (const sample of samples.filter(({ file }) => files?.includes(file) ?? true)) {
    const path = join(folder, sample.file);
    if (sample.kind === 'film') await writeFilm(filmOf(sample, path));
    else await drawStill(sample, path);
  }
}

async function drawStill({ width, height, scene, moment }: SampleStill, path: string): Promise<void> {
  const canvas = new Canvas(width, height);
  scene(width, height)(canvas, moment);
  const { buffer, byteOffset, length } = canvas.rgb;
  await writeStill({ path, width, height, rgb: new Uint8Array(buffer, byteOffset, length), quality: 84 });
}

type Encoding = Pick<FilmPicture, 'encoder' | 'options'>;

/**
 * Deterministic output needs a fixed number of threads and no macroblock tree, which reads uninitialised
 * memory.
 */
const codecs: Record<SampleFilm['codec'], Encoding> = {
  h264: {
    encoder: 'libx264',
    options: { preset: 'veryfast', crf: '25', g: '50', bf: '2', threads: '2', mbtree: '0' },
  },
  hevc: {
    encoder: 'libx265',
    options: {
      preset: 'ultrafast',
      'x265-params': 'log-level=none:pools=2:frame-threads=2:crf=26:keyint=50',
    },
  },
  vp9: {
    encoder: 'libvpx-vp9',
    options: { deadline: 'realtime', 'cpu-used': '8', crf: '32', b: '0', g: '48', threads: '2' },
  },
};

function filmOf(film: SampleFilm, path: string): Film {
  const { width, height, frameRate, codec, shots, sound, cues, tags } = film;
  const seconds = shots.reduce((sum, shot) => sum + shot.seconds, 0);
  const picture: FilmPicture = {
    width,
    height,
    frames: seconds * frameRate,
    frameRate: { num: frameRate, den: 1 },
    ...codecs[codec],
    draw: drawShots(film),
  };
  const inMp4 = path.endsWith('.mp4');
  return {
    path,
    picture,
    ...(sound && {
      sound: {
        sampleRate,
        channels: 1,
        seconds,
        encoder: inMp4 ? 'aac' : 'libopus',
        fill: sound(),
      },
    }),
    ...(cues && { captions: { codec: inMp4 ? 'mov_text' : 'subrip', language: 'eng', cues } }),
    ...(tags && { tags }),
  };
}

/** Draws frame n of the shot it belongs to; only one shot is prepared at a time. */
function drawShots({ width, height, frameRate, shots }: SampleFilm): FilmPicture['draw'] {
  let prepared: { shot: number; paint: Paint } | null = null;
  return (n, rgb) => {
    let seconds = n / frameRate;
    let shot = 0;
    while (shot < shots.length - 1 && seconds >= shots[shot]!.seconds) seconds -= shots[shot++]!.seconds;
    if (prepared?.shot !== shot) prepared = { shot, paint: shots[shot]!.scene(width, height) };
    prepared.paint(new Canvas(width, height, rgb), seconds);
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await drawSamples(sampleFolder);

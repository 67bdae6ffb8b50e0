// Creates the sample library: some films and stills that a new user can search at once. They are drawn, with the same bytes
// on every run; files that exist already are left alone.
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { engineErrors } from '../../runtime/errors.ts';
import { replaceFile } from '../../runtime/files/atomic-write.ts';
import { makeFolder } from '../../runtime/files/make-folder.ts';
import { hasEncoder } from '../decoder/ffmpeg.ts';
import type { SampleOptions } from './contract.ts';
import { Canvas } from './drawings/canvas.ts';
import type { Paint } from './drawings/scene.ts';
import { sampleRate } from './drawings/sound.ts';
import { type SampleFilm, type SampleStill, samples } from './list.ts';
import { type Film, writeFilm } from './writer/film.ts';
import type { FilmPicture } from './writer/picture.ts';
import { writeStill } from './writer/still.ts';

/** Increased when the samples change, so that old ones are created again. */
export const sampleVersion = 2;

/** Each sample's file name and what it shows, in one line. */
export const sampleList: readonly { readonly file: string; readonly description: string }[] = samples.map(
  ({ file, description }) => ({ file, description }),
);

/** Records, beside the samples, the version and size of each; a truncated file is recognised by its size. */
const manifestFile = '.samples.json';
type Manifest = Record<string, { version: number; size: number }>;

/** Creates the samples that are missing in `folder`; returns their names. */
export async function makeSamples(folder: string, options: SampleOptions = {}): Promise<string[]> {
  const { signal, progress, files } = options;
  makeFolder(folder);
  const manifest = await readManifest(folder);
  const wanted = samples.filter(({ file }) => !files || files.includes(file));
  const missing = wanted.filter(({ file }) => !isMade(folder, file, manifest));
  for (const [done, sample] of missing.entries()) {
    if (signal?.aborted) throw engineErrors.CANCELLED(`${folder}: making the samples was cancelled`);
    progress?.({ file: sample.file, done, total: missing.length });
    const path = join(folder, sample.file);
    if (sample.kind === 'film') await writeFilm(filmOf(sample, path), signal);
    else await makeStill(sample, path);
    manifest[sample.file] = { version: sampleVersion, size: statSync(path).size };
    writeManifest(folder, manifest);
  }
  return missing.map(({ file }) => file);
}

function isMade(folder: string, file: string, manifest: Manifest): boolean {
  const path = join(folder, file);
  const entry = manifest[file];
  return entry?.version === sampleVersion && existsSync(path) && statSync(path).size === entry.size;
}

async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifestFile);
  if (!existsSync(path)) return {};
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Manifest;
  } catch (cause) {
    // With a damaged manifest all samples are created again.
    if (cause instanceof SyntaxError) return {};
    throw cause;
  }
}

function writeManifest(folder: string, manifest: Manifest): void {
  replaceFile(join(folder, manifestFile), JSON.stringify(manifest, null, 1), { flush: false });
}

async function makeStill({ width, height, scene, moment }: SampleStill, path: string): Promise<void> {
  const canvas = new Canvas(width, height);
  scene(width, height)(canvas, moment);
  const { buffer, byteOffset, length } = canvas.rgb;
  await writeStill({ path, width, height, rgb: new Uint8Array(buffer, byteOffset, length), quality: 84 });
}

type Encoding = Pick<FilmPicture, 'encoder' | 'options'>;

/** Deterministic output needs a fixed number of threads and no macroblock tree, which reads uninitialised memory. */
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

/** In the place of the encoders under the GPL: every build has it. FFmpeg counts the quality in 118ths. */
const otherwise: Encoding = {
  encoder: 'mpeg4',
  options: { g: '50', flags: '+qscale', global_quality: String(4 * 118) },
};

/** As this FFmpeg can encode. */
export function encodingOf(codec: SampleFilm['codec']): Encoding {
  const { encoder } = codecs[codec];
  return codec === 'vp9' || hasEncoder(encoder) ? codecs[codec] : otherwise;
}

function filmOf(film: SampleFilm, path: string): Film {
  const { width, height, frameRate, codec, shots, sound, cues, tags } = film;
  const seconds = shots.reduce((sum, shot) => sum + shot.seconds, 0);
  const picture: FilmPicture = {
    width,
    height,
    frames: seconds * frameRate,
    frameRate: { num: frameRate, den: 1 },
    ...encodingOf(codec),
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

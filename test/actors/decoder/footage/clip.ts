// A test clip: a small film with the frame number drawn into every frame, the facts a decoder must report,
// and a function that creates it. Clips are created once in a run of tests.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { link, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Rational } from '../../../../actors/decoder/contract.ts';
import { type Film, writeFilm } from '../../../../bench/samples/writer/film.ts';
import { type FilmPicture, steady } from '../../../../bench/samples/writer/picture.ts';
import type { FilmSound } from '../../../../bench/samples/writer/sound.ts';
import { drawStamp } from './stamp.ts';

export interface ShownFrame {
  /** The number in the picture. */
  readonly stamp: number;
  /** When it is shown, in seconds from the first shown frame. */
  readonly seconds: number;
}

export interface ClipFacts {
  /** Pictures that a player shows, in order. */
  readonly frames: readonly ShownFrame[];
  /** Seconds from the first shown frame to the end of the last. */
  readonly duration: number;
  /** Null when the frames come at uneven times. */
  readonly frameRate: Rational | null;
  /** Size as shown, in px. */
  readonly width: number;
  readonly height: number;
  readonly gop: 'closed' | 'open' | 'intra';
  readonly soundTracks: number;
  readonly captionTracks: number;
}

export interface Clip {
  readonly name: string;
  readonly facts: ClipFacts;
  /** Path of the clip, made if need be; safe when several processes ask at once. */
  make(): Promise<string>;
  /** Writes the clip to a path, in this process. */
  write(path: string): Promise<void>;
}

/** A film of stamped frames: the fields of FilmPicture that differ from the defaults. */
export interface StampedFilm extends Partial<Omit<FilmPicture, 'draw'>>, Omit<Film, 'path' | 'picture'> {
  readonly file: string;
  readonly gop?: ClipFacts['gop'];
  /**
   * Written in a process of its own. SVT-AV1 gives the thread that opens it real-time priority where it may
   * (as root), and all processes started from there inherit it: they then starve each other.
   */
  readonly apart?: boolean;
}

/**
 * A run of tests has a temporary folder of this name, in which its processes share the clips and which it
 * removes.
 */
const runFolder = /^framehound-tests-/;

/** Nothing is kept between runs, so that each run finds what a new machine finds. */
export const clipFolder = join(runFolder.test(basename(tmpdir())) ? tmpdir() : ownFolder(), 'clips');

/** For a file that is run by itself, and the processes that it starts. */
function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-tests-'));
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const making = new Map<string, Promise<string>>();

/**
 * The file of this name in the clip folder; when it does not exist, `write` creates it under a temporary
 * name.
 */
export function kept(file: string, write: (path: string) => Promise<void>): Promise<string> {
  const known = making.get(file);
  if (known) return known;
  const promise = makeOnce(join(clipFolder, file), write);
  making.set(file, promise);
  return promise;
}

async function makeOnce(path: string, write: (path: string) => Promise<void>): Promise<string> {
  if (existsSync(path)) return path;
  const work = join(clipFolder, `making-${process.pid}-${making.size}`);
  await mkdir(work, { recursive: true });
  try {
    const part = join(work, path.slice(clipFolder.length + 1));
    await write(part);
    // Another process may have made it meanwhile, and somebody may read that already.
    await link(part, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return path;
}

export function tone(seconds: number, encoder: string, more: Partial<FilmSound> = {}): FilmSound {
  const sampleRate = more.sampleRate ?? 48000;
  const channels = more.channels ?? 2;
  const fill = (start: number, samples: Float32Array) => {
    for (let i = 0; i < samples.length; i++) {
      const at = (start + Math.floor(i / channels)) / sampleRate;
      samples[i] = 0.3 * Math.sin(2 * Math.PI * 440 * at);
    }
  };
  return { sampleRate, channels, seconds, encoder, fill, ...more };
}

const usual = {
  width: 192,
  height: 108,
  frames: 150,
  frameRate: { num: 30, den: 1 },
  encoder: 'libx264',
} satisfies Partial<FilmPicture>;

export function stamped(name: string, film: StampedFilm): Clip {
  const { file, gop, apart, sound, captions, tags, container, ...own } = film;
  const bare = { ...usual, ...own };
  const picture: FilmPicture = {
    ...bare,
    draw: (n, rgb) => drawTurned(n, rgb, bare.width, bare.height, bare.rotation ?? 0),
  };
  const rest = {
    ...(sound && { sound }),
    ...(captions && { captions }),
    ...(tags && { tags }),
    ...(container && { container }),
  };
  const facts: ClipFacts = {
    ...shownFrames(picture),
    ...shownSize(picture),
    frameRate: steady(picture.times?.ticks ?? []) ? picture.frameRate : null,
    gop: gop ?? 'closed',
    soundTracks: sound ? 1 : 0,
    captionTracks: captions ? 1 : 0,
  };
  const write = (path: string) => writeFilm({ path, picture, ...rest });
  return { name, facts, write, make: () => kept(file, apart ? (path) => writeApart(name, path) : write) };
}

const run = promisify(execFile);

async function writeApart(name: string, path: string): Promise<void> {
  await run(process.execPath, [join(import.meta.dirname, 'make-clip.ts'), name, path]);
}

/** Frames before time zero are cut off by an edit list. */
function shownFrames({ frames, frameRate, times }: FilmPicture): Pick<ClipFacts, 'frames' | 'duration'> {
  const seconds = (n: number) => {
    if (!times) return (n * frameRate.den) / frameRate.num;
    const ticks = times.ticks[n] ?? 2 * times.ticks.at(-1)! - times.ticks.at(-2)!;
    return (ticks * times.base.num) / times.base.den;
  };
  const shown = Array.from({ length: frames }, (_, n) => n).filter((n) => seconds(n) >= 0);
  const start = shown.length > 0 ? seconds(shown[0]!) : 0;
  return {
    frames: shown.map((n) => ({ stamp: n, seconds: seconds(n) - start })),
    duration: frames > 0 ? seconds(frames) - start : 0,
  };
}

function shownSize({ width, height, pixelAspect, rotation }: FilmPicture): { width: number; height: number } {
  const wide = Math.round(width * (pixelAspect ? pixelAspect.num / pixelAspect.den : 1));
  return rotation === 90 || rotation === 270 ? { width: height, height: wide } : { width: wide, height };
}

/** Draws the stamp so that it stands upright once a player has turned the picture clockwise by `degrees`. */
function drawTurned(n: number, rgb: Uint8Array, width: number, height: number, degrees: number): void {
  if (degrees === 0) {
    drawStamp(n, rgb, width, height);
    return;
  }
  const [wide, high] = degrees === 180 ? [width, height] : [height, width];
  const upright = new Uint8Array(rgb.length);
  drawStamp(n, upright, wide, high);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to += 3) {
      const [shownX, shownY] =
        degrees === 90
          ? [height - 1 - y, x]
          : degrees === 180
            ? [width - 1 - x, height - 1 - y]
            : [y, width - 1 - x];
      const from = (shownY * wide + shownX) * 3;
      rgb[to] = upright[from]!;
      rgb[to + 1] = upright[from + 1]!;
      rgb[to + 2] = upright[from + 2]!;
    }
  }
}

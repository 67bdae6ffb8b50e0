// Footage for the measurements: moving shapes with grain and a new scene every 5 s, coded like camera
// footage. Made once and kept in the system's temporary folder.
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFilm } from './samples/writer/film.ts';
import type { FilmSound } from './samples/writer/sound.ts';
import { sized } from './size.ts';

export interface Footage {
  readonly name: string;
  readonly path: string;
  readonly seconds: number;
}

export interface Kind {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly encoder: string;
  readonly options: Readonly<Record<string, string>>;
  readonly sound?: FilmSound;
}

const FPS = 30;
/** The version of what is drawn: another one makes new files. */
const DRAWN = 2;

const x264 = (g: number, rate: string) => ({
  preset: 'veryfast',
  b: rate,
  g: String(g),
  bf: '3',
  'x264-params': 'b-pyramid=normal:b-adapt=0:scenecut=0:ref=3',
});
const x265 = (g: number, rate: string) => ({
  preset: 'ultrafast',
  b: rate,
  'x265-params': `log-level=none:keyint=${g}:min-keyint=${g}:bframes=4:b-adapt=0:b-pyramid=1:open-gop=1:scenecut=0`,
});

// Quick sizes are a quarter of each side: what takes the time is drawing and encoding.
const hd = { width: sized(1920, 480), height: sized(1080, 270) };
const uhd = { width: sized(3840, 960), height: sized(2160, 540) };

export const kinds = {
  h264Gop60: {
    name: 'H.264 1080p, GOP 2 s',
    ...hd,
    seconds: sized(30, 2),
    encoder: 'libx264',
    options: x264(60, '8M'),
  },
  h264Gop12: {
    name: 'H.264 1080p, GOP 0.4 s',
    ...hd,
    seconds: sized(30, 2),
    encoder: 'libx264',
    options: x264(12, '8M'),
  },
  hevcGop60: {
    name: 'HEVC 1080p, GOP 2 s',
    ...hd,
    seconds: sized(30, 2),
    encoder: 'libx265',
    options: x265(60, '5M'),
  },
  h2644k: {
    name: 'H.264 4K, GOP 2 s',
    ...uhd,
    seconds: sized(12, 1),
    encoder: 'libx264',
    options: x264(60, '24M'),
  },
  long: {
    name: 'H.264 360p, GOP 4 s',
    width: 640,
    height: 360,
    seconds: sized(300, 120),
    encoder: 'libx264',
    options: x264(120, '1M'),
  },
  hevc4k: {
    name: 'HEVC 4K, GOP 2 s',
    ...uhd,
    seconds: sized(12, 1),
    encoder: 'libx265',
    options: x265(60, '16M'),
  },
} satisfies Record<string, Kind>;

/** Makes what is not there yet. */
export async function footage(kind: Kind, say: (text: string) => void): Promise<Footage> {
  const folder = join(tmpdir(), `framehound-footage-${DRAWN}${sized('', '-quick')}`);
  mkdirSync(folder, { recursive: true });
  const { width, height, seconds, encoder, options, sound } = kind;
  const path = join(folder, `${kind.name.replace(/[^A-Za-z0-9]+/g, '-')}-${seconds}s.mp4`);
  if (!existsSync(path)) {
    say(`making ${seconds} s of ${kind.name}`);
    const draw = painter(width, height);
    const frameRate = { num: FPS, den: 1 };
    await writeFilm({
      path,
      picture: { width, height, frames: seconds * FPS, frameRate, encoder, options, draw },
      ...(sound && { sound }),
    });
  }
  return { name: kind.name, path, seconds };
}

/** Waves of colour that drift, under grain that changes with every frame. */
function painter(width: number, height: number): (n: number, rgb: Uint8Array) => void {
  const wave = Float32Array.from({ length: 4096 }, (_, i) => Math.sin((i / 4096) * 2 * Math.PI));
  const grain = noise(1 << 20);
  return (n, rgb) => {
    const scene = Math.floor(n / (FPS * 5)) + 1;
    let at = 0;
    let g = (n * 7919) & 0xfffff;
    for (let y = 0; y < height; y++) {
      const row = wave[(y * 2 * scene + n * 9) & 4095]! * 50;
      for (let x = 0; x < width; x++) {
        const a = wave[(x * scene + y + n * 13) & 4095]!;
        const b = wave[(x * 3 - y * scene + n * 5) & 4095]!;
        const dust = grain[g]!;
        g = (g + 1) & 0xfffff;
        rgb[at] = 128 + row + a * 50 + dust;
        rgb[at + 1] = 118 + a * b * 60 + dust;
        rgb[at + 2] = 128 - row + b * 50 + dust;
        at += 3;
      }
    }
  };
}

/** Values of about ±6, seeded. */
function noise(count: number): Int8Array {
  let state = 12345;
  return Int8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return ((state >>> 16) % 13) - 6;
  });
}

// Films of a camera that moves in a known way over a recorded picture, with grain, and with things before it
// that move by themselves.
import sharp from 'sharp';
import type { Movement } from '../../actors/index/visual/camera.ts';
import { Dice } from '../../test/actors/models/starter/drawings/canvas.ts';
import type { FilmPicture } from '../samples/writer/picture.ts';

/** A window of the picture: its middle and its size, as shares of the picture. */
interface View {
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

export interface Clip {
  readonly name: string;
  readonly movement: Movement;
  /** Of the sources. */
  readonly source: number;
  readonly seconds: number;
  /** Of a still camera: 1. */
  light?(time: number): number;
  view(time: number): View;
  readonly things: readonly Thing[];
}

/** A patch of another source before the picture; place and size as shares of what is shown. */
interface Thing {
  readonly source: number;
  readonly size: number;
  place(time: number): readonly [x: number, y: number];
}

const [width, height, fps] = [640, 360, 25];
const seconds = 8;
/** Share of the picture that is shown. */
const shown = 0.45;

const still = (): View => ({ x: 0.5, y: 0.5, size: shown });
const passing = (source: number, size: number, speed: number, y = 0.55): Thing => ({
  source,
  size,
  place: (time) => [((((0.1 + speed * time) % 1.4) + 1.4) % 1.4) - 0.2, y],
});
const held = (source: number, size: number): Thing => ({
  source,
  size,
  place: (time) => [0.5 + 0.02 * Math.sin(2.1 * time), 0.55 + 0.02 * Math.sin(3.3 * time + 1)],
});

/** `vx`, `vy`: widths and heights of what is shown, a second. It turns back at the border. */
function pan(vx: number, vy: number, size = shown): Clip['view'] {
  const room = 1 - size;
  const at = (speed: number, time: number) => {
    if (speed === 0) return 0.5;
    const way = ((speed > 0 ? 0 : room) + Math.abs(speed) * size * time) % (2 * room);
    return size / 2 + (way > room ? 2 * room - way : way);
  };
  return (time) => ({ x: at(vx, time), y: at(vy, time), size });
}

/** `rate`: above 0 it goes in. */
const zoom =
  (rate: number): Clip['view'] =>
  (time) => ({ x: 0.5, y: 0.5, size: Math.min(0.95, (rate > 0 ? 0.9 : 0.35) * Math.exp(-rate * time)) });

/** A hand: sums of swings, `most` shares of what is shown. */
function hand(most: number, seed: number): (time: number) => readonly [number, number] {
  const dice = new Dice(seed);
  const swings = Array.from({ length: 8 }, () => ({
    rate: 2 * Math.PI * (0.25 + 2.2 * dice.next()),
    phase: 7 * dice.next(),
    share: 0.3 + dice.next(),
  }));
  const of = (from: number, time: number) =>
    swings
      .slice(from, from + 4)
      .reduce((sum, { rate, phase, share }) => sum + share * Math.sin(rate * time + phase), 0) / 2;
  return (time) => [most * shown * of(0, time), most * shown * of(4, time)];
}

const shaken = (most: number, seed: number, base: Clip['view'] = still): Clip['view'] => {
  const by = hand(most, seed);
  return (time) => {
    const { x, y, size } = base(time);
    const [dx, dy] = by(time);
    return { x: x + dx, y: y + dy, size };
  };
};

/** Walks beside somebody: speeds up and slows down. */
const walking = (speed: number, seed: number): Clip['view'] =>
  shaken(0.02, seed, (time) => ({
    x: 0.5 + 0.25 * Math.sin((speed * shown * time) / 0.25 + 0.5 * Math.sin(1.7 * time)),
    y: 0.5,
    size: shown,
  }));

type Some = Partial<Omit<Clip, 'name' | 'movement' | 'seconds'>>;
const clip = (movement: Movement, name: string, source: number, some: Some = {}): Clip => ({
  name,
  movement,
  source,
  seconds,
  view: still,
  things: [],
  ...some,
});

/** 40 of them. `sources`: how many there are. */
export function clips(): Clip[] {
  const fixed = (name: string, source: number, some: Some = {}) => clip('fixed', name, source, some);
  const panning = (name: string, source: number, view: Clip['view'], things: readonly Thing[] = []) =>
    clip('panning', name, source, { view, things });
  const following = (name: string, source: number, view: Clip['view'], things: readonly Thing[] = []) =>
    clip('following', name, source, { view, things });
  const cloud = (time: number) => 1 + 0.15 * Math.sin(1.3 * time);
  return [
    ...[0, 1, 2, 3, 4].map((source) => fixed('nothing moves', source)),
    ...[0, 1, 2, 3].map((source) =>
      fixed('a thing passes', source, { things: [passing(source + 1, 0.2, 0.25)] }),
    ),
    ...[1, 2].map((source) =>
      fixed('two things pass', source, {
        things: [passing(source + 1, 0.25, 0.4, 0.4), passing(source + 2, 0.2, -0.3, 0.7)],
      }),
    ),
    fixed('a large thing passes', 3, { things: [passing(0, 0.5, 0.15)] }),
    fixed('the light changes', 4, { light: cloud }),
    fixed('the light changes, a thing passes', 2, { light: cloud, things: [passing(0, 0.2, 0.3)] }),
    panning('to the right, 3 % a second', 0, pan(0.03, 0)),
    panning('to the left, 8 % a second', 1, pan(-0.08, 0)),
    panning('to the right, 15 % a second', 2, pan(0.15, 0)),
    panning('to the left, 15 % a second', 3, pan(-0.15, 0)),
    panning('to the right, 25 % a second', 4, pan(0.25, 0, 0.3)),
    panning('to the right, 45 % a second', 0, pan(0.45, 0, 0.2)),
    panning('up, 8 % a second', 1, pan(0, -0.08)),
    panning('down, 15 % a second', 2, pan(0, 0.15)),
    panning('aslant', 3, pan(0.1, 0.08)),
    panning('in, 5 % a second', 4, zoom(0.05)),
    panning('in, 10 % a second', 0, zoom(0.1)),
    panning('out, 8 % a second', 1, zoom(-0.08)),
    panning('to the right, a thing passes', 2, pan(0.1, 0), [passing(3, 0.25, -0.3)]),
    panning('to the left, two things pass', 4, pan(-0.12, 0), [
      passing(0, 0.2, 0.3, 0.4),
      passing(1, 0.2, 0.25, 0.7),
    ]),
    ...[0, 1, 2, 3].map((source) =>
      following('held in the hand', source, shaken(0.015 + 0.01 * source, source + 1)),
    ),
    following('held in the hand, a thing passes', 4, shaken(0.03, 11), [passing(0, 0.25, 0.3)]),
    following('held in the hand, goes in', 1, shaken(0.03, 13, zoom(0.04)), []),
    ...[0, 1, 2, 3, 4].map((source) =>
      following('beside a thing', source, walking(0.12 + 0.05 * source, source + 21), [
        held((source + 2) % 5, 0.4),
      ]),
    ),
    following('beside a small thing', 2, walking(0.2, 31), [held(0, 0.25)]),
  ];
}

export interface Picture {
  readonly rgb: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Upright or not, it becomes 16 to 9. */
export async function sourceOf(path: string | Uint8Array): Promise<Picture> {
  const size = { width: 1600, height: 900 };
  const { data } = await sharp(path)
    .rotate()
    .removeAlpha()
    .resize({ ...size, fit: 'cover' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { rgb: data, ...size };
}

export function filmOf(
  { source, seconds, light = () => 1, view, things }: Clip,
  sources: readonly Picture[],
): FilmPicture {
  const dice = new Dice(source + 99);
  const grain = Float32Array.from({ length: 65_536 }, () => 6 * (dice.next() + dice.next() - 1));
  const from = sources[source]!;
  return {
    width,
    height,
    frames: seconds * fps,
    frameRate: { num: fps, den: 1 },
    encoder: 'libx264',
    options: { preset: 'veryfast', crf: '24', threads: '1', g: '100' },
    draw: (n, rgb) => {
      const time = n / fps;
      drawView(rgb, from, view(time));
      for (const thing of things) drawThing(rgb, sources[thing.source]!, thing, time);
      const by = light(time);
      let at = (n * 7919) & 65_535;
      for (let i = 0; i < rgb.length; i++) {
        rgb[i] = Math.max(0, Math.min(255, rgb[i]! * by + grain[at]!));
        at = (at + 1) & 65_535;
      }
    },
  };
}

function drawView(rgb: Uint8Array, from: Picture, { x, y, size }: View): void {
  const [w, h] = [size * from.width, size * from.height];
  const [left, top] = [x * from.width - w / 2, y * from.height - h / 2];
  for (let line = 0, at = 0; line < height; line++) {
    const fy = Math.max(0, Math.min(from.height - 1.001, top + ((line + 0.5) * h) / height));
    const iy = Math.floor(fy);
    const ry = fy - iy;
    for (let place = 0; place < width; place++) {
      const fx = Math.max(0, Math.min(from.width - 1.001, left + ((place + 0.5) * w) / width));
      const ix = Math.floor(fx);
      const rx = fx - ix;
      const one = (iy * from.width + ix) * 3;
      const two = one + from.width * 3;
      for (let c = 0; c < 3; c++) {
        const upper = from.rgb[one + c]! * (1 - rx) + from.rgb[one + 3 + c]! * rx;
        const lower = from.rgb[two + c]! * (1 - rx) + from.rgb[two + 3 + c]! * rx;
        rgb[at++] = upper * (1 - ry) + lower * ry;
      }
    }
  }
}

/** An ellipse. */
function drawThing(rgb: Uint8Array, from: Picture, { size, place }: Thing, time: number): void {
  const [x, y] = place(time);
  const [rx, ry] = [(size * width) / 2, (size * width) / 2.4];
  const [cx, cy] = [x * width, y * height];
  for (let line = Math.max(0, Math.ceil(cy - ry)); line < Math.min(height, cy + ry); line++) {
    for (let at = Math.max(0, Math.ceil(cx - rx)); at < Math.min(width, cx + rx); at++) {
      const [u, v] = [(at - cx) / rx, (line - cy) / ry];
      if (u * u + v * v > 1) continue;
      const sx = Math.floor(((u + 1) / 2) * (from.width - 1) * 0.4);
      const sy = Math.floor(((v + 1) / 2) * (from.height - 1) * 0.6);
      const [to, of] = [(line * width + at) * 3, (sy * from.width + sx) * 3];
      for (let c = 0; c < 3; c++) rgb[to + c] = from.rgb[of + c]!;
    }
  }
}

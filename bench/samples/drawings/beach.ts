// A beach: blue sea, waves that run up the sand with white foam, and a parasol.
import { type Canvas, type Color, mix, type Point } from './canvas.ts';
import { noiseTile, randomFrom, smooth } from './noise.ts';
import type { Scene } from './scene.ts';
import { cloudLayer } from './sky.ts';
import { water } from './water.ts';

const size = 512;
const mask = size - 1;
const noLight = { x: 0, color: [0, 0, 0] as Color, strength: 0 };

export function beach(seed: number): Scene {
  return (width, height) => {
    const unit = width / 640;
    const line = Math.round(height * 0.34);
    const shore = Math.round(height * 0.62);
    const sea = water(seed, line, Math.round(height * 0.9));
    const shape = { across: 190 * unit, down: 60 * unit, amount: 0.42 };
    const clouds = cloudLayer(seed + 1, width + Math.ceil(150 * unit), Math.round(line * 0.95), shape);
    const grain = noiseTile(seed + 2, size, 64, 4);
    const lace = noiseTile(seed + 3, size, 16, 4);
    const things = randomFrom(seed + 4);
    const shells = Array.from(
      { length: 40 },
      () => [things() * width, height * (0.86 + things() * 0.13)] as Point,
    );
    return (canvas, seconds) => {
      canvas.rows(0, line, (down) => mix([46, 132, 222], [188, 226, 246], down ** 0.9));
      canvas.over(clouds, -Math.round((seconds * 7 * unit) % (150 * unit)), 0);
      sea(canvas, seconds, [24, 96, 168], [40, 178, 190], noLight);
      const edge = runUp(seconds, shore, height * 0.052, width);
      paintSand(canvas, seconds, edge, grain, lace, unit);
      for (const [x, y] of shells) canvas.ellipse(x, y, 2.2 * unit, 1.4 * unit, [250, 240, 226], 0.9);
      paintParasol(canvas, width * 0.77, height * 0.86, height * 0.3);
      paintTowel(canvas, width * 0.58, height * 0.88, unit);
    };
  };
}

/** Row of the water's edge, by column x, at a time. */
function runUp(seconds: number, shore: number, swing: number, width: number): (x: number) => number {
  return (x) => {
    const along = (x / width) * 6.3;
    const tide = Math.sin(seconds * 1.15) * swing + Math.sin(seconds * 0.63 + 1) * swing * 0.5;
    const bend = Math.sin(along * 1.2 + 0.6) * 0.5 + Math.sin(along * 2.7 + seconds * 0.35) * 0.22;
    return shore + swing + tide + bend * swing + (x / width - 0.5) * swing * 0.8;
  };
}

function paintSand(
  canvas: Canvas,
  seconds: number,
  edgeAt: (x: number) => number,
  grain: Uint8Array,
  lace: Uint8Array,
  unit: number,
): void {
  const { rgb, width, height } = canvas;
  const foam = 30 * unit;
  const wet = 40 * unit;
  for (let x = 0; x < width; x++) {
    const edge = edgeAt(x);
    for (let y = Math.max(0, Math.floor(edge - foam * 2.4)); y < height; y++) {
      const at = (y * width + x) * 3;
      const beyond = y - edge;
      const lacing =
        lace[
          ((Math.floor((y * 2.6) / unit) & mask) * size + (Math.floor(x / unit + seconds * 5) & mask)) | 0
        ]!;
      if (beyond >= 0) {
        const speck =
          grain[((Math.floor(y / unit) & mask) * size + (Math.floor(x / unit) & mask)) | 0]! - 128;
        const damp = 1 - smooth(wet * 0.5, wet, beyond + (lacing - 128) * 0.12 * unit);
        const far = 1 - (height - y) / height;
        rgb[at] = 206 + far * 26 - damp * 62 + speck * 0.24;
        rgb[at + 1] = 174 + far * 24 - damp * 56 + speck * 0.23;
        rgb[at + 2] = 122 + far * 18 - damp * 34 + speck * 0.2;
      } else {
        const shallow = smooth(-foam * 2.4, 0, beyond);
        rgb[at] = rgb[at]! + (150 - rgb[at]!) * shallow * 0.55;
        rgb[at + 1] = rgb[at + 1]! + (214 - rgb[at + 1]!) * shallow * 0.6;
        rgb[at + 2] = rgb[at + 2]! + (202 - rgb[at + 2]!) * shallow * 0.55;
      }
      // Foam: dense at the edge, lace-like behind it, and a second line further out.
      const first = 1 - smooth(2 * unit, foam, Math.abs(beyond + 4 * unit));
      const second =
        0.75 * (1 - smooth(unit, foam * 0.5, Math.abs(beyond + foam * 1.5 + (lacing - 128) * 0.08 * unit)));
      const white =
        beyond < 5 * unit ? smooth(0.42, 0.62, Math.max(first, second) * 0.8 + (lacing - 128) / 330) : 0;
      if (white > 0) {
        rgb[at] = rgb[at]! + (252 - rgb[at]!) * white;
        rgb[at + 1] = rgb[at + 1]! + (254 - rgb[at + 1]!) * white;
        rgb[at + 2] = rgb[at + 2]! + (254 - rgb[at + 2]!) * white;
      }
    }
  }
}

function paintParasol(canvas: Canvas, x: number, y: number, size: number): void {
  canvas.ellipse(x + size * 0.3, y + size * 0.05, size * 0.55, size * 0.1, [120, 92, 58], 0.4);
  canvas.line([x, y], [x + size * 0.08, y - size * 0.95], size * 0.025, [240, 236, 228]);
  const top: Point = [x + size * 0.085, y - size];
  const rim = (n: number): Point => {
    const angle = Math.PI * (1 - n / 8);
    return [
      top[0] + Math.cos(angle) * size * 0.58,
      y - size * 0.62 - Math.sin(angle) * size * 0.1 + (n % 2) * size * 0.015,
    ];
  };
  for (let n = 0; n < 8; n++) {
    const middle: Point = [
      (rim(n)[0] + top[0]) / 2 + (n - 3.5) * size * 0.022,
      (rim(n)[1] + top[1]) / 2 - size * 0.07,
    ];
    const next: Point = [(rim(n + 1)[0] + top[0]) / 2 + (n - 2.5) * size * 0.022, middle[1]];
    canvas.polygon([top, middle, rim(n), rim(n + 1), next], n % 2 ? [250, 248, 244] : [222, 48, 46]);
  }
}

function paintTowel(canvas: Canvas, x: number, y: number, unit: number): void {
  const colors: readonly Color[] = [
    [36, 96, 190],
    [248, 248, 248],
    [248, 196, 40],
  ];
  for (let stripe = 0; stripe < 6; stripe++) {
    const left = x + stripe * 12 * unit;
    const lean = -14 * unit;
    const right = left + 12 * unit;
    const bottom = y + 18 * unit;
    canvas.polygon(
      [
        [left, y],
        [right, y],
        [right + lean, bottom],
        [left + lean, bottom],
      ],
      colors[stripe % 3]!,
    );
  }
}

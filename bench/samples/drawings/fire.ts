// A camp fire in the dark: flames, sparks, logs, and light on the ground.
import type { Canvas, Color } from './canvas.ts';
import { noiseTile, randomFrom, smooth } from './noise.ts';
import type { Scene } from './scene.ts';
import { starPainter } from './sky.ts';

const size = 256;
const mask = size - 1;

/** Colours by heat, 0 to 1. */
const heatColors: readonly (readonly [number, Color])[] = [
  [0, [0, 0, 0]],
  [0.22, [96, 10, 2]],
  [0.42, [222, 60, 6]],
  [0.64, [255, 148, 22]],
  [0.85, [255, 226, 98]],
  [1, [255, 252, 216]],
];

export function campFire(seed: number): Scene {
  return (width, height) => {
    const coarse = noiseTile(seed, size, 4, 4);
    const fine = noiseTile(seed + 1, size, 16, 3);
    const heat = heatTable();
    const ground = litGround(width, height, fine);
    const random = randomFrom(seed + 2);
    const sparks = Array.from({ length: 46 }, () => ({
      born: random() * 3,
      life: 1.1 + random() * 1.5,
      x: (random() - 0.5) * 0.16,
      drift: (random() - 0.5) * 0.2,
      size: 0.6 + random() * 1.1,
    }));
    const stars = starPainter(seed + 3, 60, width, height * 0.5);
    return (canvas, seconds) => {
      const flicker = 0.86 + 0.14 * Math.sin(seconds * 9) * Math.sin(seconds * 5.3 + 1);
      canvas.rows(0, height, (down) => [7 + down * 8, 8 + down * 5, 18 - down * 6]);
      stars(canvas, seconds, 0.6);
      paintGround(canvas, ground, flicker);
      canvas.glow(width / 2, height * 0.62, height * 0.78, [150, 62, 14], 0.62 * flicker);
      paintFlames(canvas, seconds, coarse, fine, heat);
      paintLogs(canvas);
      for (const { born, life, x, drift, size } of sparks) {
        const age = ((seconds + born) % life) / life;
        const up = height * (0.4 - age * 0.38);
        const across = width * (0.5 + x + drift * age + 0.012 * Math.sin(age * 9 + born * 5));
        canvas.disc(across, up, size * (width / 640) * (1.3 - age), [255, 190, 84], (1 - age) * 0.95);
      }
    };
  };
}

function heatTable(): Uint8Array {
  const table = new Uint8Array(256 * 3);
  for (let value = 0; value < 256; value++) {
    const at = value / 255;
    const next = Math.max(
      1,
      heatColors.findIndex(([from]) => from >= at),
    );
    const [low, from] = heatColors[next - 1]!;
    const [high, to] = heatColors[next]!;
    for (let c = 0; c < 3; c++) {
      table[value * 3 + c] = from[c]! + ((to[c]! - from[c]!) * (at - low)) / (high - low);
    }
  }
  return table;
}

function paintFlames(
  canvas: Canvas,
  seconds: number,
  coarse: Uint8Array,
  fine: Uint8Array,
  heat: Uint8Array,
): void {
  const { rgb, width, height } = canvas;
  const foot = height * 0.79;
  const top = height * 0.1;
  const unit = 360 / height;
  for (let y = Math.floor(top); y < foot + height * 0.03; y++) {
    const up = (foot - y) / (foot - top);
    const half = height * 0.3 * (1 - up) ** 0.62 * smooth(-0.05, 0.12, up) + 4;
    const coarseRow = (Math.floor(y * 0.62 * unit + seconds * 190) & mask) * size;
    const fineRow = (Math.floor(y * 0.9 * unit + seconds * 330) & mask) * size;
    const lean = Math.sin(seconds * 2.1 + up * 4) * height * 0.03 * up;
    const from = Math.max(0, Math.floor(width / 2 + lean - half * 1.6));
    const to = Math.min(width, Math.ceil(width / 2 + lean + half * 1.6));
    for (let x = from, at = (y * width + from) * 3; x < to; x++, at += 3) {
      const off = (x - width / 2 - lean) / half;
      const torn =
        coarse[coarseRow + (Math.floor(x * 1.1 * unit) & mask)]! * 0.66 +
        fine[fineRow + (Math.floor(x * 1.3 * unit + seconds * 20) & mask)]! * 0.34;
      const value = (1.28 - off * off * 0.86 - up * 0.62) * (0.2 + torn / 148) - 0.22 - up * 0.36;
      if (value <= 0) continue;
      const index = Math.min(255, Math.floor(value * 255)) * 3;
      const cover = Math.min(1, value * 2.6);
      for (let c = 0; c < 3; c++)
        rgb[at + c] = rgb[at + c]! * (1 - cover) + heat[index + c]! * cover + heat[index + c]! * 0.12;
    }
  }
}

/** Brightness of each pixel of the ground in the light of the fire, from the first row of the ground on. */
function litGround(width: number, height: number, grain: Uint8Array): Float32Array {
  const line = Math.floor(height * 0.74);
  const light = new Float32Array((height - line) * width);
  for (let y = line, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      const distance = Math.hypot((x - width / 2) / (height * 0.75), (y - height * 0.8) / (height * 0.24));
      const rough = 0.6 + grain[((y * 3) & mask) * size + (x & mask)]! / 320;
      light[at] = Math.max(0.06, 1 - distance) ** 1.5 * rough;
    }
  }
  return light;
}

function paintGround(canvas: Canvas, ground: Float32Array, flicker: number): void {
  const { rgb } = canvas;
  for (let n = 0, at = rgb.length - ground.length * 3; n < ground.length; n++, at += 3) {
    const light = ground[n]! * flicker;
    rgb[at] = 128 * light + 8;
    rgb[at + 1] = 70 * light + 6;
    rgb[at + 2] = 34 * light + 8;
  }
}

function paintLogs(canvas: Canvas): void {
  const { width, height } = canvas;
  const [x, y, s] = [width / 2, height * 0.82, height * 0.3];
  for (const [x0, y0, x1, y1] of [
    [-1, 0.05, 0.75, -0.16],
    [1, 0.08, -0.75, -0.14],
    [-0.7, 0.16, 0.8, 0.12],
  ] as const) {
    canvas.line([x + x0 * s, y + y0 * s], [x + x1 * s, y + y1 * s], s * 0.19, [38, 20, 12]);
    canvas.line(
      [x + x0 * s, y + y0 * s - s * 0.06],
      [x + x1 * s, y + y1 * s - s * 0.06],
      s * 0.05,
      [150, 66, 22],
      0.7,
    );
    canvas.ellipse(x + x0 * s, y + y0 * s, s * 0.06, s * 0.095, [122, 76, 42]);
  }
}

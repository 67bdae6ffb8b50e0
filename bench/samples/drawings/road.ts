// A car on a road, seen from behind: by day, or at night with its lights, street lamps and lit windows.
import { Canvas, type Color, mix, type Point } from './canvas.ts';
import { noiseTile, randomFrom } from './noise.ts';
import type { Scene } from './scene.ts';
import { starPainter } from './sky.ts';

export interface RoadLook {
  readonly night: boolean;
  readonly car: Color;
}

/** Row of the horizon, and half the width of the road at the bottom, as shares of the picture. */
const horizon = 0.47;
const halfRoad = 0.62;
/** Distance driven per second, in the unit of `rowAt`. */
const speed = 1.25;

export function road(seed: number, look: RoadLook): Scene {
  return (width, height) => {
    const line = Math.round(height * horizon);
    const skyline = buildings(seed, width, height, look.night);
    const stars = starPainter(seed + 1, 70, width, line * 0.6);
    const asphalt = noiseTile(seed + 2, 256, 64, 3);
    return (canvas, seconds) => {
      if (look.night) {
        canvas.rows(0, line, (down) => mix([6, 8, 24], [46, 36, 64], down ** 2));
        stars(canvas, seconds, 0.8);
      } else {
        canvas.rows(0, line, (down) => mix([70, 148, 226], [206, 230, 246], down));
      }
      canvas.over(skyline, 0, 0);
      paintGround(canvas, seconds, line, asphalt, look.night);
      paintMarks(canvas, seconds, line, look.night);
      paintRoadside(canvas, seconds, line, look.night);
      const sway = Math.sin(seconds * 0.7) * width * 0.018;
      paintCar(canvas, width * 0.56 + sway, height * 0.84, height * 0.32, look);
    };
  };
}

/** Row of a point on the road: distance 1 is the bottom of the picture, infinity the horizon. */
function rowAt(line: number, height: number, distance: number): number {
  return line + (height - line) / distance;
}

function buildings(seed: number, width: number, height: number, night: boolean): Canvas {
  const random = randomFrom(seed);
  const blocks: { x: number; wide: number; high: number; shade: Color }[] = [];
  for (let x = -10; x < width; ) {
    const wide = width * (0.03 + random() * 0.05);
    const middle = Math.abs((x + wide / 2) / width - 0.5);
    const high = height * (0.06 + random() * 0.2 * (0.35 + middle * 1.6));
    const tone = 0.6 + random() * 0.4;
    const shade: Color = night ? [18 * tone, 20 * tone, 38 * tone] : [132 * tone, 148 * tone, 172 * tone];
    blocks.push({ x, wide, high, shade });
    x += wide * (0.85 + random() * 0.3);
  }
  const windows = blocks.flatMap(({ x, wide, high }) => {
    const found: { x: number; y: number; color: Color }[] = [];
    const step = width / 128;
    for (let wx = x + step; wx < x + wide - step; wx += step) {
      for (let wy = step; wy < high - step / 2; wy += step * 1.3) {
        if (random() < (night ? 0.42 : 0.9)) {
          found.push({ x: wx, y: wy, color: random() < 0.8 ? [255, 206, 112] : [190, 220, 255] });
        }
      }
    }
    return found;
  });
  const layer = Canvas.layer(width, height);
  const foot = Math.round(height * horizon) + 1;
  for (const { x, wide, high, shade } of blocks) layer.box(x, foot - high, wide, high, shade);
  const size = width / 300;
  for (const { x, y, color } of windows) {
    layer.box(x, foot - y - size, size, size * 1.3, night ? color : [88, 108, 136], night ? 0.9 : 0.7);
  }
  return layer;
}

function paintGround(
  canvas: Canvas,
  seconds: number,
  line: number,
  asphalt: Uint8Array,
  night: boolean,
): void {
  const { rgb, width, height } = canvas;
  for (let y = line; y < height; y++) {
    const depth = (y + 0.5 - line) / (height - line);
    const away = 1 / depth;
    const half = halfRoad * width * depth;
    const row = (Math.floor((away + seconds * speed) * 96) & 255) * 256;
    // The headlights illuminate the road in front of the car.
    const beam = night ? 120 * Math.exp(-(((depth - 0.3) / 0.2) ** 2)) : 0;
    const shine = night ? 26 + 20 * depth : 104;
    const verge: Color = night ? [14, 24, 20] : mix([150, 186, 120], [92, 152, 56], depth);
    for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
      const across = (x - width / 2) / half;
      const grain = (asphalt[row + (Math.floor(across * 120 + 512) & 255)]! - 128) * (0.1 + depth * 0.16);
      if (across > -1 && across < 1) {
        const off = (x - width * (0.5 + 0.06 * depth)) / (half * 0.42);
        const light = beam * Math.exp(-off * off);
        rgb[at] = shine + grain * 0.7 + light;
        rgb[at + 1] = shine + grain * 0.7 + light * 0.92;
        rgb[at + 2] = shine + 5 + grain * 0.7 + light * 0.68;
      } else {
        const lush = grain * (night ? 0.3 : 1.5);
        rgb[at] = verge[0] + lush;
        rgb[at + 1] = verge[1] + lush;
        rgb[at + 2] = verge[2] + lush * 0.6;
      }
    }
  }
}

function paintMarks(canvas: Canvas, seconds: number, line: number, night: boolean): void {
  const { width, height } = canvas;
  const white: Color = night ? [206, 204, 190] : [244, 244, 240];
  const at = (across: number, distance: number): Point => [
    width / 2 + (across * halfRoad * width) / distance,
    rowAt(line, height, distance),
  ];
  const strip = (across: number, half: number, from: number, to: number) =>
    canvas.polygon(
      [at(across - half, to), at(across + half, to), at(across + half, from), at(across - half, from)],
      white,
    );
  for (const side of [-0.93, 0.93]) strip(side, 0.014, 0.9, 60);
  const moved = (seconds * speed) % 1.2;
  for (let n = 0; n < 18; n++) {
    const from = 0.55 + n * 1.2 - moved;
    if (from > 0.3) strip(-0.05, 0.016, Math.max(0.6, from), from + 0.6);
  }
}

/** Street lamps at night, trees by day; the far ones first. */
function paintRoadside(canvas: Canvas, seconds: number, line: number, night: boolean): void {
  const { width, height } = canvas;
  const gap = 1.6;
  const passed = Math.floor((seconds * speed) / gap);
  const moved = seconds * speed - passed * gap;
  for (let n = 11; n >= 0; n--) {
    const distance = 0.7 + n * gap - moved;
    if (distance < 0.62) continue;
    for (const side of [-1, 1]) {
      const x = width / 2 + (side * 1.16 * halfRoad * width) / distance;
      const y = rowAt(line, height, distance);
      const size = (height * 0.62) / distance;
      if (night) paintLamp(canvas, x, y, size, side);
      else paintTree(canvas, x, y, size * 0.8, (n + passed) * 2 + side);
    }
  }
}

function paintLamp(canvas: Canvas, x: number, y: number, size: number, side: number): void {
  const head: Point = [x - side * size * 0.3, y - size];
  canvas.line([x, y], [x, y - size], size * 0.028, [40, 42, 54]);
  canvas.line([x, y - size], head, size * 0.024, [40, 42, 54]);
  canvas.ellipse(head[0], y + size * 0.02, size * 0.5, size * 0.06, [255, 190, 96], 0.1);
  canvas.glow(head[0], head[1], size * 0.62, [255, 176, 84], 0.7);
  canvas.disc(head[0], head[1], Math.max(1, size * 0.05), [255, 240, 200]);
}

function paintTree(canvas: Canvas, x: number, y: number, size: number, seed: number): void {
  canvas.line([x, y], [x, y - size * 0.5], size * 0.1, [92, 68, 46]);
  const random = randomFrom(seed + 100);
  for (let clump = 0; clump < 8; clump++) {
    const dx = (random() - 0.5) * size * 0.5;
    const dy = -size * (0.5 + random() * 0.5);
    canvas.disc(x + dx, y + dy, size * 0.22, mix([36, 92, 36], [104, 164, 62], random()));
  }
}

/** The car from behind; (x, y) is the middle between its rear wheels, on the road. */
function paintCar(canvas: Canvas, x: number, y: number, size: number, { night, car }: RoadLook): void {
  const dim = night ? 0.82 : 1;
  const shade = (share: number): Color => [car[0] * share * dim, car[1] * share * dim, car[2] * share * dim];
  const at = (dx: number, dy: number): Point => [x + dx * size, y - dy * size];
  canvas.ellipse(x, y + size * 0.02, size * 0.82, size * 0.09, [6, 6, 10], 0.65);
  for (const side of [-1, 1]) {
    canvas.polygon(
      [at(side * 0.66, -0.02), at(side * 0.42, -0.02), at(side * 0.42, 0.24), at(side * 0.66, 0.24)],
      [14, 14, 16],
    );
  }
  canvas.polygon(
    [at(-0.7, 0.12), at(0.7, 0.12), at(0.74, 0.3), at(0.7, 0.52), at(-0.7, 0.52), at(-0.74, 0.3)],
    shade(0.82),
  );
  canvas.polygon([at(-0.7, 0.5), at(0.7, 0.5), at(0.6, 0.6), at(-0.6, 0.6)], shade(1.1));
  canvas.polygon([at(-0.6, 0.58), at(0.6, 0.58), at(0.42, 0.93), at(-0.42, 0.93)], shade(0.9));
  canvas.polygon([at(-0.42, 0.92), at(0.42, 0.92), at(0.34, 0.97), at(-0.34, 0.97)], shade(1.18));
  const glass: Color = night ? [22, 26, 40] : [66, 92, 122];
  canvas.polygon([at(-0.5, 0.62), at(0.5, 0.62), at(0.36, 0.88), at(-0.36, 0.88)], glass);
  canvas.polygon([at(-0.44, 0.64), at(-0.2, 0.64), at(-0.28, 0.86), at(-0.34, 0.86)], [160, 180, 206], 0.22);
  canvas.polygon([at(-0.72, 0.12), at(0.72, 0.12), at(0.72, 0.2), at(-0.72, 0.2)], [26, 26, 30]);
  canvas.polygon([at(-0.17, 0.24), at(0.17, 0.24), at(0.17, 0.34), at(-0.17, 0.34)], [232, 230, 214]);
  canvas.line(at(-0.68, 0.46), at(0.68, 0.46), size * 0.012, shade(1.25));
  for (const side of [-1, 1]) {
    const [lx, ly] = at(side * 0.52, 0.39);
    canvas.ellipse(lx, ly, size * 0.15, size * 0.06, night ? [255, 52, 36] : [150, 18, 18]);
    if (!night) continue;
    canvas.ellipse(lx, ly, size * 0.08, size * 0.03, [255, 190, 170]);
    canvas.glow(lx, ly, size * 0.55, [255, 30, 18], 0.62);
    canvas.ellipse(lx, y + size * 0.14, size * 0.2, size * 0.1, [150, 16, 14], 0.22);
  }
}

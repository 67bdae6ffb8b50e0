// Abstract pictures: moving coloured shapes, stripes, squares, gradients and a printed page.
import { type Canvas, type Color, type Point, ramp } from './canvas.ts';
import { randomFrom } from './noise.ts';
import type { Scene } from './scene.ts';

export type ShapeName = 'circle' | 'square' | 'triangle' | 'star';

function corners(shape: ShapeName, x: number, y: number, radius: number, turn: number): Point[] {
  const count = { circle: 0, square: 4, triangle: 3, star: 10 }[shape];
  return Array.from({ length: count }, (_, n) => {
    const angle = turn + (n * 2 * Math.PI) / count - Math.PI / 2;
    const reach = shape === 'star' && n % 2 ? radius * 0.42 : radius;
    return [x + Math.cos(angle) * reach, y + Math.sin(angle) * reach];
  });
}

/** A shape that moves over a plain background. */
export function movingShape(shape: ShapeName, color: Color, ground: Color): Scene {
  return (width, height) => (canvas, seconds) => {
    canvas.rows(0, height, () => ground);
    const x = width * (0.5 + 0.28 * Math.sin(seconds * 1.3));
    const y = height * (0.5 + 0.16 * Math.sin(seconds * 2.1 + 1));
    const radius = height * 0.26;
    if (shape === 'circle') canvas.disc(x, y, radius, color);
    else canvas.polygon(corners(shape, x, y, radius, seconds * 0.9), color);
  };
}

/** Stripes of two colours, `count` of them across the width, that move sideways; tilted by `slant`. */
export function stripes(first: Color, second: Color, count: number, slant: number): Scene {
  return (width, height) => (canvas, seconds) => {
    canvas.rows(0, height, () => second);
    const step = width / count;
    const lean = slant * height;
    const moved = (seconds * step * 0.7) % (step * 2);
    for (let x = -step * 2 - Math.abs(lean) + moved; x < width + Math.abs(lean); x += step * 2) {
      canvas.polygon(
        [
          [x, 0],
          [x + step, 0],
          [x + step + lean, height],
          [x + lean, height],
        ],
        first,
      );
    }
  };
}

export function checkerboard(first: Color, second: Color, rows: number): Scene {
  return (width, height) => (canvas, seconds) => {
    canvas.rows(0, height, () => second);
    const side = height / rows;
    const moved = (seconds * side * 0.5) % (side * 2);
    for (let row = 0; row < rows; row++) {
      for (let x = (row % 2) * side - side * 2 + moved; x < width; x += side * 2) {
        canvas.box(x, row * side, side, side, first);
      }
    }
  };
}

/** A gradient from the top left to the bottom right corner. */
export function gradient(colors: readonly Color[]): Scene {
  return (width, height) => (canvas, seconds) => {
    const { rgb } = canvas;
    for (let y = 0, at = 0; y < height; y++) {
      for (let x = 0; x < width; x++, at += 3) {
        rgb.set(ramp(colors, (x / width + y / height) / 2 + 0.05 * Math.sin(seconds)), at);
      }
    }
  };
}

/** A printed page: a heading and lines of words in black on white paper. */
export function printedPage(seed: number): Scene {
  return (width, height) => (canvas) => {
    canvas.rows(0, height, () => [250, 249, 245]);
    const random = randomFrom(seed);
    const margin = width * 0.12;
    const ink: Color = [28, 28, 32];
    printLine(canvas, random, margin, height * 0.08, width * 0.62, height * 0.034, [20, 20, 24]);
    canvas.box(margin, height * 0.145, width - margin * 2, Math.max(1, height * 0.002), [120, 120, 124]);
    const line = height * 0.028;
    for (let row = 0; row < 27; row++) {
      if (row % 9 === 8) continue;
      const full = row % 9 === 7 ? 0.35 + random() * 0.3 : 1;
      const indent = row % 9 === 0 ? line * 1.4 : 0;
      const y = height * 0.175 + row * line;
      printLine(canvas, random, margin + indent, y, (width - margin * 2 - indent) * full, line * 0.56, ink);
    }
  };
}

/** Illegible words of letters made of stems, bowls and bars, like print seen from too far away. */
function printLine(
  canvas: Canvas,
  random: () => number,
  left: number,
  top: number,
  length: number,
  size: number,
  ink: Color,
): void {
  const pen = Math.max(0.8, size * 0.15);
  const [right, base] = [left + length, top + size];
  let x = left;
  while (x < right - size) {
    const letters = 2 + Math.floor(random() * 8);
    for (let letter = 0; letter < letters && x < right - size * 0.5; letter++) {
      const wide = size * (0.34 + random() * 0.22);
      const kind = Math.floor(random() * 6);
      const rise = kind === 0 || letter === 0 ? size : size * 0.68;
      const mid = base - rise / 2;
      if (kind !== 1) canvas.box(x, base - rise, pen, rise, ink);
      if (kind === 1 || kind === 2) {
        canvas.ellipse(x + wide / 2, base - size * 0.34, wide / 2, size * 0.34, ink);
        canvas.ellipse(
          x + wide / 2,
          base - size * 0.34,
          wide / 2 - pen,
          size * 0.34 - pen * 0.8,
          [250, 249, 245],
        );
      }
      if (kind === 3) canvas.box(x + wide - pen, base - size * 0.68, pen, size * 0.68, ink);
      if (kind >= 3) canvas.box(x, kind === 4 ? mid : base - size * 0.68, wide, pen * 0.8, ink);
      if (kind === 5) canvas.box(x, base - pen, wide, pen * 0.8, ink);
      x += wide + size * 0.17;
    }
    x += size * 0.42;
  }
}

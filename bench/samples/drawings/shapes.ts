// Abstract pictures: moving coloured shapes, stripes, squares, gradients and a printed page.
import { type Color, type Point, ramp } from './canvas.ts';
import { paintText, textWidth } from './letters.ts';
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

/** A printed page: a heading and lines in black on white paper. */
export function printedPage(heading: string, paragraphs: readonly string[]): Scene {
  return (width, height) => (canvas) => {
    canvas.rows(0, height, () => [250, 249, 245]);
    const margin = width * 0.1;
    const title = { left: margin, base: height * 0.115, size: height * 0.036, pen: 0.16 };
    paintText(canvas, heading, title, [20, 20, 24]);
    canvas.box(margin, height * 0.145, width - margin * 2, Math.max(1, height * 0.002), [120, 120, 124]);
    const size = height * 0.0165;
    let base = height * 0.195;
    for (const paragraph of paragraphs) {
      for (const line of linesOf(paragraph, (width - margin * 2) / size)) {
        paintText(canvas, line, { left: margin, base, size, pen: 0.14 }, [28, 28, 32]);
        base += height * 0.032;
      }
      base += height * 0.018;
    }
  };
}

/** `most`: how wide a line may be, in heights of a capital letter. */
function linesOf(paragraph: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of paragraph.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && textWidth(longer) <= most) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

// A close-up of flowers with a yellow centre, in front of leaves that are out of focus.
import { type Canvas, type Color, mix } from './canvas.ts';
import { fractal, noiseFrom, randomFrom } from './noise.ts';
import type { Scene } from './scene.ts';

export function flowers(seed: number, petal: Color): Scene {
  return (width, height) => (canvas) => {
    const random = randomFrom(seed);
    const blur = fractal(noiseFrom(seed + 1), 3);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const light = blur((x / width) * 6, (y / height) * 5) * 1.5 - 0.3;
        canvas.put(x, y, ...mix([18, 52, 22], [124, 176, 76], light));
      }
    }
    for (let spot = 0; spot < 26; spot++) {
      canvas.disc(
        random() * width,
        random() * height,
        height * (0.02 + random() * 0.06),
        [190, 222, 140],
        0.16,
      );
    }
    const places = [
      [0.2, 0.66, 0.2],
      [0.84, 0.68, 0.17],
      [0.78, 0.22, 0.13],
      [0.48, 0.42, 0.3],
    ] as const;
    for (const [x, y, size] of places) {
      canvas.line([x * width, y * height], [(x + 0.03) * width, height * 1.1], height * 0.02, [58, 116, 44]);
      paintFlower(canvas, x * width, y * height, size * height, petal, random);
    }
  };
}

function paintFlower(
  canvas: Canvas,
  x: number,
  y: number,
  size: number,
  petal: Color,
  random: () => number,
): void {
  const dark: Color = [petal[0] * 0.55, petal[1] * 0.5, petal[2] * 0.55];
  for (let ring = 0; ring < 2; ring++) {
    const count = 9 - ring;
    for (let n = 0; n < count; n++) {
      const angle = ((n + ring * 0.5) / count) * 2 * Math.PI + random() * 0.16;
      paintPetal(
        canvas,
        x,
        y,
        size * (1 - ring * 0.28),
        angle,
        mix(dark, petal, 0.62 + ring * 0.3 + random() * 0.15),
        dark,
      );
    }
  }
  canvas.disc(x, y, size * 0.25, [140, 86, 14]);
  for (let n = 0; n < 70; n++) {
    const angle = n * 2.4;
    const reach = Math.sqrt(n / 70) * size * 0.22;
    canvas.disc(
      x + Math.cos(angle) * reach,
      y + Math.sin(angle) * reach,
      size * 0.024,
      mix([196, 140, 24], [255, 226, 92], random()),
    );
  }
}

function paintPetal(
  canvas: Canvas,
  x: number,
  y: number,
  length: number,
  angle: number,
  color: Color,
  dark: Color,
): void {
  const outline = Array.from({ length: 26 }, (_, n) => {
    const along = n < 13 ? n / 12 : (25 - n) / 12;
    const side = n < 13 ? 1 : -1;
    const wide = Math.sin(Math.PI * along ** 0.75) * 0.24 * length * side;
    const reach = length * (0.1 + along * 0.9);
    return [
      x + Math.cos(angle) * reach - Math.sin(angle) * wide,
      y + Math.sin(angle) * reach + Math.cos(angle) * wide,
    ] as const;
  });
  canvas.polygon(outline, dark);
  const inner = outline.map(
    ([px, py]) =>
      [
        px + (x + Math.cos(angle) * length * 0.55 - px) * 0.07,
        py + (y + Math.sin(angle) * length * 0.55 - py) * 0.07,
      ] as const,
  );
  canvas.polygon(inner, color);
  for (let vein = -1; vein <= 1; vein++) {
    const bend = angle + vein * 0.1;
    canvas.line(
      [x + Math.cos(angle) * length * 0.2, y + Math.sin(angle) * length * 0.2],
      [x + Math.cos(bend) * length * 0.86, y + Math.sin(bend) * length * 0.86],
      length * 0.012,
      dark,
      0.4,
    );
  }
}

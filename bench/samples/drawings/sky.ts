// Skies: drifting clouds, twinkling stars, and a moon with its maria.
import { Canvas, type Color, mix } from './canvas.ts';
import { fractal, noiseFrom, randomFrom, smooth } from './noise.ts';

export interface CloudShape {
  /** Size of the largest clouds in px, across and down. */
  readonly across: number;
  readonly down: number;
  /** Share of the sky that is covered, 0 to 1. */
  readonly amount: number;
}

/** A layer of clouds, white on top and grey below, thinner towards its lower edge. */
export function cloudLayer(seed: number, width: number, height: number, shape: CloudShape): Canvas {
  const layer = Canvas.layer(width, height);
  const field = fractal(noiseFrom(seed), 5);
  const floor = 0.78 - shape.amount * 0.5;
  const at = (x: number, y: number) => field(x / shape.across + 40, y / shape.down + 40);
  for (let y = 0; y < height; y++) {
    const thin = 1 - smooth(0.62, 1, y / height);
    for (let x = 0; x < width; x++) {
      const density = at(x, y);
      const alpha = smooth(floor, floor + 0.16, density) * thin;
      if (alpha <= 0) continue;
      const lit = smooth(-0.12, 0.1, density - at(x + shape.across * 0.06, y - shape.down * 0.22));
      layer.blend(x, y, mix([176, 188, 206], [255, 255, 255], lit), alpha * 0.97);
    }
  }
  return layer;
}

/** Coverage of high cloud streaks, width×height values 0 to 1; the painter chooses their colour. */
export function streaks(seed: number, width: number, height: number): Float32Array {
  const field = fractal(noiseFrom(seed), 5);
  const values = new Float32Array(width * height);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      const bend = field(x / width, y / height) * 0.5;
      values[at] = smooth(0.5, 0.78, field((x / width) * 3 + bend, (y / height) * 11 + 60));
    }
  }
  return values;
}

/** Paints stars on the rows above `bottom`. `strength`: 0 by day, 1 by night. */
export function starPainter(seed: number, count: number, width: number, bottom: number) {
  const random = randomFrom(seed);
  const stars = Array.from({ length: count }, () => ({
    x: random() * width,
    y: random() ** 1.4 * bottom,
    size: 0.45 + random() ** 3 * 0.9,
    phase: random() * 7,
  }));
  return (canvas: Canvas, seconds: number, strength: number) => {
    if (strength <= 0) return;
    for (const { x, y, size, phase } of stars) {
      const twinkle = 0.75 + 0.25 * Math.sin(seconds * 3 + phase);
      canvas.disc(x, y, size * (width / 640), [235, 240, 255], strength * twinkle);
    }
  };
}

export function paintMoon(canvas: Canvas, x: number, y: number, radius: number, strength: number): void {
  if (strength <= 0) return;
  canvas.glow(x, y, radius * 6, [90, 105, 140], 0.55 * strength);
  canvas.disc(x, y, radius, [240, 238, 222], strength);
  const maria: readonly (readonly [number, number, number])[] = [
    [-0.35, -0.25, 0.3],
    [0.2, -0.35, 0.22],
    [0.1, 0.25, 0.34],
    [-0.3, 0.4, 0.17],
    [0.5, 0.05, 0.15],
  ];
  const shade: Color = [196, 196, 190];
  for (const [dx, dy, size] of maria) {
    canvas.disc(x + dx * radius, y + dy * radius, size * radius, shade, 0.55 * strength);
  }
}

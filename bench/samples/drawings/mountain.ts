// Snowy mountains under a clear sky, fir trees in front, and falling snow.
import { Canvas, type Color, mix } from './canvas.ts';
import { fractal, noiseFrom, randomFrom, smooth } from './noise.ts';
import type { Scene } from './scene.ts';

export function snowyMountain(seed: number): Scene {
  return (width, height) => {
    const back = new Canvas(width, height);
    back.rows(0, height, (down) => mix([62, 116, 190], [212, 228, 242], (down * 1.5) ** 0.9));
    paintRange(back, seed, 0.5, 0.36, 2.2, 0.42);
    paintRange(back, seed + 4, 0.6, 0.62, 1.25, 0);
    paintValley(back, seed + 8);
    const random = randomFrom(seed + 2);
    for (let row = 0; row < 3; row++) {
      const count = 34 - row * 9;
      for (let tree = 0; tree < count; tree++) {
        const size = height * (0.05 + row * 0.045) * (0.7 + random() * 0.6);
        const y = height * (0.8 + row * 0.085 + random() * 0.03);
        paintFir(back, ((tree + random()) / count) * width, y, size, random);
      }
    }
    const flakes = Array.from({ length: 170 }, () => ({
      x: random() * width,
      y: random() * height,
      near: 0.3 + random() ** 2 * 0.7,
      sway: random() * 7,
    }));
    return (canvas, seconds) => {
      canvas.copy(back);
      for (const { x, y, near, sway } of flakes) {
        const fallen = (y + seconds * near * height * 0.2) % height;
        const blown = x + Math.sin(seconds * 1.3 + sway) * width * 0.012 + seconds * near * width * 0.02;
        canvas.disc(blown % width, fallen, near * 1.9 * (width / 640), [255, 255, 255], 0.55 + near * 0.4);
      }
    };
  };
}

/** Mountains that rise `rise` above `foot` (shares of the height); `haze` blends them into the sky. */
function paintRange(
  back: Canvas,
  seed: number,
  foot: number,
  rise: number,
  waves: number,
  haze: number,
): void {
  const { width, height } = back;
  const shape = fractal(noiseFrom(seed), 6);
  const rough = fractal(noiseFrom(seed + 1), 5);
  const ridge = (value: number) => 1 - Math.abs(value * 2 - 1) * 1.7;
  const topAt = (x: number) => {
    const along = (x / width) * waves;
    const peak = Math.exp(-(((x / width - 0.6) / 0.22) ** 2)) * 0.38;
    return height * (foot + 0.12 - rise * Math.max(0, ridge(shape(along * 1.6 + 3, 7)) * 0.68 + peak));
  };
  for (let x = 0; x < width; x++) {
    const top = topAt(x);
    for (let y = Math.max(0, Math.floor(top)); y < height; y++) {
      const deep = (y - top) / height;
      // Light from the left, by the slope of a rough surface.
      const lean = 9 * waves;
      const at = (dx: number) => rough(((x + dx) / width) * lean + deep * 5, (y / height) * lean * 0.8);
      const slope = (at(width * 0.012) - at(-width * 0.012)) * 2.6;
      const rock = smooth(0.5, 0.72, rough((x / width) * 24, (y / height) * 15) + deep * 0.42 - 0.08);
      const lit = 0.6 - slope * 1.5;
      const snow = mix([118, 144, 192], [252, 253, 255], lit);
      const stone = mix([52, 58, 76], [128, 122, 120], lit);
      const color = mix(mix(snow, stone, rock * 0.85), [176, 204, 232], haze);
      back.blend(x, y, color, Math.min(1, y + 1 - top));
    }
  }
}

function paintValley(back: Canvas, seed: number): void {
  const { width, height } = back;
  const drift = fractal(noiseFrom(seed), 4);
  for (let x = 0; x < width; x++) {
    const edge = height * (0.76 + 0.06 * (drift((x / width) * 3, 1) - 0.5));
    for (let y = Math.floor(edge); y < height; y++) {
      const lit = drift((x / width) * 7, (y / height) * 20) * 1.4 - 0.1;
      back.blend(x, y, mix([168, 190, 222], [250, 252, 255], lit), smooth(0, height * 0.03, y - edge));
    }
  }
}

function paintFir(back: Canvas, x: number, y: number, size: number, random: () => number): void {
  const dark: Color = [20, 50, 44];
  back.line([x, y], [x, y - size * 0.3], size * 0.09, [56, 42, 34]);
  for (let tier = 0; tier < 5; tier++) {
    const low = y - size * (0.14 + tier * 0.17);
    const half = size * (0.34 - tier * 0.058);
    const tip = low - size * 0.3;
    back.polygon(
      [
        [x - half, low],
        [x + half, low],
        [x, tip],
      ],
      mix(dark, [44, 84, 62], random() * 0.7),
    );
    back.polygon(
      [
        [x - half * 0.9, low - size * 0.02],
        [x - half * 0.1, low - size * 0.05],
        [x, tip],
      ],
      [236, 242, 250],
      0.75,
    );
  }
}

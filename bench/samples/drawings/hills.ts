// A summer day: clouds drift over green hills and cast shadows on the grass.
import { Canvas, type Color, mix } from './canvas.ts';
import { fractal, noiseFrom, noiseTile, randomFrom, smooth } from './noise.ts';
import type { Scene } from './scene.ts';
import { cloudLayer } from './sky.ts';

interface Hill {
  /** Mean height of the ridge and its amplitude, as shares of the picture's height. */
  readonly edge: number;
  readonly swing: number;
  /** Waves across the picture. */
  readonly waves: number;
  readonly light: Color;
  readonly dark: Color;
  readonly trees: number;
}

const hills: readonly Hill[] = [
  { edge: 0.52, swing: 0.13, waves: 2.3, light: [138, 172, 168], dark: [104, 142, 148], trees: 0 },
  { edge: 0.6, swing: 0.12, waves: 1.7, light: [126, 176, 92], dark: [82, 132, 72], trees: 60 },
  { edge: 0.71, swing: 0.13, waves: 1.3, light: [120, 184, 62], dark: [62, 124, 44], trees: 40 },
  { edge: 0.84, swing: 0.1, waves: 1, light: [104, 178, 48], dark: [44, 108, 30], trees: 0 },
];

const drift = 14;

/** `seconds`: duration of the shot, which the cloud layers are wide enough for. */
export function hillsAndClouds(seed: number, seconds: number): Scene {
  return (width, height) => {
    const unit = width / 640;
    const skyHeight = Math.round(height * 0.66);
    const wide = width + Math.ceil(seconds * drift * 1.6 * unit) + 2;
    const shape = (across: number, amount: number) => ({
      across: across * unit,
      down: across * 0.42 * unit,
      amount,
    });
    const far = cloudLayer(seed, wide, Math.round(skyHeight * 0.9), shape(170, 0.48));
    const near = cloudLayer(seed + 5, wide, Math.round(skyHeight * 0.62), shape(300, 0.5));
    const land = paintLand(seed, width, height);
    const shadow = noiseTile(seed + 3, 256, 4, 3);
    return (canvas, at) => {
      canvas.rows(0, skyHeight, (down) => mix([44, 116, 206], [186, 220, 244], down ** 0.8));
      canvas.over(far, -Math.round(at * drift * 0.6 * unit), 0);
      canvas.over(near, -Math.round(at * drift * 1.6 * unit), 0);
      canvas.over(land, 0, 0);
      castShadow(canvas, shadow, Math.round(height * 0.56), (at * drift * 1.6) / 3, unit);
    };
  };
}

function paintLand(seed: number, width: number, height: number): Canvas {
  const land = Canvas.layer(width, height);
  const random = randomFrom(seed + 2);
  hills.forEach((hill, n) => {
    const line = fractal(noiseFrom(seed + 20 + n), 2);
    const grass = fractal(noiseFrom(seed + 30 + n), 4);
    const edgeAt = (x: number) =>
      height * (hill.edge + hill.swing * (line((x / width) * hill.waves * 2 + n * 9, 0.5) - 0.5) * 2);
    const grain = (9 / (n + 1)) * (width / 640);
    for (let x = 0; x < width; x++) {
      const edge = edgeAt(x);
      const slope = edgeAt(x + width * 0.02) - edge;
      for (let y = Math.floor(edge); y < height; y++) {
        const below = (y - edge) / (height * 0.22);
        const texture = grass(x / (grain * 1.6), y / grain) - 0.5;
        const lit = 0.72 + slope * (9 / height) - below * 0.75 + texture * (0.25 + n * 0.28);
        land.blend(x, y, mix(hill.dark, hill.light, lit), Math.min(1, y + 1 - edge));
      }
    }
    for (let tree = 0; tree < hill.trees; tree++) {
      const x = random() * width;
      const y = edgeAt(x) + random() ** 2 * height * 0.09;
      paintTree(land, x, y, height * (0.012 + 0.016 * (n - 1)) * (0.7 + random() * 0.6), random);
    }
  });
  paintFlowers(land, random);
  return land;
}

function paintTree(land: Canvas, x: number, y: number, size: number, random: () => number): void {
  land.ellipse(x + size * 0.5, y + size * 0.1, size * 1.1, size * 0.25, [30, 70, 30], 0.4);
  for (let clump = 0; clump < 9; clump++) {
    const dx = (random() - 0.5) * size * 1.1;
    const dy = -random() * size * 1.5;
    const lit = 0.5 - dy / (size * 3) - dx / (size * 3);
    land.disc(x + dx, y + dy, size * (0.35 + random() * 0.2), mix([28, 70, 30], [88, 140, 54], lit));
  }
}

function paintFlowers(land: Canvas, random: () => number): void {
  const { width, height } = land;
  const colors: readonly Color[] = [
    [250, 214, 60],
    [246, 246, 240],
    [226, 70, 60],
  ];
  for (let flower = 0; flower < 420; flower++) {
    const near = random() ** 0.7;
    const y = height * (0.86 + 0.14 * near);
    land.disc(
      random() * width,
      y,
      (0.6 + near * 1.5) * (width / 640),
      colors[Math.floor(random() * 3)]!,
      0.9,
    );
  }
}

function castShadow(canvas: Canvas, shadow: Uint8Array, top: number, moved: number, unit: number): void {
  const { rgb, width, height } = canvas;
  for (let y = top; y < height; y++) {
    const row = ((Math.floor(((y - top) * 1.1) / unit) & 255) * 256) | 0;
    const strength = 0.34 * smooth(top, top + height * 0.08, y);
    for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
      const value = shadow[row + (Math.floor((x / unit) * 0.36 + moved) & 255)]!;
      if (value < 118) continue;
      const light = 1 - strength * Math.min(1, (value - 118) / 40);
      rgb[at] = rgb[at]! * light;
      rgb[at + 1] = rgb[at + 1]! * light;
      rgb[at + 2] = rgb[at + 2]! * light;
    }
  }
}

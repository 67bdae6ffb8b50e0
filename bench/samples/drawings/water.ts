// Open water in perspective: waves in the colours of the sky, with the reflection of the sun or the moon.
import { type Canvas, type Color, mix } from './canvas.ts';
import { noiseTile, smooth } from './noise.ts';

export interface Light {
  /** Column of the sun or moon, px. */
  readonly x: number;
  readonly color: Color;
  /** 0 to 1. */
  readonly strength: number;
}

const size = 512;
const mask = size - 1;

export type Water = (canvas: Canvas, seconds: number, far: Color, near: Color, light: Light) => void;

/** Water from row `top` to row `bottom`. */
export function water(seed: number, top: number, bottom: number): Water {
  const slow = noiseTile(seed, size, 32, 3);
  const fast = noiseTile(seed + 9, size, 64, 3);
  return (canvas, seconds, far, near, light) => {
    const { rgb, width } = canvas;
    const unit = width / 640;
    for (let y = top; y < bottom; y++) {
      const depth = (y + 0.5 - top) / (bottom - top);
      const away = 1 / (depth + 0.04);
      const base = mix(far, near, Math.sqrt(depth));
      const slowRow = ((Math.floor(away * 420 + seconds * 9) & mask) * size) | 0;
      const fastRow = ((Math.floor(away * 610 + seconds * 23) & mask) * size) | 0;
      const step = (away * 0.55) / unit;
      const height = 46 * smooth(0, 0.35, depth) + 7;
      const spread = (10 + depth * 80) * unit;
      const calm = 1 - smooth(0.1, 0.6, depth) * 0.35;
      for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
        const across = (x - width / 2) * step;
        const wave =
          (slow[slowRow + (Math.floor(across + seconds * 6) & mask)]! +
            fast[fastRow + (Math.floor(across * 1.4 - seconds * 11) & mask)]! -
            255) /
          255;
        const lift = wave * height;
        const off = (x - light.x) / spread;
        const glitter =
          off * off < 6 ? light.strength * Math.exp(-off * off) * Math.max(0, calm * 0.42 + wave * 1.9) : 0;
        rgb[at] = base[0] + lift * 0.8 + glitter * light.color[0];
        rgb[at + 1] = base[1] + lift * 0.95 + glitter * light.color[1];
        rgb[at + 2] = base[2] + lift * 1.1 + glitter * light.color[2];
      }
    }
  };
}

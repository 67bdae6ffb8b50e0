// Sunset over the sea, then night with stars and a rising moon.
import { type Canvas, type Color, mix, ramp } from './canvas.ts';
import { smooth } from './noise.ts';
import type { Scene } from './scene.ts';
import { paintMoon, starPainter, streaks } from './sky.ts';
import { water } from './water.ts';

/** Colours from afternoon (first) to night (last). */
const zenith: readonly Color[] = [
  [72, 122, 186],
  [64, 82, 148],
  [40, 42, 98],
  [13, 17, 50],
  [5, 8, 27],
];
const middle: readonly Color[] = [
  [242, 190, 132],
  [238, 132, 88],
  [160, 66, 98],
  [36, 34, 84],
  [10, 17, 46],
];
const horizon: readonly Color[] = [
  [255, 218, 142],
  [255, 168, 78],
  [240, 100, 58],
  [92, 54, 92],
  [22, 32, 66],
];
const cloudTint: readonly Color[] = [
  [255, 236, 208],
  [255, 150, 96],
  [198, 70, 84],
  [44, 36, 74],
  [16, 20, 46],
];

/** Time passes from `from` to `to` (0: an hour before sunset, 1: night) in `duration` seconds. */
export function sunset(seed: number, from: number, to: number, duration: number): Scene {
  return (width, height) => {
    const line = Math.round(height * 0.58);
    const cloud = streaks(seed, width, line);
    const stars = starPainter(seed + 1, 150, width, line * 0.95);
    const sea = water(seed + 2, line, height);
    return (canvas, seconds) => {
      const phase = from + (to - from) * Math.min(1, seconds / duration);
      paintSky(canvas, line, phase, cloud);
      stars(canvas, seconds, smooth(0.6, 0.9, phase));
      const moon = { x: width * 0.7, y: line * (1.12 - 0.8 * smooth(0.55, 1.05, phase)) };
      paintMoon(canvas, moon.x, moon.y, height * 0.062, smooth(0.6, 0.78, phase));
      const sun = { x: width * 0.42, y: line * (0.52 + phase * 1.25) };
      paintSun(canvas, sun.x, sun.y, height * 0.075, phase, line);
      const night = smooth(0.5, 0.68, phase);
      const light = {
        x: night > 0.5 ? moon.x : sun.x,
        color: mix(ramp(horizon, phase), [205, 212, 225], night),
        strength: night > 0.5 ? 0.62 * smooth(0.6, 0.85, phase) : 0.95 * (1 - smooth(0.4, 0.6, phase)),
      };
      const far = mix(mix(ramp(horizon, phase), ramp(middle, phase), 0.5), [18, 30, 60], 0.38);
      sea(canvas, seconds, far, mix(ramp(zenith, phase), [6, 22, 44], 0.55), light);
    };
  };
}

function paintSky(canvas: Canvas, line: number, phase: number, cloud: Float32Array): void {
  const colors = [ramp(zenith, phase), ramp(middle, phase), ramp(horizon, phase)];
  const tint = ramp(cloudTint, phase);
  const { rgb, width } = canvas;
  for (let y = 0, at = 0, n = 0; y < line; y++) {
    const [r, g, b] = ramp(colors, (y / line) ** 1.2);
    for (let x = 0; x < width; x++, at += 3, n++) {
      const covered = cloud[n]! * 0.8;
      rgb[at] = r + (tint[0] - r) * covered;
      rgb[at + 1] = g + (tint[1] - g) * covered;
      rgb[at + 2] = b + (tint[2] - b) * covered;
    }
  }
}

function paintSun(canvas: Canvas, x: number, y: number, radius: number, phase: number, line: number): void {
  const strength = 1 - smooth(0.42, 0.62, phase);
  if (strength <= 0) return;
  canvas.glow(x, Math.min(y, line), radius * 8, ramp(horizon, phase), 0.36 * strength);
  if (y - radius > line) return;
  canvas.glow(x, y, radius * 2.6, [255, 190, 110], 0.4 * strength);
  canvas.disc(x, y, radius, mix([255, 250, 226], [255, 214, 122], smooth(0.1, 0.45, phase)));
}

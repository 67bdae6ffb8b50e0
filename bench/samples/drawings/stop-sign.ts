// A stop sign beside a road, near the camera.
import { type Canvas, type Color, mix, type Point } from './canvas.ts';
import { paintText, textWidth } from './letters.ts';
import { type RoadLook, road } from './road.ts';
import type { Scene } from './scene.ts';

const red: Color = [186, 24, 34];
const white: Color = [244, 242, 238];

/** The road with a car on it, and the sign at the right. */
export function stopSign(seed: number, look: RoadLook): Scene {
  const behind = road(seed, look);
  return (width, height) => {
    const paint = behind(width, height);
    return (canvas, seconds) => {
      paint(canvas, seconds);
      paintSign(canvas, width * 0.895, height * 0.34, height * 0.145);
    };
  };
}

function paintSign(canvas: Canvas, x: number, y: number, radius: number): void {
  const pole = radius * 0.09;
  canvas.box(x - pole / 2, y, pole, radius * 3.1, [126, 130, 134]);
  canvas.box(x - pole / 2, y, pole * 0.3, radius * 3.1, [182, 186, 190]);
  const octagon = (reach: number): Point[] =>
    Array.from({ length: 8 }, (_, n) => {
      const angle = ((n + 0.5) * Math.PI) / 4;
      return [x + Math.cos(angle) * reach, y + Math.sin(angle) * reach];
    });
  canvas.polygon(octagon(radius), mix(white, [160, 160, 160], 0.25));
  canvas.polygon(octagon(radius * 0.98), white);
  canvas.polygon(octagon(radius * 0.9), red);
  const size = radius * 0.42;
  const left = x - (textWidth('STOP') * size) / 2;
  paintText(canvas, 'STOP', { left, base: y + size / 2, size, pen: 0.22 }, white);
}

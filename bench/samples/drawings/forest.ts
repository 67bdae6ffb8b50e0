// A forest: three planes of trunks and leaves that move at different speeds (parallax), with light rays
// between them.
import { Canvas, type Color, mix } from './canvas.ts';
import { fractal, noiseFrom, randomFrom } from './noise.ts';
import type { Scene } from './scene.ts';

interface Plane {
  /** Pixels per second at 640 px width. */
  readonly speed: number;
  readonly trunks: number;
  readonly thickness: number;
  readonly bark: Color;
  readonly leaves: number;
  readonly leafSize: number;
  readonly light: Color;
  readonly dark: Color;
  /** Top of the plane's ground, as a share of the height. */
  readonly ground: number;
}

const planes: readonly Plane[] = [
  {
    speed: 7,
    trunks: 22,
    thickness: 9,
    bark: [104, 112, 78],
    leaves: 5200,
    leafSize: 3.4,
    light: [176, 206, 104],
    dark: [98, 144, 66],
    ground: 0.7,
  },
  {
    speed: 15,
    trunks: 11,
    thickness: 19,
    bark: [78, 64, 44],
    leaves: 5200,
    leafSize: 4.2,
    light: [118, 174, 58],
    dark: [44, 98, 36],
    ground: 0.79,
  },
  {
    speed: 30,
    trunks: 4,
    thickness: 40,
    bark: [46, 36, 28],
    leaves: 3600,
    leafSize: 5.6,
    light: [74, 136, 40],
    dark: [16, 52, 20],
    ground: 0.9,
  },
];

/** `seconds`: duration of the shot, which the planes are wide enough for. */
export function forest(seed: number, seconds: number): Scene {
  return (width, height) => {
    const unit = width / 640;
    const back = new Canvas(width, height);
    const haze = fractal(noiseFrom(seed + 1), 4);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const light = haze(x / (46 * unit), y / (34 * unit)) * 1.1 - 0.1;
        const [r, g, b] = mix([112, 154, 82], [226, 238, 172], light + 0.25 - (y / height) * 0.35);
        back.put(x, y, r, g, b);
      }
    }
    const painted = planes.map((plane, n) => {
      const wide = width + Math.ceil(plane.speed * seconds * unit) + 1;
      return paintPlane(plane, randomFrom(seed + n * 7), seed + n, wide, height, unit);
    });
    return (canvas, at) => {
      canvas.copy(back);
      painted.forEach((layer, n) => {
        canvas.over(layer, -Math.round(planes[n]!.speed * at * unit), 0);
        if (n === 1) paintRays(canvas, at, unit);
      });
    };
  };
}

function paintPlane(
  plane: Plane,
  random: () => number,
  seed: number,
  width: number,
  height: number,
  unit: number,
): Canvas {
  const layer = Canvas.layer(width, height);
  const texture = fractal(noiseFrom(seed + 50), 4);
  paintGround(layer, plane, texture, unit);
  const spacing = width / Math.round((plane.trunks * width) / (640 * unit));
  for (let x = spacing * random(); x < width; x += spacing * (0.6 + random() * 0.8)) {
    paintTrunk(layer, x, plane, texture, unit * (0.7 + random() * 0.6));
  }
  const count = Math.round((plane.leaves * width) / (640 * unit));
  for (let leaf = 0; leaf < count; leaf++) {
    const x = random() * width;
    const down = random() ** 1.8 * 0.62;
    // Leaves grow in clumps with gaps between them.
    if (texture(x / (70 * unit) + 9, (down * height) / (46 * unit)) < 0.44 + down * 0.24) continue;
    const color = mix(plane.dark, plane.light, random() * 0.9 + 0.2 - down * 0.4);
    const size = plane.leafSize * unit * (0.5 + random() * 0.7);
    layer.ellipse(x, down * height, size, size * (0.45 + random() * 0.4), color, 0.95);
  }
  return layer;
}

function paintGround(
  layer: Canvas,
  plane: Plane,
  texture: (x: number, y: number) => number,
  unit: number,
): void {
  const { width, height } = layer;
  for (let x = 0; x < width; x++) {
    const edge = height * (plane.ground + 0.05 * (texture(x / (80 * unit), 3) - 0.5));
    for (let y = Math.floor(edge); y < height; y++) {
      const grain = texture(x / (5 * unit), y / (2.6 * unit));
      const below = (y - edge) / (height * 0.3);
      const floor = mix(plane.dark, mix(plane.light, [150, 112, 60], 0.35), grain * 1.5 - 0.4 - below * 0.3);
      layer.blend(x, y, floor, Math.min(1, y + 1 - edge));
    }
  }
}

function paintTrunk(
  layer: Canvas,
  x: number,
  plane: Plane,
  texture: (x: number, y: number) => number,
  unit: number,
): void {
  const half = (plane.thickness * unit) / 2;
  const foot = layer.height * (plane.ground + 0.03);
  for (let y = 0; y < foot; y++) {
    const flare = half * (1 + 0.9 * Math.exp((y - foot) / (half * 1.6)));
    const lean = (texture(x / 30, y / 160) - 0.5) * half * 1.2;
    for (let dx = -Math.ceil(flare) - 1; dx <= flare + 1; dx++) {
      const round = dx / flare;
      const column = Math.floor(x + lean + dx);
      const grain = texture(dx / (half * 0.22) + x, y / (half * 0.9));
      const lit = 0.62 - round * 0.5 + (grain - 0.5) * 1.1;
      const color = mix(
        [plane.bark[0] * 0.45, plane.bark[1] * 0.45, plane.bark[2] * 0.45],
        [plane.bark[0] * 1.35, plane.bark[1] * 1.3, plane.bark[2] * 1.2],
        lit,
      );
      layer.blend(column, y, color, Math.min(1, flare - Math.abs(dx) + 0.5));
    }
  }
}

function paintRays(canvas: Canvas, seconds: number, unit: number): void {
  const { width, height } = canvas;
  for (let ray = 0; ray < 5; ray++) {
    const x = width * (0.16 + ray * 0.19) - seconds * 9 * unit;
    const strength = 0.1 + 0.04 * Math.sin(seconds * 0.9 + ray * 2);
    const foot = x - height * 0.5;
    const broad = (16 + ray * 5) * unit;
    canvas.polygon(
      [
        [x, -2],
        [x + broad, -2],
        [foot + broad * 2.4, height * 0.86],
        [foot, height * 0.86],
      ],
      [255, 250, 196],
      strength,
    );
  }
}

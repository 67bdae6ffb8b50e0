// A small painter for test pictures: 224×224, colours 0..1, everything from a seed.

export const SIDE = 224;
export type Rgb = readonly [number, number, number];
/** Called with the middle of a point, 0..1 from the left and from the top. */
export interface Shape {
  (x: number, y: number): boolean;
  /** Left, top, right, bottom: outside it there is nothing. */
  readonly bounds?: readonly [number, number, number, number];
}
export type Shading = (x: number, y: number) => Rgb;

export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  between(from: number, to: number): number {
    return from + (to - from) * this.next();
  }

  whole(from: number, to: number): number {
    return Math.floor(this.between(from, to + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)]!;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }
}

/** Hue in degrees, saturation and lightness 0..1. */
export function hsl(hue: number, saturation: number, lightness: number): Rgb {
  const part = (n: number) => {
    const k = (((n + hue / 30) % 12) + 12) % 12;
    return (
      lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    );
  };
  return [part(0), part(8), part(4)];
}

export function mix(a: Rgb, b: Rgb, share: number): Rgb {
  const t = Math.min(1, Math.max(0, share));
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
}

export function scaled(color: Rgb, by: number): Rgb {
  return [color[0] * by, color[1] * by, color[2] * by];
}

/** Noise with a spread of about half, drawn once: the length shares no factor with a row of the frame. */
const grainDice = new Dice(1);
const grains = Float32Array.from(
  { length: 65_521 },
  () => grainDice.next() + grainDice.next() + grainDice.next() - 1.5,
);

export class Canvas {
  readonly dice: Dice;
  readonly values = new Float32Array(SIDE * SIDE * 3);
  /** Names of the colours that were asked for. */
  readonly colours = new Set<string>();

  constructor(dice: Dice) {
    this.dice = dice;
  }

  paint(shading: Shading | Rgb, shape?: Shape): this {
    each(shape, (x, y, at) => {
      const [red, green, blue] = typeof shading === 'function' ? shading(x, y) : shading;
      this.values[at] = red;
      this.values[at + 1] = green;
      this.values[at + 2] = blue;
    });
    return this;
  }

  /** Colours from top to bottom of a band, evenly spaced. */
  gradient(colors: readonly Rgb[], from = 0, to = 1): this {
    const rows = Array.from({ length: SIDE }, (_, row) =>
      along(colors, ((row + 0.5) / SIDE - from) / (to - from)),
    );
    return this.paint((_, y) => rows[Math.floor(y * SIDE)]!, box(0, from, 1, to));
  }

  /**
   * Multiplies what is there by 1 ± strength in patches; `x` and `y` patches across the frame, halved each
   * octave.
   */
  grain(strength: number, x: number, y: number, octaves: number, shape?: Shape): this {
    const noise = this.noise(x, y, octaves);
    each(shape, (px, py, at) => {
      const factor = 1 + strength * (noise(px, py) * 2 - 1);
      for (let part = 0; part < 3; part++) this.values[at + part]! *= factor;
    });
    return this;
  }

  /** Smooth noise, 0..1, middle .5. */
  noise(x: number, y: number, octaves: number): (px: number, py: number) => number {
    const layers = Array.from({ length: octaves }, (_, i) => lattice(this.dice, x * 2 ** i, y * 2 ** i));
    const weights = layers.map((_, i) => 0.6 ** i);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return (px, py) => {
      let sum = 0;
      for (let i = 0; i < octaves; i++) sum += layers[i]!(px, py) * weights[i]!;
      return sum / total;
    };
  }

  change(how: (value: number, x: number, y: number) => number, shape?: Shape): this {
    each(shape, (x, y, at) => {
      for (let part = 0; part < 3; part++) this.values[at + part] = how(this.values[at + part]!, x, y);
    });
    return this;
  }

  /** Noise of a camera. */
  sensor(strength: number): this {
    const start = this.dice.whole(0, grains.length - 1);
    for (let i = 0; i < this.values.length; i++) {
      this.values[i]! += strength * grains[(start + i) % grains.length]!;
    }
    return this;
  }

  /** Three box blurs in each direction: nearly a bell curve. */
  blur(radius: number): this {
    for (let round = 0; round < 3; round++) {
      boxBlur(this.values, 3, SIDE * 3, radius);
      boxBlur(this.values, SIDE * 3, 3, radius);
    }
    return this;
  }

  bytes(): Uint8Array {
    const bytes = new Uint8ClampedArray(this.values.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.values[i]! * 255;
    return new Uint8Array(bytes.buffer);
  }
}

export function along(colors: readonly Rgb[], t: number): Rgb {
  const at = Math.min(0.9999, Math.max(0, t)) * (colors.length - 1);
  const low = Math.floor(at);
  return mix(colors[low]!, colors[Math.min(low + 1, colors.length - 1)]!, at - low);
}

export function ellipse(cx: number, cy: number, rx: number, ry: number): Shape {
  const inside = (x: number, y: number) => ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 < 1;
  return Object.assign(inside, { bounds: [cx - rx, cy - ry, cx + rx, cy + ry] as const });
}

export function box(left: number, top: number, right: number, bottom: number): Shape {
  const inside = (x: number, y: number) => x >= left && x < right && y >= top && y < bottom;
  return Object.assign(inside, { bounds: [left, top, right, bottom] as const });
}

/** Goes over the points of a shape; `at`: where the point's three values begin. */
function each(shape: Shape | undefined, visit: (x: number, y: number, at: number) => void): void {
  const [left, top, right, bottom] = (shape?.bounds ?? [0, 0, 1, 1]).map((side) =>
    Math.round(side * SIDE),
  ) as [number, number, number, number];
  for (let row = Math.max(0, top - 1); row < Math.min(SIDE, bottom + 1); row++) {
    for (let column = Math.max(0, left - 1); column < Math.min(SIDE, right + 1); column++) {
      const [x, y] = [(column + 0.5) / SIDE, (row + 0.5) / SIDE];
      if (shape === undefined || shape(x, y)) visit(x, y, (row * SIDE + column) * 3);
    }
  }
}

function lattice(dice: Dice, x: number, y: number): (px: number, py: number) => number {
  const [columns, rows] = [Math.ceil(x) + 2, Math.ceil(y) + 2];
  const points = Float32Array.from({ length: columns * rows }, () => dice.next());
  return (px, py) => {
    const gx = px * x;
    const gy = py * y;
    const cx = Math.floor(gx);
    const cy = Math.floor(gy);
    const fx = ease(gx - cx);
    const fy = ease(gy - cy);
    const at = cy * columns + cx;
    const top = points[at]! + (points[at + 1]! - points[at]!) * fx;
    const bottom = points[at + columns]! + (points[at + columns + 1]! - points[at + columns]!) * fx;
    return top + (bottom - top) * fy;
  };
}

function ease(t: number): number {
  return t * t * (3 - 2 * t);
}

/** Blurs along lines: `step` from point to point, `lines` from line to line. */
function boxBlur(values: Float32Array, step: number, lines: number, radius: number): void {
  const line = new Float32Array(SIDE);
  for (let n = 0; n < SIDE; n++) {
    for (let part = 0; part < 3; part++) {
      const start = n * lines + part;
      let sum = 0;
      for (let i = -radius; i <= radius; i++) sum += values[start + clamp(i) * step]!;
      for (let i = 0; i < SIDE; i++) {
        line[i] = sum / (2 * radius + 1);
        sum += values[start + clamp(i + radius + 1) * step]! - values[start + clamp(i - radius) * step]!;
      }
      for (let i = 0; i < SIDE; i++) values[start + i * step] = line[i]!;
    }
  }
}

function clamp(i: number): number {
  return Math.min(SIDE - 1, Math.max(0, i));
}

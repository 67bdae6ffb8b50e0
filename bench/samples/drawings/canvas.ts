// A software canvas: RGB bytes and the shapes that the samples are drawn with, all antialiased.
import { smooth } from './noise.ts';

/** Red, green, blue, 0 to 255. */
export type Color = readonly [number, number, number];
export type Point = readonly [number, number];

export function mix(from: Color, to: Color, share: number): Color {
  const at = Math.max(0, Math.min(1, share));
  return [
    from[0] + (to[0] - from[0]) * at,
    from[1] + (to[1] - from[1]) * at,
    from[2] + (to[2] - from[2]) * at,
  ];
}

/** Colour at `at` (0 to 1) of a gradient with equally spaced stops. */
export function ramp(colors: readonly Color[], at: number): Color {
  const place = Math.max(0, Math.min(1, at)) * (colors.length - 1);
  const index = Math.min(colors.length - 2, Math.floor(place));
  return mix(colors[index]!, colors[index + 1]!, place - index);
}

/** Vertical subsamples per row for antialiased polygons. */
const subRows = 4;

export class Canvas {
  readonly width: number;
  readonly height: number;
  /** width×height×3; values are clamped to 0 to 255. */
  readonly rgb: Uint8ClampedArray;
  /** Alpha of each pixel, 0 to 255, only on layers; their colours are premultiplied by it. */
  readonly cover: Uint8ClampedArray | null;

  /** Paints into `rgb`, *borrowed* while the canvas is in use. */
  constructor(width: number, height: number, rgb?: Uint8Array, cover: Uint8ClampedArray | null = null) {
    this.width = width;
    this.height = height;
    this.rgb = rgb
      ? new Uint8ClampedArray(rgb.buffer as ArrayBuffer, rgb.byteOffset, rgb.length)
      : new Uint8ClampedArray(width * height * 3);
    this.cover = cover;
  }

  /** A transparent canvas, to be composited with `over`. */
  static layer(width: number, height: number): Canvas {
    return new Canvas(width, height, undefined, new Uint8ClampedArray(width * height));
  }

  /**
   * Fills rows `top` to `bottom` with a vertical gradient: `color(0)` is the first row, `color(1)` the last.
   */
  rows(top: number, bottom: number, color: (at: number) => Color): void {
    const { rgb, cover, width } = this;
    for (let y = Math.max(0, top); y < Math.min(this.height, bottom); y++) {
      const first = y * width * 3;
      rgb.set(color((y - top) / Math.max(1, bottom - top - 1)), first);
      // Each copy doubles the part of the row that is filled.
      for (let done = 3; done < width * 3; done *= 2) {
        rgb.copyWithin(first + done, first, first + Math.min(done, width * 3 - done));
      }
      cover?.fill(255, y * width, (y + 1) * width);
    }
  }

  put(x: number, y: number, r: number, g: number, b: number): void {
    const pixel = y * this.width + x;
    this.rgb[pixel * 3] = r;
    this.rgb[pixel * 3 + 1] = g;
    this.rgb[pixel * 3 + 2] = b;
    if (this.cover) this.cover[pixel] = 255;
  }

  blend(x: number, y: number, color: Color, alpha: number): void {
    if (alpha <= 0 || x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    const pixel = y * this.width + x;
    const { rgb, cover } = this;
    const remainder = 1 - alpha;
    rgb[pixel * 3] = rgb[pixel * 3]! * remainder + color[0] * alpha;
    rgb[pixel * 3 + 1] = rgb[pixel * 3 + 1]! * remainder + color[1] * alpha;
    rgb[pixel * 3 + 2] = rgb[pixel * 3 + 2]! * remainder + color[2] * alpha;
    if (cover) cover[pixel] = cover[pixel]! * remainder + 255 * alpha;
  }

  disc(x: number, y: number, radius: number, color: Color, alpha = 1): void {
    this.ellipse(x, y, radius, radius, color, alpha);
  }

  ellipse(x: number, y: number, radiusX: number, radiusY: number, color: Color, alpha = 1): void {
    const edge = Math.min(radiusX, radiusY);
    for (let row = Math.floor(y - radiusY - 1); row <= y + radiusY + 1; row++) {
      for (let column = Math.floor(x - radiusX - 1); column <= x + radiusX + 1; column++) {
        const distance = Math.hypot((column + 0.5 - x) / radiusX, (row + 0.5 - y) / radiusY);
        const inside = Math.min(1, (1 - distance) * edge + 0.5);
        this.blend(column, row, color, inside * alpha);
      }
    }
  }

  /** Adds light that fades to 0 at `radius`. */
  glow(x: number, y: number, radius: number, color: Color, strength = 1): void {
    const { rgb, width, height } = this;
    const [r, g, b] = color;
    for (let row = Math.max(0, Math.ceil(y - radius)); row < Math.min(height, y + radius); row++) {
      const dy = (row - y) / radius;
      for (let column = Math.max(0, Math.ceil(x - radius)); column < Math.min(width, x + radius); column++) {
        const dx = (column - x) / radius;
        const falloff = 1 - dx * dx - dy * dy;
        if (falloff <= 0) continue;
        const light = falloff * falloff * falloff * strength;
        const at = (row * width + column) * 3;
        rgb[at] = rgb[at]! + r * light;
        rgb[at + 1] = rgb[at + 1]! + g * light;
        rgb[at + 2] = rgb[at + 2]! + b * light;
      }
    }
  }

  polygon(points: readonly Point[], color: Color, alpha = 1): void {
    const xs = points.map((point) => point[0]);
    const ys = points.map((point) => point[1]);
    const left = Math.max(0, Math.floor(Math.min(...xs)));
    const right = Math.min(this.width, Math.ceil(Math.max(...xs)) + 1);
    const last = Math.min(this.height - 1, Math.ceil(Math.max(...ys)));
    if (right <= left) return;
    const painted = new Float32Array(right - left);
    const crossings = new Float64Array(points.length);
    for (let row = Math.max(0, Math.floor(Math.min(...ys))); row <= last; row++) {
      let [from, to] = [painted.length, 0];
      for (let sub = 0; sub < subRows; sub++) {
        const count = crossingsAt(points, row + (sub + 0.5) / subRows, crossings);
        if (count < 2) continue;
        for (let n = 0; n + 1 < count; n += 2)
          addSpan(painted, crossings[n]! - left, crossings[n + 1]! - left);
        from = Math.min(from, Math.max(0, Math.floor(crossings[0]! - left)));
        to = Math.max(to, Math.min(painted.length, Math.ceil(crossings[count - 1]! - left)));
      }
      for (let x = from; x < to; x++) {
        if (painted[x]! > 0) this.blend(left + x, row, color, Math.min(1, painted[x]! / subRows) * alpha);
        painted[x] = 0;
      }
    }
  }

  box(left: number, top: number, width: number, height: number, color: Color, alpha = 1): void {
    const [right, bottom] = [left + width, top + height];
    const lastX = Math.min(this.width, Math.ceil(right));
    for (let y = Math.max(0, Math.floor(top)); y < Math.min(this.height, bottom); y++) {
      const rowShare = (Math.min(y + 1, bottom) - Math.max(y, top)) * alpha;
      for (let x = Math.max(0, Math.floor(left)); x < lastX; x++) {
        this.blend(x, y, color, rowShare * (Math.min(x + 1, right) - Math.max(x, left)));
      }
    }
  }

  line(from: Point, to: Point, thickness: number, color: Color, alpha = 1): void {
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
    const dx = (((to[1] - from[1]) / length) * thickness) / 2;
    const dy = (((from[0] - to[0]) / length) * thickness) / 2;
    const side = (point: Point, sign: number): Point => [point[0] + dx * sign, point[1] + dy * sign];
    this.polygon([side(from, 1), side(to, 1), side(to, -1), side(from, -1)], color, alpha);
  }

  /** Composites a layer onto this canvas, its top left corner at (left, top), in whole px. */
  over(layer: Canvas, left: number, top: number): void {
    const { rgb, width } = this;
    const from = layer.rgb;
    const cover = layer.cover!;
    const firstX = Math.max(0, left);
    const lastX = Math.min(width, left + layer.width);
    for (let y = Math.max(0, top); y < Math.min(this.height, top + layer.height); y++) {
      let source = (y - top) * layer.width + firstX - left;
      let at = (y * width + firstX) * 3;
      for (let x = firstX; x < lastX; x++, source++, at += 3) {
        const covered = cover[source]!;
        if (covered === 0) continue;
        const remainder = (255 - covered) / 255;
        rgb[at] = from[source * 3]! + rgb[at]! * remainder;
        rgb[at + 1] = from[source * 3 + 1]! + rgb[at + 1]! * remainder;
        rgb[at + 2] = from[source * 3 + 2]! + rgb[at + 2]! * remainder;
      }
    }
  }

  /** Copies all pixels of a canvas of the same size. */
  copy(from: Canvas): void {
    this.rgb.set(from.rgb);
  }

  /** Darkens towards the corners; `strength` is the loss in a corner, 0 to 1. */
  vignette(strength: number): void {
    const { rgb, width, height } = this;
    for (let y = 0, at = 0; y < height; y++) {
      for (let x = 0; x < width; x++, at += 3) {
        const distance = Math.hypot((2 * x) / width - 1, (2 * y) / height - 1);
        const light = 1 - strength * smooth(0.5, 1.4, distance);
        for (let channel = 0; channel < 3; channel++) rgb[at + channel] = rgb[at + channel]! * light;
      }
    }
  }
}

/** Writes the x coordinates where the outline crosses `y`, ascending, and returns their number. */
function crossingsAt(points: readonly Point[], y: number, crossings: Float64Array): number {
  let count = 0;
  for (let n = 0, before = points.length - 1; n < points.length; before = n++) {
    const [x0, y0] = points[before]!;
    const [x1, y1] = points[n]!;
    if (y0 <= y === y1 <= y) continue;
    const x = x0 + ((y - y0) / (y1 - y0)) * (x1 - x0);
    let place = count++;
    for (; place > 0 && crossings[place - 1]! > x; place--) crossings[place] = crossings[place - 1]!;
    crossings[place] = x;
  }
  return count;
}

function addSpan(painted: Float32Array, from: number, to: number): void {
  const left = Math.max(0, from);
  const right = Math.min(painted.length, to);
  for (let x = Math.floor(left); x < right; x++) {
    painted[x]! += Math.min(x + 1, right) - Math.max(x, left);
  }
}

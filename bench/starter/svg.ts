// Pieces of SVG that the drawings of the table are made of. Lengths in px of a frame of 224×224.
import type { Random } from '../diarization/random.ts';
import { SIDE } from './picture.ts';

/** Hue in degrees, saturation and lightness in percent. */
export const hsl = (hue: number, saturation: number, lightness: number): string =>
  `hsl(${hue.toFixed(0)},${saturation.toFixed(0)}%,${lightness.toFixed(0)}%)`;

export const rect = (x: number, y: number, width: number, height: number, fill: string): string =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" fill="${fill}"/>`;

export const ball = (x: number, y: number, rx: number, ry: number, fill: string): string =>
  `<ellipse cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" rx="${rx.toFixed(1)}" ry="${ry.toFixed(1)}" fill="${fill}"/>`;

export const path = (d: string, fill: string, more = ''): string => `<path d="${d}" fill="${fill}" ${more}/>`;

export const all = (count: number, piece: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => piece(i)).join('');

let names = 0;

/** Colours from top to bottom of a band. */
export function gradient(colours: readonly string[], from = 0, to = SIDE): string {
  const id = `g${++names}`;
  const stops = colours.map(
    (colour, i) => `<stop offset="${i / (colours.length - 1)}" stop-color="${colour}"/>`,
  );
  return `<linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1">${stops.join('')}</linearGradient>${rect(0, from, SIDE, to - from, `url(#${id})`)}`;
}

/** Outline of ground below a line that wanders around `y` by up to `by`. */
export function ridge(random: Random, y: number, by: number, steps: number): string {
  const heights = Array.from({ length: steps + 1 }, () => y + random.between(-by, by));
  const line = heights.map((height, i) => `L${((i * SIDE) / steps).toFixed(1)} ${height.toFixed(1)}`);
  return `M0 ${SIDE}${line.join('')}L${SIDE} ${SIDE}Z`;
}

export const lower = (y: number): string => `M0 ${y}H${SIDE}V${SIDE}H0Z`;
export const frame = lower(0);

export interface Grain {
  /** Cycles a pixel across and down. */
  readonly across: number;
  readonly down: number;
  readonly octaves: number;
  /** Colours from the lowest to the highest values of the noise. */
  readonly colours: readonly (readonly [red: number, green: number, blue: number])[];
  /** 1 leaves the noise as it is; more makes it harder. */
  readonly contrast?: number;
  /** Shines on the noise as on bumps of this height, in place of colours by its value alone. */
  readonly bumps?: number;
}

/** Fills an outline with fractal noise. Colours are 0..255. */
export function grain(
  random: Random,
  outline: string,
  { across, down, octaves, colours, contrast = 1, bumps }: Grain,
): string {
  const id = `n${++names}`;
  const seed = random.below(10_000);
  const table = (channel: 0 | 1 | 2) => colours.map((colour) => (colour[channel] / 255).toFixed(3)).join(' ');
  const shift = (0.5 - 0.5 * contrast * 2).toFixed(2);
  const row = `${2 * contrast} 0 0 0 ${shift}`;
  const light =
    bumps === undefined
      ? ''
      : `<feDiffuseLighting in="noise" surfaceScale="${bumps}" diffuseConstant="1" lighting-color="#fff" result="lit"><feDistantLight azimuth="235" elevation="50"/></feDiffuseLighting><feComposite in="toned" in2="lit" operator="arithmetic" k1="1.25" k2="0" k3="0" k4="0"/>`;
  return [
    `<clipPath id="c${id}"><path d="${outline}"/></clipPath>`,
    `<filter id="${id}" x="0" y="0" width="1" height="1" color-interpolation-filters="sRGB">`,
    `<feTurbulence type="fractalNoise" baseFrequency="${across} ${down}" numOctaves="${octaves}" seed="${seed}"/>`,
    `<feColorMatrix values="${row} ${row} ${row} 0 0 0 0 1"/>`,
    bumps === undefined
      ? ''
      : '<feColorMatrix values="1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 1 0 0 0 0" result="noise"/><feColorMatrix values="1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 0 1"/>',
    `<feComponentTransfer result="toned"><feFuncR type="table" tableValues="${table(0)}"/><feFuncG type="table" tableValues="${table(1)}"/><feFuncB type="table" tableValues="${table(2)}"/></feComponentTransfer>`,
    light,
    `</filter><g clip-path="url(#c${id})"><rect width="${SIDE}" height="${SIDE}" filter="url(#${id})"/></g>`,
  ].join('');
}

/** White clouds over what is there: noise as opacity, down to `to`. `cover` from 0 to 1. */
export function clouds(
  random: Random,
  to: number,
  cover: number,
  colour = [1, 1, 1] as readonly number[],
): string {
  const id = `n${++names}`;
  const [r, g, b] = colour;
  return [
    `<filter id="${id}" x="0" y="0" width="1" height="1" color-interpolation-filters="sRGB">`,
    `<feTurbulence type="fractalNoise" baseFrequency="${random.between(0.008, 0.014)} ${random.between(0.018, 0.03)}" numOctaves="5" seed="${random.below(10_000)}"/>`,
    `<feColorMatrix values="0 0 0 0 ${r} 0 0 0 0 ${g} 0 0 0 0 ${b} 6 0 0 0 ${(-3.9 + 2.4 * cover).toFixed(2)}"/></filter>`,
    `<rect width="${SIDE}" height="${to}" filter="url(#${id})"/>`,
  ].join('');
}

export const blurred = (radius: number, what: string): string => {
  const id = `b${++names}`;
  return `<filter id="${id}" x="-0.2" y="-0.2" width="1.4" height="1.4"><feGaussianBlur stdDeviation="${radius}"/></filter><g filter="url(#${id})">${what}</g>`;
};

/** Lines of strokes that look like writing. */
export function writing(
  random: Random,
  x: number,
  y: number,
  width: number,
  size: number,
  lines: number,
  colour: string,
): string {
  return all(lines, (line) => {
    let d = '';
    const end = x + width * (line === lines - 1 ? 0.6 : random.between(0.85, 1));
    for (let at = x; at < end; at += size * random.between(0.6, 0.85)) {
      if (random.between(0, 1) < 0.15) continue;
      const top = y + line * size * 1.9;
      const [a, b, c] = [0, 1, 2].map(() => random.between(0, size));
      d += `M${at} ${top + (a! < size / 2 ? 0 : size * 0.3)}V${top + size}M${at} ${top + b!}h${size * 0.45}${c! < size / 2 ? `v${size * 0.4}` : ''}`;
    }
    return `<path d="${d}" stroke="${colour}" stroke-width="${size * 0.14}" fill="none"/>`;
  });
}

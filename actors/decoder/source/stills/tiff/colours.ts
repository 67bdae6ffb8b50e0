// Samples of a TIFF as grey, RGB, or RGB with opacity.
import type { Pixels } from '../pixels.ts';
import type { TiffImage } from './directory.ts';

export const photometric = {
  whiteIsZero: 0,
  blackIsZero: 1,
  rgb: 2,
  palette: 3,
  cmyk: 5,
  ycbcr: 6,
  cielab: 8,
  icclab: 9,
} as const;

/** Samples that make the colour; null for photometric interpretations that are not known here. */
export function colourSamples({ photometric: kind, subsampling, samples }: TiffImage): number | null {
  // Some writers leave it out; the number of samples says enough.
  if (kind === -1) return samples >= 3 ? 3 : 1;
  if (kind === photometric.ycbcr) return subsampling[0] === 1 && subsampling[1] === 1 ? 3 : null;
  return ({ 0: 1, 1: 1, 2: 3, 3: 1, 5: 4, 8: 3, 9: 3 } as Record<number, number>)[kind] ?? null;
}

/** `alpha`: null without opacity; `multiplied` into the colours or not. The samples are used up. */
export function colourPixels(
  image: TiffImage,
  samples: Uint8Array,
  alpha: 'multiplied' | 'plain' | null,
): Pixels {
  const { width, height } = image;
  const colours = colourSamples(image)!;
  const step = colours + (alpha ? 1 : 0);
  const channels = alpha ? 4 : 3;
  const data = new Uint8Array(width * height * channels);
  const convert = converter(image);
  const rgb: [number, number, number] = [0, 0, 0];
  for (let from = 0, to = 0; from < samples.length; from += step, to += channels) {
    convert(samples, from, rgb);
    const opacity = alpha ? samples[from + colours]! : 255;
    for (let i = 0; i < 3; i++) {
      const level = alpha === 'multiplied' && opacity > 0 ? (rgb[i]! * 255) / opacity : rgb[i]!;
      data[to + i] = Math.max(0, Math.min(255, Math.round(level)));
    }
    if (alpha) data[to + 3] = opacity;
  }
  return { width, height, channels, data };
}

type Convert = (samples: Uint8Array, at: number, rgb: [number, number, number]) => void;

function converter({ photometric: kind, palette, bits, samples: count }: TiffImage): Convert {
  const set = (rgb: [number, number, number], r: number, g: number, b: number) => {
    [rgb[0], rgb[1], rgb[2]] = [r, g, b];
  };
  if (kind === photometric.palette) {
    const size = 2 ** (bits ?? 8);
    // Old writers store 8 bits in the low half of each colour.
    const shift = palette.some((level) => level > 255) ? 8 : 0;
    return (samples, at, rgb) => {
      const index = samples[at]!;
      const level = (channel: number) => (palette[channel * size + index] ?? 0) >> shift;
      set(rgb, level(0), level(1), level(2));
    };
  }
  if (kind === photometric.cmyk) {
    return (samples, at, rgb) => {
      const ink = (i: number) => ((255 - samples[at + i]!) * (255 - samples[at + 3]!)) / 255;
      set(rgb, ink(0), ink(1), ink(2));
    };
  }
  if (kind === photometric.ycbcr) {
    return (samples, at, rgb) => {
      const [y, b, r] = [samples[at]!, samples[at + 1]! - 128, samples[at + 2]! - 128];
      set(rgb, y + 1.402 * r, y - 0.344136 * b - 0.714136 * r, y + 1.772 * b);
    };
  }
  if (kind === photometric.cielab || kind === photometric.icclab) {
    const signed = (level: number) => (kind === photometric.icclab ? level - 128 : (level << 24) >> 24);
    return (samples, at, rgb) =>
      labToRgb((samples[at]! * 100) / 255, signed(samples[at + 1]!), signed(samples[at + 2]!), rgb);
  }
  if (kind === photometric.rgb || (kind === -1 && count >= 3))
    return (samples, at, rgb) => set(rgb, samples[at]!, samples[at + 1]!, samples[at + 2]!);
  const invert = kind === photometric.whiteIsZero ? 255 : 0;
  return (samples, at, rgb) => {
    const level = samples[at]! ^ invert;
    set(rgb, level, level, level);
  };
}

/** CIE L*a*b* of a D50 white to sRGB (IEC 61966-2-1), adapted to its D65 white by Bradford. */
function labToRgb(l: number, a: number, b: number, rgb: [number, number, number]) {
  const fy = (l + 16) / 116;
  const back = (f: number) => (f > 6 / 29 ? f ** 3 : 3 * (6 / 29) ** 2 * (f - 4 / 29));
  const x = 0.96422 * back(fy + a / 500);
  const y = back(fy);
  const z = 0.82521 * back(fy - b / 200);
  rgb[0] = level(3.1338561 * x - 1.6168667 * y - 0.4906146 * z);
  rgb[1] = level(-0.9787684 * x + 1.9161415 * y + 0.033454 * z);
  rgb[2] = level(0.0719453 * x - 0.2289914 * y + 1.4052427 * z);
}

function level(linear: number): number {
  const light = Math.max(0, Math.min(1, linear));
  return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);
}

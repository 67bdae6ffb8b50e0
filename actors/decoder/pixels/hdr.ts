// Tone mapping from HDR to sRGB. PQ (SMPTE ST 2084) and HLG (ARIB STD-B67) are linearised relative to a
// reference white of 203 cd/m² (ITU-R BT.2408), converted from BT.2020 to BT.709 primaries (ITU-R BT.2087),
// and highlights are compressed below white.

const referenceWhite = 203;
/** Nominal peak of HLG in cd/m², and the gamma of its display. */
const hlgPeak = 1000;
const hlgGamma = 1.2;
/** Linear level above which highlights are compressed. */
const knee = 0.6;
/** Steps of the table that encodes linear light; light above `brightest` is white. */
const steps = 4096;
const brightest = 8;

/** Relative linear light of a PQ signal of 0 to 1. */
export function pqLinear(signal: number): number {
  const [m1, m2, c1, c2, c3] = [0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875];
  const power = signal ** (1 / m2);
  return ((Math.max(0, power - c1) / (c2 - c3 * power)) ** (1 / m1) * 10000) / referenceWhite;
}

/**
 * Relative linear light of an HLG signal of 0 to 1; the display gamma is applied to each channel by itself.
 */
export function hlgLinear(signal: number): number {
  const [a, b, c] = [0.17883277, 0.28466892, 0.55991073];
  const scene = signal <= 0.5 ? signal ** 2 / 3 : (Math.exp((signal - c) / a) + b) / 12;
  return (scene ** hlgGamma * hlgPeak) / referenceWhite;
}

/** The sRGB level, 0 to 255, of relative linear light. */
export function encode(linear: number): number {
  const compressed =
    linear <= knee ? linear : knee + (1 - knee) * (1 - Math.exp((knee - linear) / (1 - knee)));
  const signal = compressed <= 0.0031308 ? 12.92 * compressed : 1.055 * compressed ** (1 / 2.4) - 0.055;
  return Math.round(255 * Math.min(1, Math.max(0, signal)));
}

export type ToneMap = (rgb: Uint8Array) => void;

/** Tone mapping of RGB bytes, in place, for a transfer function by its H.273 number; null for SDR. */
export function toneMap(transfer: number): ToneMap | null {
  const linearOf = transfer === 16 ? pqLinear : transfer === 18 ? hlgLinear : null;
  if (!linearOf) return null;
  const linear = Float32Array.from({ length: 256 }, (_, level) => linearOf(level / 255));
  const encoded = Uint8Array.from({ length: steps + 1 }, (_, step) =>
    encode((step / steps) ** 2 * brightest),
  );
  // The table has smaller steps in the dark, where differences are more visible.
  const level = (light: number) =>
    encoded[Math.min(steps, Math.round(Math.sqrt(Math.max(0, light) / brightest) * steps))]!;
  return (rgb) => {
    for (let at = 0; at + 2 < rgb.length; at += 3) {
      const r = linear[rgb[at]!]!;
      const g = linear[rgb[at + 1]!]!;
      const b = linear[rgb[at + 2]!]!;
      rgb[at] = level(1.6605 * r - 0.5876 * g - 0.0728 * b);
      rgb[at + 1] = level(-0.1246 * r + 1.1329 * g - 0.0083 * b);
      rgb[at + 2] = level(-0.0182 * r - 0.1006 * g + 1.1187 * b);
    }
  };
}

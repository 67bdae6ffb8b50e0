// Frame rates that editing programs count at, and frames of one rate in another: exact, rounded half up.
import type { Rational } from '../../decoder/contract.ts';
import { nominalRate } from '../../decoder/timecode.ts';
import { mostFramesPerSecond } from './contract.ts';

/** Nominal rates that have an NTSC form, a thousandth slower: 23.976, 29.97, 59.94. */
const withNtsc: ReadonlySet<number> = new Set([15, 24, 30, 48, 60, 120, 240]);
/** How far a rate may be off one of those and still be it: 23.98 for 23.976. */
const TOLERANCE = 2e-4;

export interface Conformed {
  /** A whole number of frames per second, or 1000/1001 of one. */
  readonly rate: Rational;
  /** False where it was taken for want of a better one: the rate of the file is variable or odd. */
  readonly isOwn: boolean;
}

/** The nearest rate that editing programs count at; null for what is no rate of frames at all. */
export function conformedRate({ num, den }: Rational): Conformed | null {
  const fps = num / den;
  if (!(fps >= 0.5 && fps <= mostFramesPerSecond + 0.5)) return null;
  const nominal = Math.max(1, Math.round(fps));
  const rates: Rational[] = [{ num: nominal, den: 1 }];
  if (withNtsc.has(nominal)) rates.push({ num: nominal * 1000, den: 1001 });
  const error = (rate: Rational) => Math.abs(rate.num / rate.den / fps - 1);
  const rate = rates.reduce((best, one) => (error(one) < error(best) ? one : best));
  return { rate, isOwn: error(rate) <= TOLERANCE };
}

/**
 * Of an odd rate, the rate that editing programs count at on whose frames most of its frames begin: 25 for
 * 12.5.
 */
export function countingRate({ num, den }: Rational): Conformed | null {
  const found = conformedRate({ num, den });
  if (!found || found.isOwn) return found;
  const many = Array.from({ length: MOST_TIMES }, (_, i) => conformedRate({ num: num * (i + 1), den }));
  return { rate: many.find((one) => one?.isOwn)?.rate ?? found.rate, isOwn: false };
}

/** Rates that people edit at. */
const usual: readonly Rational[] = [24, 25, 30, 48, 50, 60, 100, 120].flatMap((nominal) => [
  { num: nominal, den: 1 },
  ...(withNtsc.has(nominal) ? [{ num: nominal * 1000, den: 1001 }] : []),
]);
/** A film of few frames a second is shown frame by frame where the sequence has so many times its rate. */
const MOST_TIMES = 4;

/** The rate of a sequence for films of this rate: one that people edit at, its own where it is one. */
export function editingRate(film: Rational): Rational {
  const fps = film.num / film.den;
  const error = ({ num, den }: Rational) => {
    const times = Math.min(MOST_TIMES, Math.max(1, Math.round(num / den / fps)));
    // Of several that fit, the one nearest to its own.
    return Math.abs(num / den / (times * fps) - 1) + times * 1e-6;
  };
  return usual.reduce((best, rate) => (error(rate) < error(best) ? rate : best));
}

/** Of frames per second as people write them: 25, 29.97, 23.976. */
export function rateOfNumber(fps: number): Rational {
  return { num: Math.round(fps * 1e6), den: 1_000_000 };
}

export function isNtsc({ den }: Rational): boolean {
  return den === 1001;
}

/** Drop-frame timecode is defined for 29.97 and its multiples. */
export function canDropFrames(rate: Rational): boolean {
  return isNtsc(rate) && nominalRate(rate) % 30 === 0;
}

export function isSameRate(a: Rational, b: Rational): boolean {
  return a.num * b.den === b.num * a.den;
}

/** To a thousandth, as people write it. */
export function framesPerSecond({ num, den }: Rational): number {
  return Math.round((1000 * num) / den) / 1000;
}

const NANO = 1_000_000_000;

/**
 * Seconds as whole nanoseconds: sums of them are exact, and what clients add up a little off comes to the
 * same.
 */
export function nanoseconds(seconds: number): number {
  return Math.round(seconds * NANO);
}

/**
 * Times this far apart are the same: programs write times to a microsecond, rounded down or to the nearest.
 */
const SLACK = 1000;

export function isSameTime(a: number, b: number): boolean {
  return Math.abs(a - b) <= SLACK;
}

/** The frame boundary nearest to a time; half up, also where the half was written a little short. */
export function frameAt(nanos: number, { num, den }: Rational): number {
  return quotient(BigInt(nanos + SLACK) * BigInt(num), BigInt(den) * BigInt(NANO));
}

/** How many frames of `to` last as long as so many of `from`. */
export function framesIn(count: number, from: Rational, to: Rational): number {
  return quotient(BigInt(count) * BigInt(from.den) * BigInt(to.num), BigInt(from.num) * BigInt(to.den));
}

/** Rounded half up; neither is negative. */
function quotient(part: bigint, whole: bigint): number {
  return Number((2n * part + whole) / (2n * whole));
}

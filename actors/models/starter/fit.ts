// How units are recognised beyond their rules: for each a logistic regression over all that the graph
// measures. The weights lie in fits.bin, which bench/starter-fit.ts writes; docs/decisions/0029 names what
// they are fitted on and has the figures.
import { readFileSync } from 'node:fs';
import { type Evidence, evidenceCount, evidenceNames, materialNames } from './evidence.ts';
import { ways } from './fitted.ts';
import type { UnitName } from './units.ts';

/** How a unit is made: of its fit alone, or as the geometric mean of its rule and its fit. */
export type Way = NonNullable<(typeof ways)[UnitName]>;

export interface Fit {
  readonly with: Way;
  readonly bias: number;
  /** Weight of what the unit's own rule says, 0..1. */
  readonly rule: number;
  /** Weight of each piece of evidence, in spreads from its usual value. */
  readonly weights: Float32Array;
}

export interface Fits {
  /**
   * Of every piece of evidence over the pictures that units are fitted on, its root taken where it is rooted.
   */
  readonly means: Float32Array;
  readonly spreads: Float32Array;
  readonly units: ReadonlyMap<UnitName, Fit>;
}

/** Evidence counts as at most this many spreads from usual. */
export const MOST_SPREADS = 3;

const shares: readonly string[] = [
  ...materialNames,
  ...['texture', 'edge', 'gradient', 'horizontal', 'vertical', 'rising', 'falling', 'detail', 'coarse'],
  ...['glint', 'warm glint'],
];

/** Shares and strengths are mostly small: their roots tell little from nothing. */
export function isRooted(name: Evidence): boolean {
  const channel = name.slice(name.indexOf(' ') + 1);
  return /^(colour|shade) /.test(channel) || shares.includes(channel);
}

/** Numbers of a unit in the file: bias, weight of the rule, weights of the evidence. */
const unitNumbers = 2 + evidenceCount;

/** Of the file: little-endian floats: means, spreads, then the units in the order of `ways`. */
export function readFits(bytes: Buffer = readFileSync(new URL('./fits.bin', import.meta.url))): Fits {
  const entries = Object.entries(ways) as [UnitName, Way][];
  const count = 2 * evidenceCount + entries.length * unitNumbers;
  if (bytes.byteLength !== 4 * count) throw new Error(`fits.bin has ${bytes.byteLength} bytes`);
  const numbers = Float32Array.from({ length: count }, (_, i) => bytes.readFloatLE(4 * i));
  const units = entries.map(([name, way], i): [UnitName, Fit] => {
    const at = 2 * evidenceCount + i * unitNumbers;
    const weights = numbers.slice(at + 2, at + unitNumbers);
    return [name, { with: way, bias: numbers[at]!, rule: numbers[at + 1]!, weights }];
  });
  return {
    means: numbers.slice(0, evidenceCount),
    spreads: numbers.slice(evidenceCount, 2 * evidenceCount),
    units: new Map(units),
  };
}

/** What readFits reads. */
export function fitBytes({ means, spreads, units }: Fits): Uint8Array {
  const numbers = [
    ...means,
    ...spreads,
    ...[...units.values()].flatMap(({ bias, rule, weights }) => [bias, rule, ...weights]),
  ];
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((value, i) => void bytes.writeFloatLE(value, 4 * i));
  return new Uint8Array(bytes);
}

/** Evidence with its roots taken. */
export function rooted(evidence: Float32Array): Float64Array {
  return Float64Array.from(evidence, (value, i) =>
    isRooted(evidenceNames[i]!) ? Math.sqrt(Math.max(0, value)) : value,
  );
}

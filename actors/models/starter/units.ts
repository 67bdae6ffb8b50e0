// Units: what starter-visual can say about a frame beyond its colours, each as a soft "and" of ramps over evidence.
// A ramp is 0 at its first number and 1 at its second; given backwards, small values count.
import type { Evidence } from './evidence.ts';
import { looks } from './looks.ts';
import { scenes } from './scenes.ts';

export type Ramp = readonly [evidence: Evidence, from: number, to: number];

export const units = { ...looks, ...scenes };
export type UnitName = keyof typeof units;
export const unitNames = Object.keys(units) as UnitName[];

/** Most ramps that one unit has; the graph gives every unit this many. */
export const RAMPS = 8;

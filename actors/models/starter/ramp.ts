// One condition of a unit: a ramp over one measure of the picture.
import type { Evidence } from './evidence.ts';

/** 0 at `from` and 1 at `to`, straight between them; with `from` above `to`, small values count. */
export type Ramp = readonly [evidence: Evidence, from: number, to: number];

/** Least value of a ramp: one condition that does not hold lowers a unit, but does not make it 0. */
export const RAMP_MIN = 0.02;
/** Greatest value of a ramp: above 1, so that clear cases still differ. */
export const RAMP_MAX = 1.06;

// One condition of a unit: a ramp over one measure of the picture.
import type { Evidence } from './evidence.ts';

/** 0 at `from` and 1 at `to`, straight between them; with `from` above `to`, small values count. */
export type Ramp = readonly [evidence: Evidence, from: number, to: number];

// Units: what starter-visual can say about a frame beyond its colours, each as a soft "and" of ramps over
// evidence.
import { looks } from './looks.ts';
import { scenes } from './scenes.ts';

export const units = { ...looks, ...scenes };
export type UnitName = keyof typeof units;
export const unitNames = Object.keys(units) as UnitName[];

/** Most ramps that one unit has; the graph gives every unit this many. */
export const RAMPS = 8;

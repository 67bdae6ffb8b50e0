// How a unit is recognised beyond its rule: a logistic regression over what the graph measures.
import type { Evidence } from './evidence.ts';

export interface Fit {
  /** How the unit is made: of its fit alone, or as the geometric mean of its rule and its fit. */
  readonly with: 'fit' | 'both';
  readonly bias: number;
  /** Weight of what the unit's own rule says, 0..1. */
  readonly rule: number;
  /** Weights of evidence, in spreads from its usual value. */
  readonly weights: Readonly<Partial<Record<Evidence, number>>>;
}

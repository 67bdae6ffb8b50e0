// Which matches are shown by themselves: those of which something is surer than weak.
import type { Found, FoundAnswer, Kind } from './moment.ts';

type Reason = Found['reasons'][number];

/** What is said and who is seen has no band: it is there. */
function isWeakReason(reason: Reason): boolean {
  const band = reason.kind === 'seen' ? reason.explanation?.band : 'band' in reason ? reason.band : null;
  return band === 'weak';
}

export function isWeak({ reasons }: Pick<Found, 'reasons'>): boolean {
  return reasons.length > 0 && reasons.every(isWeakReason);
}

/**
 * Moments of a kind that are shown by themselves; where none is weak, also those beyond the limit of the
 * answer.
 */
export function countOf({ moments, counts }: Pick<FoundAnswer, 'moments' | 'counts'>, kind: Kind): number {
  const own = moments
    .map(({ reasons }) => reasons.filter((reason) => reason.kind === kind))
    .filter((reasons) => reasons.length > 0);
  const sure = own.filter((reasons) => !reasons.every(isWeakReason));
  return sure.length === own.length ? counts[kind] : sure.length;
}

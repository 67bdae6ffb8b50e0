// How sure what is seen in a match is: one to three steps and their word, not colour alone.
import { html } from 'htm/preact';
import type { Band } from '../../../../../actors/search/visual/contract.ts';
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import type { Found } from './moment.ts';

const steps: Readonly<Record<Band, number>> = { weak: 1, likely: 2, strong: 3 };
const heights = [3, 6, 9] as const;

/** Of the best thing that is seen; null where nothing is, or nobody asked. */
export function bandOf({ reasons }: Pick<Found, 'reasons'>): Band | null {
  const bands = reasons.flatMap((reason) =>
    reason.kind === 'seen' && reason.explanation ? [reason.explanation.band] : [],
  );
  return bands.reduce<Band | null>((best, band) => (best && steps[best] >= steps[band] ? best : band), null);
}

/** The label of the tile says the same, so readers need no second one. */
export function BandMark({ band }: { readonly band: Band | null }) {
  if (band === null) return null;
  const bars = heights.map(
    (height, i) =>
      html`<rect x=${2 + i * 4.5} y=${12 - height} width="3" height=${height} class=${i < steps[band] ? 'full' : 'empty'} />`,
  );
  return html`<span class="reason band" title=${t(searchWords[band])} aria-hidden="true">
    <svg class="icon" viewBox="0 0 16 16">${bars}</svg>
  </span>`;
}

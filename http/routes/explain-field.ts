// The fields by which a search is asked to say how sure its matches are, and to leave out those that are less
// sure.
import { Type } from 'typebox';
import { Band } from '../../actors/search/visual/contract.ts';
import { defaulted, described, nullable } from '../../runtime/schema.ts';

export const explain = defaulted(
  described(
    Type.Boolean(),
    'Adds an `explanation` to each match found by its pictures. It has bands instead of scores, measured ' +
      'against the background of the loaded data.',
  ),
  false,
);

export const min_band = Type.Optional(
  described(
    nullable(Band),
    'Return only matches with at least this certainty, out of the best 10,000; `weaker` counts the ' +
      'others. Matches without a band, such as words that are said, are always returned. If omitted, all ' +
      'matches are returned.',
  ),
);

/** Both, as the coordinator takes them. */
export function sureness(body: { readonly explain?: boolean; readonly min_band?: Band | null }) {
  return { ...(body.explain && { explain: true }), ...(body.min_band && { min_band: body.min_band }) };
}

// The fields by which a search is asked to say how sure its matches are, and to leave out those that are less sure.
import { Type } from 'typebox';
import { Band } from '../../actors/search/visual/contract.ts';
import { defaulted, described, nullable } from '../../runtime/schema.ts';

export const explain = defaulted(
  described(
    Type.Boolean(),
    'Adds an `explanation` to each match that pictures are a reason of: bands in place of scores, against the background of what is loaded.',
  ),
  false,
);

export const min_band = Type.Optional(
  described(
    nullable(Band),
    'Only matches that are at least so sure, of the best 10,000; `weaker` counts those that are left out. What has no band, as what is said, is not left out. Left out: all.',
  ),
);

/** Both, as the coordinator takes them. */
export function sureness(body: { readonly explain?: boolean; readonly min_band?: Band | null }) {
  return { ...(body.explain && { explain: true }), ...(body.min_band && { min_band: body.min_band }) };
}

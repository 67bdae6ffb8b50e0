// The field by which a search is asked to say how sure its matches are.
import { Type } from 'typebox';
import { defaulted, described } from '../../runtime/schema.ts';

export const explain = defaulted(
  described(
    Type.Boolean(),
    'Adds an `explanation` to each match that pictures are a reason of: bands in place of scores, against the background of what is loaded.',
  ),
  false,
);

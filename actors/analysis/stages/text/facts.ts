// What the results of reading printed words tell.
import { type Static, Type } from 'typebox';
import { ShownWarning } from '../../../../runtime/answer.ts';
import { field } from '../../../../runtime/schema.ts';
import { FromPreviews } from '../../request.ts';

const Count = Type.Integer({ minimum: 0 });

export const TextFacts = Type.Object({
  model_key: field('Key of the model.', Type.String()),
  lines: field('Number of lines of text that searches can find.', Count),
  missing_frames: field('Number of frames that could not be decoded.', Count),
  from_previews: FromPreviews,
  warning: ShownWarning,
});
export type TextFacts = Static<typeof TextFacts>;

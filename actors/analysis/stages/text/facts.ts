// What the results of reading printed words tell.
import { type Static, Type } from 'typebox';
import { FromPreviews } from '../../request.ts';

const Count = Type.Integer({ minimum: 0 });

export const TextFacts = Type.Object({
  model_key: Type.String(),
  /** Lines of text that can be found. */
  lines: Count,
  /** Grid frames that could not be decoded. */
  missing_frames: Count,
  from_previews: FromPreviews,
  /** Left out where there is nothing to know. */
  warning: Type.Optional(Type.String()),
});
export type TextFacts = Static<typeof TextFacts>;

// Music and singing in the sound of a file, and what the index answers about them.
import { type Static, Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { described, oneOf } from '../../../runtime/schema.ts';
import { PeopleFilter } from '../people/contract.ts';
import { Folder } from '../store/contract.ts';
import { VisualScope } from '../visual/contract.ts';

export const soundNames = ['music', 'singing'] as const;
export const SoundName = described(oneOf(...soundNames), 'What is heard.');
export type SoundName = (typeof soundNames)[number];

/** Whole seconds [start, end) in which it is heard. */
export const Sound = Type.Object({
  sound: SoundName,
  start: Type.Integer({ minimum: 0 }),
  end: Type.Integer({ minimum: 1 }),
  /** Mean of its probability over these seconds. */
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
});
export type Sound = Static<typeof Sound>;

export const SoundTerm = Type.Object({ sound: SoundName, negated: Type.Boolean() });
export type SoundTerm = Static<typeof SoundTerm>;

export const soundMessages = {
  /**
   * The ranges of seconds in which all terms are true, the surest and longest first; of negated terms alone
   * all of a file but what is heard. `looked`: files in scope that were listened to. While it is not `done`
   * lists are still being read into memory, and the same message is to be sent again. With `people` only what
   * overlaps with seconds that show them. Errors: those of the filters and of people.
   */
  find_sounds: ask(
    Type.Object({
      ...Folder,
      terms: Type.Array(SoundTerm, { minItems: 1 }),
      scope: VisualScope,
      people: Type.Optional(PeopleFilter),
      max_results: Type.Integer({ minimum: 1 }),
    }),
    Type.Object({
      done: Type.Boolean(),
      matches: Type.Array(
        Type.Object({
          hash_str: Type.String(),
          path: Type.String(),
          start: Type.Integer({ minimum: 0 }),
          end: Type.Integer({ minimum: 1 }),
        }),
      ),
      looked: Type.Integer({ minimum: 0 }),
    }),
  ),
};

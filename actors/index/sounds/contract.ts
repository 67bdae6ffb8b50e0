// Music and singing in the sound of a file.
import { type Static, Type } from 'typebox';
import { described, oneOf } from '../../../runtime/schema.ts';

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

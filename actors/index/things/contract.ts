// Things of media, stored and searched by the words of a question.
import { type Static, Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { nullable, oneOf } from '../../../runtime/schema.ts';
import { Thing, ThingBox, ThingClass, ThingColour } from '../../things/contract.ts';
import { PeopleFilter } from '../people/contract.ts';
import { Folder } from '../store/contract.ts';
import { RankedMatch, VisualScope } from '../visual/contract.ts';

const Frame = Type.Integer({ minimum: 0 });
const FrameRanges = Type.Record(Type.String(), Type.Array(Type.Tuple([Frame, Frame])));

/** Same as in actors/things/tracks.ts. */
export const Track = Type.Object({
  class: ThingClass,
  start: Frame,
  end: Frame,
  best: Frame,
  score: Type.Number({ minimum: 0, maximum: 1 }),
  box: ThingBox,
  colours: Thing.properties.colours,
});

/** How large people are in a picture, as film makers name it. */
export const shotSizes = ['close_up', 'medium', 'wide'] as const;
export const ShotSize = oneOf(...shotSizes);
export type ShotSize = (typeof shotSizes)[number];

export const ThingTerm = Type.Object({
  /** Any of them. */
  classes: Type.Array(ThingClass),
  /** Any of them; empty for all. */
  colours: Type.Array(ThingColour),
  /** Where its middle is. */
  place: nullable(oneOf('left', 'right', 'top', 'bottom', 'centre')),
  size: nullable(oneOf('close', 'far')),
  /** How large the people are that the picture shows; of terms of persons. */
  shot: nullable(ShotSize),
  /** How many are seen at once. */
  count: Type.Object({ least: Type.Integer({ minimum: 1 }), most: nullable(Type.Integer({ minimum: 1 })) }),
  /** It is not to be seen. */
  negated: Type.Boolean(),
});
export type ThingTerm = Static<typeof ThingTerm>;

export const thingMessages = {
  /**
   * The scenes in which all terms are true (none without terms), each with the frame that shows it best, best
   * first. `model_key`: whose scenes. `looked`: media in scope that a detector looked at. While it is not
   * `done` tracks are still being read into memory, and the same message is to be sent again. With `people`
   * only the frames count that show them. Errors: those of the filters and of people; NOT_LOADED where people
   * are asked for and not loaded.
   */
  find_things: ask(
    Type.Object({
      ...Folder,
      model_key: nullable(Type.String()),
      terms: Type.Array(ThingTerm),
      scope: VisualScope,
      people: Type.Optional(PeopleFilter),
      max_per_media: nullable(Type.Integer({ minimum: 1 })),
      max_results: Type.Integer({ minimum: 1 }),
    }),
    Type.Object({
      done: Type.Boolean(),
      matches: Type.Array(RankedMatch),
      /** Half-open ranges of grid frames in which they are true, by hash. */
      ranges: FrameRanges,
      /**
       * The parts of these ranges in which they are true of detections that are at least so sure
       * (actors/things/confidence.ts).
       */
      likely: FrameRanges,
      strong: FrameRanges,
      looked: Type.Integer({ minimum: 0 }),
      /** People who are asked for together with themselves, so that nothing matches. */
      people_twice: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  /**
   * For each frame the tracks in it that a term speaks of which is not negated, best first; none where no
   * detector looked.
   */
  things_at: ask(
    Type.Object({
      ...Folder,
      terms: Type.Array(ThingTerm),
      frames: Type.Array(Type.Object({ hash_str: Type.String(), frame_index: Frame })),
    }),
    Type.Object({ seen: Type.Array(Type.Array(Track)) }),
  ),
  /** Things in a media for display; null if no detector analysed it. STORE_DAMAGED. */
  things_of: ask(
    Type.Object({ ...Folder, hash_str: Type.String() }),
    Type.Object({
      model_key: nullable(Type.String()),
      from_previews: Type.Boolean(),
      tracks: Type.Array(Track),
      /** Shot sizes, also derived from stored faces if no detector looked for things. */
      shots: Type.Array(Type.Object({ size: ShotSize, start: Frame, end: Frame })),
      faces: Type.Array(Type.Object({ frame: Frame, box: ThingBox })),
    }),
  ),
};

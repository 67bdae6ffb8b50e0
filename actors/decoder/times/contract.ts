// When each picture of a part of a film is shown.
import { type Static, Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { nullable } from '../../../runtime/schema.ts';

export const PictureTimes = Type.Object({
  /** The pictures of the film come at uneven times, as far as its first ones and those of the part tell. */
  varies: Type.Boolean(),
  /**
   * Seconds from the 0 of the picture grid at which the pictures of the part begin to be shown, ascending.
   */
  starts: Type.Array(Type.Number()),
  /** Until when the last one of them is shown; null when the file does not say, and where there is none. */
  end: nullable(Type.Number()),
});
export type PictureTimes = Static<typeof PictureTimes>;

export const timesMessages = {
  /**
   * The pictures that are shown from second `from` until second `to`. None of sound, of stills, of films that
   * hold no times, and after the end. Nothing is decoded. Errors: DECODE_FAILED, UNSUPPORTED_CODEC and those
   * of opening a file.
   */
  picture_times: ask(
    Type.Object({
      path: Type.String(),
      from: Type.Number({ minimum: 0 }),
      to: Type.Number({ exclusiveMinimum: 0 }),
    }),
    PictureTimes,
  ),
};

// The text reader finds the lines of text in a picture. For a film it gets its previous answer, so that it
// reads only where the picture has changed. It keeps nothing but its model.
import { type Static, Type } from 'typebox';
import { ask, Bytes, contract, SlotHandle } from '../../runtime/contract.ts';
import { nullable } from '../../runtime/schema.ts';

export const TextModel = Type.Object({
  model_key: Type.String(),
  /** cpu, cuda, webgpu, dml, coreml. */
  device: nullable(Type.String()),
  /** Why no better device is in use; null where none was refused. */
  device_reason: nullable(Type.String()),
});
export type TextModel = Static<typeof TextModel>;

const Share = Type.Number({ minimum: 0, maximum: 1 });

/** Left, top, width, height, relative to the picture. */
export const TextBox = Type.Tuple([Share, Share, Share, Share]);
export type TextBox = Static<typeof TextBox>;

/** Score from which a line is worth finding; what scores less is hardly ever text. */
export const searchedScore = 0.5;
/** Score from which a line is shown without being asked for. */
export const shownScore = 0.9;
/** Score from which a line is shown to a person who typed its very words, without a second reading of it. */
export const matchedScore = 0.6;
/** Score cap for a line whose two readings disagree. */
export const doubtedScore = 0.89;

export const TextLine = Type.Object({
  /** Empty where a region that looks like text has no character that the model knows. */
  text: Type.String(),
  /**
   * Mean probability of its characters; 0 without any, below `shownScore` where another look at it reads
   * something else.
   */
  score: Share,
  /** The upright box around the line, which may be slanted. */
  box: TextBox,
});
export type TextLine = Static<typeof TextLine>;

/** The lines of a picture, and what it looked like where they were read. */
export const TextReading = Type.Object({
  /** In reading order; also those that nobody would believe. */
  lines: Type.Array(TextLine),
  /**
   * Mean brightness of the blocks of the picture in rows, each as it was when text was last looked for there.
   */
  blocks: Bytes,
  columns: Type.Integer({ minimum: 1 }),
});
export type TextReading = Static<typeof TextReading>;

export const textReaderContract = contract(
  'text-reader',
  {
    /**
     * Loads the model that is chosen of the files that are there; answers at once when it is loaded.
     * NO_TEXT_MODEL naming the command that brings one, and what opening a model throws.
     */
    load: ask(Type.Object({}), TextModel),
    unload: ask(Type.Object({}), Type.Object({})),
    /**
     * The text in a picture whose slot holds width×height RGB. `picture` is *borrowed until answered*.
     * `side`: longest side of the picture in which lines are looked for, px; they are read in the picture as
     * it is. `before`: the answer for the picture before it of the same film, of the same size; null reads
     * everything.
     */
    read: ask(
      Type.Object({
        model_key: Type.String(),
        picture: SlotHandle,
        width: Type.Integer({ minimum: 1 }),
        height: Type.Integer({ minimum: 1 }),
        side: Type.Integer({ minimum: 32, maximum: 2048 }),
        before: nullable(TextReading),
      }),
      Type.Object({
        reading: TextReading,
        /** Part of the picture in which lines were looked for. */
        looked: Share,
        /** Lines that were read; the others are as before. */
        read: Type.Integer({ minimum: 0 }),
      }),
    ),
  },
  { concurrency: 4, turnLimitMs: 300_000 },
);

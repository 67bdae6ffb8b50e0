// The embedder makes vectors of pictures and of texts in the space of one visual model.

import { type Static, Type } from 'typebox';
import { ask, contract, Floats, SlotHandle } from '../../runtime/contract.ts';
import { nullable } from '../../runtime/schema.ts';
import { PictureShape } from '../decoder/contract.ts';
import { ModelState } from '../models/contract.ts';

/** How a picture is looked at: as it is, as a mirror shows it, or as this part of a larger picture. */
export const PictureReading = Type.Union([
  Type.Literal('plain'),
  Type.Literal('mirrored'),
  Type.Literal('middle'),
  Type.Literal('top_left'),
  Type.Literal('top_right'),
  Type.Literal('bottom_left'),
  Type.Literal('bottom_right'),
]);
export type PictureReading = Static<typeof PictureReading>;

export const VisualModel = Type.Object({
  model_key: Type.String(),
  dimensions: Type.Integer(),
  shape: PictureShape,
  /** Pictures in one run. */
  batch: Type.Integer(),
  /** Readings in which a search by a picture is made; `plain` is the first. */
  readings: Type.Array(PictureReading, { minItems: 1 }),
  /**
   * Permutation that maps a vector to the vector of the mirrored picture: index i moves to mirror[i]. Null if
   * no permutation does.
   */
  mirror: nullable(Type.Array(Type.Integer())),
  state: ModelState,
});
export type VisualModel = Static<typeof VisualModel>;

/** One of the things that a text asks for, by itself. */
export const TextPart = Type.Object({
  /** d, L2-normalised. */
  vector: Floats,
  /** It is not to be there. */
  negated: Type.Boolean(),
  /** False where it was not measured how often what is found best by it is right. */
  is_sure: Type.Boolean(),
  /** Measured to find other things too often: its matches are weak. */
  is_weak: Type.Boolean(),
});
export type TextPart = Static<typeof TextPart>;

export const embedderContract = contract(
  'embedder',
  {
    /**
     * Loads a model (a second call with the same key answers at once) and falls back to the default one if
     * that fails.
     */
    load: ask(Type.Object({ model_key: Type.String() }), VisualModel),
    state: ask(Type.Object({}), ModelState),
    /**
     * n pictures of the model's shape, from slots, each in every one of `readings` (left out: as it is).
     * `vectors`: one for each reading of the first picture, then of the next: n·k×d, L2-normalised, *moved*.
     */
    pictures: ask(
      Type.Object({
        model_key: Type.String(),
        pictures: Type.Array(SlotHandle, { minItems: 1 }),
        readings: Type.Optional(Type.Array(PictureReading, { minItems: 1 })),
        /** A user waits for the answer: goes before the batches of an ingest. */
        urgent: Type.Optional(Type.Boolean()),
      }),
      Type.Object({ vectors: Floats }),
    ),
    /** `vectors`: n×d, L2-normalised, *moved*. */
    texts: ask(
      Type.Object({ model_key: Type.String(), texts: Type.Array(Type.String(), { minItems: 1 }) }),
      Type.Object({
        vectors: Floats,
        /** For each text: the words that say what to look for; empty for models with an open vocabulary. */
        known_words: Type.Array(Type.Array(Type.String())),
        /** For each text: the words that the model does not know; empty likewise. */
        unknown_words: Type.Array(Type.Array(Type.String())),
        /** For each text: known words by which little of what is meant is found. */
        weak_words: Type.Optional(Type.Array(Type.Array(Type.String()))),
        /** For each text: its parts; none for models that take a text as a whole. */
        parts: Type.Optional(Type.Array(Type.Array(TextPart))),
        /** For each text: false when the model knows no word of it, so that its vector ranks nothing. */
        understood: Type.Array(Type.Boolean()),
      }),
      { together: 16 },
    ),
  },
  // The state is answered while a model loads, and a search gets in between two batches of an ingest. A cold
  // start of a large model takes minutes.
  { concurrency: 4, turnLimitMs: 300_000 },
);

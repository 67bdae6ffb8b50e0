// One library whose vectors several engines hold, each those of some media: what they ask each other, and
// what the one that is asked finds out before.
import { type Static, Type } from 'typebox';
import { ask, Doubles, Floats, Unsigned } from '../../../runtime/contract.ts';
import { nullable } from '../../../runtime/schema.ts';
import { PeopleFilter } from '../people/contract.ts';
import { Folder } from '../store/contract.ts';
import {
  FrameRange,
  GivenScoring,
  RankedMatch,
  Scope,
  Take,
  TakesHow,
  TakesStep,
  TakesTold,
} from '../visual/contract.ts';

/** Frames of a library: those of these media, or of all; of some only these ranges. */
export const Within = Type.Object({
  hashes: nullable(Type.Array(Type.String())),
  ranges: Type.Record(Type.String(), Type.Array(FrameRange)),
  /** Of all media, only these: start, end, start, end..., ascending. */
  only: nullable(Type.Array(Type.Object({ hash_str: Type.String(), ranges: Unsigned }))),
});
export type Within = Static<typeof Within>;

const Frame = Type.Integer({ minimum: 0 });
const Seed = { frame: Frame, vector: Floats };
const OfSeeds = {
  ...Folder,
  model_key: Type.String(),
  /** The content that is asked about. */
  hash_str: Type.String(),
  /** Each pair of contents is looked at once. */
  once: Type.Boolean(),
};

export const partMessages = {
  /**
   * What a search looks at in each part, with filters and people applied; fields and errors as those of
   * `search`. Everything that is stored counts, whether its vectors are in memory or not. `state`: another
   * number whenever something else is loaded.
   */
  narrowed: ask(
    Type.Object({
      ...Folder,
      model_key: Type.String(),
      scope: Scope,
      people: Type.Optional(PeopleFilter),
      of: Type.Integer({ minimum: 1 }),
    }),
    Type.Object({
      dimensions: Type.Integer(),
      state: Type.Integer(),
      /** `frames`: that are left. */
      parts: Type.Array(Type.Object({ within: Within, frames: Type.Integer() })),
      people_twice: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  /** How frames that stand for these score: of `total` frames of all parts, those that are held. */
  sample: ask(
    Type.Object({
      ...Folder,
      model_key: Type.String(),
      within: Within,
      total: Type.Integer({ minimum: 0 }),
      scorings: Type.Array(GivenScoring),
    }),
    Type.Object({
      samples: Type.Array(Type.Object({ scores: Doubles, least: Type.Number(), most: Type.Number() })),
    }),
  ),
  /** As `search`, of what is held, with the scoring of all parts. */
  rank: ask(
    Type.Object({
      ...Folder,
      model_key: Type.String(),
      scoring: GivenScoring,
      within: Within,
      max_results: Type.Integer({ minimum: 1 }),
      max_per_media: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
    Type.Object({ matches: Type.Array(RankedMatch), searched: Type.Integer() }),
    { together: 16 },
  ),
  /** Where each content is, of those that can be searched; null for others. */
  searched_paths: ask(
    Type.Object({ ...Folder, model_key: Type.String(), hashes: Type.Array(Type.String()) }),
    Type.Object({ paths: Type.Array(nullable(Type.String())) }),
    { together: 16 },
  ),
  /** What a step of `takes` looks for: some frames in `[at, end)`, held or not. NOT_LOADED. */
  take_seeds: ask(
    TakesStep,
    Type.Object({
      ...TakesTold,
      at: Frame,
      end: Frame,
      seeds: Type.Array(Type.Object(Seed)),
    }),
  ),
  /**
   * Which contents that are held have frames like these, by hash, and for each frame how many other contents
   * have. NOT_LOADED, also where the content that is asked about is not known.
   */
  take_votes: ask(
    Type.Object({
      ...OfSeeds,
      mirror: TakesHow.mirror,
      seeds: Type.Array(Type.Object({ ...Seed, bar: Type.Number() }), { minItems: 1 }),
    }),
    Type.Object({ hashes: Type.Array(Type.String()), contents: Type.Array(Type.Integer()) }),
  ),
  /** The sequences in these contents, as `takes` finds them before it chooses. NOT_LOADED, STORE_DAMAGED. */
  take_sequences: ask(
    Type.Object({
      ...OfSeeds,
      ...TakesHow,
      at: Frame,
      hashes: Type.Array(Type.String()),
      seeds: Type.Array(Type.Object({ ...Seed, bar: Type.Number(), weight: Type.Number() }), { minItems: 1 }),
    }),
    Type.Object({ takes: Type.Array(Take) }),
  ),
};

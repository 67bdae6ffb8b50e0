// The visual stage of media: its frames are stored with their vectors and previews, loaded into memory and
// ranked.
import { type Static, Type } from 'typebox';
import { ask, Bytes, Doubles, Floats, Integers, Unsigned } from '../../../runtime/contract.ts';
import type { ErrorFields } from '../../../runtime/errors.ts';
import { described, nullable } from '../../../runtime/schema.ts';
import { MediaScope } from '../facets/contract.ts';
import { PeopleFilter } from '../people/contract.ts';
import { Folder, LoadNumber, LoadStep, MediaRecord, SpanKey } from '../store/contract.ts';

/** Half-open range of grid frames. */
export const FrameRange = Type.Tuple([Type.Integer({ minimum: 0 }), Type.Integer({ minimum: 1 })]);
export type FrameRange = Static<typeof FrameRange>;

/** Which frames a search looks at: `ranges` limits some of the media, by hash. */
export const VisualScope = Type.Object({
  ...MediaScope.properties,
  ranges: Type.Record(Type.String(), Type.Array(FrameRange)),
});
export type VisualScope = Static<typeof VisualScope>;

/** Where shots of a film begin, apart from the first one, as its pictures show it. */
export const ShotEdges = Type.Object({
  /** From the first picture of the film, ascending. */
  seconds: Type.Array(Type.Number({ exclusiveMinimum: 0 })),
  /** The picture of the film with which the shot begins, counted from 0, ascending. */
  frames: Type.Array(Type.Integer({ minimum: 1 })),
});
export type ShotEdges = Static<typeof ShotEdges>;

/** A half-open part of a film between exact edges. */
export const Shot = Type.Object({
  start_seconds: described(
    Type.Number(),
    'When the first picture of the shot is shown, in seconds from the first picture of the film.',
  ),
  end_seconds: described(
    Type.Number(),
    'When the first picture of the next shot is shown, or the end of the film.',
  ),
  start_frame: described(
    Type.Integer(),
    'First picture of the shot; pictures of the film are counted from 0.',
  ),
  end_frame: described(
    nullable(Type.Integer()),
    'First picture of the next shot; null for the last shot, which ends with the film.',
  ),
});
export type Shot = Static<typeof Shot>;

export const RankedMatch = Type.Object({
  hash_str: Type.String(),
  path: Type.String(),
  frame_index: Type.Integer(),
  /** Half-open range of grid frames of the scene around the match. */
  scene_start: Type.Integer(),
  scene_end: Type.Integer(),
  /** The shot around the match; left out where edges are on the grid. */
  shot: Type.Optional(Shot),
  /** Position in the ranking before grouping per video. */
  original_index: Type.Integer(),
  score: Type.Number(),
});
export type RankedMatch = Static<typeof RankedMatch>;

const Background = Type.Object({ centre: Type.Number(), deviation: Type.Number() });
export type Background = Static<typeof Background>;
const Backgrounds = Type.Object({
  text: nullable(Background),
  picture: nullable(Background),
  words: Type.Array(Background),
});
export const Standing = Type.Object({
  /** That are loaded. */
  frames: Type.Integer(),
  background: Backgrounds,
  /** In the order asked. */
  scores: Type.Array(
    nullable(
      Type.Object({
        text: nullable(Type.Number()),
        picture: nullable(Type.Number()),
        words: Type.Array(Type.Number()),
        /** Amount that excluded content takes from the score. */
        lost: Type.Number(),
        lowered: Type.Array(Type.Boolean()),
      }),
    ),
  ),
});
export type Standing = Static<typeof Standing>;

const FramePlace = Type.Object({ hash_str: Type.String(), frame_index: Type.Integer({ minimum: 0 }) });
export type FramePlace = Static<typeof FramePlace>;

/** Grid frames `[start, end)` of what was asked for are those from `start + offset` on of this content. */
export const RankedTake = Type.Object({
  hash_str: Type.String(),
  start: Type.Integer(),
  end: Type.Integer(),
  offset: Type.Integer(),
  mirrored: Type.Boolean(),
  /** That agree. */
  frames: Type.Integer(),
  /** The sum of how near they are, each 0 to 1. */
  evidence: Type.Number(),
  /** Their vectors are the same. */
  equal: Type.Boolean(),
});
export type RankedTake = Static<typeof RankedTake>;

export const LoadReport = Type.Object({
  media: Type.Integer(),
  vectors: Type.Integer(),
  /** Hashes or paths asked for that have no analysis by this model. */
  missing: Type.Array(Type.String()),
  /** Hashes whose stored data is damaged. */
  unreadable: Type.Array(Type.String()),
});
export type LoadReport = Static<typeof LoadReport>;
export const VisualLoadStep = Type.Object({ ...LoadStep, ...LoadReport.properties });
export type VisualLoadStep = Static<typeof VisualLoadStep>;

const OfCommit = {
  stage: Type.Integer(),
  media: MediaRecord,
  /** Its pictures were stored previews. */
  from_previews: Type.Optional(Type.Boolean()),
  /** They decide where scenes begin; without them the vectors do, to the second. */
  edges: Type.Optional(ShotEdges),
};

export const visualMessages = {
  /**
   * Media stored by a model of `older` and not by `model_key`, ascending; at most `most` of them, and how
   * many there are.
   */
  outdated: ask(
    Type.Object({
      ...Folder,
      model_key: Type.String(),
      older: Type.Array(Type.String()),
      most: Type.Integer({ minimum: 0 }),
    }),
    Type.Object({ hashes: Type.Array(Type.String()), count: Type.Integer() }),
  ),
  /** For each hash: true when the visual stage by this model, or by any for null, is stored whole. */
  stored: ask(
    Type.Object({
      ...Folder,
      model_key: Type.Union([Type.String(), Type.Null()]),
      hashes: Type.Array(Type.String()),
    }),
    Type.Object({
      stored: Type.Array(Type.Boolean()),
      /** True for media of which this model has only seen stored previews. */
      from_previews: Type.Array(Type.Boolean()),
    }),
  ),
  /**
   * Begins the visual stage of one file. With `span` it goes on behind what was kept under it:
   * `stored_frames` frames, and the first one that is wanted is `next_frame`. Otherwise what an unfinished
   * earlier one left is dropped.
   */
  begin: ask(
    Type.Object({
      ...Folder,
      hash_str: Type.String(),
      model_key: Type.String(),
      dimensions: Type.Integer(),
      span: Type.Optional(SpanKey),
    }),
    Type.Object({
      stage: Type.Integer(),
      stored_frames: Type.Integer(),
      next_frame: Type.Integer(),
      /** Stored frames, and their `changed`; *moved*. */
      frames: Integers,
      changed: Floats,
    }),
  ),
  /**
   * Adds frames, ascending. `vectors`: n×d, L2-normalised, *moved*. *Accepted*, not stored, when answered.
   * `keep`: all that was appended is kept for the time when the stage is taken up, *flushed*.
   */
  append: ask(
    Type.Object({
      stage: Type.Integer(),
      frames: Type.Array(Type.Integer({ minimum: 0 })),
      vectors: Floats,
      /** JPEG of each frame. */
      previews: Type.Array(Bytes),
      /**
       * How much each looks like another shot than the frame before it, 0 to 1: 1 where nobody knows; left
       * out for 1.
       */
      changed: Type.Optional(Floats),
      keep: Type.Optional(Type.Boolean()),
    }),
    Type.Object({}),
  ),
  /** Makes the stage visible in one atomic write. *Flushed* when answered. */
  commit: ask(Type.Object(OfCommit), Type.Object({ vectors: Type.Integer() })),
  /** The same for several in one write, for each the number of vectors or what kept it out. */
  commit_all: ask(
    Type.Object({ all: Type.Array(Type.Object(OfCommit)) }),
    Type.Object({
      stored: Type.Array(
        Type.Object({ vectors: Type.Integer(), error: nullable(Type.Unsafe<ErrorFields>({})) }),
      ),
    }),
  ),
  /**
   * Puts exact edges in the place of what every stored visual stage of the content has, and scenes between
   * them: the same as if each had been committed with them. One atomic write, *flushed* when answered.
   * `vectors`: of those stages. NOT_ANALYZED where none is stored.
   */
  set_edges: ask(
    Type.Object({ ...Folder, hash_str: Type.String(), edges: ShotEdges }),
    Type.Object({ vectors: Type.Integer() }),
  ),
  /**
   * Forgets the stage; one with a `span` keeps what was appended, of another nothing stays. A stage that is
   * not open is forgotten already.
   */
  abort: ask(Type.Object({ stage: Type.Integer() }), Type.Object({})),
  /**
   * Loads vectors into memory, a part in each turn: to be sent again, with the number of the answer, until
   * `done`. `hashes` null means everything stored by this model. What is loaded of the same folder and model
   * stays; another folder or model drops what was loaded before. What is stored again, removed or moved later
   * is followed by the next search.
   * Nothing can be searched before the first load has ended.
   */
  load: ask(
    Type.Object({
      ...Folder,
      ...LoadNumber,
      model_key: Type.String(),
      hashes: Type.Union([Type.Array(Type.String()), Type.Null()]),
    }),
    VisualLoadStep,
  ),
  drop: ask(Type.Object({}), Type.Object({})),
  /**
   * Ranks the loaded frames, best first. NOT_LOADED when what is loaded is of another folder or model.
   * `text`, `picture`: L2-normalised; each is optional but one must be there. `text`: d. `picture`: k×d,
   * readings of one picture, of which the one that a frame is most like counts; at most 12. `text_weight`
   * weighs text against a picture's 1 when both are there. `exclude`: k×d, a soft signal that lowers what it
   * resembles. `people`: only frames that show them; NOT_LOADED when people of another folder are loaded, and
   * an error naming the item of `people_filter` that means nobody. Those that wait are scanned together.
   */
  search: ask(
    Type.Object({
      ...Folder,
      model_key: Type.String(),
      text: Type.Union([Floats, Type.Null()]),
      picture: Type.Union([Floats, Type.Null()]),
      text_weight: Type.Number({ minimum: 0 }),
      exclude: Type.Union([Floats, Type.Null()]),
      scope: VisualScope,
      max_results: Type.Integer({ minimum: 1 }),
      /** Matches of one medium at most; left out: as many as there are. */
      max_per_media: Type.Optional(Type.Integer({ minimum: 1 })),
      people: Type.Optional(PeopleFilter),
    }),
    Type.Object({
      matches: Type.Array(RankedMatch),
      searched: Type.Integer(),
      /** People who are asked for together with themselves, so that nothing matches. */
      people_twice: Type.Optional(Type.Array(Type.String())),
    }),
    { together: 16 },
  ),
  /**
   * How much each second of one content has of what is searched, 0 to 1 against everything that is loaded;
   * fields as those of `search`. `values`: one a second, *moved*; null when nothing of it is loaded. Scores
   * are cosines of the model, and only of use to compare answers to the same query. NOT_LOADED.
   */
  relevance: ask(
    Type.Object({
      ...Folder,
      model_key: Type.String(),
      hash_str: Type.String(),
      text: Type.Union([Floats, Type.Null()]),
      picture: Type.Union([Floats, Type.Null()]),
      text_weight: Type.Number({ minimum: 0 }),
      exclude: Type.Union([Floats, Type.Null()]),
    }),
    Type.Object({
      values: nullable(Floats),
      background: Type.Number(),
      best: Type.Number(),
      frames: Type.Integer(),
    }),
  ),
  /**
   * How far some frames stand out from everything that is loaded; fields as those of `search`, and `words`:
   * k×d, the parts of the words. Scores of the text and of the picture alone, and of each part of the words,
   * with the background of each; `lowered`: by which of what is excluded. Null for a frame that is not loaded
   * or cannot be read. NOT_LOADED.
   */
  standing: ask(
    Type.Object({
      ...Folder,
      model_key: Type.String(),
      text: nullable(Floats),
      picture: nullable(Floats),
      text_weight: Type.Number({ minimum: 0 }),
      exclude: nullable(Floats),
      words: nullable(Floats),
      moments: Type.Array(Type.Object({ hash_str: Type.String(), frame_index: Type.Integer() })),
    }),
    Standing,
    { together: 16 },
  ),
  /**
   * The sequences that show the same shot as frames from `from` up to `end` of what is asked for, of one
   * content, or for `only` null of all that are loaded, each pair once: a step of the comparison, to be sent
   * again with `place` as it was answered in `next` until that is null. NOT_LOADED.
   */
  takes: ask(
    Type.Object({
      ...Folder,
      model_key: Type.String(),
      only: nullable(Type.String()),
      place: nullable(FramePlace),
      from: Type.Integer({ minimum: 0 }),
      end: Type.Integer({ minimum: 1 }),
      step: Type.Integer({ minimum: 1 }),
      least: Type.Number(),
      above: Type.Number(),
      mirror: nullable(Type.Array(Type.Integer())),
      blank: Floats,
    }),
    Type.Object({
      source_hash: nullable(Type.String()),
      begun: Type.Array(Type.String()),
      next: nullable(FramePlace),
      takes: Type.Array(RankedTake),
    }),
  ),
  /**
   * The scenes of each content: those that matches have, also where nothing is loaded. Of `model_key` where
   * it looked at the content, else of the model that came to the folder last and did. Null where none did.
   * `unreadable`: hashes whose record is damaged.
   */
  scenes: ask(
    Type.Object({ ...Folder, model_key: nullable(Type.String()), hashes: Type.Array(Type.String()) }),
    Type.Object({
      /** `scenes`: start, end, start, end... of grid frames, half-open, ascending; *moved*. */
      lists: Type.Array(
        nullable(
          Type.Object({
            model_key: Type.String(),
            scenes: Integers,
            /** `Shots` of shots.ts; null where edges are on the grid. */
            shots: nullable(Type.Object({ seconds: Doubles, frames: Unsigned, end: Type.Number() })),
          }),
        ),
      ),
      unreadable: Type.Array(Type.String()),
    }),
  ),
  /** The stored vector of one frame, d; null when it is not stored. */
  vector: ask(
    Type.Object({
      ...Folder,
      model_key: Type.String(),
      hash_str: Type.String(),
      frame_index: Type.Integer(),
    }),
    Type.Object({ vector: Type.Union([Floats, Type.Null()]) }),
  ),
  /**
   * JPEG of each frame, *moved*; null where there is none. `unreadable`: hashes whose previews are damaged.
   */
  previews: ask(
    Type.Object({
      ...Folder,
      frames: Type.Array(Type.Object({ hash_str: Type.String(), frame_index: Type.Integer() })),
    }),
    Type.Object({
      previews: Type.Array(Type.Union([Bytes, Type.Null()])),
      unreadable: Type.Optional(Type.Array(Type.String())),
    }),
    { together: 16 },
  ),
};

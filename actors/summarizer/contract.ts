// The summarizer writes the texts of a summary. It takes the stored facts of one file, outlines it, and
// writes a text with its evidence for each node: from templates, or by a language model that reads words and
// pictures.

import { type Static, Type } from 'typebox';
import { ask, Bytes, contract, Floats, Integers } from '../../runtime/contract.ts';
import { errorTable } from '../../runtime/errors.ts';
import { nullable } from '../../runtime/schema.ts';
import {
  GridRange,
  NewSummaryNode,
  NodeId,
  SummaryObjective,
  SummaryQuality,
} from '../index/summaries/contract.ts';
import { ModelState } from '../models/contract.ts';
import { ThingBox, ThingClass } from '../things/contract.ts';

export const summarizerErrors = errorTable({
  LANGUAGE_MODEL_LOST: { meaning: 'The language model is no longer loaded', status: 500, retryable: true },
  FILM_LOST: { meaning: 'The summarizer restarted and lost the file', status: 500, retryable: true },
});

export const presets = [
  'general_understanding',
  'trailer_teaser',
  'action_trailer',
  'visual_showcase',
  'highlight_reel',
  'event_recap',
  'documentary_research',
  'unscripted_story',
  'interview_selects',
  'archive_discovery',
  'season_theme_analysis',
  'b_roll_selects',
  'social_cutdown',
  'character_storyline_tracking',
  'continuity_review',
  'custom',
] as const;

export const priorityHints = [
  'beauty_scale',
  'action_danger_violence',
  'conflict',
  'reactions',
  'humor',
  'reveals_reversals',
  'strong_dialogue',
  'people_relationships',
  'claims_evidence',
  'themes_contradictions',
  'rare_material',
  'clean_coverage',
  'processes_demos',
  'crowd_energy',
  'locations_atmosphere',
  'resolutions_open_questions',
] as const;

export const mostNodesOfTurn = 100;

const Count = Type.Integer({ minimum: 0 });
const Film = { film: Type.Integer() };

/** A person of a face clustering, as far as one file shows them. */
export const SeenPerson = Type.Object({
  /** The name, or the id of a cluster without a name. */
  person: Type.String(),
  is_named: Type.Boolean(),
  /** Half-open ranges of grid frames, ascending. */
  ranges: Type.Array(GridRange),
});
export type SeenPerson = Static<typeof SeenPerson>;

/** Grid frames `[start, end)` in which it is seen, and the one that shows it best, with its score there. */
const Sight = { start: Count, end: Count, best: Count, score: Type.Number({ minimum: 0, maximum: 1 }) };

/** A thing that a detector has seen. `box`: where it is in the frame that shows it best. */
export const SeenThing = Type.Object({ ...Sight, class: ThingClass, box: ThingBox });
export type SeenThing = Static<typeof SeenThing>;

/** A line of printed text. `height`: of its letters, as a share of the picture's. */
export const SeenLine = Type.Object({ ...Sight, text: Type.String(), height: Type.Number() });
export type SeenLine = Static<typeof SeenLine>;

export const SpokenSegment = Type.Object({
  start_seconds: Type.Number({ minimum: 0 }),
  end_seconds: Type.Number({ minimum: 0 }),
  text: Type.String(),
  /** Name or id; null when nobody knows who speaks. */
  speaker: nullable(Type.String()),
});
export type SpokenSegment = Static<typeof SpokenSegment>;

/** `generating_observations`: of leaves. `generating_summary`: of the nodes above, the root last. */
const WritingStage = Type.Union([
  Type.Literal('generating_observations'),
  Type.Literal('generating_summary'),
]);

export const PlannedNode = Type.Object({
  node_id: NodeId,
  stage: WritingStage,
  /**
   * Grid frames whose previews are to be handed over with it; none for a summarizer that looks at no
   * pictures.
   */
  frames: Type.Array(Count),
});
export type PlannedNode = Static<typeof PlannedNode>;

export const OpenFilm = Type.Object({
  /** Length of the grid, at least 1. */
  seconds: Type.Integer({ minimum: 1 }),
  /** Length of the file; 0 of a still. The grid is up to a second longer. */
  duration_seconds: Type.Number({ minimum: 0 }),
  has_sound: Type.Boolean(),
  kind: Type.Union([Type.Literal('video'), Type.Literal('image'), Type.Literal('audio')]),
  /** Spoken language, BCP 47; `und` when it is unknown. */
  language: Type.String(),
  objective: SummaryObjective,
  /**
   * Model of the vectors that follow; null when there are none. Concepts are named if `set_concepts` was sent
   * for this model.
   */
  visual_model: nullable(Type.Object({ model_key: Type.String(), dimensions: Type.Integer({ minimum: 1 }) })),
  /** d, L2-normalised: the custom instructions in the space of that model; null without. */
  instructions: nullable(Floats),
  /** A model that was loaded; null for texts from templates. */
  language_model: nullable(Type.String()),
});
export type OpenFilm = Static<typeof OpenFilm>;

export const summarizerContract = contract(
  'summarizer',
  {
    /**
     * Loads a language model. A second call with the same key answers at once; another one frees the first.
     */
    load: ask(Type.Object({ model_key: Type.String() }), ModelState),
    unload: ask(Type.Object({}), Type.Object({})),
    /**
     * `present`: the concepts of a visual model are there, with a background of its library. `named`: they
     * are wanted of it.
     */
    has_concepts: ask(
      Type.Object({ model_key: Type.String() }),
      Type.Object({ present: Type.Boolean(), named: Type.Boolean() }),
    ),
    /** The phrases of the lexicon, in the order in which `set_concepts` wants their vectors. */
    concept_phrases: ask(Type.Object({}), Type.Object({ phrases: Type.Array(Type.String()) })),
    /**
     * Vectors of those phrases, phrases×d, L2-normalised, *moved*; zeros for one that the model does not
     * understand. Kept until another model's are set. `pictures`: n×d of the library, taken evenly, *moved*:
     * what usually is seen.
     */
    set_concepts: ask(
      Type.Object({
        model_key: Type.String(),
        dimensions: Type.Integer({ minimum: 1 }),
        phrases: nullable(Floats),
        pictures: Floats,
      }),
      Type.Object({}),
    ),
    /** One file; to be closed. LANGUAGE_MODEL_LOST. */
    open_film: ask(OpenFilm, Type.Object(Film)),
    /**
     * `frames`: ascending, behind those of the call before. `vectors`: n×d, L2-normalised, *moved*. `cuts`:
     * those of the frames with which a shot begins. FILM_LOST.
     */
    add_vectors: ask(
      Type.Object({ ...Film, frames: Integers, vectors: Floats, cuts: Integers }),
      Type.Object({ frames: Count }),
    ),
    /**
     * Segments behind those of the call before, ascending by start. A call without any says that somebody
     * listened. FILM_LOST.
     */
    add_words: ask(
      Type.Object({ ...Film, segments: Type.Array(SpokenSegment, { maxItems: 2000 }) }),
      Type.Object({}),
    ),
    /** FILM_LOST. */
    add_people: ask(Type.Object({ ...Film, people: Type.Array(SeenPerson) }), Type.Object({})),
    /** Takes all things and lines that detectors have seen. FILM_LOST. */
    add_sights: ask(
      Type.Object({ ...Film, things: Type.Array(SeenThing), lines: Type.Array(SeenLine) }),
      Type.Object({}),
    ),
    /**
     * Outlines the file: all that was added counts, and nothing can be added after. Nodes in the order in
     * which they are to be written: children before their parents. FILM_LOST.
     */
    outline: ask(Type.Object(Film), Type.Object({ nodes: Type.Array(PlannedNode), root_id: NodeId })),
    /**
     * Nodes that an earlier run wrote: their texts stand, and those above are made of them. An id that the
     * outline does not have is refused. FILM_LOST.
     */
    take_up: ask(
      Type.Object({
        ...Film,
        nodes: Type.Array(Type.Object({ node_id: NodeId, text: Type.String(), failed: Type.Boolean() }), {
          maxItems: 500,
        }),
      }),
      Type.Object({}),
    ),
    /**
     * Writes nodes whose children are written. `pictures`: of the frames that were planned, JPEG, those that
     * can be read. A node of which the language model makes nothing usable keeps the text from templates and
     * is `failed`. Cancelled within a token. FILM_LOST, LANGUAGE_MODEL_LOST.
     */
    write: ask(
      Type.Object({
        ...Film,
        nodes: Type.Array(
          Type.Object({
            node_id: NodeId,
            pictures: Type.Array(Type.Object({ frame_idx: Count, jpeg: Bytes })),
          }),
          { minItems: 1, maxItems: mostNodesOfTurn },
        ),
      }),
      Type.Object({ nodes: Type.Array(NewSummaryNode) }),
    ),
    /**
     * When all nodes are written: the texts of the whole, and what is known to be wrong, `warnings` first.
     * FILM_LOST, LANGUAGE_MODEL_LOST.
     */
    conclude: ask(
      Type.Object({ ...Film, warnings: Type.Array(Type.String()) }),
      Type.Object({
        one_line_summary: Type.String({ maxLength: 2000 }),
        short_summary: Type.String({ maxLength: 20_000 }),
        quality: SummaryQuality,
      }),
    ),
    /** A film that is not open is closed already. */
    close_film: ask(Type.Object(Film), Type.Object({})),
  },
  // A language model takes minutes to load, and many seconds for a node.
  { concurrency: 2, turnLimitMs: 600_000 },
);

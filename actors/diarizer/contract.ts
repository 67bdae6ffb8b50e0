// The diarizer decides who speaks when. It takes samples and the speech detected in them, keeps speaker
// embeddings instead of sound, and decides at the end how many speakers there are.

import { type Static, Type } from 'typebox';
import { ask, contract, Floats, SlotHandle } from '../../runtime/contract.ts';
import { described, field } from '../../runtime/schema.ts';
import { ModelState } from '../models/contract.ts';
import { SpeechRegion } from '../transcriber/contract.ts';

/** How many speakers there are: 1 to 4 exactly; `5+`: 5 to 12; `auto` counts them. */
export const SpeakerCount = Type.Union([
  Type.Literal('auto'),
  Type.Literal('5+'),
  Type.Integer({ minimum: 1, maximum: 4 }),
]);
export type SpeakerCount = Static<typeof SpeakerCount>;

/** A time in which one speaker speaks; turns of different speakers may overlap. */
export const SpeakerTurn = Type.Object({
  start_seconds: Type.Number({ minimum: 0 }),
  end_seconds: Type.Number({ minimum: 0 }),
  /** `SPEAKER_00`, … in order of appearance. */
  speaker: Type.String(),
});
export type SpeakerTurn = Static<typeof SpeakerTurn>;

/** How many speakers there may be. */
export const SpeakerRange = Type.Object(
  {
    least: field('The fewest speakers there may be.', Type.Integer({ minimum: 0 })),
    most: field('The most speakers there may be.', Type.Integer({ minimum: 0 })),
  },
  { title: 'SpeakerRange' },
);
export type SpeakerRange = Static<typeof SpeakerRange>;

/** How the speakers of a file sound: one vector each, which is all that is kept of a voice. */
export const SpeakerVoices = Type.Object({
  /** The model and its version: vectors of another one are not compared with these. */
  model: Type.String(),
  /** `seconds`: of its turns. */
  speakers: Type.Array(Type.Object({ speaker: Type.String(), seconds: Type.Number({ minimum: 0 }) })),
  /** k×d, of length 1 each, aligned with `speakers`. */
  vectors: Floats,
});
export type SpeakerVoices = Static<typeof SpeakerVoices>;

/** Answers of models, which only mean something to a session of the same model and version. */
export const ComputedVoices = Type.Object({ model: Type.String(), numbers: Floats });
export type ComputedVoices = Static<typeof ComputedVoices>;

/** The speaker model that comes with the program, used where nothing better is downloaded. */
export const starterSpeakerKey = 'starter-speaker';

/** "2 to 4 speakers". */
export function rangeText({ least, most }: SpeakerRange): string {
  return `${least} to ${most} speakers`;
}

/**
 * Warning about a number of speakers that is not sure, and what would help. `range`: null for a transcript of
 * an earlier version. `model_key`: of the speaker model, null where it is not known.
 */
export function uncertainSpeakers(range: SpeakerRange | null, model_key: string | null): string {
  const better =
    model_key === starterSpeakerKey
      ? '; the included speaker model often counts wrong, for a better one: framehound models pull voices'
      : '';
  const count = range === null ? '' : `, ${rangeText(range)}`;
  return `the number of speakers is uncertain${count}; to give it: framehound transcribe --speakers N --force${better}`;
}

export const SpeakersUncertain = described(
  Type.Optional(Type.Boolean()),
  'True if there may be more or fewer speakers: see `speaker_range`.',
);

export const OptionalSpeakerRange = described(
  Type.Optional(SpeakerRange),
  'The fewest and the most speakers there may be. Left out where their number is sure or was given.',
);

export const diarizerContract = contract(
  'diarizer',
  {
    /** Loads the best speaker models that are downloaded; the starter model is always there. */
    load: ask(Type.Object({}), Type.Object({ model_key: Type.String(), state: ModelState })),
    unload: ask(Type.Object({}), Type.Object({})),
    open: ask(
      Type.Object({
        channels: Type.Integer({ minimum: 1 }),
        speaker_count: SpeakerCount,
        /**
         * Answers of `computed` in an interrupted run, joined; empty for none. The sound is appended all the
         * same, and `computed` then answers only new ones.
         */
        computed: Type.Optional(ComputedVoices),
      }),
      Type.Object({ session: Type.Integer() }),
    ),
    /** Model outputs since the last call. `numbers` is *moved*. */
    computed: ask(Type.Object({ session: Type.Integer() }), ComputedVoices),
    /**
     * A block as it was sent to the transcriber, with its answer. `count` 0: the channel has ended.
     * `samples` is *borrowed until answered*.
     */
    append: ask(
      Type.Object({
        session: Type.Integer(),
        channel: Type.Integer({ minimum: 0 }),
        first_sample: Type.Integer({ minimum: 0 }),
        count: Type.Integer({ minimum: 0 }),
        /** Null when `count` is 0. */
        samples: Type.Union([SlotHandle, Type.Null()]),
        speech: Type.Array(SpeechRegion),
        settled: Type.Integer({ minimum: 0 }),
      }),
      Type.Object({}),
    ),
    /**
     * `turns` ascending by start. `speakers`: for each of `spans`, half-open seconds, the speaker that
     * overlaps it most, or the nearest one; null when nobody speaks at all. The session is over.
     */
    finish: ask(
      Type.Object({
        session: Type.Integer(),
        spans: Type.Array(Type.Tuple([Type.Number({ minimum: 0 }), Type.Number({ minimum: 0 })])),
      }),
      Type.Object({
        turns: Type.Array(SpeakerTurn),
        speakers: Type.Array(Type.Union([Type.String(), Type.Null()])),
        speaker_count: Type.Integer({ minimum: 0 }),
        /** Null where their number is sure, or was given. */
        speaker_range: Type.Union([SpeakerRange, Type.Null()]),
        /** Voices of the speakers of `turns`; `vectors` are *moved*. */
        voices: SpeakerVoices,
      }),
    ),
    drop: ask(Type.Object({ session: Type.Integer() }), Type.Object({})),
  },
  // The embeddings of ten hours are clustered in one turn.
  { concurrency: 8, turnLimitMs: 300_000 },
);

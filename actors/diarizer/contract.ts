// What the diarizer answers: who speaks when. It takes samples and the speech detected in them, keeps speaker
// embeddings and not sound, and decides at the end how many speakers there are.
import { type Static, Type } from 'typebox';
import { ask, contract, Floats, SlotHandle } from '../../runtime/contract.ts';
import { described } from '../../runtime/schema.ts';
import { ModelState } from '../embedder/contract.ts';
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

/** The speaker model that comes with the program, used where nothing better is downloaded. */
export const starterSpeakerKey = 'starter-speaker';
/** Of eight recordings of real rooms of 22 to 42 s, it counted the speakers of none correctly. */
const leastCertainSeconds = 120;

/** True if the speakers that were found may well be too many or too few. `seconds`: of the recording. */
export function areSpeakersUncertain(model_key: string, count: SpeakerCount, seconds: number): boolean {
  return model_key === starterSpeakerKey && typeof count === 'string' && seconds < leastCertainSeconds;
}

/** Warning about such speakers, and what would help. */
export const uncertainSpeakers =
  'who speaks is uncertain: the included speaker model is unreliable in recordings below two minutes; ' +
  'for better ones: framehound models pull voices, then framehound transcribe --force';

export const SpeakersUncertain = described(
  Type.Optional(Type.Boolean()),
  'True if there may be more or fewer speakers: the included speaker model is unreliable in recordings of ' +
    'less than two minutes.',
);

export const diarizerContract = contract(
  'diarizer',
  {
    /** Loads the best speaker models that are downloaded; the starter model is always there. */
    load: ask(Type.Object({}), Type.Object({ model_key: Type.String(), state: ModelState })),
    unload: ask(Type.Object({}), Type.Object({})),
    open: ask(
      Type.Object({ channels: Type.Integer({ minimum: 1 }), speaker_count: SpeakerCount }),
      Type.Object({ session: Type.Integer() }),
    ),
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
        /** Of the speakers of `turns`; `vectors` are *moved*. */
        voices: SpeakerVoices,
      }),
    ),
    drop: ask(Type.Object({ session: Type.Integer() }), Type.Object({})),
  },
  // The embeddings of ten hours are clustered in one turn.
  { concurrency: 8, turnLimitMs: 300_000 },
);

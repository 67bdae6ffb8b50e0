// The transcriber detects speech and writes it down. It takes samples, never a sound file; the only files it
// reads are subtitles beside a media file.
//
// One file is one session: `open`, then `append` for every block of every channel in order, `end` for each
// channel, and `finish`, which answers the text. Windows of several sessions are transcribed in one batch.

import { type Static, Type } from 'typebox';
import { ask, Bytes, contract, SlotHandle } from '../../runtime/contract.ts';
import { errorTable } from '../../runtime/errors.ts';
import { baseLanguage, languageCode, languageName } from '../../runtime/languages.ts';
import { ModelState } from '../models/contract.ts';
import { chooseTrack, isPartial, unreadSubtitles } from './text/subtitles/choose.ts';

export const speechErrors = errorTable({
  LANGUAGE_UNSUPPORTED: { meaning: 'No downloaded speech model supports the language', status: 400 },
  SUBTITLES_INVALID: { meaning: 'The subtitles cannot be read', status: 400 },
  SESSION_LOST: { meaning: 'The session was lost when the actor restarted', status: 503, retryable: true },
});

/** How a language that a person names becomes a code, for rooms that check requests. See languages.ts. */
export const speechLanguages = { code: languageCode, name: languageName, base: baseLanguage } as const;

/** Values of `preferred_x_model_key`. */
export const xPreferences = ['auto', 'faster', 'more accurate', 'x3-asr-0.6b', 'x3-asr-1.7b'] as const;
export type XPreference = (typeof xPreferences)[number];

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()]);

/** A range of sound with speech in it: half-open, in samples at 16 kHz from the start of the file. */
export const SpeechRegion = Type.Tuple([Type.Integer({ minimum: 0 }), Type.Integer({ minimum: 1 })]);
export type SpeechRegion = Static<typeof SpeechRegion>;

/** One segment of a transcript: at most 7 s and 84 characters where its source allows it. */
export const Segment = Type.Object({
  start_seconds: Type.Number({ minimum: 0 }),
  end_seconds: Type.Number({ minimum: 0 }),
  /** Begins with a space. */
  text: Type.String(),
  /** Speaker that the source itself names (`<v Name>`, `NAME:`); null where only diarization can decide. */
  speaker: Nullable(Type.String()),
  /** BCP 47; null or left out where it is not known. */
  language: Type.Optional(Nullable(Type.String())),
});
export type Segment = Static<typeof Segment>;

/** Voice activity detection so far: what is before `settled` does not change any more. */
export const DetectedSpeech = Type.Object({
  /**
   * Between the `settled` answered before and this one, ascending; a region that goes on touches the one
   * before.
   */
  speech: Type.Array(SpeechRegion),
  settled: Type.Integer({ minimum: 0 }),
});
export type DetectedSpeech = Static<typeof DetectedSpeech>;

export const SpeechModel = Type.Object({
  model_key: Type.String(),
  /** Languages in the notation of the registry: BCP 47, `*` for very many. */
  languages: Type.Array(Type.String()),
  state: ModelState,
});
export type SpeechModel = Static<typeof SpeechModel>;

/** A text event of an embedded track, as it lies in the file. */
const RawCue = Type.Object({
  start_seconds: Type.Number(),
  end_seconds: Type.Number(),
  text: Type.String(),
});

/** Repaired faults of the cues of subtitles. */
const Repairs = {
  /** Cues left out: no time, or over before the media begins. */
  skipped: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Cues whose times were corrected: no end, one before the start, a start before that of the media. */
  repaired: Type.Optional(Type.Integer({ minimum: 0 })),
};

/** Transcript of one window of sound, which need not be transcribed again. */
export const WrittenWindow = Type.Object({
  channel: Type.Integer({ minimum: 0 }),
  first_sample: Type.Integer({ minimum: 0 }),
  /** Checksum of the samples and of the speech regions in them. */
  crc: Type.Integer({ minimum: 0 }),
  pieces: Type.Array(
    Type.Object({
      text: Type.String(),
      start: Type.Number(),
      end: Type.Number(),
      language: Type.Optional(Nullable(Type.String())),
    }),
  ),
  language: Nullable(Type.String()),
  heard: Type.Optional(Nullable(Type.String())),
  confidence: Type.Optional(Type.Object({ noSpeech: Type.Number(), meanLogProbability: Type.Number() })),
});
export type WrittenWindow = Static<typeof WrittenWindow>;

/** `has_track`: a track of the media has all that is said; forced subtitles beside it do not count then. */
const Beside = Type.Object({
  media_path: Type.String(),
  language: Nullable(Type.String()),
  has_track: Type.Optional(Type.Boolean()),
});

const Share = Type.Number({ minimum: 0, maximum: 1 });

/** Result so far, and state for the next block. */
export const HeardSounds = Type.Object({
  /** Mean probability in each second that was completed, in order. */
  seconds: Type.Array(Type.Object({ music: Share, singing: Share })),
  /** The second behind them. */
  next_second: Type.Integer({ minimum: 0 }),
  /** Position of `remainder`: the f32 samples from which what follows is heard. */
  first_sample: Type.Integer({ minimum: 0 }),
  remainder: Bytes,
});
export type HeardSounds = Static<typeof HeardSounds>;

export const transcriberContract = contract(
  'transcriber',
  {
    /**
     * Which downloaded model transcribes a language (BCP 47, null to find out): the preferred one where it
     * can, else the best one. NO_SPEECH_MODEL, LANGUAGE_UNSUPPORTED: the message names the command that
     * helps.
     */
    choose: ask(
      Type.Object({
        preferred: Type.Unsafe<XPreference>(Type.Union(xPreferences.map((value) => Type.Literal(value)))),
        language: Nullable(Type.String()),
      }),
      Type.Object({
        model_key: Type.String(),
        /**
         * The key the preference means, where another model is used because that one is missing or lacks the
         * language.
         */
        instead_of: Nullable(Type.String()),
      }),
    ),
    /**
     * Loads a speech model; the same key again answers at once, another one takes its place.
     * MODEL_NOT_DOWNLOADED and its like.
     */
    load: ask(Type.Object({ model_key: Type.String() }), SpeechModel),
    /** Frees the model; speech is still detected. */
    unload: ask(Type.Object({}), Type.Object({})),
    state: ask(Type.Object({}), ModelState),
    open: ask(
      Type.Object({
        /** The loaded one; null only detects speech, and `finish` answers no text. */
        model_key: Nullable(Type.String()),
        /** BCP 47; null lets the model detect it, and follow it where it changes. */
        language: Nullable(Type.String()),
        channels: Type.Integer({ minimum: 1 }),
        /**
         * Answers speech as our own detector finds it, whatever finds it for the model: by Silero's speech
         * the included speaker model counts 5 of 10 rooms right instead of 7.
         */
        answers_built_in: Type.Optional(Type.Boolean()),
        /**
         * Windows that this model wrote before; their sound is appended all the same. With it `written`
         * answers new ones.
         */
        written: Type.Optional(Type.Array(WrittenWindow)),
      }),
      Type.Object({ session: Type.Integer() }),
    ),
    /**
     * `samples`: `count` f32 at 16 kHz, −1 to 1, at the start of the slot, *borrowed until answered*. Blocks
     * of a channel follow each other without a gap. Answers late while too many windows wait for the model.
     */
    append: ask(
      Type.Object({
        session: Type.Integer(),
        /** Counted from 0 among the channels of the session. */
        channel: Type.Integer({ minimum: 0 }),
        first_sample: Type.Integer({ minimum: 0 }),
        count: Type.Integer({ minimum: 1 }),
        samples: SlotHandle,
      }),
      DetectedSpeech,
    ),
    /** The windows that were transcribed since the last call. */
    written: ask(
      Type.Object({ session: Type.Integer() }),
      Type.Object({ windows: Type.Array(WrittenWindow) }),
    ),
    /** The channel has no more blocks: everything is settled. */
    end: ask(Type.Object({ session: Type.Integer(), channel: Type.Integer({ minimum: 0 }) }), DetectedSpeech),
    /**
     * The text of all channels, ascending by start; what two channels both picked up is in it once. The
     * session is over.
     */
    finish: ask(
      Type.Object({ session: Type.Integer() }),
      Type.Object({
        segments: Type.Array(Segment),
        /** BCP 47; null when nothing was said or no model was asked for. */
        language: Nullable(Type.String()),
        /** Clearly heard in much of the speech, instead of the one asked for; left out for none. */
        heard_instead: Type.Optional(Type.String()),
        speech_seconds: Type.Number(),
      }),
    ),
    /** Forgets a session; one that is not known is forgotten already. */
    drop: ask(Type.Object({ session: Type.Integer() }), Type.Object({})),
    /**
     * The transcript that lies beside a media file (`film.srt`, `film.en.vtt`, …), best match of the language
     * first; null when there is none. SUBTITLES_INVALID names the file.
     */
    sidecar: ask(
      Beside,
      Nullable(
        Type.Object({
          path: Type.String(),
          language: Nullable(Type.String()),
          segments: Type.Array(Segment),
          /** The best file of each other language. */
          others: Type.Array(
            Type.Object({ language: Nullable(Type.String()), segments: Type.Array(Segment) }),
          ),
          /** Why files of other languages cannot be read. */
          unreadable: Type.Array(Type.String()),
          version: Type.String(),
          ...Repairs,
        }),
      ),
    ),
    /**
     * Another one when a file that `sidecar` would read is edited; null when there is none, or it cannot be
     * read.
     */
    sidecar_version: ask(Beside, Nullable(Type.String())),
    /**
     * Loads the downloaded model for music and singing beside that for speech; answers at once when it is
     * loaded. NO_SOUND_MODEL, and what opening a model throws.
     */
    load_sounds: ask(Type.Object({}), Type.Object({ model_key: Type.String() })),
    unload_sounds: ask(Type.Object({}), Type.Object({})),
    /**
     * How likely music and singing are in the seconds that a block completes. `samples`: as in `append`, of a
     * sound of one channel; null after its last block. `before`: the answer for the block before it.
     * MODEL_NOT_LOADED, MODEL_RUN_FAILED.
     */
    hear_sounds: ask(
      Type.Object({
        model_key: Type.String(),
        count: Type.Integer({ minimum: 0 }),
        samples: Nullable(SlotHandle),
        before: Nullable(HeardSounds),
      }),
      HeardSounds,
    ),
    /** The events of an embedded track as segments: styling gone, speakers taken out. */
    captions: ask(
      Type.Object({ codec: Type.String(), header: Nullable(Type.String()), cues: Type.Array(RawCue) }),
      Type.Object({ segments: Type.Array(Segment), ...Repairs }),
    ),
  },
  // Blocks of several files are accepted while a batch of windows runs, which may take minutes, as may a cold
  // start.
  { concurrency: 16, turnLimitMs: 600_000 },
);

/**
 * The embedded track to take as the transcript: best fit of the language, text only; null when there is none.
 */
export const chooseCaptions = chooseTrack;
export { isPartial, unreadSubtitles };

// A fake transcriber and a fake diarizer: they keep books on who was opened and closed, and fail on demand.

import { diarizerContract, type SpeakerRange } from '../../../actors/diarizer/contract.ts';
import { modelErrors, noModel, noModelErrors } from '../../../actors/models/contract.ts';
import {
  type HeardSounds,
  type Segment,
  speechErrors,
  transcriberContract,
  type WrittenWindow,
} from '../../../actors/transcriber/contract.ts';
import { actor, type Handlers } from '../../../runtime/actor.ts';
import { engineErrors } from '../../../runtime/errors.ts';

export interface Voices {
  /** Keys of the models that are downloaded, and the languages of all of them. */
  readonly models: string[];
  readonly languages: string[];
  /** Models that cannot be opened. */
  readonly unloadable: Set<string>;
  /** Key of the model that tells voices apart. */
  speakerModel: string;
  /** Range of the number of speakers that the diarizer answers. */
  speakerRange: SpeakerRange | null;
  /** How often they were tried. */
  unloaded: number;
  /** Keys in the order in which they were loaded; null: freed. */
  readonly loads: (string | null)[];
  /** Sessions of transcription and diarization that were opened and neither finished nor dropped. */
  readonly open: Set<string>;
  /** Sessions of transcription open at the same time, at most. */
  mostOpen: number;
  /** The session fails this many times after its first block. */
  crashes: number;
  /** Segments of the sidecar of each media path. */
  readonly sidecars: Map<string, Segment[]>;
  /** Seconds that the model was given: each block of the fakes is a window. */
  readonly written: number[];
  hold: Promise<void>;
  /** Whether the model for music and singing is downloaded, and what it hears in each second. */
  hearsSounds: boolean;
  soundsAt: (second: number) => HeardSounds['seconds'][number];
}

export function noVoices(): Voices {
  return {
    models: ['x3-asr-0.6b'],
    languages: ['en', 'de'],
    unloadable: new Set(),
    speakerModel: 'fake-speaker',
    speakerRange: null,
    unloaded: 0,
    loads: [],
    open: new Set(),
    mostOpen: 0,
    crashes: 0,
    sidecars: new Map(),
    written: [],
    hold: Promise.resolve(),
    hearsSounds: false,
    soundsAt: () => ({ music: 0, singing: 0 }),
  };
}

/** No subtitles in other languages. */
const alone = { others: [], unreadable: [] };

export function fakeTranscriber(voices: Voices) {
  const sessions = new Map<
    number,
    { samples: number; text: boolean; before: Set<number>; fresh: WrittenWindow[] }
  >();
  let last = 0;
  const of = (session: number) => {
    const at = sessions.get(session);
    if (!at) throw speechErrors.SESSION_LOST(`transcription ${session}`);
    return at;
  };
  const close = (session: number) => {
    sessions.delete(session);
    voices.open.delete(`transcription ${session}`);
    return {};
  };
  return actor<typeof transcriberContract, unknown>({
    contract: transcriberContract,
    create: () => ({
      handlers: {
        choose: ({ preferred, language }) => {
          const [first] = voices.models;
          if (first === undefined) throw noModelErrors.NO_SPEECH_MODEL('No speech model is downloaded');
          if (language !== null && !voices.languages.includes(language)) {
            throw speechErrors.LANGUAGE_UNSUPPORTED(`none understands ${language}`);
          }
          const model_key = voices.models.find((key) => key === preferred) ?? first;
          return { model_key, instead_of: null };
        },
        load: ({ model_key }) => {
          if (voices.unloadable.has(model_key)) {
            voices.unloaded += 1;
            throw modelErrors.MODEL_LOAD_FAILED(`${model_key}: no graph`);
          }
          if (voices.loads.at(-1) !== model_key) voices.loads.push(model_key);
          const loaded = { model_key, requested_model_key: model_key, load_status: 'ready' } as const;
          const state = { ...noModel, ...loaded };
          return { model_key, languages: voices.languages, state };
        },
        unload: () => {
          voices.loads.push(null);
          return {};
        },
        state: () => noModel,
        open: ({ model_key, written = [] }) => {
          const before = new Set(written.map(({ first_sample }) => first_sample));
          sessions.set(++last, { samples: 0, text: model_key !== null, before, fresh: [] });
          voices.open.add(`transcription ${last}`);
          voices.mostOpen = Math.max(voices.mostOpen, sessions.size);
          return { session: last };
        },
        append: async ({ session, channel, count, first_sample }, turn) => {
          await voices.hold;
          turn.throwIfCancelled();
          const at = of(session);
          at.samples += count;
          if (at.text && !at.before.has(first_sample)) {
            voices.written.push(first_sample / 16_000);
            at.fresh.push({ channel, first_sample, crc: 0, pieces: [], language: 'en' });
          }
          if (voices.crashes > 0) {
            voices.crashes--;
            throw engineErrors.ACTOR_CRASHED('transcriber ended');
          }
          const end = first_sample + count;
          return { speech: [[first_sample, end] as [number, number]], settled: end };
        },
        written: ({ session }) => {
          const at = of(session);
          const windows = [...at.fresh];
          at.fresh = [];
          return { windows };
        },
        end: ({ session }) => ({ speech: [], settled: of(session).samples }),
        finish: ({ session }) => {
          const { samples, text } = of(session);
          close(session);
          const seconds = samples / 16_000;
          const segments = Array.from({ length: text ? seconds : 0 }, (_, i) => ({
            start_seconds: i,
            end_seconds: i + 1,
            text: ` word ${i}`,
            speaker: null,
          }));
          return { segments, language: text ? 'en' : null, speech_seconds: seconds };
        },
        drop: ({ session }) => close(session),
        sidecar: ({ media_path }) => {
          const segments = voices.sidecars.get(media_path);
          const version = String(segments?.length);
          return segments ? { path: `${media_path}.srt`, language: 'en', segments, version, ...alone } : null;
        },
        sidecar_version: ({ media_path }) => voices.sidecars.get(media_path)?.length.toString() ?? null,
        ...soundHandlers(voices),
        captions: ({ cues }) => ({
          segments: cues.map(({ text, ...times }) => ({ ...times, text: ` ${text}`, speaker: null })),
        }),
      },
    }),
  });
}

/** Music and singing, as `soundsAt` says. */
function soundHandlers(
  voices: Voices,
): Pick<Handlers<typeof transcriberContract>, 'load_sounds' | 'unload_sounds' | 'hear_sounds'> {
  return {
    load_sounds: () => {
      if (!voices.hearsSounds) throw noModelErrors.NO_SOUND_MODEL('framehound models pull firered-aed');
      return { model_key: 'fake-sounds' };
    },
    unload_sounds: () => ({}),
    hear_sounds: async ({ count, before }, turn) => {
      await voices.hold;
      turn.throwIfCancelled();
      if (voices.crashes > 0) {
        voices.crashes--;
        throw engineErrors.ACTOR_CRASHED('transcriber ended');
      }
      const first = before?.next_second ?? 0;
      const seconds = Array.from({ length: count / 16_000 }, (_, i) => voices.soundsAt(first + i));
      const next_second = first + seconds.length;
      return { seconds, next_second, first_sample: next_second * 16_000, remainder: new Uint8Array(0) };
    },
  };
}

/** Two voices who take turns, a second each. */
export function fakeDiarizer(voices: Voices) {
  const sessions = new Set<number>();
  let last = 0;
  const close = (session: number) => {
    sessions.delete(session);
    voices.open.delete(`diarization ${session}`);
    return {};
  };
  return actor<typeof diarizerContract, unknown>({
    contract: diarizerContract,
    create: () => ({
      handlers: {
        load: () => ({ model_key: voices.speakerModel, state: noModel }),
        unload: () => ({}),
        open: () => {
          sessions.add(++last);
          voices.open.add(`diarization ${last}`);
          return { session: last };
        },
        append: ({ session }) => {
          if (!sessions.has(session)) throw engineErrors.INTERNAL(`session ${session}`);
          return {};
        },
        computed: () => ({ model: 'fake-speaker@1', numbers: new Float32Array(0) }),
        finish: ({ session, spans }) => {
          close(session);
          const speakers = spans.map(([start]) => `SPEAKER_0${Math.floor(start) % 2}`);
          const ids = [...new Set(speakers)].sort();
          const vectors = new Float32Array(ids.length * 2).map((_, at) => (at % 2 === 0 ? 1 : 0));
          const sound = {
            model: `${voices.speakerModel}@1`,
            speakers: ids.map((speaker) => ({ speaker, seconds: 5 })),
            vectors,
          };
          return {
            turns: [],
            speakers,
            speaker_count: ids.length,
            speaker_range: voices.speakerRange,
            voices: sound,
          };
        },
        drop: ({ session }) => close(session),
      },
    }),
  });
}

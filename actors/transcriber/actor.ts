// The transcriber: hears where somebody speaks on any number of channels, and has what is said there written down by one
// speech model, windows of all files in one line.
import { randomInt } from 'node:crypto';
import { type ActorEnv, type ActorInstance, actor, type Turn } from '../../runtime/actor.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { createCheckpoint } from '../../runtime/sync/checkpoint.ts';
import type { SpeechRow } from '../models/contract.ts';
import { CurrentModel } from '../models/current.ts';
import type { DeviceChoice } from '../models/device.ts';
import {
  fileOf,
  findSpeechRow,
  isSpeech,
  missingFiles,
  readRegistry,
  requireFiles,
} from '../models/registry.ts';
import { openSession } from '../models/session.ts';
import { chooseSpeechModel, type SpeechOffer } from './choose.ts';
import { speechErrors, transcriberContract } from './contract.ts';
import { familyOf } from './families.ts';
import type { SessionOpener, SpeechFamily } from './family.ts';
import { type WaitingTurn, WindowQueue } from './queue.ts';
import { type HearingModel, TranscriptionSession } from './session.ts';
import { languageName, offeredLanguage } from './text/languages.ts';
import { captions, sidecar, sidecarVersion } from './text/subtitles/sidecar.ts';
import { voiceRate } from './voice/detector.ts';
import { ownDetectors } from './voice/own.ts';
import { VoiceSource } from './voice/source.ts';
import { windowRules } from './voice/windows.ts';

export interface TranscriberSettings {
  /** Absolute path of the folder with a folder for each model. */
  readonly modelsDir: string;
  readonly device: DeviceChoice;
  /** Threads inside one run; 0 leaves it to the runtime. */
  readonly threads: number;
}

/** Windows that wait for the model before `append` does: 28 s of sound each, 1.8 MB. */
const WAITING_WINDOWS = 4;

type Current = CurrentModel<SpeechRow, SpeechFamily>;
type Env = ActorEnv<TranscriberSettings>;

export const definition = actor({
  contract: transcriberContract,
  create: (env: Env): ActorInstance<typeof transcriberContract> => {
    const { settings, log, stopping } = env;
    const { modelsDir } = settings;
    const current = currentModel(env);
    const checkpoint = createCheckpoint(undefined, { stopping });
    const queue = new WindowQueue({
      model: (key, work) =>
        current.run(key, ({ row, family }) =>
          work(row.speech.batch, (windows, language, checkpoint) =>
            family.transcribe(windows, language, checkpoint),
          ),
        ),
      checkpoint,
      limit: WAITING_WINDOWS,
    });
    const voices = new VoiceSource(modelsDir, ownDetectors(), log);
    // Another life of this actor must not know the sessions of this one under other names.
    let last = randomInt(2 ** 46);
    const sessions = new Map<number, TranscriptionSession>();
    const hearingOf = (id: number) => {
      const session = sessions.get(id);
      if (session) return session;
      throw speechErrors.SESSION_LOST(`session ${id}`, { session: id });
    };
    const forget = (id: number) => {
      const session = sessions.get(id);
      if (session) queue.drop(session);
      sessions.delete(id);
    };
    /** A session of which one block may be missing is of no use any more. */
    const orForget = async <T>(
      id: number,
      work: (session: TranscriptionSession) => Promise<T>,
    ): Promise<T> => {
      try {
        return await work(hearingOf(id));
      } catch (error) {
        // A request that was refused took nothing.
        if (!engineErrors.INVALID_MESSAGE.is(error)) forget(id);
        throw error;
      }
    };
    return {
      handlers: {
        choose: async ({ preferred, language }) =>
          chooseSpeechModel(await offersIn(modelsDir), preferred, language),
        load: async ({ model_key }, turn) => {
          const { row, state } = await current.load(model_key, createCheckpoint(turn, { stopping }));
          return { model_key: row.key, languages: row.languages, state };
        },
        unload: async () => {
          await current.unload();
          return {};
        },
        state: () => current.state,
        open: async ({ model_key, language, channels }, turn) => {
          const model = model_key === null ? null : modelFor(current, model_key, language);
          const source = await voices.best();
          turn.throwIfCancelled();
          last += 1;
          sessions.set(last, new TranscriptionSession(model, queue, channels, source.open, log));
          return { session: last };
        },
        append: ({ session: id, channel, first_sample, count, samples }, turn) =>
          orForget(id, async (session) => {
            const heard = await session.hear(channel, first_sample, floatsIn(turn.slot(samples), count));
            await queue.room(waiting(turn));
            turn.throwIfCancelled();
            return heard;
          }),
        end: ({ session: id, channel }, turn) =>
          orForget(id, async (session) => {
            const heard = await session.end(channel);
            turn.throwIfCancelled();
            return heard;
          }),
        finish: async ({ session: id }, turn) => {
          const result = await orForget(id, (session) => session.finish(waiting(turn)));
          forget(id);
          return result;
        },
        drop: ({ session }) => {
          forget(session);
          return {};
        },
        sidecar: (request) => sidecar(request),
        sidecar_version: (request) => sidecarVersion(request),
        captions: (request) => captions(request),
      },
      close: async () => {
        await queue.idle();
        await current.close();
        await voices.close();
      },
    };
  },
});

function currentModel({ settings, log }: Env): Current {
  const { modelsDir, device, threads } = settings;
  return new CurrentModel({
    kind: 'speech',
    // Who asked for a model of speech is told when it cannot be had; another one would write other words.
    defaultModel: null,
    log,
    find: async (key) => {
      const row = findSpeechRow(await readRegistry(modelsDir), key);
      await requireFiles(modelsDir, row);
      return row;
    },
    open: async (row, checkpoint) => {
      const file = (role: string) => fileOf(modelsDir, row, role);
      const open: SessionOpener = (source) => openSession(source, { device, threads, log, checkpoint });
      return familyOf(row).open(row, file, open, checkpoint);
    },
  });
}

function waiting(turn: Turn): WaitingTurn {
  return { signal: turn.signal, alive: () => turn.alive() };
}

/** What a session asks of the loaded model. Throws MODEL_NOT_LOADED and LANGUAGE_UNSUPPORTED. */
function modelFor(current: Current, key: string, language: string | null): HearingModel {
  const { row } = current.using(key);
  const told = language === null ? null : offeredLanguage(row.languages, language);
  if (language !== null && told === null) {
    const named = `${languageName(language)} (${language})`;
    throw speechErrors.LANGUAGE_UNSUPPORTED(`"${key}" does not understand ${named}`, { key, language });
  }
  const longest = Math.min(windowRules.longest, Math.floor(row.speech.max_window_seconds * voiceRate));
  return { key, language: told, rules: { ...windowRules, longest } };
}

async function offersIn(modelsDir: string): Promise<SpeechOffer[]> {
  const { rows } = await readRegistry(modelsDir);
  const offers = rows.filter(isSpeech).map(async ({ key, languages, speed, accuracy, size_gb, ...row }) => {
    const missing = await missingFiles(modelsDir, { key, languages, speed, accuracy, size_gb, ...row });
    return { key, languages, speed, accuracy, size_gb, downloaded: missing.length === 0 };
  });
  return Promise.all(offers);
}

/** The samples at the start of a slot. *Borrowed until the end of the turn.* Throws INVALID_MESSAGE when it is too small. */
function floatsIn(slot: Uint8Array, count: number): Float32Array {
  const bytes = count * Float32Array.BYTES_PER_ELEMENT;
  if (bytes > slot.length) {
    throw engineErrors.INVALID_MESSAGE(`transcriber: ${count} samples in a slot of ${slot.length} bytes`);
  }
  // A view needs an address that is a multiple of 4.
  if (slot.byteOffset % 4 === 0) return new Float32Array(slot.buffer, slot.byteOffset, count);
  return new Float32Array(slot.slice(0, bytes).buffer);
}

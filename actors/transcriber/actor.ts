// The transcriber: detects speech on any number of channels and transcribes it with one speech model; the
// windows of all sessions share one batching queue.
import { randomInt } from 'node:crypto';
import { type ActorEnv, type ActorInstance, actor, Sent, type Turn } from '../../runtime/actor.ts';
import type { Reply, Request } from '../../runtime/contract.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { languageName, offeredLanguage } from '../../runtime/languages.ts';
import { createCheckpoint } from '../../runtime/sync/checkpoint.ts';
import { type ModelRow, modelErrors, type SpeechRow } from '../models/contract.ts';
import { CurrentModel } from '../models/current.ts';
import type { DeviceChoice } from '../models/device.ts';
import {
  chooseSoundModel,
  familyIn,
  fileOf,
  findSpeechRow,
  isSpeech,
  isUsable,
  type Registry,
  readRegistry,
  requireFiles,
  unusableModels,
} from '../models/registry.ts';
import { openSession, type SessionOpener } from '../models/session.ts';
import { BatchingQueue, type WaitingTurn } from './batching-queue.ts';
import { chooseSpeechModel, type SpeechCandidate } from './choose-model.ts';
import { type DetectedSpeech, speechErrors, transcriberContract, type WrittenWindow } from './contract.ts';
import { emptyTranscript, type SpeechFamily, type TranscriberFamily } from './family.ts';
import { parakeet } from './parakeet/family.ts';
import { type SessionModel, type SessionResult, TranscriptionSession, WrittenWindows } from './session.ts';
import { SoundDetector } from './sounds.ts';
import { captions, sidecar, sidecarVersion } from './text/subtitles/sidecar.ts';
import { builtInDetectors } from './voice/built-in.ts';
import { voiceRate } from './voice/detector.ts';
import { DetectorSelection } from './voice/selection.ts';
import { windowRules } from './voice/windows.ts';
import { whisper } from './whisper/family.ts';
import { x3asr } from './x3asr/family.ts';

interface TranscriberSettings {
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
type Contract = typeof transcriberContract;
type Asked<Name extends keyof Contract['messages']> = Request<Contract, Name>;

export const definition = actor({
  contract: transcriberContract,
  create: (env: Env): ActorInstance<typeof transcriberContract> => {
    const transcriber = new Transcriber(env);
    const sounds = soundModel(env);
    const { modelsDir } = env.settings;
    return {
      handlers: {
        choose: async ({ preferred, language }) => {
          const registry = await readRegistry(modelsDir);
          const unusable = await unusableModels(modelsDir, ['speech'], registry);
          return chooseSpeechModel(await candidatesIn(modelsDir, registry), preferred, language, unusable);
        },
        load: (request, turn) => transcriber.load(request, turn),
        unload: async () => {
          await transcriber.current.unload();
          return {};
        },
        state: () => transcriber.current.state,
        open: (request, turn) => transcriber.open(request, turn),
        append: (request, turn) => transcriber.append(request, turn),
        written: ({ session }) => transcriber.written(session),
        end: (request, turn) => transcriber.end(request, turn),
        finish: (request, turn) => transcriber.finish(request, turn),
        drop: ({ session }) => {
          transcriber.drop(session);
          return {};
        },
        sidecar: (request) => sidecar(request),
        sidecar_version: (request) => sidecarVersion(request),
        captions: (request) => captions(request),
        load_sounds: async (_, turn) => {
          const { key } = await chooseSoundModel(modelsDir);
          await sounds.load(key, createCheckpoint(turn, { stopping: env.stopping }));
          return { model_key: key };
        },
        unload_sounds: async () => {
          await sounds.unload();
          return {};
        },
        hear_sounds: async ({ model_key, count, samples, before }, turn) => {
          const block = samples ? floatsIn(turn.slot(samples), count) : new Float32Array(0);
          const isLast = samples === null;
          const answer = await sounds.run(model_key, ({ family }) => family.hear(block, before, isLast));
          return new Sent(answer, { transfer: [answer.remainder.buffer as ArrayBuffer] });
        },
      },
      close: async () => {
        await transcriber.close();
        await sounds.close();
      },
    };
  },
});

/** The sessions of the actor, and the model and the batching queue they share. */
class Transcriber {
  readonly current: Current;
  readonly #env: Env;
  readonly #queue: BatchingQueue;
  readonly #detectors: DetectorSelection;
  readonly #sessions = new Map<number, TranscriptionSession>();
  /**
   * Numbers start at random: a session of this actor from before a restart must not be taken for a new one.
   */
  #lastSession = randomInt(2 ** 46);

  constructor(env: Env) {
    this.#env = env;
    this.current = currentModel(env);
    this.#detectors = new DetectorSelection(env.settings.modelsDir, builtInDetectors(), env.log);
    this.#queue = new BatchingQueue({
      withModel: (key, work) =>
        this.current.run(key, ({ row, family }) =>
          work(row.speech.batch, async (windows, { output, language, follows }, checkpoint) => {
            if (output === 'text') return family.transcribe(windows, language, checkpoint, follows);
            const languages = await family.detectLanguage(windows, checkpoint);
            return languages.map((detected) => ({ ...emptyTranscript, language: detected }));
          }),
        ),
      checkpoint: createCheckpoint(undefined, { stopping: env.stopping }),
      limit: WAITING_WINDOWS,
    });
  }

  async load({ model_key }: Asked<'load'>, turn: Turn): Promise<Reply<Contract, 'load'>> {
    const checkpoint = createCheckpoint(turn, { stopping: this.#env.stopping });
    const { row, state } = await this.current.load(model_key, checkpoint);
    return { model_key: row.key, languages: row.languages, state };
  }

  async open(
    { model_key, language, channels, answers_built_in = false, written }: Asked<'open'>,
    turn: Turn,
  ): Promise<{ session: number }> {
    const model = model_key === null ? null : modelFor(this.current, model_key, language);
    const { open } = await this.#detectors.best();
    const openAnswering = answers_built_in ? this.#detectors.builtIn.open : null;
    turn.throwIfCancelled();
    this.#lastSession += 1;
    const { log } = this.#env;
    const earlier = written ? new WrittenWindows(written) : null;
    const session = new TranscriptionSession(
      model,
      this.#queue,
      channels,
      { open, openAnswering },
      {
        log,
        writtenWindows: earlier,
      },
    );
    this.#sessions.set(this.#lastSession, session);
    return { session: this.#lastSession };
  }

  append(request: Asked<'append'>, turn: Turn): Promise<DetectedSpeech> {
    const { session: id, channel, first_sample, count, samples } = request;
    return this.#orDrop(id, async (session) => {
      const detected = await session.append(channel, first_sample, floatsIn(turn.slot(samples), count));
      await this.#queue.waitForRoom(waiting(turn));
      turn.throwIfCancelled();
      return detected;
    });
  }

  written(id: number): { windows: WrittenWindow[] } {
    return { windows: this.#session(id).written() };
  }

  end({ session: id, channel }: Asked<'end'>, turn: Turn): Promise<DetectedSpeech> {
    return this.#orDrop(id, async (session) => {
      const detected = await session.end(channel);
      turn.throwIfCancelled();
      return detected;
    });
  }

  async finish({ session: id }: Asked<'finish'>, turn: Turn): Promise<SessionResult> {
    const result = await this.#orDrop(id, (session) => session.finish(waiting(turn)));
    this.drop(id);
    return result;
  }

  drop(id: number): void {
    const session = this.#sessions.get(id);
    if (session) this.#queue.drop(session);
    this.#sessions.delete(id);
  }

  async close(): Promise<void> {
    await this.#queue.idle();
    await this.current.close();
    await this.#detectors.close();
  }

  #session(id: number): TranscriptionSession {
    const session = this.#sessions.get(id);
    if (!session) throw speechErrors.SESSION_LOST(`session ${id}`, { session: id });
    return session;
  }

  /** Drops the session when the work fails: a block may be missing, and the transcript would have a gap. */
  async #orDrop<T>(id: number, work: (session: TranscriptionSession) => Promise<T>): Promise<T> {
    const session = this.#session(id);
    try {
      return await work(session);
    } catch (error) {
      // A request that is refused has changed nothing.
      if (!engineErrors.INVALID_MESSAGE.is(error)) this.drop(id);
      throw error;
    }
  }
}

function currentModel({ settings, log, stopping }: Env): Current {
  const { modelsDir, device, threads } = settings;
  return new CurrentModel({
    kind: 'speech',
    // No model stands in for one that cannot be loaded: it would write other words.
    defaultModel: null,
    log,
    find: async (key) => {
      const row = findSpeechRow(await readRegistry(modelsDir), key);
      await requireFiles(modelsDir, row);
      return row;
    },
    open: async (row, checkpoint) => {
      const file = (role: string) => fileOf(modelsDir, row, role);
      const options = { device, threads, log, stopping, checkpoint };
      const open: SessionOpener = (source, more) => openSession(source, { ...options, ...more });
      return familyOf(row).open(row, file, open, checkpoint);
    },
  });
}

/** On one thread of the processor, whatever the device: it takes 3 ms for a second of sound. */
function soundModel({ settings: { modelsDir }, log, stopping }: Env): CurrentModel<ModelRow, SoundDetector> {
  return new CurrentModel({
    kind: 'sound',
    defaultModel: null,
    log,
    find: () => chooseSoundModel(modelsDir),
    open: (row, checkpoint) => {
      const options = { device: 'cpu', threads: 1, log, stopping, checkpoint } as const;
      const hasCmvn = row.files.some(({ role }) => role === 'cmvn');
      const files = {
        graph: fileOf(modelsDir, row, 'graph'),
        cmvn: hasCmvn ? fileOf(modelsDir, row, 'cmvn') : null,
      };
      return SoundDetector.open(files, (source) => openSession(source, options));
    },
  });
}

function waiting(turn: Turn): WaitingTurn {
  return { signal: turn.signal, alive: () => turn.alive() };
}

/** The loaded model, as a session uses it. Throws MODEL_NOT_LOADED and LANGUAGE_UNSUPPORTED. */
function modelFor(current: Current, key: string, language: string | null): SessionModel {
  const { row } = current.using(key);
  const offered = language === null ? null : offeredLanguage(row.languages, language);
  if (language !== null && offered === null) {
    const named = `${languageName(language)} (${language})`;
    throw speechErrors.LANGUAGE_UNSUPPORTED(`"${key}" does not understand ${named}`, { key, language });
  }
  const longest = Math.min(windowRules.longest, Math.floor(row.speech.max_window_seconds * voiceRate));
  return { key, language: offered, rules: { ...windowRules, longest } };
}

async function candidatesIn(modelsDir: string, { rows }: Registry): Promise<SpeechCandidate[]> {
  const candidates = rows.filter(isSpeech).map(async (row) => {
    const { key, languages, speed, accuracy, size_gb, is_measured = true } = row;
    const downloaded = await isUsable(modelsDir, row).catch((error: unknown) => {
      if (modelErrors.MODEL_REFUSED.is(error)) return false;
      throw error;
    });
    return { key, languages, speed, accuracy, size_gb, is_measured, downloaded };
  });
  return Promise.all(candidates);
}

/**
 * The samples at the start of a slot. *Borrowed until the end of the turn.* Throws INVALID_MESSAGE when it is
 * too small.
 */
function floatsIn(slot: Uint8Array, count: number): Float32Array {
  const bytes = count * Float32Array.BYTES_PER_ELEMENT;
  if (bytes > slot.length) {
    throw engineErrors.INVALID_MESSAGE(`transcriber: ${count} samples in a slot of ${slot.length} bytes`);
  }
  // A Float32Array needs an offset that is a multiple of 4.
  if (slot.byteOffset % 4 === 0) return new Float32Array(slot.buffer, slot.byteOffset, count);
  return new Float32Array(slot.slice(0, bytes).buffer);
}

// The implementation of each family of speech models, by the row's `family`.

const families: ReadonlyMap<string, TranscriberFamily> = new Map<string, TranscriberFamily>([
  ['x3asr', x3asr],
  ['parakeet', parakeet],
  ['whisper', whisper],
]);

export const familyOf = (row: SpeechRow): TranscriberFamily => familyIn(families, row);

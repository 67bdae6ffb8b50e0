// The diarizer: takes the channels of files block by block, keeps an embedding for every part of speech, and
// clusters them into speakers and turns at the end.
import { createHash, randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ActorEnv, type ActorInstance, actor, Sent, type Turn } from '../../runtime/actor.ts';
import type { Reply, Request } from '../../runtime/contract.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { type Checkpoint, createCheckpoint } from '../../runtime/sync/checkpoint.ts';
import { modelErrors, type SpeakerRow } from '../models/contract.ts';
import { CurrentModel } from '../models/current.ts';
import type { DeviceChoice, RunsOn } from '../models/device.ts';
import {
  fileOf,
  findSpeakerRow,
  isBuiltIn,
  isSpeaker,
  isUsable,
  readRegistry,
  requireFiles,
} from '../models/registry.ts';
import { type ModelSession, openSession, type SessionOptions } from '../models/session.ts';
import { overlapFile, starterSpeakerFile, starterSpeakerPldaFile } from '../models/starter/speaker.ts';
import { speechErrors } from '../transcriber/contract.ts';
import { ComputedAnswers, packedActivity, unpackedActivity } from './computed.ts';
import { type ComputedVoices, diarizerContract, starterSpeakerKey } from './contract.ts';
import { diarize } from './diarize.ts';
import { type DetectOverlap, overlapDetectorOf } from './overlap/channel.ts';
import { type Plda, readPlda } from './plda.ts';
import {
  isSegmentation,
  type Segmentation,
  SegmentationChannel,
  segmentationFrames,
  segmentationOf,
  segmentationSamples,
} from './segmentation-channel.ts';
import { DiarizationSession, type Embed, SubsegmentChannel } from './session.ts';
import { type SpeakerEmbedder, speakerEmbedderOf } from './speaker-embedder.ts';

interface DiarizerSettings {
  /** Absolute path of the folder with a folder for each model. */
  readonly modelsDir: string;
  /** Key of the speaker model; left out or `auto` for the most accurate one that is downloaded. */
  readonly speakerModel?: string;
  readonly device: DeviceChoice;
  /** Threads inside one run; 0 leaves it to the runtime. */
  readonly threads: number;
}

/** The loaded models: one for speaker embeddings, and one for segmentation if it is downloaded. */
interface LoadedModels extends SpeakerEmbedder {
  readonly runsOn: RunsOn;
  /** Version of its graph: another graph makes other vectors under the same key. */
  readonly version: string;
  /** Null where the model has none. */
  readonly plda: Plda | null;
  /** Null where none is downloaded. */
  readonly segmentation: Segmentation | null;
  /** Null where a segmentation model is: that one finds overlap itself. */
  readonly overlap: DetectOverlap | null;
  close(): Promise<void>;
}

interface OpenSegmentation {
  readonly session: ModelSession;
  readonly segmentation: Segmentation;
}

type Append = Request<typeof diarizerContract, 'append'>;
type Open = Request<typeof diarizerContract, 'open'>;
type Finish = Request<typeof diarizerContract, 'finish'>;
type Finished = Reply<typeof diarizerContract, 'finish'>;

interface Entry {
  readonly session: DiarizationSession;
  readonly computed: ComputedAnswers;
  readonly request: Open;
}

export const definition = actor({
  contract: diarizerContract,
  create: (env: ActorEnv<DiarizerSettings>): ActorInstance<typeof diarizerContract> => {
    const diarizer = new Diarizer(env);
    return {
      handlers: {
        load: (_, turn) => diarizer.load(turn),
        unload: async () => {
          await diarizer.current.unload();
          return {};
        },
        open: (request, turn) => diarizer.open(request, turn),
        append: (request, turn) => diarizer.append(request, turn),
        computed: ({ session }) => diarizer.computed(session),
        finish: (request, turn) => diarizer.finish(request, turn),
        drop: ({ session }) => diarizer.drop(session),
      },
      close: () => diarizer.current.close(),
    };
  },
});

class Diarizer {
  readonly current: CurrentModel<SpeakerRow, LoadedModels>;
  readonly #env: ActorEnv<DiarizerSettings>;
  readonly #entries = new Map<number, Entry>();
  /**
   * Numbers start at random: a session of this actor from before a restart must not be taken for a new one.
   */
  #lastSession = randomInt(2 ** 46);

  constructor(env: ActorEnv<DiarizerSettings>) {
    this.#env = env;
    const { modelsDir } = env.settings;
    this.current = new CurrentModel<SpeakerRow, LoadedModels>({
      kind: 'speaker',
      defaultModel: null,
      log: env.log,
      find: async (key) => {
        const row = findSpeakerRow(await readRegistry(modelsDir), key);
        await requireFiles(modelsDir, row);
        return row;
      },
      open: (row, checkpoint) => this.#openModels(row, checkpoint),
    });
  }

  async load(turn: Turn): Promise<Reply<typeof diarizerContract, 'load'>> {
    const { modelsDir, speakerModel = 'auto' } = this.#env.settings;
    const key = speakerModel === 'auto' ? await bestKey(modelsDir) : speakerModel;
    const { row, state } = await this.current.load(key, this.#checkpoint(turn));
    return { model_key: row.key, state };
  }

  async open(request: Open, turn: Turn): Promise<{ session: number }> {
    const key = this.current.state.model_key;
    if (key === null)
      throw modelErrors.MODEL_NOT_LOADED('No speaker model is loaded', { key: starterSpeakerKey });
    const session = await this.current.run(key, async ({ family }) => {
      const { dimensions, batch, fbank, plda } = family;
      const each = <T>(make: () => T) => Array.from({ length: request.channels }, make);
      const options = {
        modelKey: key,
        voiceModel: `${key}@${family.version}`,
        dimensions,
        batch,
        plda,
        channels: each(() => new SubsegmentChannel(fbank)),
      };
      if (!family.segmentation) return new DiarizationSession(options);
      const segmentationChannels = each(() => new SegmentationChannel(fbank));
      return new DiarizationSession({ ...options, segmentationChannels });
    });
    turn.throwIfCancelled();
    this.#lastSession += 1;
    const { computed: before } = request;
    const numbers = before?.model === session.voiceModel ? before.numbers : new Float32Array(0);
    const computed = new ComputedAnswers(before ? numbers : null);
    this.#entries.set(this.#lastSession, { session, request, computed });
    return { session: this.#lastSession };
  }

  computed(id: number): Sent<ComputedVoices> {
    const { session, computed } = this.#entry(id);
    const numbers = computed.taken();
    return new Sent({ model: session.voiceModel, numbers }, { transfer: [numbers.buffer] });
  }

  async append(request: Append, turn: Turn): Promise<Record<string, never>> {
    const entry = this.#entry(request.session);
    const { session } = entry;
    const { channel: index, count, first_sample, samples, speech, settled } = request;
    const channel = session.channels[index];
    if (!channel) {
      throw engineErrors.INVALID_MESSAGE(
        `channel ${index} of a session with ${session.channels.length} channels`,
      );
    }
    const block = count === 0 || samples === null ? null : floats(turn.slot(samples), count);
    const segmentationChannel = session.segmentationChannels?.[index];
    const { next } = segmentationChannel ?? channel;
    if (block && next !== null && next !== first_sample) {
      throw engineErrors.INVALID_MESSAGE(
        `a block from sample ${first_sample}, expected ${next}: blocks have no gaps`,
      );
    }
    if (segmentationChannel) {
      await this.#segment(entry, segmentationChannel, { block, ...request }, turn);
      return {};
    }
    const pieces = block ? channel.push(first_sample, block, speech, settled) : channel.end(speech, settled);
    await session.add(index, pieces, this.#embed(entry, turn));
    await channel.overlap.detect(this.#detectOverlap(session, turn));
    return {};
  }

  async #segment(
    entry: Entry,
    channel: SegmentationChannel,
    { block, channel: index, first_sample, speech, settled }: Append & { block: Float32Array | null },
    turn: Turn,
  ): Promise<void> {
    const { session } = entry;
    const segmentation = await this.#segmentationOf(entry, turn);
    const { subsegments, locals } = block
      ? await channel.push(first_sample, block, speech, settled, segmentation)
      : await channel.end(speech, segmentation);
    const embed = this.#embed(entry, turn);
    await session.add(index, subsegments, embed);
    const rows = await session.embedEach(
      locals.map(({ features }) => features),
      embed,
    );
    for (const [at, { window, speaker }] of locals.entries()) window.rows[speaker] = rows[at]!;
  }

  /** The segmentation model that is loaded, which runs as part of this turn. */
  async #segmentationOf({ session: { modelKey }, computed }: Entry, turn: Turn): Promise<Segmentation> {
    const checkpoint = this.#checkpoint(turn);
    const run = <T>(work: (segmentation: Segmentation) => Promise<T>) =>
      this.current.run(modelKey, async ({ family }) => {
        if (family.segmentation) return work(family.segmentation);
        throw modelErrors.MODEL_NOT_LOADED('The segmentation model of this session was unloaded');
      });
    return {
      batch: await run(async ({ batch }) => batch),
      activity: async (windows) => {
        const answers = await computed.of(windows, () =>
          run(async (segmentation) => {
            await checkpoint();
            return (await segmentation.activity(windows)).map(packedActivity);
          }),
        );
        return answers.map((packed) => unpackedActivity(packed, segmentationFrames));
      },
    };
  }

  async finish({ session: number, spans }: Finish, turn: Turn): Promise<Sent<Finished>> {
    const entry = this.#entry(number);
    const { session, request } = entry;
    this.#entries.delete(number);
    await session.flush(this.#embed(entry, turn));
    const row = await this.current.run(session.modelKey, async (opened) => opened.row);
    const steps = diarize(session, request.speaker_count, row, spans);
    const checkpoint = this.#checkpoint(turn);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done)
        return new Sent(step.value, { transfer: [step.value.voices.vectors.buffer as ArrayBuffer] });
      await checkpoint();
    }
  }

  drop(session: number): Record<string, never> {
    this.#entries.delete(session);
    return {};
  }

  #entry(session: number): Entry {
    const entry = this.#entries.get(session);
    if (entry) return entry;
    throw speechErrors.SESSION_LOST(`There is no session ${session}`, { session });
  }

  #embed({ session: { modelKey, dimensions }, computed }: Entry, turn: Turn): Embed {
    const checkpoint = this.#checkpoint(turn);
    const rowsOf = (values: Float32Array, count: number) => {
      const size = values.length / count;
      return Array.from({ length: count }, (_, at) => values.subarray(at * size, (at + 1) * size));
    };
    return async (features, count) => {
      const answers = await computed.of(rowsOf(features, count), () =>
        this.current.run(modelKey, async ({ family }) => {
          await checkpoint();
          return rowsOf(await family.embed(features, count), count);
        }),
      );
      const vectors = new Float32Array(count * dimensions);
      for (const [at, vector] of answers.entries()) vectors.set(vector, at * dimensions);
      return vectors;
    };
  }

  #detectOverlap({ modelKey }: DiarizationSession, turn: Turn): DetectOverlap {
    const checkpoint = this.#checkpoint(turn);
    return (features) =>
      this.current.run(modelKey, async ({ family }) => {
        await checkpoint();
        if (family.overlap) return family.overlap(features);
        throw modelErrors.MODEL_NOT_LOADED('The overlap detector of this session was unloaded');
      });
  }

  async #openModels(row: SpeakerRow, checkpoint: Checkpoint): Promise<LoadedModels> {
    const { settings, log, stopping } = this.#env;
    const { modelsDir, threads } = settings;
    // A run takes WebGPU 4 ms or more, and the processor 1 to 3 ms for these graphs (bench/gpu.ts).
    const device = settings.device === 'webgpu' ? 'cpu' : settings.device;
    const file = isBuiltIn(row) ? starterSpeakerFile.path : fileOf(modelsDir, row, 'graph');
    const options = { device, threads, log, stopping, checkpoint };
    const session = await openSession(file, options);
    const opened = [session];
    const close = async () => {
      for (const model of opened) await model.release();
    };
    try {
      const embedder = speakerEmbedderOf(row, session, file);
      const plda = await pldaOf(modelsDir, row);
      await checkpoint();
      // A warm-up: the first run is slow, and a graph that cannot run fails here instead of in a session.
      await embedder.embed(new Float32Array(148 * 80).fill(1), 1);
      // The starter was never better with it.
      const segmentation = isBuiltIn(row) ? null : await this.#openSegmentation(options);
      const version = await versionOf(file, segmentation !== null);
      const common = { ...embedder, plda, version, runsOn: session, close };
      if (segmentation) {
        opened.push(segmentation.session);
        return { ...common, segmentation: segmentation.segmentation, overlap: null };
      }
      const detector = await openSession(overlapFile.path, options);
      opened.push(detector);
      const overlap = overlapDetectorOf(detector, overlapFile.path);
      await checkpoint();
      await overlap(new Float32Array(148 * 80));
      return { ...common, segmentation: null, overlap };
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Null where none is downloaded. Throws MODEL_LOAD_FAILED and what a first run throws. */
  async #openSegmentation(options: SessionOptions): Promise<OpenSegmentation | null> {
    const file = await segmentationFile(this.#env.settings.modelsDir);
    if (file === null) return null;
    let session: ModelSession | null = null;
    try {
      session = await openSession(file, options);
      const segmentation = segmentationOf(session, file);
      await segmentation.activity([new Float32Array(segmentationSamples)]);
      return { session, segmentation };
    } catch (error) {
      await session?.release();
      throw error;
    }
  }

  /** Lets the event loop turn, so that a cancellation can arrive. */
  #checkpoint(turn: Turn): Checkpoint {
    return createCheckpoint(turn, { stopping: this.#env.stopping });
  }
}

/** The most accurate of the speaker models that are downloaded. */
async function bestKey(modelsDir: string): Promise<string> {
  const { rows } = await readRegistry(modelsDir);
  const speakers = rows.filter(isSpeaker).filter((row) => !isBuiltIn(row));
  for (const row of speakers.sort((a, b) => b.accuracy - a.accuracy || b.speed - a.speed)) {
    if (await isUsable(modelsDir, row)) return row.key;
  }
  return starterSpeakerKey;
}

/** Pieces that voices are made of where a segmentation model detects who speaks alone. */
const piecesOfVoices = 'pieces of 1.5 s';

/** The beginning of the checksum of a graph, and of how its vectors become voices. */
async function versionOf(file: string, isSegmented: boolean): Promise<string> {
  const digest = createHash('sha256').update(await readFile(file));
  if (isSegmented) digest.update(piecesOfVoices);
  return digest.digest('hex').slice(0, 12);
}

/** The PLDA of a speaker model; null where it has none. Throws MODEL_LOAD_FAILED. */
async function pldaOf(modelsDir: string, row: SpeakerRow): Promise<Plda | null> {
  if (!isBuiltIn(row) && !row.files.some(({ role }) => role === 'plda')) return null;
  const file = isBuiltIn(row) ? starterSpeakerPldaFile.path : fileOf(modelsDir, row, 'plda');
  return readPlda(await readFile(file), row.speaker.dimensions, file);
}

/** Path of the segmentation model; null when none is downloaded. */
async function segmentationFile(modelsDir: string): Promise<string | null> {
  const { rows } = await readRegistry(modelsDir);
  for (const row of rows.filter(isSegmentation)) {
    if (await isUsable(modelsDir, row)) return fileOf(modelsDir, row, 'graph');
  }
  return null;
}

/** Throws INVALID_MESSAGE when the slot is too small. */
function floats(slot: Uint8Array, count: number): Float32Array {
  if (slot.byteLength < count * 4) {
    throw engineErrors.INVALID_MESSAGE(`a slot of ${slot.byteLength} bytes for ${count} samples`);
  }
  return new Float32Array(slot.buffer, slot.byteOffset, count);
}

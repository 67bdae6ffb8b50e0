// Selects the voice detector: Silero as soon as it is downloaded, until then our own.
import type { Log } from '../../../runtime/log.ts';
import { copyFinite } from '../../acoustics/samples.ts';
import { type ModelRow, modelErrors } from '../../models/contract.ts';
import { fileOf, isUsable, readRegistry } from '../../models/registry.ts';
import { type ModelSession, openSession, type SessionOpener } from '../../models/session.ts';
import type { DetectedSpeech } from '../contract.ts';
import { checkContiguous, joinDetected, type VoiceDetector, type VoiceDetectors } from './detector.ts';
import { Segmenter, sileroRules } from './segmenter.ts';

export class DetectorSelection {
  readonly #modelsDir: string;
  /** Our own, which is always there. */
  readonly builtIn: VoiceDetectors;
  readonly #log: Log;
  #silero: VoiceDetectors | null = null;
  #opening: Promise<VoiceDetectors> | null = null;

  constructor(modelsDir: string, builtIn: VoiceDetectors, log: Log) {
    this.#modelsDir = modelsDir;
    this.builtIn = builtIn;
    this.#log = log;
  }

  /**
   * The best one there is now; detectors opened before stay usable. Throws MODEL_LOAD_FAILED for a downloaded
   * model that is damaged: our own detector would find other speech, and nobody would know.
   */
  async best(): Promise<VoiceDetectors> {
    if (this.#silero) return this.#silero;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => {});
    await this.#silero?.close();
    await this.builtIn.close();
  }

  async #open(): Promise<VoiceDetectors> {
    const row = await this.#downloaded();
    if (!row) return this.builtIn;
    const file = fileOf(this.#modelsDir, row, 'voice');
    // Always on the CPU: for windows of 32 ms the transfer to another device takes longer than the run.
    const options = { device: 'cpu', threads: 1, log: this.#log } as const;
    this.#silero = await openSilero(row.key, file, (source) => openSession(source, options));
    this.#log.info('voice detection model in use', { model: row.key });
    return this.#silero;
  }

  async #downloaded(): Promise<ModelRow | null> {
    const { rows } = await readRegistry(this.#modelsDir);
    for (const row of rows) {
      if (row.kind !== 'voice' || row.family !== 'silero') continue;
      if (await isUsable(this.#modelsDir, row)) return row;
    }
    return null;
  }
}

// Silero's voice detector: a recurrent graph that takes 32 ms at a time. Its state and the 4 ms before are
// carried over from window to window; without them it answers wrong numbers and no error.

const windowSize = sileroRules.hop;
/** Samples of the window before that the graph takes again. */
const contextSize = 64;
const stateDims = [2, 1, 128];
const rate = { data: BigInt64Array.of(16_000n), dims: [] };

/** Opens the graph. Throws MODEL_LOAD_FAILED, and MODEL_RUN_FAILED when it answers something else. */
export async function openSilero(
  modelKey: string,
  file: string,
  open: SessionOpener,
): Promise<VoiceDetectors> {
  const session = await open(file);
  try {
    for (const name of ['input', 'state', 'sr']) {
      if (session.inputs.some((input) => input.name === name)) continue;
      throw modelErrors.MODEL_LOAD_FAILED(`${file}: has no input ${name}`, { file });
    }
    await new SileroStream(session, file).probability(new Float32Array(windowSize));
  } catch (error) {
    await session.release();
    throw error;
  }
  return {
    modelKey,
    open: () => new SileroDetector(session, file),
    close: () => session.release(),
  };
}

/** One channel through the graph: window after window. */
export class SileroStream {
  readonly #session: ModelSession;
  readonly #file: string;
  /** The end of the window before, then the window. */
  readonly #input = new Float32Array(contextSize + windowSize);
  #state = new Float32Array(2 * 128);

  constructor(session: ModelSession, file: string) {
    this.#session = session;
    this.#file = file;
  }

  /**
   * `samples`: the next 512, all finite. How likely somebody speaks in them, 0 to 1. Throws MODEL_RUN_FAILED.
   */
  async probability(samples: Float32Array): Promise<number> {
    const input = this.#input;
    input.copyWithin(0, windowSize);
    input.set(samples, contextSize);
    const { output, stateN } = await this.#session.run(
      {
        input: { data: input, dims: [1, input.length] },
        state: { data: this.#state, dims: stateDims },
        sr: rate,
      },
      ['output', 'stateN'],
    );
    const probability = output?.data[0];
    const state = stateN?.data;
    if (
      typeof probability !== 'number' ||
      !(state instanceof Float32Array) ||
      state.length !== this.#state.length
    ) {
      const shape = `output ${output?.dims.join('×')}, stateN ${stateN?.dims.join('×')}`;
      throw modelErrors.MODEL_RUN_FAILED(`${this.#file}: answers ${shape}, expected 1×1 and 2×1×128 floats`);
    }
    this.#state = new Float32Array(state);
    return probability;
  }
}

class SileroDetector implements VoiceDetector {
  readonly #stream: SileroStream;
  /** The window that is being filled. */
  readonly #window = new Float32Array(windowSize);
  #filled = 0;
  #next: number | null = null;
  #segmenter: Segmenter | null = null;

  constructor(session: ModelSession, file: string) {
    this.#stream = new SileroStream(session, file);
  }

  async push(samples: Float32Array, firstSample: number): Promise<DetectedSpeech> {
    checkContiguous(this.#next, firstSample);
    this.#segmenter ??= new Segmenter(sileroRules, firstSample);
    const probabilities: number[] = [];
    for (let at = 0; at < samples.length; ) {
      const part = samples.subarray(at, at + windowSize - this.#filled);
      copyFinite(part, this.#window, this.#filled);
      at += part.length;
      this.#filled += part.length;
      if (this.#filled < windowSize) break;
      probabilities.push(await this.#stream.probability(this.#window));
      this.#filled = 0;
    }
    this.#next = firstSample + samples.length;
    return this.#segmenter.push(probabilities);
  }

  async end(): Promise<DetectedSpeech> {
    const segmenter = this.#segmenter;
    const end = this.#next;
    if (!segmenter || end === null) return { speech: [], settled: 0 };
    if (this.#filled === 0) return segmenter.end(end);
    this.#window.fill(0, this.#filled);
    const last = segmenter.push([await this.#stream.probability(this.#window)], end);
    return joinDetected(last, segmenter.end(end));
  }
}

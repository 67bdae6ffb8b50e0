// Whisper, tiny to large: a log-mel spectrogram of up to 30 s, an encoder, and an autoregressive decoder. What of a window
// one decoding does not reach is encoded and decoded again, as in the reference implementation. The loop is our own: it
// batches windows, detects the language, keeps the rules of time tokens and can be stopped between two tokens, none of which
// the pipeline of @huggingface/transformers does.
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import { LogMel, whisperFrames } from '../../acoustics/mel.ts';
import { modelErrors, type SpeechRow } from '../../models/contract.ts';
import type { RunsOn } from '../../models/device.ts';
import { floatsOf, type Graph, openGraph, type SessionOpener } from '../../models/graph.ts';
import type { ModelSession } from '../../models/session.ts';
import type { Family, SpeechFamily, SpeechWindow, WindowTranscript } from '../family.ts';
import { tokenLimit } from '../token-limit.ts';
import { type Decoder, type EncodedSound, openDecoder } from './decoder.ts';
import { decode, type Row } from './fallback.ts';
import { likeliest } from './sampling.ts';
import { readVocabulary, type Vocabulary } from './vocabulary.ts';
import { WindowText } from './window-text.ts';

/** Positions of the decoder: a prompt and its text have no more tokens. */
const POSITIONS = 448;

export const whisper: Family = {
  open: async (row, file, open, checkpoint) => {
    const opened: ModelSession[] = [];
    const keep: SessionOpener = async (source) => {
      const session = await open(source);
      opened.push(session);
      return session;
    };
    try {
      const bands = bandsOf(row);
      const vocabulary = await readVocabulary(file('tokenizer'));
      const languages = languagesOf(row, vocabulary, file('tokenizer'));
      await checkpoint();
      const features = {
        name: 'input_features',
        type: 'float32',
        shape: [row.speech.batch, bands, whisperFrames],
      } as const;
      const encoder = await openGraph(keep, file('encoder'), [features], ['last_hidden_state']);
      await checkpoint();
      const decoder = await openDecoder(keep, file('decoder'));
      return new Whisper(row, { encoder, decoder, mel: new LogMel(bands), vocabulary, languages }, opened);
    } catch (error) {
      for (const session of opened) await session.release();
      throw error;
    }
  },
};

function bandsOf({ key, speech: { mel_bins } }: SpeechRow): 80 | 128 {
  if (mel_bins === 80 || mel_bins === 128) return mel_bins;
  throw modelErrors.MODEL_INVALID(`The model "${key}": mel_bins is ${mel_bins}, Whisper has 80 or 128`, {
    key,
  });
}

/** Tokens of the languages that the row names. Throws MODEL_LOAD_FAILED when the tokenizer lacks one. */
function languagesOf(row: SpeechRow, vocabulary: Vocabulary, file: string): ReadonlyMap<string, number> {
  if (!row.is_multilingual) return new Map();
  const every = row.languages.includes('*') ? [...vocabulary.languages.keys()] : row.languages;
  return new Map(
    every.map((language) => {
      const token = vocabulary.languages.get(language);
      if (token !== undefined) return [language, token];
      throw modelErrors.MODEL_LOAD_FAILED(`${file}: has no token for the language ${language}`, { file });
    }),
  );
}

interface Parts {
  readonly encoder: Graph;
  readonly decoder: Decoder;
  readonly mel: LogMel;
  readonly vocabulary: Vocabulary;
  readonly languages: ReadonlyMap<string, number>;
}

class Whisper implements SpeechFamily {
  readonly runsOn: RunsOn;
  readonly #row: SpeechRow;
  readonly #parts: Parts;
  readonly #sessions: readonly ModelSession[];

  constructor(row: SpeechRow, parts: Parts, sessions: readonly ModelSession[]) {
    this.runsOn = parts.encoder.session;
    this.#row = row;
    this.#parts = parts;
    this.#sessions = sessions;
  }

  async transcribe(
    windows: readonly SpeechWindow[],
    language: string | null,
    checkpoint: Checkpoint,
  ): Promise<readonly WindowTranscript[]> {
    if (windows.length === 0) return [];
    const { vocabulary, decoder } = this.#parts;
    let sound = await this.#encode(
      windows.map(({ samples }) => samples),
      checkpoint,
    );
    const told = this.#only ?? language;
    const languages = told === null ? await this.#detect(sound, checkpoint) : windows.map(() => told);
    const texts = windows.map((window, at) => {
      const limit = tokenLimit(this.#row.speech, window.samples.length);
      return new WindowText(window, languages[at]!, limit, vocabulary);
    });
    for (
      let open = texts;
      ;
      sound = await this.#encode(
        open.map(({ rest }) => rest),
        checkpoint,
      )
    ) {
      const rows = open.map((text, index) => this.#rowOf(text, index));
      const hypotheses = await decode({ decoder, vocabulary }, sound, rows, checkpoint);
      for (const [at, text] of open.entries()) text.add(hypotheses[at]!);
      open = open.filter(({ isComplete }) => !isComplete);
      if (open.length === 0) return texts.map(({ transcript }) => transcript);
    }
  }

  async detectLanguage(windows: readonly SpeechWindow[], checkpoint: Checkpoint): Promise<(string | null)[]> {
    const only = this.#only;
    if (windows.length === 0 || only !== null) return windows.map(() => only);
    const sounds = windows.map(({ samples }) => samples);
    return this.#detect(await this.#encode(sounds, checkpoint), checkpoint);
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) await session.release();
  }

  /** The language of a model that knows one. */
  get #only(): string | null {
    return this.#row.is_multilingual ? null : (this.#row.languages[0] ?? null);
  }

  async #encode(sounds: readonly Float32Array[], checkpoint: Checkpoint): Promise<EncodedSound> {
    const { encoder, mel } = this.#parts;
    const size = mel.bands * whisperFrames;
    const data = new Float32Array(sounds.length * size);
    for (const [at, samples] of sounds.entries()) {
      await checkpoint();
      data.set(mel.padded(samples).data, at * size);
    }
    const feeds = { input_features: { data, dims: [sounds.length, mel.bands, whisperFrames] } };
    const { data: encoded, dims } = floatsOf(encoder, await encoder.run(feeds), 'last_hidden_state', 3);
    const [batch = 0, positions = 0, width = 0] = dims;
    if (batch === sounds.length) return { data: encoded, dims: [batch, positions, width] };
    throw modelErrors.MODEL_RUN_FAILED(`${encoder.file}: answers ${batch} windows of ${sounds.length}`, {
      file: encoder.file,
    });
  }

  /**
   * The likeliest language of each sound, after the start token alone. It is a decoding of its own: with a cache the exports
   * take one token a run, so the text needs its whole prompt in a first run.
   */
  async #detect(sound: EncodedSound, checkpoint: Checkpoint): Promise<(string | null)[]> {
    const { decoder, vocabulary, languages } = this.#parts;
    await checkpoint();
    const starts = Array.from({ length: sound.dims[0] }, () => [vocabulary.start]);
    const logits = await decoder.begin(sound).step(starts);
    return starts.map((_, at) => likeliest(logits.row(at, 0), languages));
  }

  #rowOf({ language, limit }: WindowText, index: number): Row {
    const { vocabulary, languages } = this.#parts;
    const token = language === null ? undefined : languages.get(language);
    const task = vocabulary.transcribe === null ? [] : [vocabulary.transcribe];
    const prompt = [vocabulary.start, ...(token === undefined ? [] : [token, ...task])];
    return { index, prompt, limit: Math.min(limit, POSITIONS - prompt.length) };
  }
}

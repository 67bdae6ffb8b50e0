// Whisper, tiny to large: a log-mel spectrogram of up to 30 s, an encoder, and an autoregressive decoder.
// The rest of a window that one decoding does not reach is encoded and decoded again, as in the reference
// implementation. The loop is our own: it batches windows, detects the language, keeps the rules of time
// tokens and can be stopped between two tokens, none of which the pipeline of @huggingface/transformers does.
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import { LogMel, melRate, whisperFrames } from '../../acoustics/mel.ts';
import { modelErrors, type SpeechRow } from '../../models/contract.ts';
import type { RunsOn } from '../../models/device.ts';
import {
  floatsOf,
  type Graph,
  type ModelSession,
  openGraph,
  type SessionOpener,
} from '../../models/session.ts';
import {
  type SpeechFamily,
  type SpeechWindow,
  type TextPiece,
  type TranscriberFamily,
  tokenLimit,
  type WindowTranscript,
} from '../family.ts';
import {
  type DecoderRow,
  decode,
  type EncodedSound,
  type Hypothesis,
  isSilence,
  openDecoder,
  repeatsItself,
  type WhisperDecoder,
} from './decoder.ts';
import { endOf, likeliest, phrasesOf, resumptionOf } from './sampling.ts';
import { readVocabulary, type Vocabulary } from './vocabulary.ts';

/** Positions of the decoder: a prompt and its text have no more tokens. */
const POSITIONS = 448;

export const whisper: TranscriberFamily = {
  open: async (row, file, open, checkpoint) => {
    const opened: ModelSession[] = [];
    const keep: SessionOpener = async (source, more) => {
      const session = await open(source, more);
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
      const decoder = await openDecoder(keep, file('decoder'), vocabulary);
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
  readonly decoder: WhisperDecoder;
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
    follows = false,
  ): Promise<readonly WindowTranscript[]> {
    if (windows.length === 0) return [];
    const { vocabulary } = this.#parts;
    let sound = await this.#encode(
      windows.map(({ samples }) => samples),
      checkpoint,
    );
    const fixedLanguage = this.#only ?? language;
    const languages =
      fixedLanguage === null ? await this.#detect(sound, checkpoint) : windows.map(() => fixedLanguage);
    const texts = windows.map((window, at) => {
      const limit = tokenLimit(this.#row.speech, window.samples.length);
      return new WindowText(window, languages[at]!, limit, vocabulary, follows);
    });
    for (
      let open = texts;
      ;
      sound = await this.#encode(
        open.map(({ remainder }) => remainder),
        checkpoint,
      )
    ) {
      const rows = open.map((text, index) => this.#rowOf(text, index));
      const hypotheses = await decode(this.#parts, sound, rows, checkpoint);
      const turned = open.filter((text, at) => text.turnTo(hypotheses[at]!));
      const turnedRows = turned.map((text) => this.#rowOf(text, open.indexOf(text)));
      const rewritten = turned.length === 0 ? [] : await decode(this.#parts, sound, turnedRows, checkpoint);
      for (const [at, { index }] of turnedRows.entries()) hypotheses[index] = rewritten[at]!;
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
   * The likeliest language of each sound, after the start token alone. It is a decoding of its own: with a
   * cache the exports take one token a run, so the text needs its whole prompt in a first run.
   */
  async #detect(sound: EncodedSound, checkpoint: Checkpoint): Promise<(string | null)[]> {
    const { decoder, vocabulary, languages } = this.#parts;
    await checkpoint();
    const starts = Array.from({ length: sound.dims[0] }, () => [vocabulary.start]);
    const logits = await decoder.begin(sound).step(starts);
    return starts.map((_, at) => likeliest(logits.row(at, 0), languages)?.language ?? null);
  }

  #rowOf({ language, limit }: WindowText, index: number): DecoderRow {
    const { vocabulary, languages } = this.#parts;
    const token = language === null ? undefined : languages.get(language);
    const task = vocabulary.transcribe === null ? [] : [vocabulary.transcribe];
    const prompt = [vocabulary.start, ...(token === undefined ? [] : [token, ...task])];
    return { index, prompt, limit: Math.min(limit, POSITIONS - prompt.length) };
  }
}

// The text of one window, put together of its decodings: where the model does not reach the end in one,
// because it has no positions left or began a phrase that it did not finish, the rest of the sound is decoded
// by itself.

/** Less speech than this is the end of a word that is written already. */
const LEAST_SPEECH = 0.25 * melRate;
/** Speech behind a text that ends before it is in another language as a rule. */
const LEFT_OUT = 3 * melRate;
/** From this probability on, another language than the expected one is clearly heard. */
const CLEARLY_HEARD = 0.8;

class WindowText {
  /** Language of the next window. */
  language: string | null;
  readonly #expected: string | null;
  readonly #follows: boolean;
  #heard: string | null = null;
  readonly #window: SpeechWindow;
  readonly #vocabulary: Vocabulary;
  #remainingTokens: number;
  /** First sample that is not decoded yet; null when the text is complete. */
  #from: number | null = 0;
  readonly #pieces: TextPiece[] = [];
  #noSpeech = 0;
  #tokens = 0;
  #logProbability = 0;

  /** `limit`: the most tokens of all its decodings. */
  constructor(
    window: SpeechWindow,
    language: string | null,
    limit: number,
    vocabulary: Vocabulary,
    follows: boolean,
  ) {
    this.#window = window;
    this.language = language;
    this.#expected = language;
    this.#follows = follows;
    this.#remainingTokens = limit;
    this.#vocabulary = vocabulary;
  }

  get isComplete(): boolean {
    return this.#from === null;
  }

  /** The sound that is to be decoded next. *A view.* */
  get remainder(): Float32Array {
    return this.#window.samples.subarray(this.#from ?? this.#window.samples.length);
  }

  /** The most tokens of its text. */
  get limit(): number {
    return this.#remainingTokens;
  }

  /** True if another language is clearly heard, in which the same sound is to be decoded again. */
  turnTo({ heard }: Hypothesis): boolean {
    if (!this.#follows || heard === null) return false;
    if (heard.language === this.language || heard.probability < CLEARLY_HEARD) return false;
    this.language = heard.language;
    return true;
  }

  /** `hypothesis`: the text of `remainder`. */
  add(hypothesis: Hypothesis): void {
    const from = this.#from ?? 0;
    this.#from = null;
    // Text for sound that the model hears as silence is dropped.
    if (from > 0 && isSilence(hypothesis)) return;
    const { tokens, ended, meanLogProbability, noSpeech, heard } = hypothesis;
    this.#remainingTokens -= tokens.length;
    const unfinished = resumptionOf(tokens, ended, this.#vocabulary);
    const resumption = unfinished ?? (this.#follows ? endOf(tokens, this.#vocabulary) : null);
    const least = unfinished ? LEAST_SPEECH : LEFT_OUT;
    const next = from + Math.round((resumption?.seconds ?? 0) * melRate);
    let keptTokens = tokens;
    // A loop that has filled the decoder knows nothing of time.
    const isLoop = resumption?.tokens === tokens.length && repeatsItself(hypothesis);
    if (resumption && !isLoop && this.#remainingTokens > 0 && this.#speechAfter(next) >= least) {
      this.#from = next;
      keptTokens = tokens.slice(0, resumption.tokens);
    }
    const span = { from: from / melRate, to: this.#window.samples.length / melRate };
    for (const phrase of phrasesOf(keptTokens, span, this.#vocabulary))
      this.#pieces.push(this.#follows ? { ...phrase, language: this.language } : phrase);
    if (from === 0) {
      this.#noSpeech = noSpeech;
      this.#heard = heard !== null && heard.probability >= CLEARLY_HEARD ? heard.language : null;
    }
    this.#tokens += keptTokens.length + 1;
    this.#logProbability += meanLogProbability * (keptTokens.length + 1);
  }

  get transcript(): WindowTranscript {
    const confidence = { noSpeech: this.#noSpeech, meanLogProbability: this.#logProbability / this.#tokens };
    return { pieces: this.#pieces, language: this.#expected, heard: this.#heard, confidence };
  }

  /** Samples of speech from that sample on. */
  #speechAfter(from: number): number {
    return this.#window.speech.reduce(
      (sum, [start, end]) => sum + Math.max(0, end - Math.max(start, from)),
      0,
    );
  }
}

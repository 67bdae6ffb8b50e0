// Whisper, tiny to large: a log-mel spectrogram of up to 30 s, an encoder that runs once, and an autoregressive decoder.
// Decoding is greedy; a text that repeats itself or has a low probability is decoded again at higher temperatures, as in the
// reference implementation. The loop is our own: it batches windows, detects the language, keeps the rules of time tokens and
// can be stopped between two tokens, none of which the pipeline of @huggingface/transformers does.
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import { LogMel, melRate, whisperFrames } from '../../acoustics/mel.ts';
import { modelErrors, type SpeechRow } from '../../models/contract.ts';
import { floatsOf, type Graph, openGraph, type SessionOpener } from '../../models/graph.ts';
import type { ModelSession } from '../../models/session.ts';
import type { Family, SpeechFamily, SpeechWindow, WindowTranscript } from '../family.ts';
import { compressionRatio } from '../text/hallucinations.ts';
import { tokenLimit } from '../token-limit.ts';
import { type Decoder, type Decoding, type EncodedSound, type Logits, openDecoder } from './decoder.ts';
import { phrasesOf } from './phrases.ts';
import { likeliest, probabilityOf, type Sampling, sampleToken, seeded } from './sampling.ts';
import { readVocabulary, type Vocabulary } from './vocabulary.ts';

/** Tried in turn until a text is accepted. They end below the reference's 1, which writes nearly random text. */
const temperatures = [0, 0.2, 0.4, 0.6, 0.8];
/** A text beyond either threshold is decoded again, at the next temperature. */
const COMPRESSION_RATIO_THRESHOLD = 2.4;
const LOG_PROBABILITY_THRESHOLD = -1;
/** Above this probability of no speech a low probability of the text is no reason to decode again. */
const NO_SPEECH_THRESHOLD = 0.6;

/** One window on its way through the decoder. */
interface Row {
  readonly seconds: number;
  /** Its row in the encoded batch. */
  readonly index: number;
  readonly limit: number;
  readonly language: string | null;
  noSpeech: number;
}

interface Hypothesis {
  /** Without prompt and end token. */
  readonly tokens: readonly number[];
  readonly meanLogProbability: number;
  readonly compressionRatio: number;
}

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
  readonly device: string;
  readonly #row: SpeechRow;
  readonly #parts: Parts;
  readonly #sessions: readonly ModelSession[];

  constructor(row: SpeechRow, parts: Parts, sessions: readonly ModelSession[]) {
    this.device = parts.encoder.session.device;
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
    const sound = await this.#encode(windows, checkpoint);
    const told = this.#row.is_multilingual ? language : (this.#row.languages[0] ?? null);
    const languages = told === null ? await this.#detect(sound, checkpoint) : windows.map(() => told);
    const rows = windows.map(({ samples }, index) => this.#rowOf(samples.length, index, languages[index]!));
    const hypotheses = await this.#decode(sound, rows, checkpoint);
    return rows.map(({ seconds, language: spoken, noSpeech }, at) => {
      const { tokens, meanLogProbability } = hypotheses[at]!;
      return {
        pieces: phrasesOf(tokens, seconds, this.#parts.vocabulary),
        language: spoken,
        confidence: { noSpeech, meanLogProbability },
      };
    });
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) await session.release();
  }

  async #encode(windows: readonly SpeechWindow[], checkpoint: Checkpoint): Promise<EncodedSound> {
    const { encoder, mel } = this.#parts;
    const size = mel.bands * whisperFrames;
    const data = new Float32Array(windows.length * size);
    for (const [at, { samples }] of windows.entries()) {
      await checkpoint();
      data.set(mel.padded(samples).data, at * size);
    }
    const feeds = { input_features: { data, dims: [windows.length, mel.bands, whisperFrames] } };
    const { data: encoded, dims } = floatsOf(encoder, await encoder.run(feeds), 'last_hidden_state', 3);
    const [batch = 0, positions = 0, width = 0] = dims;
    if (batch === windows.length) return { data: encoded, dims: [batch, positions, width] };
    throw modelErrors.MODEL_RUN_FAILED(`${encoder.file}: answers ${batch} windows of ${windows.length}`, {
      file: encoder.file,
    });
  }

  /**
   * The likeliest language of each window, after the start token alone; null where there are none to choose from. It is a
   * decoding of its own: with a cache the exports take one token a run, so the text needs its whole prompt in a first run.
   */
  async #detect(sound: EncodedSound, checkpoint: Checkpoint): Promise<(string | null)[]> {
    const { decoder, vocabulary, languages } = this.#parts;
    await checkpoint();
    const starts = Array.from({ length: sound.dims[0] }, () => [vocabulary.start]);
    const logits = await decoder.begin(sound).step(starts);
    return starts.map((_, at) => likeliest(logits.row(at, 0), languages));
  }

  #rowOf(samples: number, index: number, language: string | null): Row {
    return {
      seconds: samples / melRate,
      index,
      limit: tokenLimit(this.#row.speech, samples),
      language,
      noSpeech: 0,
    };
  }

  /** The best hypothesis for each row: the first one that is accepted, else the likeliest, if possible without repetition. */
  async #decode(sound: EncodedSound, rows: readonly Row[], checkpoint: Checkpoint): Promise<Hypothesis[]> {
    const best: (Hypothesis | undefined)[] = rows.map(() => undefined);
    let open = rows.map((_, at) => at);
    for (const temperature of temperatures) {
      const hypotheses = await this.#decodeAt(
        sound,
        open.map((at) => rows[at]!),
        temperature,
        checkpoint,
      );
      for (const [index, at] of open.entries()) {
        const hypothesis = hypotheses[index]!;
        const before = best[at];
        if (!before || better(hypothesis, before)) best[at] = hypothesis;
      }
      open = open.filter((_, index) => !accepted(hypotheses[index]!, rows[open[index]!]!));
      if (open.length === 0) break;
    }
    return best.map((hypothesis) => hypothesis!);
  }

  /** One decoding of all rows at one temperature. */
  async #decodeAt(
    sound: EncodedSound,
    rows: readonly Row[],
    temperature: number,
    checkpoint: Checkpoint,
  ): Promise<Hypothesis[]> {
    const { decoder, vocabulary } = this.#parts;
    // Each row has a random generator of its own, so that no text depends on the other windows of the batch.
    const samplings = rows.map((): Sampling => ({ temperature, random: seeded(1) }));
    const written: number[][] = rows.map(() => []);
    const sums = rows.map(() => 0);
    const done = rows.map(() => false);
    const decoding = decoder.begin(rowsOf(sound, rows));
    await checkpoint();
    let logits = await this.#prompt(decoding, rows);
    for (;;) {
      for (const [at, row] of rows.entries()) {
        if (done[at]) continue;
        const tokens = written[at]!;
        const next = sampleToken(logits.row(at, logits.tokens - 1), tokens, vocabulary, samplings[at]!);
        sums[at]! += next.logProbability;
        if (next.token === vocabulary.end) done[at] = true;
        else tokens.push(next.token);
        // The token limit ends a text that does not end by itself.
        if (tokens.length >= row.limit) done[at] = true;
      }
      if (done.every((one) => one)) break;
      await checkpoint();
      // Rows that are done are padded with end tokens, whose logits are not read.
      logits = await decoding.step(written.map((tokens, at) => [done[at] ? vocabulary.end : tokens.at(-1)!]));
    }
    return written.map((tokens, at) => ({
      tokens,
      meanLogProbability: sums[at]! / (tokens.length + 1),
      compressionRatio: compressionRatio(vocabulary.text(tokens.filter((token) => token < vocabulary.end))),
    }));
  }

  /** Feeds the prompts, which are of one length, in one run; its last logits predict the text. */
  async #prompt(decoding: Decoding, rows: readonly Row[]): Promise<Logits> {
    const { vocabulary, languages } = this.#parts;
    const logits = await decoding.step(rows.map(({ language }) => promptOf(language, languages, vocabulary)));
    for (const [at, row] of rows.entries()) {
      row.noSpeech = probabilityOf(logits.row(at, 0), vocabulary.noSpeech);
    }
    return logits;
  }
}

/** The start, and for a multilingual model the language and the task. */
function promptOf(
  language: string | null,
  languages: ReadonlyMap<string, number>,
  { start, transcribe }: Vocabulary,
): number[] {
  const token = language === null ? undefined : languages.get(language);
  return token === undefined ? [start] : [start, token, ...(transcribe === null ? [] : [transcribe])];
}

/** The encoded sound of those rows only. */
function rowsOf({ data, dims: [batch, positions, width] }: EncodedSound, rows: readonly Row[]): EncodedSound {
  if (rows.length === batch) return { data, dims: [batch, positions, width] };
  const size = positions * width;
  const part = new Float32Array(rows.length * size);
  for (const [at, { index }] of rows.entries()) {
    part.set(data.subarray(index * size, (index + 1) * size), at * size);
  }
  return { data: part, dims: [rows.length, positions, width] };
}

function accepted({ compressionRatio: ratio, meanLogProbability }: Hypothesis, { noSpeech }: Row): boolean {
  const silence = noSpeech > NO_SPEECH_THRESHOLD && meanLogProbability < LOG_PROBABILITY_THRESHOLD;
  return silence || (ratio <= COMPRESSION_RATIO_THRESHOLD && meanLogProbability >= LOG_PROBABILITY_THRESHOLD);
}

function better(one: Hypothesis, other: Hypothesis): boolean {
  const repeats = ({ compressionRatio: ratio }: Hypothesis) => Number(ratio > COMPRESSION_RATIO_THRESHOLD);
  return (
    repeats(one) - repeats(other) < 0 ||
    (repeats(one) === repeats(other) && one.meanLogProbability > other.meanLogProbability)
  );
}

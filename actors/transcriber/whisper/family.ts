// Whisper, tiny to large: sound of up to 30 s as a mel picture, an encoder that runs once, and a decoder that writes one
// token after the other. Greedy first; a text that loops or that the model doubts is written again with some chance, as in
// the reference implementation. Our own loop: it batches windows, finds out the language, keeps the rules of times and can
// be stopped between two tokens, none of which the pipeline of @huggingface/transformers does.
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import { LogMel, melRate, whisperFrames } from '../../acoustics/mel.ts';
import { modelErrors, type SpeechRow } from '../../models/contract.ts';
import type { ModelSession } from '../../models/session.ts';
import type { Family, SessionOpener, SpeechFamily, SpeechWindow, Spoken } from '../family.ts';
import { floatsOf, type Graph, openGraph } from '../graph.ts';
import { compressionRatio } from '../text/guards.ts';
import { tokenLimit } from '../token-limit.ts';
import { type Decoder, openDecoder, type Sound } from './decoder.ts';
import { phrasesOf } from './read.ts';
import { likeliest, pick, probabilityOf, type Sampling, seeded } from './rules.ts';
import { readVocabulary, type Vocabulary } from './vocabulary.ts';

/** Tried in turn until a text is accepted; the last ones are nearly free association, so they end below the reference's 1. */
const temperatures = [0, 0.2, 0.4, 0.6, 0.8];
/** A text beyond either limit is written again. */
const LOOPING = 2.4;
const DOUBTED = -1;
/** Above this nobody speaks, and doubt is no reason to write again. */
const NOBODY = 0.6;

/** One window on its way through the decoder. */
interface Row {
  readonly seconds: number;
  /** Its place in the sound of the batch. */
  readonly place: number;
  readonly limit: number;
  language: string | null;
  noSpeech: number;
}

interface Draft {
  /** Without prompt and end token. */
  readonly tokens: readonly number[];
  readonly meanLogProbability: number;
  readonly ratio: number;
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
      const sound = {
        name: 'input_features',
        type: 'float32',
        shape: [row.speech.batch, bands, whisperFrames],
      } as const;
      const encoder = await openGraph(keep, file('encoder'), [sound], ['last_hidden_state']);
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
  ): Promise<readonly Spoken[]> {
    if (windows.length === 0) return [];
    const sound = await this.#hear(windows, checkpoint);
    const rows = windows.map(({ samples }, place) => this.#rowOf(samples.length, place, language));
    const drafts = await this.#write(sound, rows, checkpoint);
    return rows.map(({ seconds, language: found, noSpeech }, at) => {
      const { tokens, meanLogProbability } = drafts[at]!;
      return {
        pieces: phrasesOf(tokens, seconds, this.#parts.vocabulary),
        language: found,
        confidence: { noSpeech, meanLogProbability },
      };
    });
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) await session.release();
  }

  async #hear(windows: readonly SpeechWindow[], checkpoint: Checkpoint): Promise<Sound> {
    const { encoder, mel } = this.#parts;
    const size = mel.bands * whisperFrames;
    const data = new Float32Array(windows.length * size);
    for (const [at, { samples }] of windows.entries()) {
      await checkpoint();
      data.set(mel.padded(samples).data, at * size);
    }
    const feeds = { input_features: { data, dims: [windows.length, mel.bands, whisperFrames] } };
    const { data: heard, dims } = floatsOf(encoder, await encoder.run(feeds), 'last_hidden_state', 3);
    const [batch = 0, positions = 0, width = 0] = dims;
    if (batch === windows.length) return { data: heard, dims: [batch, positions, width] };
    throw modelErrors.MODEL_RUN_FAILED(`${encoder.file}: answers ${batch} windows of ${windows.length}`, {
      file: encoder.file,
    });
  }

  #rowOf(samples: number, place: number, language: string | null): Row {
    const { speech, is_multilingual, languages } = this.#row;
    const asked = is_multilingual ? language : (languages[0] ?? null);
    return {
      seconds: samples / melRate,
      place,
      limit: tokenLimit(speech, samples),
      language: asked,
      noSpeech: 0,
    };
  }

  /** The best text for each row: the first one that is accepted, else the surest that does not loop. */
  async #write(sound: Sound, rows: readonly Row[], checkpoint: Checkpoint): Promise<Draft[]> {
    const best: (Draft | undefined)[] = rows.map(() => undefined);
    let open = rows.map((_, at) => at);
    for (const temperature of temperatures) {
      const drafts = await this.#attempt(
        sound,
        open.map((at) => rows[at]!),
        temperature,
        checkpoint,
      );
      for (const [index, at] of open.entries()) {
        const draft = drafts[index]!;
        const before = best[at];
        if (!before || better(draft, before)) best[at] = draft;
      }
      open = open.filter((_, index) => !accepted(drafts[index]!, rows[open[index]!]!));
      if (open.length === 0) break;
    }
    return best.map((draft) => draft!);
  }

  async #attempt(
    sound: Sound,
    rows: readonly Row[],
    temperature: number,
    checkpoint: Checkpoint,
  ): Promise<Draft[]> {
    const { decoder, vocabulary } = this.#parts;
    // Each row has its own chance, so that no text depends on the other windows of the batch.
    const samplings = rows.map((): Sampling => ({ temperature, random: seeded(1) }));
    const written: number[][] = rows.map(() => []);
    const sums = rows.map(() => 0);
    const done = rows.map(() => false);
    const writing = decoder.begin(rowsOf(sound, rows));
    await checkpoint();
    let { logits, last } = await this.#open(writing, rows, checkpoint);
    for (;;) {
      for (const [at, row] of rows.entries()) {
        if (done[at]) continue;
        const tokens = written[at]!;
        const next = pick(logits.row(at, last), tokens, vocabulary, samplings[at]!);
        sums[at]! += next.logProbability;
        if (next.token === vocabulary.end) done[at] = true;
        else tokens.push(next.token);
        // A text that has reached its limit is no longer worth a run.
        if (tokens.length >= row.limit) done[at] = true;
      }
      if (done.every((one) => one)) break;
      await checkpoint();
      // A row that is done goes on with end tokens, which nobody reads.
      logits = await writing.step(written.map((tokens, at) => [done[at] ? vocabulary.end : tokens.at(-1)!]));
      last = 0;
    }
    return written.map((tokens, at) => ({
      tokens,
      meanLogProbability: sums[at]! / (tokens.length + 1),
      ratio: compressionRatio(vocabulary.text(tokens.filter((token) => token < vocabulary.end))),
    }));
  }

  /** Feeds the prompt; finds out the language of rows that have none. `last`: the token whose logits say what comes first. */
  async #open(writing: ReturnType<Decoder['begin']>, rows: readonly Row[], checkpoint: Checkpoint) {
    const { vocabulary, languages } = this.#parts;
    const task = languages.size > 0 && vocabulary.transcribe !== null ? [vocabulary.transcribe] : [];
    const told = rows.map(({ language }) => languageToken(languages, language));
    const known = languages.size === 0 || told.every((token) => token !== null);
    const prompts = told.map((token) => [vocabulary.start, ...(token === null ? [] : [token]), ...task]);
    const first = known ? prompts : rows.map(() => [vocabulary.start]);
    const heard = await writing.step(first);
    for (const [at, row] of rows.entries()) {
      row.noSpeech = probabilityOf(heard.row(at, 0), vocabulary.noSpeech);
      if (!known) row.language ??= likeliest(heard.row(at, 0), languages);
    }
    if (known) return { logits: heard, last: first[0]!.length - 1 };
    await checkpoint();
    const rest = rows.map(({ language }) => [languageToken(languages, language)!, ...task]);
    return { logits: await writing.step(rest), last: rest[0]!.length - 1 };
  }
}

function languageToken(languages: ReadonlyMap<string, number>, language: string | null): number | null {
  return language === null ? null : (languages.get(language) ?? null);
}

/** The sound of those rows only. */
function rowsOf({ data, dims: [batch, positions, width] }: Sound, rows: readonly Row[]): Sound {
  if (rows.length === batch) return { data, dims: [batch, positions, width] };
  const size = positions * width;
  const part = new Float32Array(rows.length * size);
  for (const [at, { place }] of rows.entries()) {
    part.set(data.subarray(place * size, (place + 1) * size), at * size);
  }
  return { data: part, dims: [rows.length, positions, width] };
}

function accepted({ ratio, meanLogProbability }: Draft, { noSpeech }: Row): boolean {
  const silence = noSpeech > NOBODY && meanLogProbability < DOUBTED;
  return silence || (ratio <= LOOPING && meanLogProbability >= DOUBTED);
}

function better(one: Draft, other: Draft): boolean {
  const loops = ({ ratio }: Draft) => Number(ratio > LOOPING);
  return (
    loops(one) - loops(other) < 0 ||
    (loops(one) === loops(other) && one.meanLogProbability > other.meanLogProbability)
  );
}

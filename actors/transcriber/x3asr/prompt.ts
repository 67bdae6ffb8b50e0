// The prompt of the x3asr decoder, chat turns around the sound, and the reading of its answer, `language X<asr_text>…` or the
// text alone.
import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { reasonOf } from '../../../runtime/files/error-code.ts';
import { modelErrors, type SpeechRow } from '../../models/contract.ts';
import { languageCode, languageName } from '../text/languages.ts';

/** Special tokens, by the name under which the row may give their number. */
const specialTokens = {
  im_start: '<|im_start|>',
  im_end: '<|im_end|>',
  audio_start: '<|audio_start|>',
  audio_end: '<|audio_end|>',
  audio_pad: '<|audio_pad|>',
  asr_text: '<asr_text>',
} as const;

const BEFORE = '<|im_start|>system\n<|im_end|>\n<|im_start|>user\n<|audio_start|>';
const AFTER = '<|audio_end|><|im_end|>\n<|im_start|>assistant\n';

/** Keeps the spaces as the model wrote them. */
const decoding = { skip_special_tokens: true, clean_up_tokenization_spaces: false };

export interface Prompt {
  readonly ids: BigInt64Array;
  /** Position of the first placeholder for the sound. */
  readonly audioOffset: number;
}

export interface Answer {
  /** Without blanks around it; empty when nothing is said. */
  readonly text: string;
  /** BCP 47, null when the model named none that is known. */
  readonly language: string | null;
}

export class Prompter {
  readonly #encode: (text: string) => readonly number[];
  readonly #decode: (ids: readonly number[]) => string;
  readonly #pad: bigint;
  readonly #asrText: number;
  /** Each of them ends an answer. */
  readonly endTokens: ReadonlySet<number>;

  private constructor(tokenizer: Tokenizer, row: SpeechRow, file: string) {
    this.#encode = (text) => tokenizer.encode(text, { add_special_tokens: false }).ids;
    this.#decode = (ids) => (ids.length === 0 ? '' : tokenizer.decode([...ids], decoding));
    const ids = Object.entries(specialTokens).map(
      ([name, text]) => [name, this.#single(name, text, row, file)] as const,
    );
    const { audio_pad, asr_text, im_end } = Object.fromEntries(ids) as Record<
      keyof typeof specialTokens,
      number
    >;
    this.#pad = BigInt(audio_pad);
    this.#asrText = asr_text;
    this.endTokens = new Set([...row.speech.end_ids, im_end]);
  }

  /** Throws MODEL_LOAD_FAILED when the file cannot be read, or its tokens are not those of the family. */
  static async open(file: string, row: SpeechRow): Promise<Prompter> {
    try {
      return new Prompter(new Tokenizer(JSON.parse(await readFile(file, 'utf8')) as object, {}), row, file);
    } catch (error) {
      if (modelErrors.MODEL_LOAD_FAILED.is(error)) throw error;
      const reason = reasonOf(error);
      throw modelErrors.MODEL_LOAD_FAILED(`${file}: ${reason}`, { file }, error);
    }
  }

  /** `count`: audio features. `language`: null lets the model detect it. */
  prompt(count: number, language: string | null): Prompt {
    const before = this.#encode(BEFORE);
    const told = language === null ? '' : `language ${languageName(language)}${specialTokens.asr_text}`;
    const after = this.#encode(AFTER + told);
    const ids = new BigInt64Array(before.length + count + after.length).fill(this.#pad);
    for (const [at, id] of before.entries()) ids[at] = BigInt(id);
    for (const [at, id] of after.entries()) ids[before.length + count + at] = BigInt(id);
    return { ids, audioOffset: before.length };
  }

  /** `ids`: what the model wrote, without the end. `language`: as it was told. */
  answer(ids: readonly number[], language: string | null): Answer {
    const textStart = ids.lastIndexOf(this.#asrText);
    const text = this.#decode(ids.slice(textStart + 1)).trim();
    if (language !== null) return { text, language };
    const named = /^\s*language\s+(.+?)\s*$/su.exec(this.#decode(ids.slice(0, Math.max(0, textStart))))?.[1];
    // Of several languages the main one is named first.
    const code = named === undefined ? null : languageCode(named.split(',', 1)[0] ?? '');
    return { text, language: code === 'auto' ? null : code };
  }

  #single(name: string, text: string, row: SpeechRow, file: string): number {
    const ids = this.#encode(text);
    const told = row.speech.token_ids[name];
    const [id] = ids;
    if (ids.length === 1 && id !== undefined && (told === undefined || told === id)) return id;
    const expected = told === undefined ? 'one token' : `the token ${told}`;
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: ${text} is ${ids.join(', ')}, expected ${expected}`, {
      file,
    });
  }
}

// The special tokens of Whisper, read by name from its tokenizer.json: their numbers differ between the
// English-only and the multilingual models, and between versions.
import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { reasonOf } from '../../../runtime/errors.ts';
import { modelErrors } from '../../models/contract.ts';

export interface Vocabulary {
  /** `<|startoftranscript|>`. */
  readonly start: number;
  /** `<|transcribe|>`; null in English-only models, whose prompt has no task. */
  readonly transcribe: number | null;
  /** `<|endoftext|>`. Text tokens are below it; those between it and the time tokens are never written. */
  readonly end: number;
  /** `<|0.00|>`; the token of n·0.02 s is n after it. */
  readonly firstTime: number;
  /** Its probability at the start is that of no speech; null where there is none. */
  readonly noSpeech: number | null;
  /** Language tokens by BCP 47. */
  readonly languages: ReadonlyMap<string, number>;
  /** Special tokens, and symbols that are no speech (notes, brackets): never written. */
  readonly suppressed: readonly number[];
  /** Never written first: white space. */
  readonly suppressedFirst: readonly number[];
  /** Text of tokens below `end`, as they are written; incomplete UTF-8 at an edge is left out. */
  text(tokens: readonly number[]): string;
}

/** Whisper's codes of languages that are not BCP 47's. */
const languageAliases: Readonly<Record<string, string>> = { jw: 'jv', tl: 'fil', iw: 'he' };

/** Symbols for sounds, speakers or styling, which the reference implementation suppresses. */
const symbols =
  '" # ( ) * + / : ; < = > @ [ \\ ] ^ _ ` { | } ~ 「 」 『 』 << >> <<< >>> -- --- -( -[ (\' (" (( )) ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪'.split(
    ' ',
  );
/** Their first token is suppressed, since other musical symbols begin with the same bytes. */
const musical = [...'♩♪♫♬♭♮♯'];

/** Reads a tokenizer.json. Throws MODEL_LOAD_FAILED, naming the file and the token that is not there. */
export async function readVocabulary(path: string): Promise<Vocabulary> {
  let tokenizer: Tokenizer;
  try {
    tokenizer = new Tokenizer(JSON.parse(await readFile(path, 'utf8')) as object, {});
  } catch (error) {
    const reason = reasonOf(error);
    throw modelErrors.MODEL_LOAD_FAILED(`${path}: ${reason}`, { file: path }, error);
  }
  return vocabularyOf(tokenizer, path);
}

function vocabularyOf(tokenizer: Tokenizer, path: string): Vocabulary {
  const id = (name: string) => tokenizer.token_to_id(name) ?? null;
  const required = (name: string) => {
    const token = id(name);
    if (token !== null) return token;
    throw modelErrors.MODEL_LOAD_FAILED(`${path}: has no token ${name}, so it is not Whisper's`, {
      file: path,
    });
  };
  const end = required('<|endoftext|>');
  // Some files leave the time tokens out; they follow this token in every model.
  const firstTime = required('<|notimestamps|>') + 1;
  const encode = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids;
  const special = Array.from({ length: firstTime - 1 - end }, (_, at) => end + 1 + at);
  return {
    start: required('<|startoftranscript|>'),
    transcribe: id('<|transcribe|>'),
    end,
    firstTime,
    noSpeech: id('<|nospeech|>') ?? id('<|nocaptions|>'),
    languages: languagesOf(tokenizer),
    suppressed: [...new Set([...symbolTokens(encode), ...special])],
    suppressedFirst: [...encode(' ')],
    text: (tokens) => textOf(tokenizer, tokens),
  };
}

function textOf(tokenizer: Tokenizer, tokens: readonly number[]): string {
  // The tokenizer refuses to decode nothing.
  if (tokens.length === 0) return '';
  return tokenizer
    .decode([...tokens], { skip_special_tokens: true, clean_up_tokenization_spaces: false })
    .replaceAll('\uFFFD', '');
}

function languagesOf(tokenizer: Tokenizer): Map<string, number> {
  const languages = new Map<string, number>();
  for (const [token, { content }] of tokenizer.get_added_tokens_decoder()) {
    const code = /^<\|([a-z]{2,3})\|>$/.exec(content)?.[1];
    if (code !== undefined) languages.set(languageAliases[code] ?? code, token);
  }
  return languages;
}

function symbolTokens(encode: (text: string) => readonly number[]): number[] {
  // A hyphen or an apostrophe is text inside a word; at its start it marks a speaker or a quotation.
  const tokens = [encode(' -')[0], encode(" '")[0]];
  for (const symbol of [...symbols, ...musical]) {
    for (const written of [encode(symbol), encode(` ${symbol}`)]) {
      if (written.length === 1 || musical.includes(symbol)) tokens.push(written[0]);
    }
  }
  return tokens.filter((token) => token !== undefined);
}

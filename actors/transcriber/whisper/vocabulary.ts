// The tokens of Whisper, by name from its tokenizer.json: their numbers differ between sizes and between the models of one
// language and of many.
import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { modelErrors } from '../../models/contract.ts';

export interface Vocabulary {
  /** `<|startoftranscript|>`. */
  readonly start: number;
  /** `<|transcribe|>`; null in models of one language, which are asked nothing. */
  readonly transcribe: number | null;
  /** `<|endoftext|>`. Text is below it; what lies between it and the times is never written. */
  readonly end: number;
  /** `<|0.00|>`; the one of n·0.02 s is n behind it. */
  readonly firstTime: number;
  /** Read off at the start to know how likely nobody speaks; null where there is none. */
  readonly noSpeech: number | null;
  /** Language tokens by BCP 47. */
  readonly languages: ReadonlyMap<string, number>;
  /** Text that stands for no speech (notes, brackets) and special tokens: never written. */
  readonly unspoken: readonly number[];
  /** Never written first: a blank text. */
  readonly blank: readonly number[];
  /** Text of tokens below `end`, as they are written; half a letter at an edge is left out. */
  text(tokens: readonly number[]): string;
}

/** What Whisper calls a language, where that is not BCP 47's shortest name for it. */
const otherNames: Readonly<Record<string, string>> = { jw: 'jv', tl: 'fil', iw: 'he' };

/** Marks that stand for sounds, speakers or styling, not for speech: what the reference implementation never writes. */
const marks =
  '" # ( ) * + / : ; < = > @ [ \\ ] ^ _ ` { | } ~ 「 」 『 』 << >> <<< >>> -- --- -( -[ (\' (" (( )) ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪'.split(
    ' ',
  );
/** These begin with the same bytes as other signs of music, which are meant as well. */
const musical = [...'♩♪♫♬♭♮♯'];

/** Reads a tokenizer.json. Throws MODEL_LOAD_FAILED, naming the file and the token that is not there. */
export async function readVocabulary(path: string): Promise<Vocabulary> {
  let tokenizer: Tokenizer;
  try {
    tokenizer = new Tokenizer(JSON.parse(await readFile(path, 'utf8')) as object, {});
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw modelErrors.MODEL_LOAD_FAILED(`${path}: ${reason}`, { file: path }, error);
  }
  return vocabularyOf(tokenizer, path);
}

function vocabularyOf(tokenizer: Tokenizer, path: string): Vocabulary {
  const id = (name: string) => tokenizer.token_to_id(name) ?? null;
  const needed = (name: string) => {
    const found = id(name);
    if (found !== null) return found;
    throw modelErrors.MODEL_LOAD_FAILED(`${path}: has no token ${name}, so it is not Whisper's`, {
      file: path,
    });
  };
  const end = needed('<|endoftext|>');
  // Some files leave the times out; they follow this token in every one.
  const firstTime = needed('<|notimestamps|>') + 1;
  const encode = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids;
  const special = Array.from({ length: firstTime - 1 - end }, (_, at) => end + 1 + at);
  return {
    start: needed('<|startoftranscript|>'),
    transcribe: id('<|transcribe|>'),
    end,
    firstTime,
    noSpeech: id('<|nospeech|>') ?? id('<|nocaptions|>'),
    languages: languagesOf(tokenizer),
    unspoken: [...new Set([...unspokenText(encode), ...special])],
    blank: [...encode(' ')],
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
    if (code !== undefined) languages.set(otherNames[code] ?? code, token);
  }
  return languages;
}

function unspokenText(encode: (text: string) => readonly number[]): number[] {
  // Inside a word a hyphen or an apostrophe is fine; at its start it marks a speaker or a quotation.
  const tokens = [encode(' -')[0], encode(" '")[0]];
  for (const mark of [...marks, ...musical]) {
    for (const written of [encode(mark), encode(` ${mark}`)]) {
      if (written.length === 1 || musical.includes(mark)) tokens.push(written[0]);
    }
  }
  return tokens.filter((token) => token !== undefined);
}

// From a text to the token ids of a text graph. A mistake here is silent, because the graph answers a vector
// for any ids; so padding, end token, length and lower case are all stated by the model's row.
import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { reasonOf } from '../../runtime/files/error-code.ts';
import { modelErrors, type TextSide } from '../models/contract.ts';

export interface Tokens {
  /** n×length, right-padded. */
  readonly ids: BigInt64Array;
  /** n×length: 1 for the tokens of the text, end token included, 0 for padding. */
  readonly mask: BigInt64Array;
  readonly length: number;
}

export type Tokenize = (texts: readonly string[]) => Tokens;

/** Reads a tokenizer.json. Throws MODEL_LOAD_FAILED, naming the file. */
export async function readTokenizer(path: string, side: TextSide): Promise<Tokenize> {
  try {
    const tokenizer = new Tokenizer(JSON.parse(await readFile(path, 'utf8')) as object, {});
    return tokenizeWith((text) => tokenizer.encode(text).ids, side);
  } catch (error) {
    const reason = reasonOf(error);
    throw modelErrors.MODEL_LOAD_FAILED(`${path}: ${reason}`, { file: path }, error);
  }
}

/** `encode`: the tokens of one text, with those the tokenizer itself puts around it. */
export function tokenizeWith(encode: (text: string) => readonly number[], side: TextSide): Tokenize {
  const { max_length: length, pad_id, lower_case } = side;
  return (texts) => {
    const ids = new BigInt64Array(texts.length * length).fill(BigInt(pad_id));
    const mask = new BigInt64Array(texts.length * length);
    for (const [row, text] of texts.entries()) {
      const tokens = withEndToken(encode(lower_case ? text.trim().toLowerCase() : text.trim()), side);
      for (const [at, token] of tokens.entries()) {
        ids[row * length + at] = BigInt(token);
        mask[row * length + at] = 1n;
      }
    }
    return { ids, mask, length };
  };
}

/** The tokens with the end token last, also when the text is too long or the tokenizer adds none. */
function withEndToken(tokens: readonly number[], { max_length, end_id }: TextSide): readonly number[] {
  const body = tokens.at(-1) === end_id ? tokens.slice(0, -1) : tokens;
  return [...body.slice(0, max_length - 1), end_id];
}

// The vocabulary of a parakeet model (SentencePiece): a line for each token, `▁the 123`, where `▁` begins a word.
import { readFile } from 'node:fs/promises';
import { reasonOf } from '../../../runtime/files/error-code.ts';
import { modelErrors } from '../../models/contract.ts';

const BLANK = '<blk>';
/** Special tokens such as `<unk>` and `<|en|>`. */
const special = /^<.+>$/u;

export interface Vocabulary {
  readonly size: number;
  /** The blank of the transducer: no token at this frame. */
  readonly blank: number;
  /** How a token is written, with a space where it begins a word; empty for special tokens. */
  textOf(token: number): string;
}

/** Throws MODEL_LOAD_FAILED, naming the file and the line. */
export async function readVocabulary(file: string): Promise<Vocabulary> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const reason = reasonOf(error);
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: ${reason}`, { file }, error);
  }
  try {
    return parseVocabulary(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: ${error.message}`, { file }, error);
  }
}

/** Throws RangeError for a line of another form, a number twice, a gap, and when there is no blank. */
export function parseVocabulary(text: string): Vocabulary {
  const texts: string[] = [];
  let blank: number | null = null;
  let count = 0;
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line === '') continue;
    const found = /^(\S+) (\d+)$/u.exec(line);
    const token = Number(found?.[2]);
    if (!found?.[1] || texts[token] !== undefined)
      throw new RangeError(`line ${at + 1} is no new token: ${line}`);
    if (found[1] === BLANK) blank = token;
    texts[token] = special.test(found[1]) ? '' : found[1].replaceAll('▁', ' ');
    count += 1;
  }
  if (blank === null) throw new RangeError(`there is no ${BLANK}`);
  if (count !== texts.length)
    throw new RangeError(`there are ${count} tokens, numbered up to ${texts.length - 1}`);
  return { size: count, blank, textOf: (token) => texts[token] ?? '' };
}

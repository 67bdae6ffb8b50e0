// Texts of people as tokens of a chat. Marks of the chat are numbers that only this program writes: what
// looks like one in a text of somebody else is broken up into its letters.
import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { reasonOf } from '../../../runtime/files/error-code.ts';
import { modelErrors } from '../../models/contract.ts';

const decoding = { skip_special_tokens: true, clean_up_tokenization_spaces: false };

export class ChatTokenizer {
  readonly #tokenizer: Tokenizer;
  readonly #file: string;
  readonly #marks: ReadonlyMap<string, number>;
  readonly #markIds: ReadonlySet<number>;
  /** Longest first: one mark may begin with another. */
  readonly #looksLikeMark: RegExp;

  private constructor(tokenizer: Tokenizer, file: string) {
    this.#tokenizer = tokenizer;
    this.#file = file;
    const marks = [...tokenizer.get_added_tokens_decoder()].map(
      ([id, { content }]) => [content, id] as const,
    );
    this.#marks = new Map(marks);
    this.#markIds = new Set(marks.map(([, id]) => id));
    const written = marks
      .map(([content]) => content)
      .filter((content) => content.trim().length > 1)
      .toSorted((a, b) => b.length - a.length)
      .map((content) => content.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    // Marks that a tokenizer may have and does not name are written like this too.
    this.#looksLikeMark = new RegExp([...written, '<\\|[^<>|]{1,40}\\|>'].join('|'), 'g');
  }

  /** Throws MODEL_LOAD_FAILED when the file cannot be read or is no tokenizer. */
  static async open(file: string): Promise<ChatTokenizer> {
    try {
      return new ChatTokenizer(new Tokenizer(JSON.parse(await readFile(file, 'utf8')) as object, {}), file);
    } catch (error) {
      const reason = reasonOf(error);
      throw modelErrors.MODEL_LOAD_FAILED(`${file}: ${reason}`, { file }, error);
    }
  }

  /** The number of a mark of the chat. Throws MODEL_LOAD_FAILED when the tokenizer has none of that name. */
  mark(content: string): number {
    const id = this.#marks.get(content);
    if (id !== undefined) return id;
    throw modelErrors.MODEL_LOAD_FAILED(`${this.#file}: has no token ${content}`, { file: this.#file });
  }

  /** A text without any mark of the chat. */
  text(text: string): number[] {
    const broken = text.replaceAll(this.#looksLikeMark, (mark) => `${mark[0]} ${mark.slice(1)}`);
    const { ids } = this.#tokenizer.encode(broken, { add_special_tokens: false });
    return (ids as number[]).filter((id) => !this.#markIds.has(id));
  }

  read(tokens: readonly number[]): string {
    return tokens.length === 0 ? '' : this.#tokenizer.decode([...tokens], decoding);
  }
}

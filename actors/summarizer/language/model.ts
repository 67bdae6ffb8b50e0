// Common base of the families of language models: three graphs and a tokenizer. A chat becomes a row of
// vectors: those of its tokens and, between them, those that the vision graph makes of pictures. The decoder
// continues from there.

import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import sharp from 'sharp';
import { reasonOf } from '../../../runtime/errors.ts';
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import { modelErrors, type SummaryRow } from '../../models/contract.ts';
import type { RunsOn } from '../../models/device.ts';
import {
  type ExpectedInput,
  floatsOf,
  type Graph,
  openGraph,
  type SessionOpener,
  type TensorIn,
} from '../../models/session.ts';
import {
  type LanguageDecoder,
  openDecoder,
  type Positions,
  type PromptPicture,
  type PromptPictureSize,
  type Sequence,
} from './decoder.ts';

interface ChatTurn {
  readonly role: 'system' | 'user' | 'assistant';
  /** Ordinary text: what looks like a token of the chat is taken as its letters. */
  readonly text: string;
}

/** A picture in the size in which the model looks at it. */
export interface SeenPicture {
  readonly picture: PromptPicture;
  /** Tokens it takes in a prompt, without the marks around it. */
  readonly tokens: number;
}

export interface Chat {
  readonly turns: readonly ChatTurn[];
  /** They stand at the start of the first turn of the user. */
  readonly pictures: readonly SeenPicture[];
}

interface Answer {
  readonly text: string;
  /** False when it was stopped at the limit of tokens. */
  readonly ended: boolean;
}

export interface LanguageModel {
  /** Where most of the work runs. */
  readonly runsOn: RunsOn;
  /** Rejects for a JPEG that cannot be decoded. */
  look(jpeg: Uint8Array): Promise<SeenPicture>;
  /** Tokens of a chat, with its pictures and what asks for an answer. */
  countTokens(chat: Chat): number;
  /**
   * The likeliest answer, always the same for the same chat; at most `limit` tokens. `checkpoint` is awaited
   * before every run of a graph, so between two tokens; what it throws ends the call and leaves the model
   * usable. Throws MODEL_RUN_FAILED.
   */
  answer(chat: Chat, limit: number, checkpoint: Checkpoint): Promise<Answer>;
  /** Frees its memory. Called once, when nothing runs. */
  close(): Promise<void>;
}

/** A part of a prompt: tokens, or a picture. */
export type PromptPiece = { readonly ids: readonly number[] } | SeenPicture;

/** How a family writes chats and looks at pictures; pure. */
interface ChatFormat {
  /** Each ends an answer. */
  readonly ends: ReadonlySet<number>;
  pieces(chat: Chat): PromptPiece[];
  positions(pieces: readonly PromptPiece[]): Positions;
  /** The size a picture is brought to, and the tokens it takes then. */
  fitted(size: PromptPictureSize): PromptPictureSize & { readonly tokens: number };
  /** Inputs of the vision graph. */
  pixels(picture: PromptPicture): Readonly<Record<string, TensorIn>>;
}

export interface LanguageFamily {
  readonly axes: 1 | 3;
  visionInputs(declared: readonly string[]): readonly ExpectedInput[];
  /**
   * Throws MODEL_LOAD_FAILED when the tokenizer lacks a mark. `visionInputs`: names that the graph declares.
   */
  format(tokenizer: ChatTokenizer, row: SummaryRow, visionInputs: readonly string[]): ChatFormat;
}

interface Parts {
  readonly tokenizer: ChatTokenizer;
  readonly format: ChatFormat;
  readonly vision: Graph;
  readonly embeddings: Graph;
  readonly decoder: LanguageDecoder;
}

/**
 * `file`: path of the file with that role. A graph that does not declare what the family feeds, or answers
 * something else, is MODEL_LOAD_FAILED with the name of its file; what was opened is released then, and when
 * `checkpoint` throws.
 */
export async function openModel(
  { axes, visionInputs, format }: LanguageFamily,
  row: SummaryRow,
  file: (role: string) => string,
  session: SessionOpener,
  checkpoint: Checkpoint,
): Promise<LanguageModel> {
  const opened: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const release of opened.splice(0).reverse()) await release();
  };
  const keep: SessionOpener = async (source) => {
    await checkpoint();
    const openSession = await session(source);
    opened.push(() => openSession.release());
    return openSession;
  };
  try {
    const tokenizer = await ChatTokenizer.open(file('tokenizer'));
    const { vision, declared } = await openVision(keep, file('vision'), visionInputs);
    const ids: ExpectedInput[] = [{ name: 'input_ids', type: 'int64', shape: [1, null] }];
    const embeddings = await openGraph(keep, file('embeddings'), ids, ['inputs_embeds']);
    const decoder = await openDecoder(keep, file('decoder'), axes);
    opened.push(() => decoder.release());
    const parts = { tokenizer, format: format(tokenizer, row, declared), vision, embeddings, decoder };
    await warmUp(parts, file('decoder'), checkpoint);
    return modelOf(parts, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** The session is opened once, and its names are known before it is checked. */
async function openVision(
  open: SessionOpener,
  file: string,
  inputs: LanguageFamily['visionInputs'],
): Promise<{ vision: Graph; declared: string[] }> {
  const session = await open(file);
  const declared = session.inputs.map(({ name }) => name);
  const vision = await openGraph(async () => session, file, inputs(declared), ['image_features']);
  return { vision, declared };
}

/**
 * The first run is slow, and graphs that do not fit together fail here instead of in the middle of a summary.
 */
async function warmUp(parts: Parts, file: string, checkpoint: Checkpoint): Promise<void> {
  const { width, height, tokens } = parts.format.fitted({ width: 64, height: 64 });
  const picture = { width, height, rgb: new Uint8Array(width * height * 3) };
  const chat: Chat = { turns: [{ role: 'user', text: 'Hello' }], pictures: [{ picture, tokens }] };
  try {
    await answerOf(parts, chat, 2, checkpoint);
  } catch (error) {
    if (!modelErrors.MODEL_RUN_FAILED.is(error)) throw error;
    throw modelErrors.MODEL_LOAD_FAILED(
      error.message,
      { file: String(error.details['file'] ?? file) },
      error,
    );
  }
}

function modelOf(parts: Parts, close: () => Promise<void>): LanguageModel {
  const { format, decoder } = parts;
  return {
    runsOn: decoder.runsOn,
    look: async (jpeg) => {
      const { tokens, ...size } = format.fitted(await sizeOf(jpeg));
      return { picture: await scaled(jpeg, size), tokens };
    },
    countTokens: (chat) => lengthOf(format.pieces(chat)),
    answer: (chat, limit, checkpoint) => answerOf(parts, chat, limit, checkpoint),
    close,
  };
}

const sizeOfPiece = (piece: PromptPiece) => ('ids' in piece ? piece.ids.length : piece.tokens);
const lengthOf = (pieces: readonly PromptPiece[]) =>
  pieces.reduce((sum, piece) => sum + sizeOfPiece(piece), 0);

async function answerOf(parts: Parts, chat: Chat, limit: number, checkpoint: Checkpoint) {
  const { format, decoder, tokenizer } = parts;
  const prompt = await sequenceOf(parts, format.pieces(chat), checkpoint);
  const embed = (token: number) => embedded(parts, [token]);
  const { tokens, ended } = await decoder.generate(prompt, embed, format.ends, limit, checkpoint);
  return { text: tokenizer.read(tokens), ended };
}

async function sequenceOf(
  parts: Parts,
  pieces: readonly PromptPiece[],
  checkpoint: Checkpoint,
): Promise<Sequence> {
  const { width } = parts.decoder;
  const length = lengthOf(pieces);
  await checkpoint();
  const words = await embedded(
    parts,
    pieces.flatMap((piece) => ('ids' in piece ? piece.ids : [])),
  );
  const embeddings = new Float32Array(length * width);
  let [at, word] = [0, 0];
  for (const piece of pieces) {
    const size = sizeOfPiece(piece) * width;
    if ('ids' in piece) {
      embeddings.set(words.subarray(word, word + size), at);
      word += size;
    } else {
      await checkpoint();
      embeddings.set(await features(parts, piece), at);
    }
    at += size;
  }
  const { ids, next } = parts.format.positions(pieces);
  return { embeddings, positions: ids, length, next };
}

/** tokens×width. */
async function embedded({ embeddings, decoder }: Parts, ids: readonly number[]): Promise<Float32Array> {
  const results = await embeddings.run({
    input_ids: { data: BigInt64Array.from(ids, BigInt), dims: [1, ids.length] },
  });
  const { data } = floatsOf(embeddings, results, 'inputs_embeds', 3);
  return sized(embeddings, data, ids.length, decoder.width);
}

async function features({ vision, format, decoder }: Parts, seenPicture: SeenPicture): Promise<Float32Array> {
  const { image_features: features } = await vision.run(format.pixels(seenPicture.picture));
  if (features?.data instanceof Float32Array)
    return sized(vision, features.data, seenPicture.tokens, decoder.width);
  throw modelErrors.MODEL_RUN_FAILED(`${vision.file}: output image_features is no float32`, {
    file: vision.file,
  });
}

/** Throws MODEL_RUN_FAILED where a graph answers another number of vectors, or vectors of another length. */
function sized({ file }: Graph, data: Float32Array, tokens: number, width: number): Float32Array {
  if (data.length === tokens * width) return data;
  const what = `${data.length} numbers for ${tokens} tokens of ${width} numbers`;
  throw modelErrors.MODEL_RUN_FAILED(`${file}: answers ${what}`, { file });
}

// Texts of people as tokens of a chat. Marks of the chat are numbers that only this program writes: what
// looks like one in a text of somebody else is broken up into its letters.

const decoding = { skip_special_tokens: true, clean_up_tokenization_spaces: false };

class ChatTokenizer {
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

// Pictures as language models look at them: JPEG brought to a size, RGB bytes in rows.

// Runs take the processors; a picture takes milliseconds, and none comes twice.
sharp.concurrency(1);
sharp.cache(false);

/** Stored size in pixels. Rejects if `jpeg` is no picture. */
async function sizeOf(jpeg: Uint8Array): Promise<PromptPictureSize> {
  const { width, height } = await sharp(jpeg).metadata();
  return { width, height };
}

/** Bicubic, without keeping proportions. Rejects for what cannot be decoded. */
async function scaled(jpeg: Uint8Array, { width, height }: PromptPictureSize): Promise<PromptPicture> {
  const rgb = await sharp(jpeg, { failOn: 'truncated' })
    .toColourspace('srgb')
    .removeAlpha()
    .resize(width, height, { fit: 'fill', kernel: 'cubic' })
    .raw()
    .toBuffer();
  return { width, height, rgb };
}

// Dual encoders: a picture tower and a text tower whose vectors share one space. A TowerPlan says how
// families of this kind differ.

import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { reasonOf } from '../../runtime/errors.ts';
import type { Checkpoint } from '../../runtime/sync/checkpoint.ts';
import { modelErrors, type TextSide, type VisualRow } from '../models/contract.ts';
import { onProcessor } from '../models/device.ts';
import { pictureBytes } from '../models/rewriting/picture-bytes.ts';
import type { ModelSession, SampleInputs, TensorIn, TensorOut } from '../models/session.ts';
import type { EmbedderFamily, Sides, TextVectors, VisualFamily } from './family.ts';
import { pictureFeed } from './prepare.ts';

// From a text to the token ids of a text graph. A mistake here is silent, because the graph answers a vector
// for any ids; so padding, end token, length and lower case are all stated by the model's row.

export interface Tokens {
  /** n×length, right-padded. */
  readonly ids: BigInt64Array;
  /** n×length: 1 for the tokens of the text, end token included, 0 for padding. */
  readonly mask: BigInt64Array;
  readonly length: number;
}

type Tokenize = (texts: readonly string[]) => Tokens;

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

// Vectors in rows, n×d: scaled to length 1 in place, so that a dot product is a cosine.

/**
 * Scales every row to length 1. Throws MODEL_RUN_FAILED for a row without a direction (all zero, NaN,
 * infinite), because such a row would silently rank nowhere or everywhere. `what` names the graph in the
 * message.
 */
export function normalizeRows(vectors: Float32Array, dimensions: number, what: string): Float32Array {
  for (let start = 0; start < vectors.length; start += dimensions) {
    const end = start + dimensions;
    let sum = 0;
    for (let at = start; at < end; at += 1) sum += vectors[at]! * vectors[at]!;
    const scale = 1 / Math.sqrt(sum);
    if (!(sum > 0) || !(scale > 0)) {
      throw modelErrors.MODEL_RUN_FAILED(`${what}: the vector of row ${start / dimensions} has no direction`);
    }
    for (let at = start; at < end; at += 1) vectors[at] = vectors[at]! * scale;
  }
  return vectors;
}

interface TowerPlan {
  /** Names of the output that is the vector, best first; the first one the graph declares is taken. */
  readonly pictureOutputs: readonly string[];
  readonly textOutputs: readonly string[];
  /** True if texts come with an attention mask, where the graph declares one. */
  readonly mask: boolean;
}

/** Pictures in one run on a device that is not the processor, as long as its memory holds them. */
const deviceBatch = 32;

interface Tower {
  readonly session: ModelSession;
  /** File of the graph, for messages. */
  readonly file: string;
  readonly output: string;
}

export function towers(plan: TowerPlan): EmbedderFamily {
  return {
    open: async (row, file, open, checkpoint = async () => {}, sides = 'both') => {
      const side = row.visual.text;
      if (!side) throw modelErrors.MODEL_INVALID(`The model "${row.key}" says nothing about texts`);
      const opened: Tower[] = [];
      const { mean, std } = row.visual;
      const vision = { pictures: { name: 'pixel_values', mean, std }, sample: samplePictures(row) };
      const tower = async (
        role: 'vision' | 'text',
        outputs: readonly string[],
        check: (tower: Tower) => void,
      ) => {
        await checkpoint();
        const more = role === 'vision' ? vision : {};
        const newTower = await openTower((path) => open(path, more), file(role), outputs);
        opened.push(newTower);
        check(newTower);
        return newTower;
      };
      try {
        const pictures =
          sides === 'texts'
            ? null
            : await tower('vision', plan.pictureOutputs, (pictureTower) =>
                checkPictureInput(pictureTower, row),
              );
        const text =
          sides === 'pictures'
            ? null
            : {
                tokenize: await readTokenizer(file('tokenizer'), side),
                tower: await tower('text', plan.textOutputs, (textTower) =>
                  checkTextInput(textTower, side, row.visual.batch),
                ),
              };
        const family = visualFamily(row, plan, pictures, text);
        const batch = await warmUp(row, family, checkpoint, sides);
        return { ...family, batch };
      } catch (error) {
        for (const { session } of opened) await session.release();
        throw error;
      }
    },
  };
}

interface TextTower {
  readonly tower: Tower;
  readonly tokenize: Tokenize;
}

async function openTower(
  open: (file: string) => Promise<ModelSession>,
  file: string,
  outputs: readonly string[],
): Promise<Tower> {
  const session = await open(file);
  const names = session.outputs.map(({ name }) => name);
  const output = outputs.find((name) => names.includes(name));
  if (output !== undefined) return { session, file, output };
  await session.release();
  throw modelErrors.MODEL_LOAD_FAILED(
    `${file}: has the outputs ${names.join(', ')}, none of ${outputs.join(', ')}`,
    {
      file,
    },
  );
}

function takesBytes({ inputs }: ModelSession): boolean {
  return inputs.some(({ name }) => name === pictureBytes);
}

function checkPictureInput({ session, file }: Tower, { visual: { shape, batch } }: VisualRow): void {
  if (takesBytes(session)) {
    checkInput(session, file, pictureBytes, 'uint8', [batch, shape.height, shape.width, 3]);
    return;
  }
  const expected = [batch, 3, shape.height, shape.width];
  checkInput(session, file, 'pixel_values', 'float32', expected);
}

function checkTextInput({ session, file }: Tower, { max_length }: TextSide, batch: number): void {
  checkInput(session, file, 'input_ids', 'int64', [batch, max_length]);
}

/** A symbolic dimension takes any size, a fixed one has to match. */
function checkInput(
  session: ModelSession,
  file: string,
  name: string,
  type: string,
  expected: readonly number[],
): void {
  const fail = (what: string) => modelErrors.MODEL_LOAD_FAILED(`${file}: ${what}`, { file });
  const port = session.inputs.find((input) => input.name === name);
  if (!port) throw fail(`has no input ${name}, only ${session.inputs.map((input) => input.name).join(', ')}`);
  if (port.type !== type) throw fail(`input ${name} is ${port.type}, expected ${type}`);
  const fits =
    port.shape.length === expected.length &&
    port.shape.every((side, at) => typeof side === 'string' || side === expected[at]);
  if (!fits)
    throw fail(`input ${name} has the shape ${port.shape.join('×')}, expected ${expected.join('×')}`);
}

function visualFamily(
  row: VisualRow,
  plan: TowerPlan,
  picture: Tower | null,
  text: TextTower | null,
): VisualFamily {
  const { dimensions } = row.visual;
  const batch = mostPictures(row, picture?.session);
  const feed = pictureFeed(row.visual, picture ? batch : 0, picture !== null && takesBytes(picture.session));
  const notOpen = (what: string) => modelErrors.MODEL_RUN_FAILED(`${row.key}: is not open for ${what}`);
  return {
    dimensions,
    batch,
    // It learned what things are wherever they lie, so parts are like the whole to it; mirrors cost little.
    readings: ['plain', 'mirrored'],
    mirror: null,
    runsOn: (picture ?? text?.tower)?.session ?? onProcessor,
    pictures: async (slots) => {
      if (!picture) throw notOpen('pictures');
      return run(picture, feed(slots), slots.length, dimensions);
    },
    texts: async (texts): Promise<TextVectors> => {
      if (!text) throw notOpen('texts');
      const feeds = textFeeds(text.tokenize(texts), texts.length, plan.mask);
      const vectors = await run(text.tower, feeds, texts.length, dimensions);
      return {
        vectors,
        knownWords: texts.map(() => []),
        unknownWords: texts.map(() => []),
        understood: texts.map(() => true),
      };
    },
    close: async () => {
      await picture?.session.release();
      await text?.tower.session.release();
    },
  };
}

/** Pictures by which a device shows what it answers: as many as it may get at once. */
function samplePictures(row: VisualRow): SampleInputs {
  const { width, height } = row.visual.shape;
  return (session) => {
    const feed = pictureFeed(row.visual, row.visual.batch, takesBytes(session));
    return feed(Array.from({ length: row.visual.batch }, (_, n) => samplePicture(width, height, n)));
  };
}

/** A row of one picture a run, or a graph of a fixed number, keeps it: there a batch changes the vectors. */
function mostPictures({ visual: { batch } }: VisualRow, session: ModelSession | undefined): number {
  const isFree = session?.inputs.some(({ shape }) => typeof shape[0] === 'string');
  const isDevice = session !== undefined && session.device !== 'cpu';
  return isDevice && isFree && batch > 1 ? Math.max(batch, deviceBatch) : batch;
}

function textFeeds({ ids, mask, length }: Tokens, count: number, masked: boolean): Record<string, TensorIn> {
  const dims = [count, length];
  const feeds = { input_ids: { data: ids, dims } };
  return masked ? { ...feeds, attention_mask: { data: mask, dims } } : feeds;
}

async function run(
  { session, file, output }: Tower,
  feeds: Record<string, TensorIn>,
  count: number,
  dimensions: number,
): Promise<Float32Array> {
  const results = await session.run(feeds, [output]);
  return readVectors(results[output], count, dimensions, `${file}: output ${output}`);
}

/** The graph's answer as n×d vectors of length 1. Throws MODEL_RUN_FAILED when it has another form. */
function readVectors(
  tensor: TensorOut | undefined,
  count: number,
  dimensions: number,
  what: string,
): Float32Array {
  if (!(tensor?.data instanceof Float32Array) || tensor.dims.join('×') !== `${count}×${dimensions}`) {
    throw modelErrors.MODEL_RUN_FAILED(
      `${what} is ${tensor?.dims.join('×') ?? 'missing'}, expected ${count}×${dimensions} floats (/visual/dimensions)`,
    );
  }
  return normalizeRows(tensor.data, dimensions, what);
}

function samplePicture(width: number, height: number, n: number): Uint8Array {
  return Uint8Array.from({ length: width * height * 3 }, (_, at) => (at * (2 * n + 1)) & 255);
}

/**
 * Pictures and one word: the first run is slow, and a graph that cannot run fails while it loads. Answers how
 * many pictures a run takes: half as many where the memory of a device is too small, down to those of the
 * row.
 */
async function warmUp(
  row: VisualRow,
  family: VisualFamily,
  checkpoint: Checkpoint,
  sides: Sides,
): Promise<number> {
  const { width, height } = row.visual.shape;
  await checkpoint();
  let { batch } = family;
  if (sides !== 'texts') {
    const picture = samplePicture(width, height, 0);
    const isUsual = batch === row.visual.batch;
    while (!(await runs(family, new Array(isUsual ? 1 : batch).fill(picture), batch > row.visual.batch)))
      batch = Math.max(row.visual.batch, batch >> 1);
    await checkpoint();
  }
  if (sides !== 'pictures') await family.texts(['warm']);
  await checkpoint();
  return batch;
}

/** `mayFail`: what fails is tried again with fewer pictures. */
async function runs(family: VisualFamily, pictures: Uint8Array[], mayFail: boolean): Promise<boolean> {
  try {
    await family.pictures(pictures);
    return true;
  } catch (error) {
    if (mayFail && modelErrors.MODEL_RUN_FAILED.is(error)) return false;
    throw error;
  }
}

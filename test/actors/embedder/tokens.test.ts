import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTokenizer, type Tokens, tokenizeWith } from '../../../actors/embedder/towers.ts';
import type { TextSide } from '../../../actors/models/contract.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { clipLike, gemmaLike, vocabularyOf } from './tokenizers.ts';

const gemmaSide: TextSide = { max_length: 64, pad_id: 0, end_id: 1, lower_case: true };
const clipSide: TextSide = {
  max_length: 77,
  pad_id: 301,
  end_id: 301,
  lower_case: false,
};

const folder = temporaryFolder();

async function tokenizer(value: object, side: TextSide) {
  const path = join(folder, 'tokenizer.json');
  await writeFile(path, JSON.stringify(value));
  return readTokenizer(path, side);
}

const row = ({ ids, length }: Tokens, at = 0) =>
  [...ids.subarray(at * length, (at + 1) * length)].map(Number);
const masked = ({ mask, length }: Tokens, at = 0) => row({ ids: mask, mask, length }, at);
const gemma = vocabularyOf(gemmaLike());
const padded = (tokens: readonly (number | undefined)[], length: number, pad: number) => [
  ...tokens,
  ...Array.from({ length: length - tokens.length }, () => pad),
];

test('a SigLIP text is its pieces, the end token and padding to exactly 64', async () => {
  const tokens = (await tokenizer(gemmaLike(), gemmaSide))(['red car']);
  assert.deepEqual(row(tokens), padded([gemma.red, gemma['▁car'], 1], 64, 0));
});

test('a SigLIP text is lower-cased and trimmed before it is cut into pieces', async () => {
  const tokens = (await tokenizer(gemmaLike(), gemmaSide))(['red car', '  RED Car\n']);
  assert.deepEqual(row(tokens, 1), row(tokens, 0));
});

test('a letter without a piece becomes its bytes', async () => {
  const tokens = (await tokenizer(gemmaLike(), gemmaSide))(['é']);
  assert.deepEqual(row(tokens), padded([gemma['<0xC3>'], gemma['<0xA9>'], 1], 64, 0));
});

test('the end token is appended once, whether the tokenizer does it or not', async () => {
  const text = ['red'];
  const by = row((await tokenizer(gemmaLike(), gemmaSide))(text));
  const without = row((await tokenizer(gemmaLike({ appendsEnd: false }), gemmaSide))(text));
  assert.deepEqual(by, padded([gemma.red, 1], 64, 0));
  assert.deepEqual(without, by);
});

test('a text too long is cut and keeps its end token', async () => {
  const tokens = (await tokenizer(gemmaLike(), gemmaSide))(['red '.repeat(100)]);
  assert.equal(row(tokens).length, 64);
  assert.equal(row(tokens).at(-1), 1);
  assert.notEqual(row(tokens).at(-2), 1);
  const clip = (await tokenizer(clipLike(), clipSide))(['car '.repeat(100)]);
  assert.deepEqual(row(clip), [
    300,
    ...Array.from({ length: 75 }, () => vocabularyOf(clipLike())['car</w>']),
    301,
  ]);
});

test('a CLIP text starts and ends with its tokens, is lower-cased by the tokenizer and masked beyond its end', async () => {
  const clip = vocabularyOf(clipLike());
  const tokens = (await tokenizer(clipLike(), clipSide))(['Red  CAR']);
  assert.deepEqual(row(tokens), padded([300, clip['red</w>'], clip['car</w>'], 301], 77, 301));
  assert.deepEqual(masked(tokens), padded([1, 1, 1, 1], 77, 0));
});

test('an empty text is a text', async () => {
  assert.deepEqual(row((await tokenizer(gemmaLike(), gemmaSide))([''])), padded([1], 64, 0));
  assert.deepEqual(row((await tokenizer(clipLike(), clipSide))([''])), padded([300, 301], 77, 301));
});

test('several texts are rows of their own', () => {
  const encode = (text: string) => [...text].map(Number);
  const side = { ...gemmaSide, max_length: 4 };
  const tokens = tokenizeWith(encode, side)(['5', '678']);
  assert.deepEqual(
    [row(tokens, 0), row(tokens, 1)],
    [
      [5, 1, 0, 0],
      [6, 7, 8, 1],
    ],
  );
  assert.deepEqual(masked(tokens, 0), [1, 1, 0, 0]);
});

test('a tokenizer.json that is none is told by its path', async () => {
  const path = join(folder, 'broken.json');
  for (const text of ['{', '{}', '[]', '{"model":{"type":"Unheard"},"added_tokens":[]}']) {
    await writeFile(path, text);
    await assert.rejects(readTokenizer(path, gemmaSide), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'MODEL_LOAD_FAILED');
      return error.message.startsWith(path);
    });
  }
  await assert.rejects(readTokenizer(join(folder, 'none.json'), gemmaSide), { code: 'MODEL_LOAD_FAILED' });
});

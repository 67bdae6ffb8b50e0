import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { modelErrors } from '../../../../actors/models/contract.ts';
import { builtInRows } from '../../../../actors/models/rows/list.ts';
import type { SpeechFamily } from '../../../../actors/transcriber/family.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { openFamily, openSessions, textOf, turning, windowOf } from '../open-family.ts';
import { encoderGraph, initGraph, realCache, smallCache, stepGraph } from './graphs.ts';
import { graphIds, idsOf, noise, type TinyFiles, writeX3asr, x3asrFiles, x3asrRow } from './tiny-model.ts';

const answers = [
  'language None<asr_text><|im_end|>',
  'language German<asr_text>Grüße, 日本!<|endoftext|>and what comes later',
  'language English<asr_text>aaaaaaaaaaaaaaaaaaaa',
];
const limits = { min: 4, per_second: 30, max: 50 };

let modelsDir = '';
let tiny: SpeechFamily;
const write = async (key: string, files: TinyFiles) => {
  const row = x3asrRow(key, { token_limit: limits });
  await writeX3asr(modelsDir, row, files);
  return row;
};
before(async () => {
  modelsDir = await mkdtemp(join(tmpdir(), 'x3asr-'));
  tiny = await openFamily(modelsDir, await write('tiny', x3asrFiles(answers)));
});
after(async () => {
  await tiny.close();
  assert.equal(openSessions.size, 0);
  await rm(modelsDir, { recursive: true, force: true });
});

const quiet = windowOf(noise(8_000, 0.001));
const middle = windowOf(noise(21_333, 0.03));
const loud = windowOf(noise(16_000, 0.5));

test('the built-in rows name the files that the family opens', () => {
  for (const key of ['x3-asr-0.6b', 'x3-asr-1.7b']) {
    const roles = builtInRows.find((row) => row.key === key)?.files.map(({ role }) => role);
    const expected = [
      'encoder',
      'decoder_init',
      'decoder_step',
      'decoder_weights',
      'embeddings',
      'tokenizer',
    ];
    assert.deepEqual(roles, expected, key);
  }
});

test('the decoder loop writes the text up to the end token', async () => {
  const [transcript] = await tiny.transcribe([middle], null, turning);
  assert.deepEqual(transcript, {
    pieces: [{ text: ' Grüße, 日本!', start: 0, end: 21_333 / 16_000 }],
    language: 'de',
  });
});

test('the language is what the model names, where the row names it too', async () => {
  assert.deepEqual(await tiny.detectLanguage([middle, quiet, loud], turning), ['de', null, 'en']);
  const row = { ...x3asrRow('tiny', { token_limit: limits }), languages: ['en'] };
  const english = await openFamily(modelsDir, row);
  assert.deepEqual(await english.detectLanguage([middle, loud], turning), [null, 'en']);
  await english.close();
});

test('the cache has the right length for any length of sound, also around whole seconds', async () => {
  for (const samples of [15_999, 16_000, 16_159, 16_160, 31_999, 32_000, 48_111]) {
    const [transcript] = await tiny.transcribe([windowOf(noise(samples, 0.03))], null, turning);
    assert.equal(textOf(transcript!), ' Grüße, 日本!', `${samples} samples`);
  }
});

test('a cache of the real dimensions is carried from step to step', async () => {
  const files = x3asrFiles(['a<|im_end|>', 'language German,English<asr_text>so<|im_end|>', 'b'], realCache);
  const family = await openFamily(modelsDir, await write('real', files));
  const [transcript] = await family.transcribe([middle], null, turning);
  assert.deepEqual([textOf(transcript!), transcript!.language], [' so', 'de']);
  await family.close();
});

test('without speech there is no text and no language', async () => {
  assert.deepEqual(await tiny.transcribe([quiet], null, turning), [{ pieces: [], language: null }]);
});

test('a window below half a second is followed by silence up to it', async () => {
  const frames: number[] = [];
  const row = await write('short', x3asrFiles(answers));
  const family = await openFamily(modelsDir, row, turning, ({ mel }) => {
    if (mel) frames.push(mel.dims[2]!);
  });
  frames.length = 0;
  for (const samples of [1, 159, 7999, 8000, 8160]) {
    const [transcript] = await family.transcribe([windowOf(noise(samples, 0.5))], 'en', turning);
    assert.notEqual(textOf(transcript!), '', `${samples} samples`);
  }
  assert.deepEqual(frames, [50, 50, 50, 50, 51]);
  await family.close();
});

test('a text without an end token stops at the token limit', async () => {
  const head = idsOf('language English<asr_text>').length;
  for (const [samples, tokens] of [
    [16_000, 34],
    [16_001, 35],
    [160_000, 50],
  ] as const) {
    const [transcript] = await tiny.transcribe([windowOf(noise(samples, 0.5))], null, turning);
    assert.equal(textOf(transcript!), ` ${'a'.repeat(tokens - head)}`, `${samples} samples`);
  }
});

test('windows give the same texts in a batch as one by one', async () => {
  const windows = [loud, quiet, middle, loud];
  const together = await tiny.transcribe(windows, null, turning);
  const single: unknown[] = [];
  for (const window of windows) single.push(...(await tiny.transcribe([window], null, turning)));
  assert.deepEqual(together, single);
});

test('a language that is given is in the prompt, and the whole answer is text', async () => {
  const row = await write('told', x3asrFiles(['x', 'hallo , du<|im_end|>', 'y']));
  const family = await openFamily(modelsDir, row);
  const [transcript] = await family.transcribe([middle], 'de', turning);
  assert.deepEqual([textOf(transcript!), transcript!.language], [' hallo , du', 'de']);
  // Without a given language too, where the model names none.
  const [unmarked] = await family.transcribe([middle], null, turning);
  assert.deepEqual([textOf(unmarked!), unmarked!.language], [' hallo , du', null]);
  await family.close();
});

test('the text spans the speech of its window', async () => {
  const { samples } = middle;
  const speech = [
    [1_600, 8_000],
    [9_600, 19_200],
  ] as const;
  const [transcript] = await tiny.transcribe([{ samples, speech }], null, turning);
  assert.deepEqual(transcript!.pieces, [{ text: ' Grüße, 日本!', start: 0.1, end: 1.2 }]);
});

test('an error of the checkpoint ends the work between two tokens, and the next window is answered', async () => {
  let asked = 0;
  const stopping = async () => {
    asked += 1;
    if (asked === 6) throw engineErrors.CANCELLED();
  };
  await assert.rejects(tiny.transcribe([loud], null, stopping), engineErrors.CANCELLED.is);
  assert.equal(asked, 6);
  const [transcript] = await tiny.transcribe([middle], null, turning);
  assert.equal(textOf(transcript!), ' Grüße, 日本!');
});

const good = x3asrFiles(answers);
const plans = answers.map(idsOf);
const damaged: [string, Partial<TinyFiles>, RegExp][] = [
  ['no graph', { encoder: new Uint8Array([1, 2, 3]) }, /no-graph.encoder\.int4\.onnx/],
  [
    'other name',
    { encoder: encoderGraph([0], 128, 'input_features') },
    /has no input mel, only input_features/,
  ],
  ['other mel', { encoder: encoderGraph([0], 80) }, /input mel has the shape 1×80×time, expected 1×128×\?/],
  ['odd table', { embeddings: new Uint8Array(33) }, /embed_tokens\.bin: 33 bytes are not rows of 16 numbers/],
  ['short table', { embeddings: new Uint8Array(64) }, /embed_tokens\.bin: row \d+ of 2 cannot be read/],
  ['other words', { tokenizer: {} }, /tokenizer\.json/],
  [
    'growing cache',
    { decoder_step: stepGraph(plans, graphIds, smallCache, 2) },
    /decoder_step.*the cache is 2×1×2×\d+×4, expected one window of \d+ tokens/,
  ],
  ['swapped', { decoder_step: initGraph(plans, graphIds) }, /has no input input_embeds/],
];
for (const [name, files, message] of damaged) {
  test(`a damaged folder fails to load, and nothing stays open: ${name}`, async () => {
    const open = openSessions.size;
    const row = await write(name.replaceAll(' ', '-'), { ...good, ...files });
    await assert.rejects(
      openFamily(modelsDir, row),
      (error) => error instanceof Error && message.test(error.message),
    );
    assert.equal(openSessions.size, open);
  });
}

test('a row whose token numbers are not those of the tokenizer is refused', async () => {
  const row = x3asrRow('numbers', { token_ids: { audio_pad: 7 } });
  await writeX3asr(modelsDir, row, good);
  await assert.rejects(
    openFamily(modelsDir, row),
    (error) =>
      modelErrors.MODEL_LOAD_FAILED.is(error) &&
      /<\|audio_pad\|> is 261, expected the token 7/.test(error.message),
  );
});

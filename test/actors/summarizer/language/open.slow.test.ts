import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { ModelRow } from '../../../../actors/models/contract.ts';
import { openLanguageWriter } from '../../../../actors/summarizer/language/open.ts';
import { createLog } from '../../../../runtime/log.ts';
import { decoderGraph, qwenVision, smolVision } from './graphs.ts';
import { answer, jpeg, leaf, parent } from './material.ts';
import { type FamilyName, type TinyFiles, tinyFiles, tinyRow, writeTiny } from './tiny-model.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'language-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const never = new AbortController().signal;
const log = createLog('test', () => {});

async function open(files: TinyFiles, row: ModelRow, signal = never) {
  await writeTiny(folder, row, files);
  return openLanguageWriter({ settings: { modelsDir: folder, device: 'cpu', threads: 1 }, log })(
    'tiny',
    signal,
  );
}

const families: FamilyName[] = ['qwen3vl', 'smolvlm'];

for (const name of families) {
  test(`${name}: a leaf is written from pictures and words, a node above from texts`, async () => {
    const said = answer('Anna Berg talks with Ben at 01:10. Waves break.', {
      people: ['Ben'],
      times: ['01:10'],
    });
    const writer = await open(tinyFiles(name, [said]), tinyRow(name));
    const pictures = [
      { frame_idx: 65, jpeg: await jpeg(40, 640, 360) },
      { frame_idx: 100, jpeg: await jpeg(200, 64, 200) },
    ];
    const text = 'Anna Berg talks with Ben at 01:10. Waves break.';
    const expected = { text, verification_hints: [], failed: false, warnings: [] };
    assert.deepEqual(await writer.node(leaf({ pictures }), never), expected);
    assert.deepEqual(await writer.node(parent(), never), expected);
    assert.deepEqual([writer.model_key, writer.runsOn.device, writer.mostPictures], ['tiny', 'cpu', 4]);
    await writer.close();
  });

  test(`${name}: what is no JSON is asked for again, and kept from the text when that helps nothing`, async () => {
    const good = answer('A boat leaves.');
    const repaired = await open(tinyFiles(name, ['The boat leaves, I think.', good]), tinyRow(name));
    assert.equal((await repaired.node(leaf(), never)).text, 'A boat leaves.');
    await repaired.close();
    const useless = await open(tinyFiles(name, ['No.', 'Still no.']), tinyRow(name));
    assert.deepEqual(await useless.node(leaf(), never), {
      text: leaf().template_text,
      verification_hints: [],
      failed: true,
      warnings: [
        'the answer of the model cannot be used: it has no JSON object; asked again: it has no JSON object',
      ],
    });
    assert.equal(await useless.whole(parent(), never), null);
    await useless.close();
  });

  test(`${name}: text without an end is stopped at the limit of tokens`, async () => {
    const files = tinyFiles(name, ['{"text": "and on and on a'], { endless: true });
    const writer = await open(files, tinyRow(name, { answer: 100 }));
    const { failed, warnings } = await writer.node(leaf(), never);
    assert.equal(failed, true);
    assert.match(warnings[0]!, /stopped at 100 tokens; asked again: it was stopped at 100 tokens$/);
    await writer.close();
  });

  test(`${name}: the whole gets a line and a short text`, async () => {
    const whole = {
      one_line: 'Two people talk by the sea.',
      short: 'Anna Berg talks with Ben. Waves break.',
    };
    const writer = await open(tinyFiles(name, [JSON.stringify(whole)]), tinyRow(name));
    const root = parent({ template_text: 'Anna Berg talks with Ben by the sea.' });
    assert.deepEqual(await writer.whole(root, never), {
      one_line_summary: whole.one_line,
      short_summary: whole.short,
    });
    await writer.close();
  });

  test(`${name}: a film that does not fit is shown in part, and that is told`, async () => {
    const spare = tinyRow(name, { context: 5000, answer: 300 });
    const writer = await open(tinyFiles(name, [answer('A boat leaves.')]), spare);
    const one = leaf().evidence.transcript[0]!;
    const transcript = Array.from({ length: 400 }, (_, at) => ({ ...one, evidence_id: `t${at}` }));
    const pictures = [{ frame_idx: 65, jpeg: await jpeg(40) }];
    const long = leaf({ pictures, evidence: { ...leaf().evidence, transcript } });
    const { text, failed, warnings } = await writer.node(long, never);
    assert.deepEqual([text, failed], ['A boat leaves.', false]);
    assert.equal(warnings[0], '1 of 1 frames were left out');
    assert.match(warnings[1]!, /^\d+ of 400 entries were left out, the others cut to 60 characters$/);
    await writer.close();
  });

  test(`${name}: the same material always gets the same text, also after a cancelled one`, async () => {
    const writer = await open(tinyFiles(name, [answer('A boat leaves.')]), tinyRow(name));
    const first = await writer.node(leaf(), never);
    const cancel = new AbortController();
    let runs = 0;
    const cancelled = writer.node(leaf(), cancel.signal, () => {
      if (++runs === 20) cancel.abort();
    });
    await assert.rejects(cancelled, { code: 'CANCELLED' });
    assert.equal(runs, 20, 'nothing runs after a cancel');
    assert.deepEqual(await writer.node(leaf(), never), first);
    await writer.close();
  });
}

test('a graph that keeps all logits answers the same', async () => {
  const files = tinyFiles('qwen3vl', [answer('A boat leaves.')], { keepsLogits: false });
  const writer = await open(files, tinyRow('qwen3vl'));
  assert.equal((await writer.node(leaf(), never)).text, 'A boat leaves.');
  await writer.close();
});

test('the grid of a picture is fed under the name that the export gives it', async () => {
  const files = {
    ...tinyFiles('qwen3vl', [answer('A boat leaves.')]),
    vision: qwenVision(8, 'image_grid_thw'),
  };
  const writer = await open(files, tinyRow('qwen3vl'));
  const pictures = [{ frame_idx: 65, jpeg: await jpeg(40) }];
  assert.equal((await writer.node(leaf({ pictures }), never)).text, 'A boat leaves.');
  await writer.close();
});

test('a frame that is no picture is left out, and that is told', async () => {
  const writer = await open(tinyFiles('qwen3vl', [answer('A boat leaves.')]), tinyRow('qwen3vl'));
  const broken = (await jpeg(40)).subarray(0, 30);
  const { text, warnings } = await writer.node(leaf({ pictures: [{ frame_idx: 65, jpeg: broken }] }), never);
  assert.equal(text, 'A boat leaves.');
  assert.match(warnings[0]!, /^the frame 65 cannot be read: /);
  await writer.close();
});

const script = { answers: [[33]], mark: 257, marks: 3, lead: 10, vocabulary: 262, fault: 33 };
const faults: [string, Partial<TinyFiles>, RegExp][] = [
  ['a damaged decoder', { decoder: new Uint8Array([8, 8, 1, 2]) }, /decoder_model_merged_q4\.onnx: /],
  ['a damaged tokenizer', { tokenizer: '{"model"' }, /tokenizer\.json: /],
  [
    'a tokenizer of another family',
    { tokenizer: tinyFiles('smolvlm', ['']).tokenizer },
    /tokenizer\.json: has no token <\|im_end\|>/,
  ],
  [
    'a vision graph of another family',
    { vision: smolVision(8, 64) },
    /vision_encoder_q4\.onnx: input pixel_values has the shape/,
  ],
  [
    'vectors of pictures of another length',
    { vision: qwenVision(4) },
    /vision_encoder_q4\.onnx: answers 16 numbers for 4 tokens of 8/,
  ],
  [
    'positions of one axis',
    { decoder: decoderGraph(script, { axes: 1 }) },
    /decoder_model_merged_q4\.onnx: input position_ids has the shape batch_size×sequence_length, expected 3×1×\?/,
  ],
  [
    'a cache of 16 bits',
    { decoder: decoderGraph(script, { cacheType: 'float16' }) },
    /past_key_values\.0\.key is float16 .*, expected float32/,
  ],
  [
    'an input that nobody feeds',
    { decoder: decoderGraph(script, { further: 'deepstack_0' }) },
    /wants the input deepstack_0, which this program does not feed/,
  ],
];
for (const [what, changes, message] of faults) {
  test(`${what} is a failed load that names the file`, async () => {
    const files = { ...tinyFiles('qwen3vl', [answer('A boat leaves.')]), ...changes };
    await assert.rejects(open(files, tinyRow('qwen3vl')), { code: 'MODEL_LOAD_FAILED', message });
  });
}

test('a missing file, an unknown key, another kind of model and a cancel are told as such', async () => {
  const opener = openLanguageWriter({ settings: { modelsDir: folder, device: 'cpu', threads: 1 }, log });
  await assert.rejects(opener('x3-vl-2b-instruct', never), { code: 'MODEL_NOT_DOWNLOADED' });
  await assert.rejects(opener('x3-vl-9b', never), { code: 'MODEL_UNKNOWN' });
  await assert.rejects(opener('x3-vl-4b-instruct', never), { code: 'MODEL_UNSUPPORTED' });
  await assert.rejects(opener('whisper-tiny', never), { code: 'MODEL_WRONG_KIND' });
  await writeTiny(folder, tinyRow('qwen3vl'), tinyFiles('qwen3vl', ['']));
  await assert.rejects(opener('tiny', AbortSignal.abort()), { code: 'CANCELLED' });
  await writeFile(join(folder, 'tiny', 'model.json'), '{');
  await assert.rejects(opener('tiny', never), { code: 'MODEL_INVALID', message: /is not JSON/ });
});

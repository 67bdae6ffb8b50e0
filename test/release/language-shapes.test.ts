// A language model of the real export's shapes, with weights that mean nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLanguageWriter } from '../../actors/summarizer/language/open.ts';
import { createLog } from '../../runtime/log.ts';
import { qwenSizes } from '../actors/summarizer/language/graphs.ts';
import { answer, jpeg, leaf } from '../actors/summarizer/language/material.ts';
import { tinyFiles, tinyRow, writeTiny } from '../actors/summarizer/language/tiny-model.ts';
import { temporaryFolder } from '../temporary-folder.ts';

test('the shapes of the real export are run: 28 layers of 8 heads of 128, vectors of 2048', async (t) => {
  const folder = temporaryFolder(t);
  const row = tinyRow('qwen3vl', { context: 6144, answer: 128 });
  await writeTiny(folder, row, tinyFiles('qwen3vl', [answer('A boat leaves.')], qwenSizes));
  const settings = { modelsDir: folder, device: 'cpu', threads: 1 } as const;
  const open = openLanguageWriter({ settings, log: createLog('test', () => {}) });
  const writer = await open('tiny', t.signal);
  t.after(() => writer.close());
  const pictures = [{ frame_idx: 65, jpeg: await jpeg(40) }];
  assert.equal((await writer.node(leaf({ pictures }), t.signal)).text, 'A boat leaves.');
});

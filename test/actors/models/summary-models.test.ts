import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { chooseSummaryModel } from '../../../actors/models/choices.ts';
import { unavailableModels } from '../../../actors/models/other-keys.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'summary-models-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const large = { memoryBytes: 64e9, graphics: false };
const choose = async (key: string | null, machine = large) =>
  (await chooseSummaryModel(folder, key, machine))?.key ?? null;

/** Files with a byte each: no size of them is pinned. */
async function downloaded(key: string) {
  const row = builtInRows.find((one) => one.key === key)!;
  await mkdir(join(folder, key), { recursive: true });
  for (const { name } of row.files) await writeFile(join(folder, key, name), 'x');
}

test('without a key the largest downloaded model that fits is taken, and none where there is none', async () => {
  assert.equal(await choose(null), null);
  await downloaded('smolvlm2-256m');
  assert.equal(await choose(null), 'smolvlm2-256m');
  await downloaded('x3-vl-2b-instruct');
  assert.equal(await choose(null), 'x3-vl-2b-instruct');
  // 1.5 × 1.53 GB of weights and twice .94 GB of keys and values, in half of the memory.
  assert.equal(await choose(null, { ...large, memoryBytes: 8.3e9 }), 'smolvlm2-256m');
  assert.equal(await choose(null, { ...large, memoryBytes: 8.4e9 }), 'x3-vl-2b-instruct');
  assert.equal(await choose(null, { ...large, memoryBytes: 1e9 }), null);
});

test('a model without one of its files is not downloaded, and the error has the command', async () => {
  await downloaded('x3-vl-2b-instruct');
  await rm(join(folder, 'x3-vl-2b-instruct', 'decoder_model_merged_q4.onnx_data'));
  assert.equal(await choose(null), null);
  await assert.rejects(choose('x3-vl-2b-instruct'), {
    code: 'MODEL_NOT_DOWNLOADED',
    message:
      /\(decoder_model_merged_q4\.onnx_data\); to download it: framehound models pull x3-vl-2b-instruct$/,
  });
});

test('a named model is taken whatever the memory', async () => {
  await downloaded('x3-vl-2b-instruct');
  assert.equal(await choose('x3-vl-2b-instruct', { ...large, memoryBytes: 1e9 }), 'x3-vl-2b-instruct');
});

test('a key that nobody knows, that is of another kind, or that cannot run here is refused with the reason', async () => {
  await assert.rejects(choose('x3-vl-2b-instrukt'), {
    code: 'MODEL_UNKNOWN',
    message: /did you mean x3-vl-2b-instruct/,
  });
  await assert.rejects(choose('whisper-tiny'), { code: 'MODEL_WRONG_KIND', message: /is a speech model/ });
  for (const { key, reason } of unavailableModels) {
    const message = new RegExp(`^"${key}" ${reason}; .*models list.* without a key the recommended one`);
    await assert.rejects(choose(key), { code: 'MODEL_UNSUPPORTED', status: 400, message });
  }
});

test('a model that is made for other systems is refused by name and never recommended', async () => {
  const row = { ...builtInRows.find(({ key }) => key === 'smolvlm2-256m')!, key: 'mine' };
  const system = process.platform === 'win32' ? 'linux' : 'windows';
  await mkdir(join(folder, 'mine'));
  await writeFile(join(folder, 'mine', 'model.json'), JSON.stringify({ ...row, compatible_os: [system] }));
  for (const { name } of row.files) await writeFile(join(folder, 'mine', name), 'x');
  await assert.rejects(choose('mine'), {
    code: 'MODEL_UNSUPPORTED',
    message: new RegExp(`runs on ${system}, but`),
  });
  assert.equal(await choose(null), null);
  await writeFile(join(folder, 'mine', 'model.json'), JSON.stringify(row));
  assert.equal(await choose(null), process.platform === 'darwin' && process.arch === 'x64' ? null : 'mine');
});

test('no key is both offered and unavailable', () => {
  const keys = new Set(builtInRows.map(({ key }) => key));
  assert.deepEqual(
    unavailableModels.filter(({ key }) => keys.has(key)),
    [],
  );
});

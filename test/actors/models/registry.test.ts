import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { Compile } from 'typebox/compile';
import { chooseSummaryModel } from '../../../actors/models/choices.ts';
import { ModelRow, type ModelTest } from '../../../actors/models/contract.ts';
import { unavailableModels } from '../../../actors/models/other-keys.ts';
import {
  chooseFaces,
  chooseObjectDetector,
  chooseSoundModel,
  chooseTextModel,
  currentSystem,
  damagedFiles,
  fileOf,
  findRow,
  findVisualRow,
  isUsable,
  missingFiles,
  readRegistry,
  requireFiles,
  unusableModels,
} from '../../../actors/models/registry.ts';
import { builtInRows, defaultModelKey } from '../../../actors/models/rows/list.ts';
import { keepTest } from '../../../actors/models/self-test.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const clip = builtInRows.find(({ key }) => key === 'clip-b32')!;
const own = { ...clip, key: 'mine', files: clip.files.map((file) => ({ ...file, url: null })) };

async function userModel(name: string, text: string) {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, 'model.json'), text);
}

test('every row of the program has the form of a model.json', () => {
  const checker = Compile(ModelRow);
  for (const row of builtInRows) {
    assert.deepEqual([...checker.Errors(row)], [], row.key);
    assert(row.kind !== 'visual' || row.visual, row.key);
    assert(row.kind !== 'speech' || row.speech, row.key);
    assert(row.kind !== 'face-detector' || row.detector, row.key);
    assert(row.kind !== 'face-embedder' || row.embedder, row.key);
    assert(row.kind !== 'summary' || row.summary, row.key);
  }
  assert.equal(new Set(builtInRows.map(({ key }) => key)).size, builtInRows.length);
});

/** Pinned by nobody: a download takes them only with the server's own word. */
const unpinned = /^(x3-asr-|x3-vl-|smolvlm2-)/;

test('every file of the program is pinned by revision and by full sha256, but for what nobody has pinned', () => {
  for (const { key, files } of builtInRows) {
    if (unpinned.test(key)) {
      for (const { url, sha256 } of files) {
        assert.match(url ?? '', /^[\w.-]+\/[\w.-]+\/resolve\/(main|[0-9a-f]{40})\/[\w./-]+$/, key);
        assert.equal(sha256, null);
      }
      continue;
    }
    for (const { name, url, npm, sha256 } of files) {
      const onHub = /^[\w.-]+\/[\w.-]+\/resolve\/[0-9a-f]{40}\/[\w./-]+$/;
      const inSource = /^https:\/\/raw\.githubusercontent\.com\/[\w.-]+\/[\w.-]+\/[0-9a-f]{40}\/[\w./-]+$/;
      // A release has a name and no revision; the sha256 is what pins it.
      const inRelease = /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/releases\/download\/[\w.-]+\/[\w.-]+$/;
      const inLargeFiles =
        /^https:\/\/media\.githubusercontent\.com\/media\/[\w.-]+\/[\w.-]+\/[0-9a-f]{40}\/[\w./-]+$/;
      assert.ok(
        // The integrity of a package is in its schema.
        npm || [onHub, inSource, inRelease, inLargeFiles].some((form) => form.test(url ?? '')),
        `${key} ${name}`,
      );
      assert.match(sha256 ?? '', /^[0-9a-f]{64}$/, `${key} ${name}`);
    }
  }
});

test('the sizes told agree with the sizes pinned', () => {
  for (const { key, files, size_gb } of builtInRows) {
    if (files.some(({ size }) => size === null)) continue;
    const bytes = files.reduce((sum, { size }) => sum + (size ?? 0), 0);
    assert(Math.abs(bytes / 1e9 - size_gb) < 0.01, `${key}: ${bytes / 1e9}`);
  }
});

const preprocessing = [
  ['siglip2-b16-256', 256, 'stretch', 'bilinear', [0.5, 0.5, 0.5], 768, 8, 64, 0],
  ['siglip2-b16-256-q8', 256, 'stretch', 'bilinear', [0.5, 0.5, 0.5], 768, 1, 64, 0],
  ['siglip2-b16-224', 224, 'stretch', 'bilinear', [0.5, 0.5, 0.5], 768, 8, 64, 0],
  ['clip-b32', 224, 'cover', 'bicubic', [0.48145466, 0.4578275, 0.40821073], 512, 8, 77, 49407],
  ['clip-b32-q8', 224, 'cover', 'bicubic', [0.48145466, 0.4578275, 0.40821073], 512, 1, 77, 49407],
] as const;
for (const [key, side, fit, resample, mean, dimensions, batch, length, pad] of preprocessing) {
  test(`${key} looks at pictures and reads texts as it was trained to`, () => {
    const { visual, frame_resolution } = findRow({ rows: builtInRows, problems: [] }, key);
    assert.deepEqual(visual?.shape, { width: side, height: side, fit, resample });
    assert.deepEqual(visual?.mean, mean);
    assert.equal(frame_resolution, side);
    assert.equal(visual?.dimensions, dimensions);
    assert.equal(visual?.batch, batch);
    assert.equal(visual?.text?.max_length, length);
    assert.equal(visual?.text?.pad_id, pad);
  });
}

test('the default model needs no files', async () => {
  const { rows } = await readRegistry(folder);
  assert.deepEqual(await missingFiles(folder, findRow({ rows, problems: [] }, defaultModelKey)), []);
});

test('a user folder with a model.json is a model too, and a folder that does not exist is an empty one', async () => {
  await userModel('mine', JSON.stringify(own));
  const registry = await readRegistry(folder);
  assert.equal(findVisualRow(registry, 'mine').visual.dimensions, 512);
  assert.deepEqual(registry.problems, []);
  assert.deepEqual((await readRegistry(join(folder, 'nowhere'))).rows, builtInRows);
});

test('a wrong model.json does not hide the others, and asking for it says what is wrong', async () => {
  await userModel('broken', '{}');
  await userModel('mine', JSON.stringify(own));
  const registry = await readRegistry(folder);
  assert.equal(registry.problems.length, 1);
  assert.equal(findRow(registry, 'mine').key, 'mine');
  assert.throws(() => findRow(registry, 'broken'), { code: 'MODEL_INVALID', message: /broken.model\.json/ });
});

test('an unknown key is answered with the one that is meant, or the keys there are', () => {
  const registry = { rows: builtInRows, problems: [] };
  assert.throws(() => findRow(registry, 'clip-b23'), {
    code: 'MODEL_UNKNOWN',
    message: /"clip-b23"; did you mean clip-b32\?$/,
  });
  assert.throws(() => findRow(registry, 'zebra'), {
    code: 'MODEL_UNKNOWN',
    message: /"zebra".*siglip2-b16-256/,
  });
});

test('a model of another kind is not taken for a visual one', () => {
  const { visual: _, ...rest } = clip;
  const rows = [{ ...rest, kind: 'speech' as const }];
  assert.throws(() => findVisualRow({ rows, problems: [] }, 'clip-b32'), { code: 'MODEL_WRONG_KIND' });
});

test('a model that is not whole is not downloaded, and the error names the command', async () => {
  await mkdir(join(folder, 'clip-b32'));
  for (const { name, size } of clip.files) {
    assert((await missingFiles(folder, clip)).includes(name));
    await assert.rejects(requireFiles(folder, clip), {
      code: 'MODEL_NOT_DOWNLOADED',
      message: /framehound models pull clip-b32/,
    });
    await writeFile(fileOf(folder, clip, clip.files.find((file) => file.name === name)!.role), '');
    await truncate(join(folder, 'clip-b32', name), size!);
  }
  assert.deepEqual(await missingFiles(folder, clip), []);
  assert.throws(() => fileOf(folder, clip, 'sound'), { code: 'MODEL_INVALID', message: /"sound"/ });
});

test('a downloaded file that was cut off is an error where its model would be chosen, and no other stands in', async () => {
  const choosers: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['auraface-v1', () => chooseFaces(folder)],
    ['pp-ocr-v4', () => chooseTextModel(folder)],
    ['nanodet-416', () => chooseObjectDetector(folder)],
    ['firered-aed', () => chooseSoundModel(folder)],
    ...['silero-vad', 'campplus-zh-en', 'pyannote-segmentation', 'whisper-base'].map(
      (key) => [key, () => isUsable(folder, rowOf(key))] as const,
    ),
    ['siglip2-b16-256-q8', () => requireFiles(folder, rowOf('siglip2-b16-256-q8'))],
  ];
  await download('yunet-2026may');
  await download('sface');
  for (const [key, chosen] of choosers) {
    await download(key);
    const { name, size } = rowOf(key).files[0]!;
    const file = join(folder, key, name);
    await truncate(file, 1000);
    await assert.rejects(chosen, {
      code: 'MODEL_LOAD_FAILED',
      message: `${file}: has 1000 bytes, expected ${size}; to download it again: framehound models pull ${key}`,
    });
    assert.deepEqual(await damagedFiles(folder, rowOf(key)), [
      { file, field: '', message: `has 1000 bytes, expected ${size}` },
    ]);
    await rm(join(folder, key), { recursive: true });
  }
});

test('a model that failed its self-test is an error where it would be chosen, or where no other is there', async () => {
  const test = { right: 1, of: 40, counted: 'answers', milliseconds: 1, each: 'a second', device: 'cpu' };
  for (const key of ['silero-vad', 'campplus-zh-en', 'whisper-base']) {
    const row = rowOf(key);
    await download(key);
    assert.equal(await isUsable(folder, row), true);
    await keepTest(join(folder, key), row, { ...test, reason: null, passed: false } as ModelTest, 'auto');
    const message = new RegExp(`^The model "${key}" is not used, because it failed its self-test`);
    await assert.rejects(isUsable(folder, row), { code: 'MODEL_REFUSED', message });
    const said = await unusableModels(folder, [row.kind], await readRegistry(folder));
    assert.match(said.slice('; '.length), message);
  }
});

test("what the user's own models lack is named with their folder, for models of those kinds", async () => {
  const registry = await readRegistry(folder);
  assert.equal(await unusableModels(folder, ['face-embedder'], registry), '');
  await userModel('mine', JSON.stringify(withOwnFile('sface', { key: 'mine' })));
  await userModel('broken', '{');
  const own = await readRegistry(folder);
  const mine = join(folder, 'mine');
  const said = await unusableModels(folder, ['face-embedder'], own);
  assert(said.endsWith(`; ${mine} lacks own.onnx`), said);
  assert(said.startsWith(`; ${join(folder, 'broken', 'model.json')}: is not JSON`), said);
  assert.doesNotMatch(await unusableModels(folder, ['speech'], own), /mine/);
  await assert.rejects(chooseFaces(folder), { code: 'NO_FACE_MODEL', message: /; .*mine lacks own\.onnx$/ });
  await assert.rejects(requireFiles(folder, findRow(own, 'mine')), {
    code: 'MODEL_NOT_DOWNLOADED',
    message: `The model "mine" is incomplete: ${mine} lacks own.onnx`,
  });
});

test('the system is named as the service reports it', () => {
  assert.equal(currentSystem('darwin', 'arm64'), 'mac-arm');
  assert.equal(currentSystem('darwin', 'x64'), 'mac-x86');
  assert.equal(currentSystem('win32', 'x64'), 'windows');
  assert.equal(currentSystem('linux', 'arm64'), 'linux');
});

const rowOf = (key: string) => builtInRows.find((one) => one.key === key)!;
const withOwnFile = (key: string, more: object) => {
  const row = rowOf(key);
  const files = [{ role: 'graph', name: 'own.onnx', url: null, size: null, sha256: null }];
  return { ...row, files, ...more };
};
async function download(key: string) {
  const row = rowOf(key);
  await mkdir(join(folder, key), { recursive: true });
  for (const { name, size } of row.files) {
    await writeFile(join(folder, key, name), '');
    await truncate(join(folder, key, name), size!);
  }
}

test('without face models the error says what is missing and which command brings it', async () => {
  const command = 'framehound models pull faces';
  await assert.rejects(chooseFaces(folder), {
    code: 'NO_FACE_MODEL',
    message: `No face detector and no face embedder is downloaded; to download: ${command}, or ${command}-npm`,
    details: { missing: 'face detector, face embedder', command },
  });
  await download('yunet-2023mar');
  await assert.rejects(chooseFaces(folder), {
    code: 'NO_FACE_MODEL',
    message: `No face embedder is downloaded; to download: ${command}, or ${command}-npm`,
  });
  await rm(join(folder, 'yunet-2023mar'), { recursive: true });
  await download('sface');
  await assert.rejects(chooseFaces(folder), {
    code: 'NO_FACE_MODEL',
    message: `No face detector is downloaded; to download: ${command}, or ${command}-npm`,
  });
});

test('the pair in use is the best of what is downloaded whole and of the own folders', async () => {
  const chosen = async () => {
    const { detector, embedder } = await chooseFaces(folder);
    return [detector.key, embedder.key, detector.detector.fixed_side, embedder.embedder.dimensions];
  };
  await download('yunet-2023mar');
  await download('sface-int8');
  assert.deepEqual(await chosen(), ['yunet-2023mar', 'sface-int8', 640, 128]);
  await download('yunet-2026may');
  await download('auraface-v1');
  await rm(join(folder, 'auraface-v1', 'glintr100.onnx'));
  assert.deepEqual(await chosen(), ['yunet-2026may', 'sface-int8', null, 128]);
  await userModel('mine', JSON.stringify(withOwnFile('sface', { key: 'mine', family: 'arcface' })));
  assert.equal((await chosen())[1], 'sface-int8', 'its file is not there');
  await writeFile(join(folder, 'mine', 'own.onnx'), 'graph');
  assert.equal((await chosen())[1], 'mine');
});

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

import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ModelRow, modelErrors, noModelErrors, testText } from '../../../actors/models/contract.ts';
import { createModelLibrary } from '../../../actors/models/library.ts';
import { checkUserRow, chooseObjectDetector } from '../../../actors/models/registry.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { type ErrorMaker, engineErrors } from '../../../runtime/errors.ts';
import { sharedPath, skipWithout } from '../../shared.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const machine = { memoryBytes: 8e9, graphics: false };
const options = { signal: new AbortController().signal, clock: systemClock };
const library = (folder: string) => createModelLibrary(folder, machine, undefined, 'cpu');
const detector = builtInRows.find(({ key }) => key === 'nanodet-416')!;
const [graph] = detector.files;

test('the included models answer most of the questions, and the figure says so', async () => {
  const folder = temporaryFolder();
  const visual = await library(folder).test('starter-visual-3', options);
  assert.equal(visual.passed, true);
  assert.match(testText(visual), /^1\d of 20 first answers right, [\d.]+ ms a picture on the processor$/);
  const speaker = await library(folder).test('starter-speaker', options);
  assert.ok(speaker.passed && speaker.right! > 130 && speaker.of === 135, testText(speaker));
});

test('a model of the program that fails is not used, and every request for it says why', async () => {
  const folder = temporaryFolder();
  const path = join(folder, detector.key, graph!.name);
  mkdirSync(join(folder, detector.key));
  writeFileSync(path, '');
  truncateSync(path, graph!.size!);
  assert.equal((await chooseObjectDetector(folder)).key, detector.key);

  const failed = await library(folder).test(detector.key, options);
  assert.equal(failed.passed, false);
  assert.ok(testText(failed).includes(graph!.name), testText(failed));
  const listed = (await library(folder).list()).models.find(({ row }) => row.key === detector.key)!;
  assert.deepEqual([listed.downloaded, listed.advised, listed.test], [true, false, failed]);
  await assert.rejects(chooseObjectDetector(folder), (error: Error) => {
    assert.ok(modelErrors.MODEL_REFUSED.is(error));
    assert.match(error.message, /"nanodet-416" is not used.*nanodet.*framehound models check nanodet-416$/);
    return true;
  });

  // Another file under the same name has not been tested.
  utimesSync(path, 1, 1);
  assert.equal((await chooseObjectDetector(folder)).key, detector.key);
  await library(folder).test(detector.key, options);
  await library(folder).remove(detector.key);
  await assert.rejects(chooseObjectDetector(folder), (error) => noModelErrors.NO_OBJECT_DETECTOR.is(error));
});

test('a model of the user that fails is used, and its failure is listed', async () => {
  const folder = temporaryFolder();
  const file = { role: 'graph', name: 'mine.onnx', url: null, size: null, sha256: null };
  const row: ModelRow = { ...detector, key: 'mine', files: [file] };
  mkdirSync(join(folder, 'mine'));
  writeFileSync(join(folder, 'mine', 'model.json'), JSON.stringify(row));
  writeFileSync(join(folder, 'mine', 'mine.onnx'), 'no graph');
  const failed = await library(folder).test('mine', options);
  assert.equal(failed.passed, false);
  assert.match(failed.reason!, /mine\.onnx: /);
  const listed = (await library(folder).list()).models.find((model) => model.row.key === 'mine')!;
  assert.deepEqual(listed.test, failed);
  assert.equal((await chooseObjectDetector(folder)).key, 'mine');
  assert.match(readFileSync(join(folder, 'mine', 'self-test.json'), 'utf8'), /"machine":"cpu; /);
});

test('a model that works only beside another one is not tested alone', async () => {
  const folder = temporaryFolder();
  const row = builtInRows.find(({ key }) => key === 'dlib-resnet-v1')!;
  mkdirSync(join(folder, row.key));
  for (const { name, size } of row.files) {
    writeFileSync(join(folder, row.key, name), '');
    truncateSync(join(folder, row.key, name), size!);
  }
  const result = await library(folder).test(row.key, options);
  assert.equal(result.passed, null);
  assert.match(result.reason!, /No face detector is downloaded/);
});

const silero = builtInRows.find(({ key }) => key === 'silero-vad')!;
const weights = 'weights/silero_vad.onnx';

test('the description of every model of the program is a row to start from', async () => {
  const folder = temporaryFolder();
  const described = builtInRows.filter(({ files }) => files.length > 0);
  for (const { key, kind } of described) {
    const row = await library(folder).describe(key);
    const found = checkUserRow('model.json', row.key, JSON.stringify(row));
    assert.ok('row' in found, `${key}: ${JSON.stringify(found)}`);
    assert.deepEqual([row.key, row.kind, row.files[0]!.url], [`my-${key}`, kind, null]);
  }
  await assert.rejects(library(folder).describe('starter-speaker'), /has no files; describe another model/);
});

test('what is wrong with a folder that is added is named with file and field', async () => {
  const [folder, source] = [temporaryFolder(), temporaryFolder()];
  const path = join(source, 'model.json');
  const add = () => library(folder).add(source, options);
  const isRefused = (error: ErrorMaker, text: RegExp) => async (row: object | string) => {
    writeFileSync(path, typeof row === 'string' ? row : JSON.stringify(row));
    await assert.rejects(add(), (thrown: Error) => {
      assert.ok(error.is(thrown), thrown.message);
      assert.match(thrown.message, text);
      assert.ok(thrown.message.includes(source), thrown.message);
      return true;
    });
  };
  await assert.rejects(add(), /model\.json: no such file/);
  const row = await library(folder).describe('silero-vad');
  const { MODEL_INVALID, MODEL_NOT_DOWNLOADED, MODEL_LOAD_FAILED } = modelErrors;
  await isRefused(MODEL_INVALID, /model\.json: is not JSON/)('{');
  await isRefused(MODEL_INVALID, /model\.json: \/speed: .*5/)({ ...row, speed: 9 });
  await isRefused(MODEL_INVALID, /model\.json: \/key: .*built-in model/)({ ...row, key: 'silero-vad' });
  const missing = /silero_vad\.onnx \(\/files\/0\): missing$/;
  await isRefused(MODEL_NOT_DOWNLOADED, missing)(row);
  writeFileSync(join(source, 'silero_vad.onnx'), 'no graph');
  const sum = { ...row, files: [{ ...row.files[0], sha256: 'a'.repeat(64) }] };
  await isRefused(MODEL_NOT_DOWNLOADED, /\(\/files\/0\): wrong sha256$/)(sum);
  await isRefused(MODEL_LOAD_FAILED, /silero_vad\.onnx: /)(row);
  assert.deepEqual(existsSync(join(folder, row.key)), false);
});

test('a folder that runs is copied to the models, once', { skip: skipWithout(weights) }, async () => {
  const [folder, source] = [join(temporaryFolder(), 'models'), temporaryFolder()];
  const row = await library(folder).describe('silero-vad');
  writeFileSync(join(source, 'model.json'), JSON.stringify(row));
  copyFileSync(sharedPath(weights), join(source, 'silero_vad.onnx'));
  const added = await library(folder).add(source, options);
  assert.deepEqual([added.key, added.folder, added.test.passed], [row.key, join(folder, row.key), true]);
  const listed = (await library(folder).list()).models.find((model) => model.row.key === row.key)!;
  assert.deepEqual([listed.downloaded, listed.test], [true, added.test]);
  assert.deepEqual(readdirSync(join(folder, '..')), ['models']);
  await assert.rejects(library(folder).add(source, options), /\/key: .* is there already$/);
  assert.equal((await library(folder).add(added.folder, options)).folder, added.folder);
});

test('models are tested again when device or runtime change', { skip: skipWithout(weights) }, async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, silero.key));
  copyFileSync(sharedPath(weights), join(folder, silero.key, silero.files[0]!.name));
  const tested: string[] = [];
  const changed = (again = false) =>
    library(folder).testChanged({ ...options, again }, (key, { passed }, refused) => {
      tested.push(`${key} ${passed} ${refused}`);
    });
  await changed(true);
  assert.deepEqual(tested, [], 'a model that was never tested is not tested again');
  await changed();
  await changed();
  assert.deepEqual(tested, ['silero-vad true false']);
  const record = join(folder, silero.key, 'self-test.json');
  const before = readFileSync(record, 'utf8');
  writeFileSync(record, before.replace(/onnxruntime [\d.]+/, 'onnxruntime 1.0.0'));
  await changed(true);
  assert.equal(tested.length, 2);
  assert.match(readFileSync(record, 'utf8'), /onnxruntime 1\.[1-9]/);
  const stopped = AbortSignal.abort();
  writeFileSync(record, before.replace('"cpu; ', '"cuda; '));
  await assert.rejects(
    library(folder).testChanged({ ...options, signal: stopped }, () => {}),
    (error) => engineErrors.CANCELLED.is(error),
  );
});

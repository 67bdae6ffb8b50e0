import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ModelRow, modelErrors, testText } from '../../../actors/models/contract.ts';
import { createModelLibrary } from '../../../actors/models/library.ts';
import { chooseObjectDetector } from '../../../actors/models/registry.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';
import { thingsErrors } from '../../../actors/things/contract.ts';
import { systemClock } from '../../../runtime/clock.ts';
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
  await assert.rejects(chooseObjectDetector(folder), (error) => thingsErrors.NO_OBJECT_DETECTOR.is(error));
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

// Models that are cut off, overwritten or something else: whoever uses one is told the file, and the field of
// its model.json where that is wrong.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ModelRow, modelErrors } from '../../../actors/models/contract.ts';
import { createModelLibrary } from '../../../actors/models/library.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';
import { openSession } from '../../../actors/models/session.ts';
import { overlapFile, starterSpeakerFile } from '../../../actors/models/starter/speaker.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createLog } from '../../../runtime/log.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const options = { signal: new AbortController().signal, clock: systemClock };
const library = (folder: string) =>
  createModelLibrary(folder, { memoryBytes: 8e9, graphics: false }, undefined, 'auto');
const graph = readFileSync(starterSpeakerFile.path);

/** Ways in which a file can be wrong; `other`: a graph of something else. */
const ways: readonly [string, (path: string) => void][] = [
  ['cut off', (path) => writeFileSync(path, graph.subarray(0, graph.length >> 1))],
  ['overwritten', (path) => writeFileSync(path, Buffer.alloc(10_000, 90))],
  ['another graph', (path) => copyFileSync(overlapFile.path, path)],
];
/** A kind whose models work beside others is left to the tests of its actor. */
const kinds = [
  ...(['visual', 'object-detection', 'text-recognition'] as const),
  ...(['speech', 'voice', 'speaker', 'sound-detection'] as const),
];

for (const kind of kinds) {
  test(`a wrong ${kind} model is an error that names its file`, async () => {
    const folder = temporaryFolder();
    const { key } = builtInRows.find((row) => row.kind === kind && row.files.length > 0)!;
    const row = await library(folder).describe(key);
    for (const [way, write] of ways) {
      const source = temporaryFolder();
      writeFileSync(join(source, 'model.json'), JSON.stringify(row));
      for (const { name } of row.files) {
        if (name.endsWith('.onnx')) write(join(source, name));
        else writeFileSync(join(source, name), '{}');
      }
      await assert.rejects(library(folder).add(source, options), (error: Error) => {
        assert.ok(modelErrors.MODEL_LOAD_FAILED.is(error), `${way}: ${error.message}`);
        const named = row.files.some(({ name }) => error.message.startsWith(`${join(source, name)}: `));
        assert.ok(named, `${way}: ${error.message}`);
        assert.doesNotMatch(error.message, /cuda|onnxruntime_src|Load model from/i);
        return true;
      });
    }
  });
}

test('a field of a model.json that does not fit the graph is named', async () => {
  const folder = temporaryFolder();
  const { speaker } = builtInRows.find(({ key }) => key === 'starter-speaker')!;
  const described = await library(folder).describe('campplus-zh-en');
  const add = async (more: Partial<NonNullable<ModelRow['speaker']>>) => {
    const source = temporaryFolder();
    const { evidence: _, ...side } = speaker!;
    const row = { ...described, speaker: { ...side, ...more } };
    writeFileSync(join(source, 'model.json'), JSON.stringify(row));
    copyFileSync(starterSpeakerFile.path, join(source, row.files[0]!.name));
    return library(folder).add(source, options);
  };
  await assert.rejects(add({ input: 'x' }), /has the inputs feats, not x \(\/speaker\/input\)$/);
  await assert.rejects(add({ output: 'y' }), /has the outputs embs, not y \(\/speaker\/output\)$/);
  await assert.rejects(add({ dimensions: 64 }), /expected 1×64 floats \(\/speaker\/dimensions\)$/);
  assert.equal((await add({})).test.passed, true);
});

test('an error says what the processor refuses, and not which device is missing', async () => {
  const path = join(temporaryFolder(), 'cut.onnx');
  writeFileSync(path, graph.subarray(0, 1000));
  const log = createLog('test', ({ message }) => assert.fail(message));
  await assert.rejects(openSession(path, { device: 'auto', threads: 1, log }), (error: Error) => {
    assert.equal(error.message, `${path}: Protobuf parsing failed.`);
    return true;
  });
});

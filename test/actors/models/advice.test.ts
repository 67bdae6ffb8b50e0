import assert from 'node:assert/strict';
import test from 'node:test';
import { advisedModels, sizeText } from '../../../actors/models/advice.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';

const models = builtInRows.map((row) => ({
  row,
  builtIn: row.files.length === 0,
  supported: true,
  downloaded: false,
  missing: [],
  folder: '/m',
}));
const advised = (gigabytes: number, graphics: boolean) =>
  advisedModels(models, { memoryBytes: gigabytes * 1e9, graphics });

test('a processor gets a fast model, a graphics device the most accurate one', () => {
  assert.ok(advised(16, false).has('siglip2-b16-256-q8'));
  assert.ok(advised(16, true).has('siglip2-b16-256'));
});

test('a small machine gets a model that fits, or none', () => {
  assert.ok(advised(1, true).has('clip-b32-q8'));
  assert.deepEqual(
    [...advised(0.2, true)].filter((key) => /siglip|clip|whisper|x3/.test(key)),
    ['whisper-tiny'],
  );
});

test('one model of each kind of work is advised, and none that is part of the program', () => {
  const keys = [...advised(16, false)];
  const kinds = keys.map((key) => builtInRows.find((row) => row.key === key)!.kind);
  assert.deepEqual(kinds.toSorted(), ['speaker', 'speech', 'turns', 'visual', 'voice']);
  assert.ok(!keys.some((key) => key.startsWith('starter')));
});

test('a model this system cannot run is not advised', () => {
  const none = models.map((model) => ({ ...model, supported: false }));
  assert.equal(advisedModels(none, { memoryBytes: 64e9, graphics: true }).size, 0);
});

test('sizes are told in megabytes or gigabytes', () => {
  assert.deepEqual([0, 0.002, 0.04, 0.42, 1.54].map(sizeText), ['', '2 MB', '40 MB', '0.42 GB', '1.54 GB']);
});

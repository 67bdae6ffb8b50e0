import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { evidenceCount } from '../../../../../actors/models/starter/evidence.ts';
import { buildStarterVisual } from '../../../../../actors/models/starter/graph/graph.ts';
import { DIMENSIONS } from '../../../../../actors/models/starter/layout.ts';
import { drawSet } from '../drawings/set.ts';
import { dot, open, openStarter } from '../starter-model.ts';

test('the graph has the same bytes every time, on every machine, and is small', () => {
  const bytes = buildStarterVisual();
  assert.deepEqual(bytes, buildStarterVisual());
  assert.ok(bytes.length < 5_000_000);
  assert.equal(
    createHash('sha256').update(bytes).digest('hex'),
    '46eb2e3c3d08c125cd58e7e4ad4f164a638ef41ad24832c8b12ba22556fb6718',
    'the vectors of this graph differ from the ones stored before: a changed model needs this hash changed too',
  );
});

test('the graph declares bytes in and a vector out, for any batch', async () => {
  const session = await open(buildStarterVisual());
  assert.deepEqual(session.inputs, [{ name: 'pixels', type: 'uint8', shape: ['batch', 224, 224, 3] }]);
  assert.deepEqual(session.outputs, [
    { name: 'vector', type: 'float32', shape: ['batch', DIMENSIONS] },
    { name: 'evidence', type: 'float32', shape: ['batch', evidenceCount] },
  ]);
  await session.release();
});

test('a picture has the same vector alone and among others', async () => {
  const starter = await openStarter();
  const pictures = drawSet(8, 5, ['street']).map(({ pixels }) => pixels);
  const [together, alone] = [await starter.pictures(pictures), await starter.pictures(pictures.slice(3, 4))];
  assert.ok(dot(together[3]!, alone[0]!) > 1 - 1e-6);
  await starter.close();
});

test('frames of one colour, black and white among them, have finite vectors of length 1', async () => {
  const starter = await openStarter();
  const flat = [0, 1, 127, 255].map((level) => new Uint8Array(224 * 224 * 3).fill(level));
  for (const vector of await starter.pictures(flat)) assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-4);
  await starter.close();
});

// The picture stage on stored previews: by a new model, of films that are there or gone.
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { faceEngine } from '../faces/face-engine.ts';

/** A film that another model has analysed, with previews as large as the model looks at. */
async function engine(t: TestContext) {
  const e = await faceEngine(t, [{ name: 'a', frames: 3 }]);
  const { state } = e.w;
  const path = e.w.paths[0]!;
  state.preview = (_, frame) => new Uint8Array([0xff, 0xd8, 10 + frame]);
  state.previewSize = { width: 4, height: 2 };
  await e.run({ visual_media_paths: [path], thing_media_paths: [] });
  state.outdated.add('a');
  const run = async (more = {}) =>
    (await e.run({ visual_media_paths: [path], thing_media_paths: [], ...more })).of['a'];
  return { ...e, state, path, run };
}

test('a new model looks at previews where it is asked to, and at the film otherwise', async (t) => {
  const e = await engine(t);
  const previews = await e.run({ from_previews: true });
  assert.deepEqual([previews?.outcome, previews?.frames, previews?.frames_from_previews], ['analyzed', 3, 3]);
  assert.deepEqual(e.w.decoded, ['a', 'stored 0,1,2']);
  assert.deepEqual(e.state.committed.get('a')?.sums, [10, 11, 12]);
  const again = await e.run({ from_previews: true });
  assert.deepEqual([again?.outcome, again?.frames_from_previews], ['stored', 3]);
  const film = await e.run();
  assert.deepEqual([film?.outcome, film?.frames_from_previews], ['analyzed', undefined]);
  assert.deepEqual(e.w.decoded, ['a', 'stored 0,1,2', 'a']);
  // What came from the film itself is never replaced by less, whoever asks.
  assert.equal((await e.run({ from_previews: true, force: true }))?.outcome, 'stored');
});

test('a film that is gone is seen in its previews, until it is back', async (t) => {
  const e = await engine(t);
  renameSync(e.path, `${e.path}.away`);
  const gone = await e.run();
  assert.deepEqual([gone?.outcome, gone?.frames_from_previews], ['analyzed', 3]);
  assert.equal((await e.run())?.outcome, 'stored');
  renameSync(`${e.path}.away`, e.path);
  assert.deepEqual([(await e.run())?.outcome, e.w.decoded.at(-1)], ['analyzed', 'a']);
});

test('previews that are smaller than what the model looks at are refused, naming both sizes', async (t) => {
  const e = await engine(t);
  e.state.previewSize = { width: 1, height: 1 };
  const refused = await e.run({ from_previews: true });
  assert.equal(refused?.error?.code, 'PREVIEWS_TOO_SMALL');
  assert.match(refused?.error?.message ?? '', /previews have 1x1 pixels, but fake looks at 2x1/);
  assert.equal((await e.run())?.outcome, 'analyzed');
});

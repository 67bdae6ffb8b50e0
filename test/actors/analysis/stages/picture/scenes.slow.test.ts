// Tasks that only find the edges of scenes: in films whose pictures have been analysed, without any model.
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { faceEngine } from '../faces/face-engine.ts';

const cuts = [2.48, 5.2];
const edges = { seconds: cuts, frames: [62, 130] };
const alone = { thing_media_paths: [], text_media_paths: [] };

/** Films of which only the first one is analysed, on the grid. */
async function engine(t: TestContext) {
  const e = await faceEngine(t, [
    { name: 'a', frames: 8, cuts },
    { name: 'b', frames: 8, cuts },
    { name: 'still', kind: 'image', frames: 1 },
    { name: 'untimed', frames: 8 },
  ]);
  const paths = Object.fromEntries(e.w.paths.map((path) => [path.split('/').at(-1)!, path]));
  const analysed = [paths['a']!, paths['still']!, paths['untimed']!];
  await e.run({ visual_media_paths: analysed, ...alone });
  for (const stored of e.w.state.committed.values()) stored.edges = undefined;
  e.w.batches.length = 0;
  return { ...e, paths, state: e.w.state };
}

test('the edges of analysed films are found anew without a model, others are left and named', async (t) => {
  const e = await engine(t);
  e.w.state.loaded = false;
  const before = structuredClone([...e.state.committed.keys()]);
  const { of, state, task_id } = await e.run({ visual_media_paths: e.w.paths, scenes_only: true });
  assert.equal(state, 'completed');
  assert.deepEqual(e.state.committed.get('a')?.edges, edges);
  assert.deepEqual([of['a']?.outcome, of['a']?.frames, of['a']?.shots], ['analyzed', 8, 3]);
  assert.deepEqual([of['b']?.outcome, of['b']?.error?.code], ['failed', 'NOT_ANALYZED']);
  assert.ok(of['b']?.error?.message.includes(e.paths['b']!));
  assert.equal(of['still']?.outcome, 'stored');
  assert.deepEqual([...e.state.committed.keys()], before);
  assert.deepEqual([e.w.batches, e.state.loaded], [[], false], 'no model is loaded or run');
  const { request } = await e.tasks.get(task_id, { offset: 0, limit: 1 });
  assert.deepEqual([request.scenes_only, request.model_key, request.decode], [true, null, 'exact']);
});

test('edges that are exact are found anew too, and nothing else is done beside', async (t) => {
  const e = await engine(t);
  e.state.committed.get('a')!.edges = { seconds: [1], frames: [25] };
  await e.run({ visual_media_paths: [e.paths['a']!], scenes_only: true });
  assert.deepEqual(e.state.committed.get('a')?.edges, edges);
  for (const other of [
    { from_previews: true },
    { decode: 'keyframes' as const },
    { text_media_paths: [e.paths['a']!] },
    { thing_media_paths: [e.paths['a']!] },
  ]) {
    const request = { visual_media_paths: [e.paths['a']!], scenes_only: true, ...other };
    await assert.rejects(e.begin(request), { code: 'INVALID_REQUEST' }, JSON.stringify(other));
  }
});

test('a film that is gone fails, and keeps its edges', async (t) => {
  const e = await engine(t);
  renameSync(e.paths['a']!, `${e.paths['a']}.away`);
  const { of } = await e.run({ visual_media_paths: [e.paths['a']!], scenes_only: true });
  assert.equal(of['a']?.error?.code, 'FILE_NOT_FOUND');
  assert.equal(e.state.committed.get('a')?.edges, undefined);
});

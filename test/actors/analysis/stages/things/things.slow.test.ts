// The stage with a fake detector: what is stored of films, pictures and sound, and how it is taken up.

import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { mediaErrors } from '../../../../../actors/decoder/contract.ts';
import { storeErrors } from '../../../../../actors/index/store/contract.ts';
import { noModelErrors } from '../../../../../actors/models/contract.ts';
import { engineErrors } from '../../../../../runtime/errors.ts';
import type { FakeFile } from '../../fake-file.ts';
import { faceEngine } from '../faces/face-engine.ts';
import { page } from '../task-engine.ts';

async function engine(t: TestContext, files: readonly FakeFile[]) {
  const e = await faceEngine(t, files);
  const { things } = e.w.state;
  things.downloaded = true;
  return { ...e, things, thing_media_paths: [...e.w.paths] };
}

const tracksOf = ({ things }: Awaited<ReturnType<typeof engine>>, hash: string) =>
  things.stored.get(hash)?.items.map((one) => `${one.class} [${one.start}, ${one.end})`);

test('what stays is stored once with its seconds, and looked for again only by another detector', async (t) => {
  const e = await engine(t, [{ name: 'a', frames: 6 }]);
  e.things.shown = (byte) => (byte < 3 ? ['dog'] : ['dog', 'person']);
  const { thing_media_paths } = e;
  const first = await e.run({ thing_media_paths });
  assert.equal(first.state, 'completed');
  assert.deepEqual(first.of['a']?.things, {
    model_key: 'eyes',
    tracks: 2,
    missing_frames: 0,
    from_previews: false,
  });
  assert.deepEqual(tracksOf(e, 'a'), ['dog [0, 6)', 'person [3, 6)']);
  assert.deepEqual([e.things.loaded, e.w.pool.free], [false, e.w.pool.count]);
  const { thing_frames, thing_grid_frames } = await e.tasks.get(first.task_id, page);
  assert.deepEqual([thing_frames, thing_grid_frames], [6, 6]);
  const again = await e.run({ thing_media_paths });
  assert.deepEqual([again.of['a']?.outcome, again.of['a']?.things?.tracks], ['stored', 2]);
  e.things.model = 'other eyes';
  assert.equal((await e.run({ thing_media_paths })).of['a']?.outcome, 'analyzed');
});

test('the detector is handed what the picture before of the same film showed', async (t) => {
  const e = await engine(t, [
    { name: 'a', frames: 3 },
    { name: 'b', frames: 2 },
  ]);
  await e.run({ thing_media_paths: e.thing_media_paths });
  // One film after the other; the one whose facts are read first begins.
  const steps = e.things.looked.map(({ byte, before }) => `${before} ${byte}`).join(', ');
  const [a, b] = ['null 0, 0 1, 1 2', 'null 0, 0 1'];
  assert.ok([`${a}, ${b}`, `${b}, ${a}`].includes(steps), steps);
});

test('pictures have the form in which the detector takes them', async (t) => {
  const e = await engine(t, [{ name: 'a', frames: 1 }]);
  const { thing_media_paths, things } = e;
  await e.run({ thing_media_paths });
  Object.assign(things, { model: 'square eyes', form: { side: 384, fit: 'stretch' } });
  await e.run({ thing_media_paths });
  assert.deepEqual(
    things.looked.map(({ size }) => size),
    ['2×1', '384×384'],
  );
});

test('pictures and things come from one decode pass, and sound has no things', async (t) => {
  const e = await engine(t, [
    { name: 'a', frames: 4 },
    { name: 's', frames: 0 },
  ]);
  const { thing_media_paths } = e;
  const { of } = await e.run({ thing_media_paths, visual_media_paths: [e.w.paths[0]!] });
  assert.deepEqual(e.w.decoded, ['a']);
  assert.equal(of['s']?.outcome, 'no_visible_things');
  assert.equal(e.things.stored.has('s'), false);
});

test('who looks at pictures looks for things where a detector is there, unless the request says otherwise', async (t) => {
  const e = await engine(t, [
    { name: 'a', frames: 2 },
    { name: 'b', frames: 2 },
  ]);
  const [a, b] = e.w.paths as [string, string];
  await e.run({ visual_media_paths: [a, b], thing_media_paths: [b] });
  assert.deepEqual([...e.things.stored.keys()], ['b']);
  await e.run({ visual_media_paths: [a], thing_media_paths: [] });
  assert.equal(e.things.stored.has('a'), false);
  e.things.downloaded = false;
  assert.equal((await e.run({ visual_media_paths: [a] })).state, 'completed');
  e.things.downloaded = true;
  await e.run({ visual_media_paths: [a] });
  assert.equal(e.things.stored.has('a'), true);
});

test('a film of which no frame can be decoded fails, and nothing is stored of it', async (t) => {
  const e = await engine(t, [{ name: 'a', frames: 2, missing: [0, 1] }]);
  const { of } = await e.run({ thing_media_paths: e.thing_media_paths });
  assert.equal(of['a']?.error?.code, mediaErrors.DECODE_FAILED.code);
  assert.equal(e.things.stored.has('a'), false);
});

test('without a detector nothing is begun, and the command is named', async (t) => {
  const e = await engine(t, [{ name: 'a', frames: 2 }]);
  e.things.downloaded = false;
  const { thing_media_paths } = e;
  await assert.rejects(e.run({ thing_media_paths }), noModelErrors.NO_OBJECT_DETECTOR.is);
  assert.deepEqual(e.w.decoded, []);
});

test('a long film is taken up inside, with the same result', async (t) => {
  const shown = (byte: number) => (byte % 50 < 40 ? (['car', 'person'] as const) : (['car'] as const));
  const film = { name: 'a', frames: 250 };
  const whole = await engine(t, [film]);
  whole.things.shown = shown;
  await whole.run({ thing_media_paths: whole.thing_media_paths });
  const e = await engine(t, [film]);
  e.things.shown = shown;
  let left = 1;
  e.things.onLook = (byte) => {
    if (byte !== 210 || left-- <= 0) return;
    e.things.loaded = false;
    throw engineErrors.ACTOR_CRASHED('the actor ended');
  };
  const { state } = await e.run({ thing_media_paths: e.thing_media_paths });
  assert.equal(state, 'completed');
  assert.deepEqual(tracksOf(e, 'a'), tracksOf(whole, 'a'));
  // A span ends at each 20: what was kept is not looked at again.
  const bytes = e.things.looked.map(({ byte }) => byte);
  assert.equal(bytes.filter((byte) => byte < 200).length, 200);
  assert.equal(bytes.filter((byte) => byte >= 200 && byte < 210).length, 20);
});

test('a film is not opened where its previews are to do, and nothing is said of one without', async (t) => {
  const e = await engine(t, [
    { name: 'a', frames: 3 },
    { name: 'b', frames: 3 },
    { name: 's', frames: 0 },
  ]);
  const [a, b, sound] = e.w.paths as [string, string, string];
  await e.run({ visual_media_paths: [a], thing_media_paths: [] });
  e.w.state.preview = (_, frame) => new Uint8Array([0xff, 0xd8, frame]);
  const request = { thing_media_paths: [a, b, sound], from_previews: true };
  const { of } = await e.run(request);
  assert.deepEqual(e.w.decoded, ['a', 'stored 0,1,2']);
  assert.equal(of['a']?.things?.from_previews, true);
  assert.equal(e.things.stored.get('a')?.from_previews, true);
  assert.equal(of['b']?.error?.code, storeErrors.NOT_ANALYZED.code);
  assert.equal(of['s']?.outcome, 'no_visible_things');
  assert.equal((await e.run(request)).of['a']?.outcome, 'stored');
  const both = await e.run({ ...request, visual_media_paths: [a] });
  assert.equal(both.of['a']?.outcome, 'stored');
  writeFileSync(a, 'another film');
  assert.equal(
    (await e.run({ ...request, force: true })).of['a']?.error?.code,
    mediaErrors.FILE_CHANGED.code,
  );
  await e.run({ thing_media_paths: [a] });
  assert.equal(e.w.decoded.at(-1), 'a');
});

test('a film that is gone is looked at in its previews, until it is back', async (t) => {
  const e = await engine(t, [{ name: 'a', frames: 3 }]);
  const { thing_media_paths } = e;
  await e.run({ visual_media_paths: thing_media_paths, thing_media_paths: [] });
  e.w.state.preview = (_, frame) => new Uint8Array([0xff, 0xd8, frame]);
  const [path] = thing_media_paths as [string];
  renameSync(path, `${path}.away`);
  const gone = await e.run({ thing_media_paths });
  assert.match(gone.of['a']?.things?.warning ?? '', /stored previews/);
  assert.equal((await e.run({ thing_media_paths })).of['a']?.outcome, 'stored');
  renameSync(`${path}.away`, path);
  const back = await e.run({ thing_media_paths });
  assert.deepEqual([back.of['a']?.outcome, back.of['a']?.things?.warning], ['analyzed', undefined]);
});

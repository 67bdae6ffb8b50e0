// The stage with a fake reader: what is stored of films, pictures and sound, and how it is taken up.

import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { noModelErrors } from '../../../../../actors/models/contract.ts';
import { engineErrors } from '../../../../../runtime/errors.ts';
import type { FakeFile } from '../../fake-file.ts';
import { faceEngine } from '../faces/face-engine.ts';
import { page } from '../task-engine.ts';

async function engine(t: TestContext, files: readonly FakeFile[]) {
  const e = await faceEngine(t, files);
  const { text } = e.w.state;
  text.downloaded = true;
  return { ...e, text, text_media_paths: [...e.w.paths] };
}

const linesOf = ({ text }: Awaited<ReturnType<typeof engine>>, hash: string) =>
  text.stored.get(hash)?.items.map((one) => `${one.text} [${one.start}, ${one.end})`);

test('lines are stored with the seconds in which they are seen, once', async (t) => {
  const e = await engine(t, [{ name: 'a', frames: 6 }]);
  e.text.shown = (byte) => (byte < 3 ? ['Chapter one'] : ['Chapter two', 'by Ann']);
  const { text_media_paths } = e;
  const first = await e.run({ text_media_paths });
  assert.equal(first.state, 'completed');
  assert.deepEqual(first.of['a']?.text, {
    model_key: 'letters',
    lines: 3,
    missing_frames: 0,
    from_previews: false,
  });
  assert.deepEqual(linesOf(e, 'a'), ['Chapter one [0, 3)', 'Chapter two [3, 6)', 'by Ann [3, 6)']);
  assert.deepEqual(
    e.text.read.map(({ before }) => before),
    [false, true, true, true, true, true],
  );
  assert.equal(e.text.loaded, false);
  assert.equal(e.w.pool.free, e.w.pool.count);
  const { text_frames, text_grid_frames } = await e.tasks.get(first.task_id, page);
  assert.deepEqual([text_frames, text_grid_frames], [6, 6]);
  const again = await e.run({ text_media_paths });
  assert.deepEqual([again.of['a']?.outcome, again.of['a']?.text?.lines], ['stored', 3]);
  e.text.model = 'other letters';
  assert.equal((await e.run({ text_media_paths })).of['a']?.outcome, 'analyzed');
});

test('pictures and words come from one decode pass, and sound has no words', async (t) => {
  const e = await engine(t, [
    { name: 'a', frames: 4 },
    { name: 's', frames: 0 },
  ]);
  const { text_media_paths } = e;
  const { of } = await e.run({ text_media_paths, visual_media_paths: [e.w.paths[0]!] });
  assert.deepEqual(e.w.decoded, ['a']);
  assert.equal(of['s']?.outcome, 'nothing_to_read');
  assert.equal(e.text.stored.has('s'), false);
});

test('without a model nothing is begun, and the command is named', async (t) => {
  const e = await engine(t, [{ name: 'a', frames: 2 }]);
  e.text.downloaded = false;
  const { text_media_paths } = e;
  await assert.rejects(e.run({ text_media_paths }), noModelErrors.NO_TEXT_MODEL.is);
  assert.deepEqual(e.w.decoded, []);
});

test('a long film is taken up inside, with the same result', async (t) => {
  const shown = (byte: number) =>
    byte % 50 < 40 ? [`Part ${Math.floor(byte / 50)}`, 'Channel 5'] : ['Channel 5'];
  const film = { name: 'a', frames: 250 };
  const whole = await engine(t, [film]);
  whole.text.shown = shown;
  await whole.run({ text_media_paths: whole.text_media_paths });
  const e = await engine(t, [film]);
  e.text.shown = shown;
  let left = 1;
  e.text.onRead = (byte) => {
    if (byte !== 210 || left-- <= 0) return;
    e.text.loaded = false;
    throw engineErrors.ACTOR_CRASHED('the actor ended');
  };
  const { state } = await e.run({ text_media_paths: e.text_media_paths });
  assert.equal(state, 'completed');
  assert.deepEqual(linesOf(e, 'a'), linesOf(whole, 'a'));
  // A span ends at each 20: what was kept is not read again.
  const bytes = e.text.read.map(({ byte }) => byte);
  assert.equal(bytes.filter((byte) => byte < 200).length, 200);
  assert.equal(bytes.filter((byte) => byte >= 200 && byte < 210).length, 20);
  assert.ok(e.text.read.slice(1).every(({ before }) => before));
});

test('a film that is gone is read in its previews, until it is back', async (t) => {
  const e = await engine(t, [{ name: 'a', frames: 3 }]);
  const { text_media_paths } = e;
  await e.run({ visual_media_paths: text_media_paths, text_media_paths: [] });
  e.w.state.preview = (_, frame) => new Uint8Array([0xff, 0xd8, frame]);
  const [path] = text_media_paths as [string];
  renameSync(path, `${path}.away`);
  const gone = await e.run({ text_media_paths });
  assert.match(gone.of['a']?.text?.warning ?? '', /stored previews/);
  assert.equal((await e.run({ text_media_paths })).of['a']?.outcome, 'stored');
  renameSync(`${path}.away`, path);
  const back = await e.run({ text_media_paths });
  assert.deepEqual([back.of['a']?.outcome, back.of['a']?.text?.warning], ['analyzed', undefined]);
});

test('lines are looked for in films at 640 px and in stills at 960', async (t) => {
  const e = await engine(t, [
    { name: 'a', frames: 1 },
    { name: 'p', frames: 1, kind: 'image' },
  ]);
  await e.run({ text_media_paths: e.text_media_paths });
  assert.deepEqual(e.text.read.map(({ side }) => side).toSorted(), [640, 960]);
});

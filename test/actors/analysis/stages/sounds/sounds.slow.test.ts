// The stage with a fake model: what is claimed and stored of films and sound, and what is refused.

import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { analysisErrors } from '../../../../../actors/analysis/contract.ts';
import { soundsIn } from '../../../../../actors/analysis/stages/sounds/stage.ts';
import { noModelErrors } from '../../../../../actors/models/contract.ts';
import type { HeardSounds } from '../../../../../actors/transcriber/contract.ts';
import type { FakeFile } from '../../fake-file.ts';
import { faceEngine } from '../faces/face-engine.ts';
import { page } from '../task-engine.ts';

const film: FakeFile = { name: 'a', frames: 8, sound: true };
const sound: FakeFile = { name: 's', frames: 6, kind: 'audio' };

async function engine(t: TestContext, files: readonly FakeFile[]) {
  const e = await faceEngine(t, files);
  const { voices, sounds } = e.w.state;
  voices.hearsSounds = true;
  voices.soundsAt = (second) => ({ music: second < 5 ? 0.9 : 0.1, singing: 0 });
  return { ...e, voices, sounds, sound_media_paths: [...e.w.paths] };
}

const seconds = (music: readonly number[], singing: readonly number[] = []): HeardSounds['seconds'] =>
  music.map((value, i) => ({ music: value, singing: singing[i] ?? 0 }));

test('a sound is claimed where it is sure for three seconds in a row', () => {
  assert.deepEqual(soundsIn(seconds([0.7, 0.7, 0.69, 0.9, 0.8, 0.7, 0.2, 1, 1])), [
    { sound: 'music', start: 3, end: 6, confidence: 0.8 },
  ]);
  const sung = soundsIn(seconds([0.9, 0.9, 0.9, 0.9, 0], [0, 0.8, 0.9, 1, 0.79]));
  assert.deepEqual(sung, [
    { sound: 'music', start: 0, end: 4, confidence: 0.9 },
    { sound: 'singing', start: 1, end: 4, confidence: 0.9 },
  ]);
  assert.deepEqual(soundsIn(seconds([0, 0, 0.9, 0.9, 0.9])), [
    { sound: 'music', start: 2, end: 5, confidence: 0.9 },
  ]);
  assert.deepEqual(soundsIn([]), []);
});

test('films and sound are listened to once, stills and silent films have nothing to hear', async (t) => {
  const files: FakeFile[] = [film, sound, { name: 'p', frames: 1, kind: 'image' }, { name: 'x', frames: 3 }];
  const e = await engine(t, files);
  const { sound_media_paths } = e;
  const first = await e.run({ sound_media_paths });
  assert.equal(first.state, 'completed');
  assert.deepEqual(first.of['a']?.sounds, { model_key: 'fake-sounds', ranges: 1 });
  assert.deepEqual(e.sounds.get('a')?.items, [{ sound: 'music', start: 0, end: 5, confidence: 0.9 }]);
  const outcomes = ['a', 's', 'p', 'x'].map((name) => first.of[name]?.outcome);
  assert.deepEqual(outcomes, ['analyzed', 'analyzed', 'nothing_to_hear', 'nothing_to_hear']);
  const { listened_seconds, listening_seconds } = await e.tasks.get(first.task_id, page);
  assert.deepEqual([listened_seconds, listening_seconds], [14, 14]);
  const again = await e.run({ sound_media_paths });
  assert.deepEqual([again.of['a']?.outcome, again.of['a']?.sounds?.ranges], ['stored', 1]);
});

test('files whose pictures are analysed are listened to where the model is there', async (t) => {
  const e = await engine(t, [film]);
  const { of } = await e.run({ visual_media_paths: e.sound_media_paths, thing_media_paths: [] });
  assert.equal(of['a']?.sounds?.ranges, 1);
  e.voices.hearsSounds = false;
  e.sounds.clear();
  await e.run({ visual_media_paths: e.sound_media_paths });
  assert.equal(e.sounds.size, 0);
  await assert.rejects(e.run({ sound_media_paths: e.sound_media_paths }), noModelErrors.NO_SOUND_MODEL.is);
});

test('stored previews have no sound: a file that is gone is not listened to', async (t) => {
  const e = await engine(t, [film]);
  const [path] = e.sound_media_paths as [string];
  await e.run({ visual_media_paths: [path], sound_media_paths: [] });
  const { of } = await e.run({ visual_media_paths: [path], from_previews: true });
  assert.equal(of['a']?.sounds, null);
  await assert.rejects(
    e.run({ sound_media_paths: [path], from_previews: true }),
    /sound_media_paths\[0\] needs the file/,
  );
  renameSync(path, `${path}.away`);
  await assert.rejects(e.run({ sound_media_paths: [path] }), analysisErrors.NO_VALID_MEDIA.is);
});

test('a file is listened to again from its beginning when the actor crashed', async (t) => {
  const e = await engine(t, [film]);
  e.voices.crashes = 1;
  const { of } = await e.run({ sound_media_paths: e.sound_media_paths });
  assert.deepEqual([of['a']?.outcome, of['a']?.sounds?.ranges], ['analyzed', 1]);
  assert.equal(e.w.pool.free, e.w.pool.count);
});

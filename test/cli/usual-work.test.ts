import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandService } from '../../cli/service.ts';
import { type UsualWork, usualTask } from '../../cli/usual-work.ts';
import { fakeHome } from './fake-context.ts';

test('speech is transcribed in the task of the pictures where it is asked for, else subtitles are read', async (t) => {
  const jobsOf = async (text: UsualWork['text']) => {
    const work = { paths: ['/f'], cacheDir: '/c', force: false, text, faces: false };
    const task = usualTask({} as CommandService, work, fakeHome(t).context());
    const request = await task.requestOf(['/f/a.mp4', '/f/b.jpg']);
    assert.deepEqual(request.visual_media_paths, ['/f/a.mp4', '/f/b.jpg']);
    return request.transcription_jobs;
  };
  assert.deepEqual(await jobsOf('speech'), [{ path: '/f/a.mp4', language: 'auto', channels: null }]);
  assert.equal((await jobsOf('subtitles'))?.[0]?.preferred_x_model_key, 'subtitles if any');
  assert.equal(await jobsOf(null), undefined);
});

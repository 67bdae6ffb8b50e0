// A film of slides that the encoder refines, analysed with each `reuse`, over REST and on the command line.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { type Reuse, reuses } from '../../actors/analysis/stages/picture/kind.ts';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import type { SearchAnswer } from '../../actors/search/contract.ts';
import { writeFilm } from '../../bench/samples/writer/film.ts';
import { seeded } from '../seeded.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { sharedService } from './service.ts';

const [width, height, fps] = [640, 360, 5];
const [seconds, slides] = [16, 2];
const grounds = [
  [200, 40, 30],
  [30, 60, 190],
] as const;

/** Bars as of lines of text on red, then on blue; a keyframe every two seconds. */
async function writeSlides(path: string): Promise<void> {
  const random = seeded(5);
  const draw = (n: number, rgb: Uint8Array) => {
    if (n % ((seconds * fps) / slides) > 0) return;
    const ground = grounds[Math.floor(n / ((seconds * fps) / slides))]!;
    for (let at = 0; at < rgb.length; at += 3) rgb.set(ground, at);
    for (let row = 2; row < 10; row++) {
      const to = width * (0.4 + random() / 2);
      for (let y = row * 32; y < row * 32 + 14; y++) {
        for (let x = 60; x < to; x++)
          if ((x >> 2) % 4 > 0) rgb.fill(230, (y * width + x) * 3, (y * width + x) * 3 + 3);
      }
    }
  };
  const options = { preset: 'medium', crf: '26', g: String(2 * fps) };
  const picture = { width, height, frames: seconds * fps, encoder: 'libx264', options, draw };
  await writeFilm({ path, picture: { ...picture, frameRate: { num: fps, den: 1 } } });
}

interface Found {
  readonly reused: number;
  readonly matches: readonly unknown[];
}

test('a film of slides is found alike, however many of its frames take over a vector', async (t) => {
  const service = await sharedService();
  const path = join(temporaryFolder(t), 'slides.mp4');
  await writeSlides(path);
  const found = async (reuse: Reuse): Promise<Found> => {
    const cache_dir = `${service.cache_dir}-${reuse}`;
    const request = { cache_dir, visual_media_paths: [path], reuse };
    const { task_id } = await service.ok<{ task_id: string }>('/analyze', request);
    await service.follow(task_id);
    const task = await service.ok<TaskDetail>(`/tasks/${task_id}`);
    assert.equal(task.request.reuse, reuse === 'exact' ? undefined : reuse);
    assert.equal(task.results[0]?.frames, seconds);
    await service.ok('/analysis-data/load', { cache_dir });
    const matches: unknown[] = [];
    for (const query of ['red', 'blue']) {
      const answer = await service.ok<SearchAnswer>('/search/text', { cache_dir, query });
      const scenes = answer.matches.map((match) => [match.scene_start_timestamp, match.scene_end_timestamp]);
      assert.equal(scenes.length, slides, query);
      matches.push(scenes);
    }
    return { reused: task.results[0]?.frames_reused ?? 0, matches };
  };
  const all = new Map<Reuse, Found>();
  for (const reuse of reuses) all.set(reuse, await found(reuse));
  const [exact, near, off] = reuses.map((reuse) => all.get(reuse)!) as [Found, Found, Found];
  assert.equal(off.reused, 0);
  // One keyframe or another may differ by more.
  assert.ok(near.reused >= seconds - slides - 3, `${near.reused}`);
  assert.ok(exact.reused < near.reused, `${exact.reused}`);
  assert.deepEqual(near.matches, off.matches);
  assert.deepEqual(exact.matches, off.matches);

  const cache = `${service.cache_dir}-command`;
  const reach = ['--cache-dir', cache, '--server', service.address, '--key', service.key];
  const { code, out, err } = await service.home.run('analyze', path, '--reuse', 'near', ...reach);
  assert.equal(code, 0, err);
  assert.ok((out + err).includes(`slides.mp4: ${seconds} frames, ${near.reused} unchanged`), out + err);
});

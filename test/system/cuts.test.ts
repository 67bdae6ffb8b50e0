// A film that was analysed with edges at whole seconds gets exact ones by `analyze --cuts`: those that a
// whole analysis finds.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import type { ScenesAnswer } from '../../actors/search/media/contract.ts';
import { writeFilm } from '../../bench/samples/writer/film.ts';
import { seeded } from '../seeded.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { sharedService } from './service.ts';

const [width, height, fps] = [320, 180, 25];
/** Pictures with which shots begin, of so many. */
const cuts = [62, 130];
const frames = 200;

/** Each shot shows blocks of other colours. */
async function writeShots(path: string): Promise<void> {
  const random = seeded(7);
  const draw = (n: number, rgb: Uint8Array) => {
    if (n > 0 && !cuts.includes(n)) return;
    const side = 20;
    for (let top = 0; top < height; top += side) {
      for (let left = 0; left < width; left += side) {
        const color = [random() * 255, random() * 255, random() * 255];
        for (let y = top; y < top + side; y++)
          for (let x = left; x < left + side; x++) rgb.set(color, (y * width + x) * 3);
      }
    }
  };
  const options = { preset: 'veryfast', crf: '23', g: '250' };
  const picture = { width, height, frames, encoder: 'libx264', options, draw };
  await writeFilm({ path, picture: { ...picture, frameRate: { num: fps, den: 1 } } });
}

test('a film with edges on the grid gets those of a whole analysis, and one that is new is left', async (t) => {
  const service = await sharedService();
  const path = join(temporaryFolder(t), 'shots.mp4');
  await writeShots(path);
  const [cache_dir, whole] = [`${service.cache_dir}-grid`, `${service.cache_dir}-whole`];
  const analyze = async (request: object) => {
    const asked = { visual_media_paths: [path], ...request };
    const { task_id } = await service.ok<{ task_id: string }>('/analyze', asked);
    await service.follow(task_id);
    return (await service.ok<TaskDetail>(`/tasks/${task_id}`)).results[0];
  };
  const scenes = (cache_dir: string) => service.ok<ScenesAnswer>('/scenes', { cache_dir, media_path: path });
  const refused = await analyze({ cache_dir, scenes_only: true });
  assert.deepEqual([refused?.outcome, refused?.error?.code], ['failed', 'NOT_ANALYZED']);
  await analyze({ cache_dir: whole });
  await analyze({ cache_dir, decode: 'keyframes' });
  const before = await scenes(cache_dir);
  assert.equal(before.edges, 'grid');

  const reach = ['--cache-dir', cache_dir, '--server', service.address, '--key', service.key];
  const { code, out, err } = await service.home.run('analyze', path, '--cuts', ...reach);
  assert.equal(code, 0, err);
  assert.ok((out + err).includes('shots.mp4: 8 frames, 3 shots'), out + err);
  const after = await scenes(cache_dir);
  assert.deepEqual(after, await scenes(whole));
  assert.deepEqual([after.edges, after.scenes.length], ['exact', cuts.length + 1]);
  assert.ok(cuts.every((cut) => JSON.stringify(after.scenes).includes(`"start_frame":${cut}`)));
});

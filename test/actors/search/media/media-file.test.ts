import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { world } from '../../analysis/fakes.ts';

const cache_dir = '/cache';

test('cache paths are those of the content, found by path, by another name of it, or by hash', async () => {
  const w = await world([
    { name: 'a', frames: 2, content: 'aa' },
    { name: 'b', frames: 2 },
  ]);
  const [a, b] = w.paths as [string, string];
  await w.run(new AbortController().signal, false, [a]);
  const copy = w.add({ name: 'copy', frames: 2, content: 'aa' });
  const here = { visual_cache_path: '/cache/vectors', audio_cache_path: null };
  const nowhere = { visual_cache_path: null, audio_cache_path: null };
  for (const [request, answer] of [
    [{ media_path: a }, here],
    [{ media_path: copy }, here],
    [{ hash_str: 'aa' }, here],
    [{ media_path: b }, nowhere],
    [{ media_path: join(w.folder, 'gone') }, nowhere],
    [{ hash_str: 'bb' }, nowhere],
  ] as const) {
    assert.deepEqual(await w.search.cachePaths({ cache_dir, ...request }), answer);
  }
  w.state.transcribed.add('aa');
  const both = { visual_cache_path: '/cache/vectors', audio_cache_path: '/cache' };
  assert.deepEqual(await w.search.cachePaths({ cache_dir, media_path: a }), both);
  await w.end();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folder, indexActor } from '../handlers.ts';
import { line, storeLines, texts } from './lines.ts';

test('very many lines are found too, and shards that fell empty are made fewer', async (t) => {
  const index = await indexActor(t);
  const cache_dir = folder(t);
  for (let round = 0; round < 2; round++) {
    for (let media = 0; media < 12; media++) {
      const lines = Array.from({ length: 3000 }, (_, i) => line(`slide ${media} ${i} of ${round}`, i));
      await storeLines(index, cache_dir, `a${media.toString(16)}`, lines);
      assert.deepEqual(await texts(index, cache_dir, `slide ${media} 2999 of ${round}`), [
        `slide ${media} 2999 of ${round}`,
      ]);
    }
  }
  assert.deepEqual(await texts(index, cache_dir, 'slide 3 17 of 0'), []);
  assert.deepEqual(await texts(index, cache_dir, 'slide 3 17 of 1'), ['slide 3 17 of 1']);
});

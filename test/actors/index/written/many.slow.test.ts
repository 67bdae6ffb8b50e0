import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilRelease } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { indexActor } from '../handlers.ts';
import { line, storeLines, texts } from './lines.ts';

test('very many lines are found too, and shards that fell empty are made fewer', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  const count = untilRelease ? 1000 : 3000;
  for (let round = 0; round < 2; round++) {
    for (let media = 0; media < 12; media++) {
      const lines = Array.from({ length: count }, (_, i) => line(`slide ${media} ${i} of ${round}`, i));
      await storeLines(index, cache_dir, `a${media.toString(16)}`, lines);
      if (untilRelease && media % 4 < 3) continue;
      const last = `slide ${media} ${count - 1} of ${round}`;
      assert.deepEqual(await texts(index, cache_dir, last), [last]);
    }
  }
  assert.deepEqual(await texts(index, cache_dir, 'slide 3 17 of 0'), []);
  assert.deepEqual(await texts(index, cache_dir, 'slide 3 17 of 1'), ['slide 3 17 of 1']);
});

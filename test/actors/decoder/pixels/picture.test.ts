import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askFrames } from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';

test('each preview has a buffer of exactly its size', async () => {
  const got = await askFrames({ path: await clips[0]!.make(), preview: { max_side: 64, quality: 60 } });
  const buffers = new Set(got.map(({ preview }) => preview!.buffer));
  assert.equal(buffers.size, got.length);
  for (const { preview } of got) assert.equal(preview!.byteLength, preview!.buffer.byteLength);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { probe } from '../../../../actors/decoder/probe/probe.ts';
import { turnFor } from '../ask-decoder.ts';
import { someClipsAndUneven } from '../footage/clips.ts';

test('of films of every codec and container, those of uneven times are told, and no other', async () => {
  for (const { name, facts, make } of someClipsAndUneven) {
    const path = await make();
    const { video, duration_seconds } = await probe({ path, pace: true }, turnFor());
    assert.equal(video!.rate_varies, facts.frameRate === null, name);
    const { video: plain, duration_seconds: same } = await probe({ path }, turnFor());
    assert.deepEqual([plain!.rate_varies, same], [undefined, duration_seconds], name);
  }
});

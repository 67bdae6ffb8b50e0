import assert from 'node:assert/strict';
import test from 'node:test';
import { probe } from '../../../../actors/decoder/probe/probe.ts';
import { sampled } from '../../../shared.ts';
import { turnFor } from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';
import { containerClips } from '../footage/container-clips.ts';

test('of films of every codec and container, those of uneven times are told, and no other', async () => {
  for (const { name, facts, make } of sampled([...clips, ...containerClips], 3)) {
    const path = await make();
    const { video, duration_seconds } = await probe({ path, pace: true }, turnFor());
    assert.equal(video!.rate_varies, facts.frameRate === null, name);
    const { video: plain, duration_seconds: same } = await probe({ path }, turnFor());
    assert.deepEqual([plain!.rate_varies, same], [undefined, duration_seconds], name);
  }
});

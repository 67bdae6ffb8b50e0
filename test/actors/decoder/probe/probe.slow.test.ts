import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probe } from '../../../../actors/decoder/probe/probe.ts';
import { askProbe, turnFor } from '../ask-decoder.ts';
import { clips, someClipsAndUneven } from '../footage/clips.ts';

test('a probe returns the timecode written into the film', async () => {
  const expected = [
    ['29.97 frames a second, drop-frame timecode', '00:59:58:12', true],
    ['59.94 frames a second, drop-frame timecode', '01:00:59:58', true],
    ['24 frames a second, timecode without drop', '23:59:58:00', false],
    ['MPEG-2 in MXF with a timecode', '10:20:30:12', false],
    ['one frame', '00:00:00:00', false],
  ] as const;
  for (const [name, ...told] of expected) {
    const { timecode } = await askProbe(await clips.find((clip) => clip.name === name)!.make());
    assert.deepEqual([timecode.text, timecode.drop_frame], told, name);
  }
});

test('of films of every codec and container, those of uneven times are told, and no other', async () => {
  for (const { name, facts, make } of someClipsAndUneven) {
    const path = await make();
    const { video, duration_seconds } = await probe({ path, pace: true }, turnFor());
    assert.equal(video!.rate_varies, facts.frameRate === null, name);
    const { video: plain, duration_seconds: same } = await probe({ path }, turnFor());
    assert.deepEqual([plain!.rate_varies, same], [undefined, duration_seconds], name);
  }
});

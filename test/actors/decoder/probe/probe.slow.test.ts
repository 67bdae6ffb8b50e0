import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askProbe } from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';

test('a probe returns the timecode written into the film', async () => {
  const expected = [
    ['drop-frame.mov', '00:59:58:12', true],
    ['drop-frame-60.mov', '01:00:59:58', true],
    ['timecode.mov', '23:59:58:00', false],
    ['mpeg2.mxf', '10:20:30:12', false],
    ['one-frame.mp4', '00:00:00:00', false],
  ] as const;
  for (const clip of clips) {
    const path = await clip.make();
    const row = expected.find(([file]) => path.endsWith(`/${file}`));
    if (!row) continue;
    const { timecode } = await askProbe(path);
    assert.deepEqual([timecode.text, timecode.drop_frame], row.slice(1), clip.name);
  }
});

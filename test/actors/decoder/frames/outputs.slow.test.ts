import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { definition } from '../../../../actors/decoder/actor.ts';
import { decoderContract, type PictureShape } from '../../../../actors/decoder/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { createLog } from '../../../../runtime/log.ts';
import { Cell } from '../../../../runtime/ref.ts';
import { createSlotPool } from '../../../../runtime/slots.ts';
import { startInMemory } from '../../../runtime/memory.ts';
import { askFrames, type FramesAsk, stampShape, turnFor, walkCounts } from '../ask-decoder.ts';
import { clips, someClips } from '../footage/clips.ts';
import { oddFiles } from '../footage/odd-files.ts';

const further: readonly PictureShape[] = [
  { width: 64, height: 64, fit: 'cover', resample: 'bicubic' },
  { width: 320, height: 200, fit: 'stretch', resample: 'bilinear' },
  stampShape,
];

/** Each further picture has the bytes that a request for its shape alone gives. */
async function expectSameAsAlone(ask: FramesAsk) {
  const together = await askFrames({ ...ask, further });
  assert.ok(together.length > 0);
  const main = await askFrames(ask);
  assert.deepEqual(
    together.map(({ second, seconds, rgb, preview }) => ({ second, seconds, rgb, preview })),
    main.map(({ second, seconds, rgb, preview }) => ({ second, seconds, rgb, preview })),
  );
  for (const [i, shape] of further.entries()) {
    const alone = await askFrames({ ...ask, shape, preview: null });
    assert.deepEqual(
      together.map((frame) => frame.further[i]),
      alone.map(({ rgb }) => rgb),
      `shape ${i}`,
    );
  }
}

describe('further shapes hold the picture that a request of their own gives', () => {
  for (const clip of someClips) {
    test(clip.name, async () => {
      const path = await clip.make();
      await expectSameAsAlone({ path });
      await expectSameAsAlone({ path, mode: 'keyframes', preview: { max_side: 96, quality: 80 } });
    });
  }
  for (const file of oddFiles.filter(({ expected }) => expected.every(({ kind }) => kind === 'image'))) {
    test(file.name, async () => {
      await expectSameAsAlone({ path: await file.make(), preview: { max_side: 640, quality: 80 } });
    });
  }
});

test('further shapes take one pass over the packets', async () => {
  const path = await clips[0]!.make();
  const counts = async (more: readonly PictureShape[]) => {
    const turn = turnFor(...further);
    await askFrames({ path, further: more }, turn);
    return walkCounts(turn);
  };
  assert.deepEqual(await counts(further), await counts([]));
});

test('frames of several slots need no more credit than one frame takes, and less is refused', {
  timeout: 20_000,
}, async () => {
  const path = await clips[0]!.make();
  const pool = createSlotPool(4, 320 * 200 * 3);
  const log = createLog('test', () => {});
  const cell = new Cell('decoder', decoderContract, { capacity: 4, pool, now: () => 0 });
  const link = startInMemory(definition, { log, memory: pool.memory });
  await link.ready;
  cell.attach(link);
  const request = {
    path,
    shape: stampShape,
    further_shapes: [...further],
    preview: null,
    mode: 'exact' as const,
    from_frame: 0,
  };
  const alone = await askFrames({ path, further });
  let seen = 0;
  for await (const frame of cell.feed('frames', request, { credit: 4 })) {
    const { width, height } = further[1]!;
    const bytes = pool.view(frame.further_pictures![1]!).subarray(0, width * height * 3);
    assert.deepEqual(bytes, alone[seen++]!.further[1]);
  }
  assert.equal(seen, alone.length);
  assert.equal(pool.free, 4);
  const refused = cell.feed('frames', request, { credit: 3 }).next();
  await assert.rejects(refused, (error: Error) => {
    assert.ok(engineErrors.INVALID_MESSAGE.is(error));
    assert.match(error.message, /needs 4 slots/);
    return true;
  });
  link.stop();
});

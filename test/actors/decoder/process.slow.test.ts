import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { decoderContract, mediaErrors } from '../../../actors/decoder/contract.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { leastBusy } from '../../../runtime/least-busy.ts';
import { createLog } from '../../../runtime/log.ts';
import { startProcess } from '../../../runtime/process/actor-process.ts';
import { createSlotPool } from '../../../runtime/slots.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { askFrames, askIdentity, askPicture, askProbe, stampShape } from './ask-decoder.ts';
import { clips } from './footage/clips.ts';

const log = createLog('test', () => {});
const pool = createSlotPool(6, stampShape.width * stampShape.height * 3 + 100);
const supervisor = createSupervisor({ clock: systemClock, log, pool });
const module = new URL('./faulty.ts', import.meta.url);
const actor = (name: string) => {
  const options = { name, module, contract: decoderContract, settings: {}, memory: pool.memory, log };
  const start = () => startProcess({ ...options, mostBytes: 2 ** 30 });
  return supervisor.addOnDemand({ name, contract: decoderContract, start });
};
const prober = leastBusy('prober', [actor('prober-0'), actor('prober-1')]);
after(() => supervisor.stop());

async function still(path: string): Promise<string> {
  const noise = Buffer.from(Array.from({ length: 24 * 16 * 3 }, (_, i) => (i * 7919) % 251));
  const small = sharp(noise, { raw: { width: 24, height: 16, channels: 3 } });
  await small.resize(480, 320, { kernel: 'cubic' }).jpeg().toFile(path);
  return path;
}

test('a film and a still are in a process what they are in a thread, byte for byte', async (t) => {
  const film = await clips.find(({ name }) => name === 'H.264, GOP 12')!.make();
  const picture = await still(join(temporaryFolder(t), 'still.jpg'));
  for (const path of [film, picture]) {
    assert.deepEqual(await prober.ask('identify', { path }), await askIdentity(path));
    assert.deepEqual(await prober.ask('probe', { path, pace: true }), await askProbe(path, undefined, true));
    const preview = { max_side: 640, quality: 80 };
    const expected = await askFrames({ path, preview });
    let seen = 0;
    const request = { path, shape: stampShape, preview, mode: 'exact' as const, from_frame: 0 };
    for await (const frame of prober.feed('frames', request, { credit: 2 })) {
      const { rgb, preview: jpeg } = expected[seen++]!;
      assert.deepEqual(pool.view(frame.picture).subarray(0, rgb.length), rgb);
      assert.deepEqual(frame.preview, jpeg);
    }
    assert.equal(seen, expected.length);
    const holder = pool.holder();
    const handle = await pool.acquire(holder);
    const slots = { slots: [handle] };
    await prober.ask('picture', { path, seconds: 1, shape: stampShape, preview, picture: handle }, slots);
    const { rgb } = await askPicture(path, 1);
    assert.deepEqual(pool.view(handle).subarray(0, rgb.length), rgb);
    pool.releaseAll(holder);
  }
  assert.equal(pool.free, pool.count);
});

test('errors name the file, as those of a thread', async (t) => {
  const path = join(temporaryFolder(t), 'text.mp4');
  await writeFile(path, 'no film');
  await assert.rejects(prober.ask('probe', { path }), (error: Error) => {
    assert.match(error.message, /text\.mp4/);
    return mediaErrors.NOT_MEDIA.is(error);
  });
});

test('files that crash the decoder or take all memory fail by name, and the others of the task are read', async (t) => {
  const folder = temporaryFolder(t);
  const names = ['a.jpg', 'crash.jpg', 'b.jpg', 'memory.jpg', 'crash again.jpg', 'c.jpg'];
  const paths = await Promise.all(names.map((name) => still(join(folder, name))));
  const ends = await Promise.allSettled(paths.map((path) => prober.ask('probe', { path })));
  const outcomes = ends.map((end, i) =>
    end.status === 'fulfilled' ? end.value.kind : end.reason.message.includes(paths[i]),
  );
  assert.deepEqual(outcomes, ['image', true, 'image', true, true, 'image']);
  const crashed = ends.filter((end) => end.status === 'rejected').map(({ reason }) => reason);
  assert.ok(engineErrors.ACTOR_CRASHED.is(crashed[0]));
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { appendFile, copyFile, mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeStill } from '../../../actors/samples/writer/still.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import {
  askFrames,
  askIdentity,
  askPicture,
  askProbe,
  frameItems,
  turnFor,
  walkCounts,
} from './ask-decoder.ts';
import { clips, tenHours } from './footage/clips.ts';

const clip = clips.find(({ name }) => name === 'H.264, GOP 250')!;
let folder = '';
let still = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'framehound-turn-'));
  still = join(folder, 'still.jpg');
  await writeStill({ path: still, width: 64, height: 48, rgb: new Uint8Array(64 * 48 * 3) });
});
after(() => rm(folder, { recursive: true, force: true }));

async function copied(name: string): Promise<string> {
  const path = join(folder, name);
  await copyFile(await clip.make(), path);
  return path;
}

test('a cancelled turn ends with CANCELLED before the next frame', async () => {
  const turn = turnFor();
  const seen: number[] = [];
  const all = (async () => {
    for await (const { frame_index } of frameItems({ path: await clip.make() }, turn)) {
      seen.push(frame_index);
      if (frame_index === 2) turn.cancel();
    }
  })();
  await assert.rejects(all, { code: 'CANCELLED' });
  assert.deepEqual(seen, [0, 1, 2]);
});

test('a still that is cancelled while it is decoded takes no slot', async () => {
  const turn = turnFor();
  let asked = 0;
  // Asked first before the decoding, then after it.
  turn.throwIfCancelled = () => {
    if (++asked === 2) throw engineErrors.CANCELLED();
  };
  turn.freeSlot = () => assert.fail('a slot was taken');
  await assert.rejects(askFrames({ path: still, preview: { max_side: 64, quality: 80 } }, turn), {
    code: 'CANCELLED',
  });
});

test('a probe that has to read a whole film can be stopped by the event loop', async () => {
  const raw = join(folder, 'raw.mjpeg');
  await writeFile(raw, Buffer.concat(Array.from({ length: 2000 }, () => readFileSync(still))));
  assert.equal((await askProbe(raw)).duration_seconds, 80);
  const turn = turnFor();
  const ended = assert.rejects(askProbe(raw, turn), { code: 'CANCELLED' });
  let asked = 0;
  const ask = turn.throwIfCancelled.bind(turn);
  turn.throwIfCancelled = () => {
    asked++;
    if (asked === 2) setImmediate(() => turn.cancel());
    ask();
  };
  await ended;
  assert.ok(asked < 1000, `asked ${asked} times`);
});

test('a consumer that stops early stops the decoding', async () => {
  const turn = turnFor();
  for await (const { frame_index } of frameItems({ path: await clip.make() }, turn)) {
    if (frame_index === 1) break;
  }
  const { read, decoded } = walkCounts(turn);
  assert.ok(read < 150, `${read} packets read`);
  assert.ok(decoded < 60, `${decoded} packets decoded`);
});

test('a file that grows, is replaced or deleted meanwhile is FILE_CHANGED', async () => {
  const changes: readonly ((path: string) => Promise<void>)[] = [
    (path) => appendFile(path, 'more'),
    (path) => unlink(path),
    async (path) => rename(await copied('other.mp4'), path),
  ];
  for (const change of changes) {
    const path = await copied('film.mp4');
    const all = (async () => {
      for await (const { frame_index } of frameItems({ path }, turnFor())) {
        if (frame_index === 1) await change(path);
      }
    })();
    await assert.rejects(all, { code: 'FILE_CHANGED', message: /film\.mp4/ });
  }
});

test('the event loop turns at least once a frame', async () => {
  let turns = 0;
  let running = true;
  const count = () => {
    turns++;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  const got = await askFrames({ path: await clip.make() });
  running = false;
  assert.ok(turns >= got.length, `${turns} turns for ${got.length} frames`);
});

test('what was opened is freed: films left half-read do not add up', async () => {
  const path = await clip.make();
  const round = async (times: number) => {
    for (let i = 0; i < times; i++) {
      for await (const _ of frameItems({ path, preview: { max_side: 640, quality: 80 } }, turnFor())) break;
      await askProbe(path);
    }
    return process.memoryUsage().rss;
  };
  const early = await round(30);
  const late = await round(60);
  assert.ok(late - early < 64 * 1024 * 1024, `${((late - early) / 2 ** 20).toFixed(0)} MiB more`);
});

test('key pictures serve every second from the key picture on', async () => {
  const open = clips.find(({ name }) => name === 'H.264, 3 B-frames with pyramid, GOP 60')!;
  const turn = turnFor();
  const got = await askFrames({ path: await open.make(), mode: 'keyframes' }, turn);
  assert.deepEqual(
    got.map(({ second }) => second),
    [0, 1, 2, 3, 4],
  );
  const times = got.map(({ seconds }) => seconds);
  assert.ok(got.every(({ second, seconds }) => seconds <= second));
  assert.deepEqual([new Set(times).size, times[1], times[3]], [3, times[0], times[2]]);
  assert.equal(walkCounts(turn).decoded, 3);
});

test('each preview lies in a buffer of its own, at most as long as asked for', async () => {
  const got = await askFrames({ path: await clip.make(), preview: { max_side: 64, quality: 60 } });
  const buffers = new Set(got.map(({ preview }) => preview!.buffer));
  assert.equal(buffers.size, got.length);
  for (const { preview } of got) assert.equal(preview!.byteLength, preview!.buffer.byteLength);
});

test('a moment far into a long film is reached without reading what lies before', async () => {
  const path = await tenHours.make();
  const { seconds, rgb } = await askPicture(path, 30_000.5);
  assert.equal(seconds, 30_000);
  assert.ok(rgb.some((level) => level > 0));
  assert.equal((await askProbe(path)).grid_frames, 36_000);
});

test('the name of a content survives renaming and tells contents apart', async () => {
  const path = await copied('one.mp4');
  const first = await askIdentity(path);
  const second = join(folder, 'other name.mp4');
  await rename(path, second);
  assert.equal((await askIdentity(second)).hash_str, first.hash_str);
  await appendFile(second, 'x');
  assert.notEqual((await askIdentity(second)).hash_str, first.hash_str);
});

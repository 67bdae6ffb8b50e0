import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FramePass } from '../../../../actors/analysis/stages/frame-pass.ts';
import type { DecoderActor } from '../../../../actors/analysis/stages/parts.ts';
import type { FrameOptions } from '../../../../actors/analysis/stages/stage.ts';
import type { TaskContext } from '../../../../actors/analysis/stages/task-context.ts';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { until } from '../../../until.ts';
import type { FakeFile } from '../fake-file.ts';
import { world } from '../fakes.ts';

const sizes = { large: 2, small: 1 } as const;
type Size = keyof typeof sizes;

function wantedOf(size: Size, more: Partial<FrameOptions> = {}): FrameOptions {
  const shape = { width: sizes[size], height: 1, fit: 'stretch', resample: 'area' } as const;
  return { shape, preview: false, credit: 3, ...more };
}

/** A decoder that counts the frames it was asked for. */
function counted(decoder: DecoderActor) {
  const fed = { frames: 0 };
  const feed = async function* (...request: Parameters<DecoderActor['feed']>) {
    for await (const frame of decoder.feed(...request)) {
      fed.frames++;
      yield frame;
    }
  };
  return { fed, reader: { feed } as unknown as DecoderActor };
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

/** A pass over one film for `works` pieces of work. */
async function pass(t: TestContext, file: Partial<FakeFile> = {}, works = 2) {
  const w = await world([{ name: 'a', frames: 12, ...file }], { decoders: 1 });
  t.after(() => w.end());
  const { pool } = w;
  const stop = new AbortController();
  const task = { parts: { pool, preview: null }, request: { decode: 'exact' }, signal: stop.signal };
  const path = w.paths[0]!;
  const { reader, fed } = counted(w.decoders[0]!);
  const one = new FramePass(task as unknown as TaskContext, path, reader, works);
  const seen: Record<Size, number[]> = { large: [], small: [] };
  /** Takes the frames of a size; `work` says what is done with each. */
  const take = async (
    size: Size,
    work: (frame: number) => Promise<void> | void = () => {},
    more: Partial<FrameOptions> = {},
  ) => {
    const subscription = one.subscription();
    try {
      for await (const { frame_index, picture } of subscription.frames(wantedOf(size, more))) {
        const [first] = pool.view(picture);
        await work(frame_index);
        assert.equal(pool.view(picture)[0], first, 'the bytes stay while the frame is borrowed');
        assert.equal(first, size === 'large' ? frame_index : frame_index + 100);
        seen[size].push(frame_index);
      }
    } finally {
      subscription.end();
    }
  };
  const free = () => until(() => pool.free === pool.count);
  return { w, stop, one, take, seen, fed, free };
}

const all = Array.from({ length: 12 }, (_, i) => i);

test('two sizes come from one decode pass, each whole and with its own bytes', async (t) => {
  const { w, take, seen, free } = await pass(t);
  await Promise.all([take('large'), take('small')]);
  assert.deepEqual(seen, { large: all, small: all });
  assert.deepEqual(w.decoded, ['a']);
  await free();
});

test('of two that want the same size each gets every frame', async (t) => {
  const { w, take, seen, free } = await pass(t);
  await Promise.all([take('small'), take('small', () => new Promise(setImmediate))]);
  assert.deepEqual(
    seen.small.toSorted((a, b) => a - b),
    all.flatMap((i) => [i, i]),
  );
  assert.deepEqual(w.decoded, ['a']);
  await free();
});

test('one that fails leaves the other whole', async (t) => {
  const { take, seen, free } = await pass(t);
  const failing = take('large', (frame) => {
    if (frame === 4) throw new Error('no more');
  });
  const ends = await Promise.allSettled([failing, take('small')]);
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
  assert.deepEqual(seen, { large: [0, 1, 2, 3], small: all });
  await free();
});

test('one that is aborted ends alone, with its reason', async (t) => {
  const { take, seen, free } = await pass(t);
  const failed = new AbortController();
  const reason = new Error('the disk is full');
  const abort = (frame: number) => {
    if (frame === 2) failed.abort(reason);
  };
  await Promise.all([
    assert.rejects(take('large', abort, { signal: failed.signal }), reason),
    take('small', () => new Promise(setImmediate)),
  ]);
  assert.deepEqual(seen.small, all);
  await free();
});

test('a slow one holds no more slots than it has credit for, and loses nothing', async (t) => {
  const { w, take, seen, free } = await pass(t, { frames: 100 });
  const gate = Promise.withResolvers<void>();
  const slow = take('small', () => gate.promise, { credit: 2 });
  const fast = take('large', () => {}, { credit: 2 });
  await until(() => seen.large.length >= 3);
  await turns(50);
  assert.ok(seen.large.length <= 4, `${seen.large.length} frames went by`);
  // The window of the feed, two pictures a frame, and what waits for the slow one.
  assert.ok(w.pool.count - w.pool.free <= 4 + 2 + 2 + 2, `${w.pool.count - w.pool.free} slots are held`);
  gate.resolve();
  await Promise.all([slow, fast]);
  assert.equal(seen.small.length, 100);
  assert.equal(seen.large.length, 100);
  await free();
});

test('when everybody has left, the film is not decoded to its end', async (t) => {
  const { take, fed, free } = await pass(t, { frames: 1000 });
  const leave = (frame: number) => {
    if (frame === 3) throw new Error('enough');
  };
  await Promise.allSettled([take('large', leave), take('small', leave)]);
  await turns(100);
  assert.ok(fed.frames < 20, `${fed.frames} frames`);
  await free();
});

test('one that wants no frames keeps nobody waiting, and when nobody does nothing is decoded', async (t) => {
  const { take, one, seen, free } = await pass(t);
  const idle = one.subscription();
  const taking = take('large');
  idle.end();
  idle.end();
  await taking;
  assert.deepEqual(seen.large, all);
  await free();
  const nobody = await pass(t);
  for (const subscription of [nobody.one.subscription(), nobody.one.subscription()]) subscription.end();
  assert.deepEqual(nobody.w.decoded, []);
});

test('a film that breaks off fails for everybody, however far they are', async (t) => {
  const { w, take, seen, free } = await pass(t, { failAt: 5, failures: 1, error: 'decode' });
  const gate = Promise.withResolvers<void>();
  const slowly = (frame: number) => (frame === 1 ? gate.promise : undefined);
  const ends = Promise.allSettled(
    (['large', 'small'] as const).map((size) => take(size, slowly, { credit: 6 })),
  );
  await until(() => w.state.files.get(w.paths[0]!)?.failures === 0);
  await turns(10);
  gate.resolve();
  for (const end of await ends)
    assert.ok(end.status === 'rejected' && mediaErrors.DECODE_FAILED.is(end.reason));
  assert.deepEqual(seen, { large: [0, 1, 2, 3, 4], small: [0, 1, 2, 3, 4] });
  await free();
});

test('a film that breaks off when everybody has left is nobody’s business', async (t) => {
  const { w, take, free } = await pass(t, { failAt: 11, error: 'decode' });
  const gate = Promise.withResolvers<void>();
  const leave = (frame: number) => {
    if (frame === 2) w.state.hold = gate.promise;
    if (frame === 4) throw new Error('enough');
  };
  const ends = Promise.allSettled([take('large', leave), take('small', leave)]);
  gate.resolve();
  assert.deepEqual(
    (await ends).map((end) => end.status === 'rejected' && (end.reason as Error).message),
    ['enough', 'enough'],
  );
  await free();
});

test('a task that is cancelled ends everybody and gives every slot back', async (t) => {
  const { stop, take, free } = await pass(t, { frames: 100_000 });
  const cancel = (frame: number) => {
    if (frame === 7) stop.abort();
  };
  const ends = await Promise.allSettled([
    take('large', cancel),
    take('small', () => new Promise(setImmediate)),
  ]);
  for (const end of ends) assert.ok(end.status === 'rejected' && engineErrors.CANCELLED.is(end.reason));
  await free();
});

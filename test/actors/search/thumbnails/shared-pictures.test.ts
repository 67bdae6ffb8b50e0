import assert from 'node:assert/strict';
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { modifiedMs } from '../../../../actors/decoder/contract.ts';
import { SharedPictures } from '../../../../actors/search/thumbnails/thumbnails.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { createLog } from '../../../../runtime/log.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { until } from '../../../until.ts';

const bytesOf = (at: number) => Uint8Array.of(0xff, 0xd8, at);
const shown = (...seconds: number[]) => seconds.map((at) => Buffer.from(bytesOf(at)).toString('base64'));

/** One pass at a time over films that were not analysed; each waits until it is let go on. */
async function setUp(t: TestContext, jpegOf: (at: number) => Uint8Array | null = bytesOf) {
  const path = join(temporaryFolder(t), 'a.mp4');
  writeFileSync(path, 'film');
  const passes: { readonly seconds: number[]; readonly signal: AbortSignal; go(): void }[] = [];
  const decoder = {
    async *feed(_: string, { seconds }: { seconds: number[] }, { signal }: { signal: AbortSignal }) {
      const gate = Promise.withResolvers<void>();
      passes.push({ seconds, signal, go: gate.resolve });
      await gate.promise;
      if (signal.aborted) throw engineErrors.CANCELLED();
      for (const [moment, at] of seconds.entries()) {
        const jpeg = jpegOf(at);
        if (jpeg) yield { moment, seconds: at, jpeg };
      }
    },
  };
  const log = createLog('test', () => {});
  const parts = { log, decoder: (use: (one: unknown) => Promise<unknown>) => use(decoder) };
  const shared = new SharedPictures(parts as never, 1);
  const ask = (
    seconds: readonly number[],
    { signal, side = 480 }: { signal?: AbortSignal; side?: number } = {},
  ) => {
    const stats = statSync(path, { bigint: true });
    const mark = { size_bytes: Number(stats.size), mtime_ms: modifiedMs(stats), inode: String(stats.ino) };
    const file = { record: null, source: path, mark };
    return shared.of({ cache_dir: '/cache', file, seconds, max_side: side }, { signal, lane: 'now' });
  };
  const begun = async (count: number) => {
    await until(() => passes.length >= count);
    assert.equal(passes.length, count);
    return passes[count - 1]!;
  };
  return { path, passes, ask, begun };
}

test('a picture that several wait for is made once, and kept for those that come later', async (t) => {
  const { ask, begun, passes } = await setUp(t);
  const first = [ask([3]), ask([3, 3])];
  const pass = await begun(1);
  first.push(ask([3]));
  pass.go();
  assert.deepEqual(await Promise.all(first), [shown(3), shown(3, 3), shown(3)]);
  assert.deepEqual(await ask([3]), shown(3));
  assert.deepEqual(
    passes.map(({ seconds }) => seconds),
    [[3]],
  );
  // Another size is another picture.
  const larger = ask([3], { side: 960 });
  (await begun(2)).go();
  assert.deepEqual(await larger, shown(3));
});

test('moments of a film that wait at the same time are one pass, in order', async (t) => {
  const { ask, begun, passes } = await setUp(t);
  const asked = [ask([5])];
  const first = await begun(1);
  asked.push(ask([9, 70]), ask([2]), ask([9]), ask([5, 8]));
  first.go();
  (await begun(2)).go();
  assert.deepEqual(await Promise.all(asked), [shown(5), shown(9, 70), shown(2), shown(9), shown(5, 8)]);
  assert.deepEqual(
    passes.map(({ seconds }) => seconds),
    [[5], [2, 8, 9, 70]],
  );
});

test('a moment without a picture is null, and looked for again', async (t) => {
  const { ask, begun } = await setUp(t, () => null);
  for (const count of [1, 2]) {
    const asked = ask([4]);
    (await begun(count)).go();
    assert.deepEqual(await asked, [null]);
  }
});

test('a file that was replaced is not answered from what was kept, nor by a pass over the earlier one', async (t) => {
  let film = 0;
  const { ask, begun, path } = await setUp(t, (at) => bytesOf(at + film));
  const before = ask([1]);
  const first = await begun(1);
  writeFileSync(path, 'another');
  const after = ask([1]);
  film = 100;
  first.go();
  assert.deepEqual(await before, shown(101), 'read while it was replaced');
  (await begun(2)).go();
  assert.deepEqual(await after, shown(101));
  assert.deepEqual(await ask([1]), shown(101));
  // The size and time of the first one again: what was read while it was replaced was not kept.
  writeFileSync(path, 'film');
  utimesSync(path, 1, 1);
  film = 0;
  const back = ask([1]);
  (await begun(3)).go();
  assert.deepEqual(await back, shown(1));
});

test('a pass goes on while somebody waits for it, and ends when nobody does', async (t) => {
  const { ask, begun } = await setUp(t);
  const [one, other] = [new AbortController(), new AbortController()];
  const leaves = ask([1, 2], { signal: one.signal });
  const first = await begun(1);
  const stays = ask([2], { signal: other.signal });
  const dropped = ask([7], { signal: one.signal });
  const kept = ask([8]);
  one.abort();
  await assert.rejects(leaves, engineErrors.CANCELLED.is);
  await assert.rejects(dropped, engineErrors.CANCELLED.is);
  assert.equal(first.signal.aborted, false);
  other.abort();
  await assert.rejects(stays, engineErrors.CANCELLED.is);
  assert.equal(first.signal.aborted, true);
  // What was given up is made anew for the next, in a pass that takes only what is still waited for.
  const again = ask([2]);
  first.go();
  const next = await begun(2);
  next.go();
  assert.deepEqual(await Promise.all([kept, again]), [shown(8), shown(2)]);
  assert.deepEqual(next.seconds, [2, 8]);
});

test('what was asked for longest ago is dropped where pictures need more room', async (t) => {
  const large = new Uint8Array(20 * 2 ** 20);
  const { ask, begun, passes } = await setUp(t, (at) => (at === 9 ? null : large));
  // A pass begins when what the one before it made is kept: 9 is never kept, and asked for to wait for that.
  const made = async (at: number) => {
    const asked = ask([at]);
    (await begun(passes.length + 1)).go();
    await asked;
  };
  for (const at of [1, 2, 9]) await made(at);
  await ask([1]);
  for (const at of [3, 9]) await made(at);
  await ask([1]);
  await ask([3]);
  assert.equal(passes.length, 5);
  await made(2);
});

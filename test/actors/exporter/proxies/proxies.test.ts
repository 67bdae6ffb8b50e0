import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { clipErrors } from '../../../../actors/decoder/clips/contract.ts';
import { type ClipWriter, partName, thisOwner, Writers } from '../../../../actors/exporter/clips/writers.ts';
import { createProxies } from '../../../../actors/exporter/proxies/proxies.ts';
import { type MediaFile, searchErrors } from '../../../../actors/search/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { createLog } from '../../../../runtime/log.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

const never = new AbortController().signal;
const film: MediaFile = {
  hash_str: 'aa-1',
  path: '/film.mxf',
  mark: { size_bytes: 10, mtime_ms: 1, inode: '1' },
  kind: 'video',
  seconds: 4,
};

/** A writer of files of so many bytes, in two steps; `before` comes before the second. */
function world(t: TestContext, { bytes = 100, mostBytes = 1000 } = {}) {
  const cache_dir = temporaryFolder(t);
  const state = { before: async () => {}, media: [film, film] as (MediaFile | Error)[], now: 1_000_000 };
  const writer: Partial<ClipWriter> = {
    async *feed(_: string, { output }: { output: string }, { signal }: { signal: AbortSignal }) {
      writeFileSync(output, Buffer.alloc(bytes));
      yield { seconds: 2, made: null };
      await state.before();
      if (signal.aborted) throw engineErrors.CANCELLED();
      yield { seconds: 4, made: { extension: 'mp4', frames: 100, width: 640, height: 360, seconds: 4 } };
    },
  } as never;
  const mediaFile = async (asked: object) => {
    const next = state.media.length > 1 ? state.media.shift()! : state.media[0]!;
    if (next instanceof Error) throw next;
    return { ...next, hash_str: 'hash_str' in asked ? String(asked.hash_str) : next.hash_str };
  };
  const log = createLog('test', () => {});
  const writers = new Writers([writer as ClipWriter]);
  const proxies = createProxies({ writers, mediaFile, mostBytes, log, now: () => state.now });
  const make = (hash_str = 'aa-1', max_side = 1280, signal = never, report = (_: number) => {}) =>
    proxies.make({ cache_dir, hash_str, max_side }, signal, report);
  const find = (hash_str = 'aa-1', max_side = 0) => proxies.find({ cache_dir, hash_str, max_side });
  const folder = join(cache_dir, 'proxies');
  const names = () => readdirSync(folder).toSorted();
  return { state, proxies, cache_dir, folder, make, find, names };
}

test('a proxy is found by content once it is whole, and a larger one takes the place of a smaller one', async (t) => {
  const { make, find, names, folder } = world(t);
  assert.equal(await find(), null);
  const told: number[] = [];
  const made = await make('aa-1', 640, never, (fraction) => told.push(fraction));
  assert.deepEqual(told, [0.5]);
  assert.deepEqual(made, {
    path: join(folder, 'aa-1.640.mp4'),
    ...{ size_bytes: 100, frames: 100, width: 640, height: 360, duration_seconds: 4 },
  });
  assert.deepEqual(await find('aa-1', 640), { path: made.path, size_bytes: 100 });
  assert.equal(await find('aa-1', 1280), null);
  assert.equal(await find('aa'), null);
  await make('aa-1', 1280);
  assert.deepEqual(names(), ['aa-1.1280.mp4']);
});

test('a cancelled proxy leaves nothing', async (t) => {
  const { state, make, find, names } = world(t);
  const stop = new AbortController();
  state.before = async () => stop.abort();
  await assert.rejects(make('aa-1', 640, stop.signal), { code: 'CANCELLED' });
  assert.deepEqual(names(), []);
  assert.equal(await find(), null);
});

test('what a killed process left is no proxy, and is gone with the next one', async (t) => {
  const { make, find, names, folder } = world(t);
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  mkdirSync(folder);
  const left = partName({ ...thisOwner(), pid }, 'abc');
  writeFileSync(join(folder, left), 'half');
  assert.equal(await find(), null);
  await make();
  assert.deepEqual(names(), ['aa-1.1280.mp4']);
});

test('of a source that is gone, forgotten or another file meanwhile there is no proxy', async (t) => {
  const { state, make, names } = world(t);
  const other = { ...film, mark: { ...film.mark, mtime_ms: 2 } };
  state.media = [film, other];
  await assert.rejects(make(), { code: 'FILE_CHANGED' });
  state.media = [film, searchErrors.MEDIA_UNKNOWN('forgotten')];
  await assert.rejects(make(), { code: 'MEDIA_UNKNOWN' });
  state.media = [searchErrors.MEDIA_GONE('unplugged')];
  await assert.rejects(make(), { code: 'MEDIA_GONE' });
  assert.deepEqual(names(), []);
});

test('a copy elsewhere is as good when the film is gone, and not when another film lies there', async (t) => {
  const { state, cache_dir, make, names } = world(t);
  const path = join(cache_dir, 'film.mxf');
  const read = { ...film, path };
  state.media = [read, film];
  await make();
  assert.deepEqual(names(), ['aa-1.1280.mp4']);
  writeFileSync(path, 'another film');
  state.media = [read, film];
  await assert.rejects(make('bb-2'), { code: 'FILE_CHANGED' });
  assert.deepEqual(names(), ['aa-1.1280.mp4']);
});

test('proxies beyond the space they may take go, those that nobody asked for since first', async (t) => {
  const { state, make, find, names, folder } = world(t, { bytes: 400, mostBytes: 1000 });
  for (const hash of ['aa-1', 'bb-2']) {
    await make(hash);
    state.now += 1000;
    await find(hash);
  }
  state.now += 1000;
  await find('aa-1');
  const { atimeMs, mtimeMs } = statSync(join(folder, 'aa-1.1280.mp4'));
  // Players tell by the time of the last change that it is the same file.
  assert.deepEqual([atimeMs, mtimeMs], [state.now, 1_000_000]);
  await make('cc-3');
  assert.deepEqual(names(), ['aa-1.1280.mp4', 'cc-3.1280.mp4']);
});

test('a proxy that was used when the clock was wrong does not outlive those that are used now', async (t) => {
  const { state, make, names } = world(t, { bytes: 400, mostBytes: 1000 });
  const right = state.now;
  state.now += 10 * 365 * 24 * 3600_000;
  await make('aa-1');
  state.now = right;
  await make('bb-2');
  state.now += 1000;
  await make('cc-3');
  assert.deepEqual(names(), ['bb-2.1280.mp4', 'cc-3.1280.mp4']);
});

test('one that is larger than all may be is kept alone', async (t) => {
  const { make, names } = world(t, { bytes: 2000, mostBytes: 1000 });
  await make('aa-1');
  await make('bb-2');
  assert.deepEqual(names(), ['bb-2.1280.mp4']);
});

test('a full disk is told of the analysis folder', async (t) => {
  const { state, make, names } = world(t);
  state.before = async () => {
    throw clipErrors.CLIP_UNWRITABLE('no space', { ffmpeg: -28 });
  };
  await assert.rejects(make(), { code: 'STORE_FULL' });
  assert.deepEqual(names(), []);
});

test('proxies of media that are forgotten are removed, and no others', async (t) => {
  const { proxies, cache_dir, make, names } = world(t);
  await make('aa-1');
  await make('aa-1-2');
  await proxies.remove(cache_dir, ['aa-1', 'dd-4']);
  assert.deepEqual(names(), ['aa-1-2.1280.mp4']);
  await proxies.remove(join(cache_dir, 'nowhere'), ['aa-1']);
});

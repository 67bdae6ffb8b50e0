import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { mediaErrors, modifiedMs } from '../../../actors/decoder/contract.ts';
import { pictureTimes } from '../../../actors/decoder/times/picture-times.ts';
import { searchErrors } from '../../../actors/search/contract.ts';
import { frameTimes } from '../../../actors/search/search.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { turnFor } from '../decoder/ask-decoder.ts';
import { clips } from '../decoder/footage/clips.ts';
import { mediaRecord } from '../index/footage.ts';
import { indexActor } from '../index/handlers.ts';

/**
 * A real index that knows a film of uneven times, and a real decoder. `read`: called before each question to
 * it.
 */
async function setUp(t: TestContext, read = () => {}) {
  const [index, root] = [await indexActor(t), temporaryFolder(t)];
  const cache_dir = join(root, 'analysis');
  const path = join(root, 'film.mp4');
  const clip = clips.find(({ name }) => name === 'uneven times with gaps, mp4')!;
  copyFileSync(await clip.make(), path);
  const stats = statSync(path, { bigint: true });
  const mark = { size_bytes: Number(stats.size), mtime_ms: modifiedMs(stats), inode: String(stats.ino) };
  const { probe } = mediaRecord('aa', path);
  await index.call('remember', { cache_dir, media: { path, identity: { hash_str: 'aa', ...mark }, probe } });
  const decoder = {
    ask: async (_: string, request: never) => {
      read();
      return pictureTimes(request, turnFor());
    },
  };
  const ref = { ask: (name: never, request: never) => index.call(name, request) };
  const ask = (start_seconds: number, end_seconds: number, named: object = { hash_str: 'aa' }) =>
    frameTimes(
      { index: ref, decoder } as never,
      { cache_dir, ...named, start_seconds, end_seconds } as never,
      { lane: 'now' },
    );
  return { path, ask, facts: clip.facts };
}

test('the frames of a film of uneven times are told as they are shown', async (t) => {
  const { path, ask, facts } = await setUp(t);
  const { frame_starts, last_frame_end, ...rest } = await ask(1, 2);
  assert.deepEqual(rest, { hash_str: 'aa', media_path: path, rate_varies: true });
  const from = facts.frames.findLastIndex(({ seconds }) => seconds <= 1);
  const expected = facts.frames.slice(from, from + frame_starts.length);
  for (const [i, { seconds }] of expected.entries())
    assert.ok(Math.abs(frame_starts[i]! - seconds) < 0.002, `${i}`);
  const next = facts.frames[from + frame_starts.length]!.seconds;
  assert.ok(next >= 2 && Math.abs(last_frame_end! - next) < 0.002);
  assert.deepEqual(await ask(1, 2, { media_path: path }), { frame_starts, last_frame_end, ...rest });
});

test('a part that is none or too long is refused by its field', async (t) => {
  const { ask } = await setUp(t);
  for (const [start, end] of [
    [2, 2],
    [2, 1],
    [0, 60.5],
  ] as const)
    await assert.rejects(ask(start, end), (error) => {
      assert.ok(searchErrors.BAD_TIME.is(error));
      assert.equal(error.details['field'], 'end_seconds');
      return true;
    });
});

test('a file that is written while it is read, or is gone, tells nothing', async (t) => {
  const { ask } = await setUp(t);
  await assert.rejects(ask(0, 1, { hash_str: 'bb' }), (error) => searchErrors.MEDIA_UNKNOWN.is(error));
  let path = '';
  const written = await setUp(t, () => appendFileSync(path, 'more'));
  path = written.path;
  await assert.rejects(
    written.ask(0, 1),
    (error) => mediaErrors.FILE_CHANGED.is(error) || searchErrors.MEDIA_GONE.is(error),
  );
  rmSync(path);
  await assert.rejects(written.ask(0, 1), (error) => searchErrors.MEDIA_GONE.is(error));
});

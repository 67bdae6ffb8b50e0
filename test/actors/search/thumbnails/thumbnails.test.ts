import assert from 'node:assert/strict';
import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import { searchErrors } from '../../../../actors/search/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import type { FakeFile } from '../../analysis/fake-file.ts';
import { world } from '../../analysis/fakes.ts';

const cache_dir = '/cache';

/**
 * The header of a JPEG of some size, with the frame it shows; the fake decoder marks what it made smaller by
 * 0x55.
 */
const stored = (frame: number, side = 640) =>
  Uint8Array.of(0xff, 0xd8, 0xff, 0xc0, 0, 8, 8, side >> 8, side & 255, side >> 8, side & 255, frame);
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const decoded = (at: number) => text(Uint8Array.of(0xff, 0xd8, at));
const smaller = (bytes: Uint8Array) => text(Uint8Array.of(...bytes, 0x55));

async function thumbnailWorld(files: readonly FakeFile[], analysed: readonly string[] = []) {
  const w = await world(files);
  const paths = w.paths.filter((path) => analysed.some((name) => path.endsWith(`/${name}`)));
  if (paths.length > 0) await w.run(new AbortController().signal, false, paths);
  w.state.decoded.length = 0;
  // As large as a source is, so that stored pictures of 640 px are smaller than it.
  for (const record of w.state.media.values()) Object.assign(record.probe, { width: 1920, height: 1080 });
  w.state.preview = (_, frame) => stored(frame);
  const ask = (requests: readonly (readonly [string, number])[], max_size = 480) =>
    w.search.thumbnails({
      cache_dir,
      requests: requests.map(([media_path, time_seconds]) => ({ media_path, time_seconds })),
      max_size,
    });
  const scene = (start_time: string, end_time: string, more: { path?: string; hash_str?: string } = {}) =>
    w.search.sceneThumbnails({
      cache_dir,
      media_path: more.path ?? w.paths[0]!,
      start_time,
      end_time,
      ...(more.hash_str !== undefined && { hash_str: more.hash_str }),
      max_size: 480,
    });
  return { ...w, ask, scene };
}

const thumbnailsOf = ({ thumbnails }: { thumbnails: { thumbnail: string | null }[] }) =>
  thumbnails.map(({ thumbnail }) => thumbnail);

test('moments of files that are not analysed are decoded in one pass a file and answered in order', async () => {
  const w = await thumbnailWorld([
    { name: 'a', frames: 9, missing: [4] },
    { name: 'b', frames: 5 },
  ]);
  const [a, b] = w.paths as [string, string];
  const got = await w.ask([
    [a, 7],
    [b, 1],
    [a, 2],
    [a, 4],
    [a, 100],
    [b, 0],
  ]);
  assert.deepEqual(thumbnailsOf(got), [decoded(7), decoded(1), decoded(2), null, null, decoded(0)]);
  assert.deepEqual(w.state.decoded.toSorted(), ['a', 'b']);
  await w.end();
});

test('stored previews are taken at the nearest second and made smaller, without touching the file', async () => {
  const w = await thumbnailWorld([{ name: 'a', frames: 9 }], ['a']);
  const [a] = w.paths as [string];
  assert.deepEqual(
    thumbnailsOf(
      await w.ask([
        [a, 3.4],
        [a, 8.9],
        [a, 9],
      ]),
    ),
    [smaller(stored(3)), smaller(stored(8)), null],
  );
  assert.deepEqual(thumbnailsOf(await w.ask([[a, 3]], 640)), [text(stored(3))]);
  assert.deepEqual(w.state.decoded, []);
  await w.end();
});

test('larger than stored is decoded, and what is stored has to do when the file is gone', async () => {
  const w = await thumbnailWorld([{ name: 'a', frames: 9 }], ['a']);
  const [a] = w.paths as [string];
  assert.deepEqual(thumbnailsOf(await w.ask([[a, 3]], 1920)), [decoded(3)]);
  rmSync(a);
  assert.deepEqual(thumbnailsOf(await w.ask([[a, 3]], 1920)), [text(stored(3))]);
  await w.end();
});

test('a file that changed since its analysis is decoded, not shown as it was', async () => {
  const w = await thumbnailWorld([{ name: 'a', frames: 9 }], ['a']);
  const [a] = w.paths as [string];
  utimesSync(a, 1, 1);
  assert.deepEqual(thumbnailsOf(await w.ask([[a, 3]])), [decoded(3)]);
  await w.end();
});

test('sound, files that are no media and files that are not there have no thumbnail; the last two are logged', async () => {
  const w = await thumbnailWorld(
    [
      { name: 'sound', frames: 9, kind: 'audio' },
      { name: 'a', frames: 2 },
    ],
    ['sound'],
  );
  const [sound, a] = w.paths as [string, string];
  const broken = w.add({ name: 'broken', frames: 1 });
  w.state.files.delete(broken);
  const gone = join(w.folder, 'gone.mp4');
  const got = await w.ask([
    [sound, 0],
    [broken, 0],
    [gone, 0],
    [a, 1],
  ]);
  assert.deepEqual(thumbnailsOf(got), [null, null, null, decoded(1)]);
  const logged = w.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['path']);
  assert.deepEqual(logged.toSorted(), [broken, gone].toSorted());
  await w.end();
});

test('a strip has one picture a second with its time, and leaves out what has none', async () => {
  const w = await thumbnailWorld([{ name: 'a', frames: 9, missing: [4] }]);
  assert.deepEqual(await w.scene('00:00:03', '00:00:06'), {
    scene_thumbnails: [
      [decoded(3), '00:00:03'],
      [decoded(5), '00:00:05'],
      [decoded(6), '00:00:06'],
    ],
  });
  assert.deepEqual(await w.scene('00:00:08', '00:10:00'), { scene_thumbnails: [[decoded(8), '00:00:08']] });
  assert.deepEqual(await w.scene('00:00:09', '00:10:00'), { scene_thumbnails: [] });
  await w.end();
});

test('a strip of a long range has exactly a hundred pictures with both ends', async () => {
  const w = await thumbnailWorld([{ name: 'a', frames: 7200 }]);
  const { scene_thumbnails: strip } = await w.scene('00:10:00', '01:10:00');
  assert.equal(strip?.length, 100);
  assert.deepEqual([strip?.[0]?.[1], strip?.[99]?.[1]], ['00:10:00', '01:10:00']);
  await w.end();
});

test('sound and stills have no strip', async () => {
  for (const kind of ['audio', 'image'] as const) {
    const w = await thumbnailWorld([{ name: 'a', frames: 1, kind }]);
    assert.deepEqual(await w.scene('00:00:00', '00:00:01'), { scene_thumbnails: null });
    await w.end();
  }
});

test('a hash answers from the store when the film has moved, and one of another film is refused', async () => {
  const w = await thumbnailWorld(
    [
      { name: 'a', frames: 9 },
      { name: 'b', frames: 9 },
    ],
    ['a', 'b'],
  );
  const [a] = w.paths as [string];
  rmSync(a);
  const elsewhere = join(w.folder, 'elsewhere');
  const one = [[smaller(stored(2)), '00:00:02']];
  const moved = { path: elsewhere, hash_str: 'a' };
  assert.deepEqual((await w.scene('00:00:02', '00:00:02', moved)).scene_thumbnails, one);
  assert.deepEqual((await w.scene('00:00:02', '00:00:02')).scene_thumbnails, one);
  const taken = { path: w.paths[1]!, hash_str: 'a' };
  assert.deepEqual((await w.scene('00:00:02', '00:00:02', taken)).scene_thumbnails, one);
  const other = { path: w.paths[1]!, hash_str: 'c' };
  await assert.rejects(w.scene('00:00:02', '00:00:02', other), searchErrors.HASH_MISMATCH.is);
  const unknown = { path: elsewhere, hash_str: 'c' };
  await assert.rejects(w.scene('00:00:02', '00:00:02', unknown), mediaErrors.FILE_NOT_FOUND.is);
  await w.end();
});

test('with a hash a moment is shown of that content alone, whatever lies at the path by now', async () => {
  const w = await thumbnailWorld(
    [
      { name: 'a', frames: 9 },
      { name: 'b', frames: 9 },
    ],
    ['a'],
  );
  const [a, b] = w.paths as [string, string];
  const of = (media_path: string, hash_str: string, max_size = 480) => {
    const requests = [
      { media_path, time_seconds: 1 },
      { media_path, time_seconds: 3, hash_str },
    ];
    return w.search.thumbnails({ cache_dir, requests, max_size });
  };
  assert.deepEqual(thumbnailsOf(await of(a, 'a')), [smaller(stored(1)), smaller(stored(3))]);
  assert.deepEqual(thumbnailsOf(await of(b, 'a')), [decoded(1), smaller(stored(3))]);
  await assert.rejects(of(b, 'c'), (error) => {
    assert.ok(searchErrors.HASH_MISMATCH.is(error));
    assert.equal(error.details['field'], 'requests[1].hash_str');
    assert.equal(error.message, `requests[1].hash_str: c is not the hash of ${b}`);
    return true;
  });
  // The same name, another film: larger than what is stored would be one of its pictures.
  utimesSync(a, 1, 1);
  w.state.files.set(a, { name: 'b', frames: 9 });
  assert.deepEqual(thumbnailsOf(await of(a, 'a', 1920)), [decoded(1), text(stored(3))]);
  // What cannot be read is not that film either.
  w.state.files.delete(a);
  assert.deepEqual(thumbnailsOf(await of(a, 'a')), [null, smaller(stored(3))]);
  // Nothing is known of it, and it is gone.
  assert.deepEqual(thumbnailsOf(await of(join(w.folder, 'gone'), 'c')), [null, null]);
  await w.end();
});

test('times that are none or end before they start are refused by name', async () => {
  const w = await thumbnailWorld([{ name: 'a', frames: 9 }]);
  for (const [start, end, field] of [
    ['1', '00:00:02', 'start_time'],
    ['00:00:01', '00:00:99', 'end_time'],
    ['00:00:03', '00:00:02', 'end_time'],
  ] as const) {
    await assert.rejects(w.scene(start, end), (error) => {
      return searchErrors.BAD_TIME.is(error) && error.details['field'] === field;
    });
  }
  await w.end();
});

test('a cancelled question ends, and so does one whose decoder is lost', async () => {
  const w = await thumbnailWorld([{ name: 'a', frames: 9 }]);
  const [media_path] = w.paths as [string];
  const request = { cache_dir, requests: [{ media_path, time_seconds: 1 }], max_size: 480 };
  await assert.rejects(w.search.thumbnails(request, AbortSignal.abort()), engineErrors.CANCELLED.is);
  w.state.files.set(media_path, { name: 'a', frames: 9, error: 'crash' });
  await assert.rejects(w.search.thumbnails(request), engineErrors.ACTOR_CRASHED.is);
  await w.end();
});

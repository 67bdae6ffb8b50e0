import assert from 'node:assert/strict';
import { appendFileSync, renameSync, rmSync } from 'node:fs';
import test from 'node:test';
import { Check } from 'typebox/value';
import { clockTime, mediaErrors } from '../../../actors/decoder/contract.ts';
import { SearchAnswer, searchErrors, TextSearch } from '../../../actors/search/contract.ts';
import { scopeErrors } from '../../../actors/search/scope/contract.ts';
import { filled } from '../../filled.ts';
import { world } from '../analysis/fakes.ts';

const { query: _, ...common } = filled(TextSearch, { cache_dir: '/cache', query: 'four', max_results: 5 });

/** Films of three seconds, analysed and loaded. */
async function analysed(...names: string[]) {
  const w = await world(names.map((name) => ({ name, frames: 3 })));
  await w.run();
  await w.open();
  return w;
}

test('times of the grid are written as hours, minutes and seconds', () => {
  for (const [seconds, text] of [
    [0, '00:00:00'],
    [59, '00:00:59'],
    [3_661, '01:01:01'],
    [359_999, '99:59:59'],
    [360_000, '100:00:00'],
  ] as const) {
    assert.equal(clockTime(seconds), text);
  }
});

test('a match has all the fields of the contract, and its preview', async () => {
  const w = await analysed('a');
  const answer = await w.search.text({ ...common, query: 'four xyzzy' });
  assert.ok(Check(SearchAnswer, answer));
  assert.deepEqual(answer.matches, [
    {
      frame_idx: '10',
      timestamp: '00:00:10',
      image: Buffer.from([1, 2, 3]).toString('base64'),
      scene_start_timestamp: '00:00:00',
      scene_end_timestamp: '01:01:00',
      original_index: 0,
      hash_str: 'a',
      video_path: w.paths[0],
    },
  ]);
  assert.match(answer.toast_warning ?? '', /xyzzy/);
  await w.end();
});

test('a search is limited to the files and the ranges it names, and tells which are not analysed', async () => {
  const w = await analysed('a', 'b');
  const [a, b] = w.paths as [string, string];
  const found = await w.search.text({ ...common, query: 'x', media_paths: [b, '/gone'] });
  assert.deepEqual(
    found.matches.map(({ video_path }) => video_path),
    [b],
  );
  assert.match(found.toast_warning ?? '', /\/gone/);
  const segments_to_frame_indices = { [a]: [[2, 3] as [number, number]] };
  const ranged = await w.search.text({ ...common, query: 'x', segments_to_frame_indices });
  assert.deepEqual(
    ranged.matches.map(({ video_path, frame_idx }) => [video_path, frame_idx]),
    [[a, '2']],
  );
  await assert.rejects(
    w.search.text({ ...common, query: 'x', segments_to_frame_indices: { '/gone': [[0, 1]] } }),
    scopeErrors.UNKNOWN_MEDIA.is,
  );
  await w.end();
});

test('a frame search takes the stored vector on the grid and decodes the picture off it', async () => {
  const w = await analysed('a');
  const request = { ...common, media_path: w.paths[0]! };
  assert.equal((await w.search.frame({ ...request, time_seconds: 1 })).matches[0]?.frame_idx, '77');
  assert.equal((await w.search.frame({ ...request, time_seconds: 2 })).matches[0]?.frame_idx, '2');
  await assert.rejects(w.search.frame({ ...request, time_seconds: 3 }), searchErrors.TIME_OUTSIDE.is);
  const image = { ...common, image_path: w.paths[0]! };
  assert.equal((await w.search.image(image)).matches[0]?.frame_idx, '0');
  assert.equal(w.pool.free, w.pool.count);
  await w.end();
});

test('a picture is asked for as it is and mirrored, a stored one by its preview, and words are not', async () => {
  const w = await analysed('a');
  const image = { ...common, query: 'red on the left', image_path: w.paths[0]! };
  await w.search.image(image);
  assert.deepEqual(w.state.readings, [0, 1, 0, -1]);
  w.state.barred.add(w.paths[0]!);
  await w.search.image(image);
  assert.deepEqual(w.state.readings, [0, 1, 0, -1, 0, 1, 0, -1], 'with its bars as well');
  const frame = { ...common, media_path: w.paths[0]!, time_seconds: 1 };
  w.state.preview = (_hash, second) => Uint8Array.of(0xff, 0xd8, second);
  await w.search.frame(frame);
  assert.deepEqual(w.state.readings, [77, 0, 1, -1]);
  assert.deepEqual(w.state.decoded, ['a', 'stored 1'], 'the film is not opened');
  w.state.preview = () => Uint8Array.of(1);
  await w.search.frame(frame);
  assert.deepEqual(w.state.readings, [77, 0], 'a preview that cannot be read');
  w.state.preview = () => null;
  await w.search.frame(frame);
  assert.deepEqual(w.state.readings, [77, 0]);
  await w.search.text({ ...common, query: 'red on the left' });
  assert.deepEqual(w.state.readings, []);
  assert.equal(w.pool.free, w.pool.count);
  await w.end();
});

test('of a film that is gone the nearest stored second stands for a moment between two, and it is said', async () => {
  const w = await analysed('a');
  const [a] = w.paths as [string];
  rmSync(a);
  const request = { ...common, media_path: a, media_paths: [a] };
  for (const time_seconds of [0.6, 1, 1.4]) {
    const { matches, toast_warning } = await w.search.frame({ ...request, time_seconds });
    assert.equal(matches[0]?.frame_idx, '77', `${time_seconds}`);
    assert.match(toast_warning ?? '', /File not found at its known path/);
  }
  const unknown = { ...request, media_path: `${a}2`, time_seconds: 1.4 };
  await assert.rejects(w.search.frame(unknown), mediaErrors.FILE_NOT_FOUND.is);
  await assert.rejects(w.search.frame({ ...request, time_seconds: 2.4 }), mediaErrors.FILE_NOT_FOUND.is);
  await w.end();
});

test('a film that was written anew is told, its old frames are not shown, and its picture is decoded', async () => {
  const w = await analysed('a', 'b');
  const [a, b] = w.paths as [string, string];
  appendFileSync(a, 'more');
  const found = await w.search.text({ ...common, query: 'x', max_results: 1 });
  assert.deepEqual(
    found.matches.map(({ video_path, original_index }) => [video_path, original_index]),
    [[b, 0]],
  );
  assert.ok(found.toast_warning?.includes(`Changed since it was analysed; analyse it again: ${a}`));
  // 77 is what the stored vector says.
  const frame = { ...common, media_path: a, time_seconds: 1 };
  assert.equal((await w.search.frame(frame)).matches[0]?.frame_idx, '1');
  await w.end();
});

test('of copies the one whose range holds the match is answered', async () => {
  const w = await world([
    { name: 'a', frames: 3, content: 'same' },
    { name: 'b', frames: 3, content: 'same' },
  ]);
  await w.run();
  await w.open();
  for (const path of w.paths) {
    const segments_to_frame_indices = { [path]: [[1, 2] as [number, number]] };
    const { matches } = await w.search.text({ ...common, query: 'x', segments_to_frame_indices });
    assert.deepEqual(new Set(matches.map(({ video_path }) => video_path)), new Set([path]));
  }
  await w.end();
});

test('a renamed file is found by its new name at once, and loaded by it', async () => {
  const w = await analysed('a', 'b');
  const [a, b] = w.paths as [string, string];
  const moved = `${a}-moved`;
  renameSync(a, moved);
  w.state.files.set(moved, { name: 'a', frames: 3 });
  const unknown = w.add({ name: 'unknown', frames: 3 });
  const found = await w.search.text({ ...common, query: 'x', media_paths: [moved, b, unknown] });
  assert.deepEqual(
    found.matches.map(({ video_path }) => video_path),
    [moved, b],
  );
  assert.equal(found.toast_warning, `Not analysed yet: ${unknown}`);
  const segments_to_frame_indices = { [moved]: [[1, 2] as [number, number]] };
  const ranged = await w.search.text({ ...common, query: 'x', segments_to_frame_indices });
  assert.deepEqual(
    ranged.matches.map(({ video_path }) => video_path),
    [moved],
  );
  assert.deepEqual((await w.search.loadMedia('/cache', [moved, unknown])).missing, [unknown]);
  await w.end();
});

test('an empty query and an exclude without a query are refused by name', async () => {
  const w = await world([]);
  await w.open();
  await assert.rejects(w.search.text({ ...common, query: '  ' }), searchErrors.QUERY_EMPTY.is);
  const image = { ...common, image_path: '/x', exclude: ['blue'] };
  await assert.rejects(w.search.image(image), searchErrors.EXCLUDE_WITHOUT_QUERY.is);
  await w.end();
});

test('a query of which nothing is understood finds nothing and says so', async () => {
  const w = await analysed('a');
  const answer = await w.search.text({ ...common, query: 'xyzzy' });
  assert.deepEqual(answer.matches, []);
  assert.match(answer.toast_warning ?? '', /xyzzy/);
  const image = { ...common, query: 'xyzzy', image_path: w.paths[0]! };
  assert.equal((await w.search.image(image)).matches.length, 1);
  await w.end();
});

test('an index that came back with nothing loaded is given the folder again', async () => {
  const w = await analysed('a');
  w.state.unloaded = true;
  assert.equal((await w.search.text({ ...common, query: 'four' })).matches.length, 1);
  assert.equal(w.state.unloaded, false);
  await w.end();
});

test('filters reach the index with the search, and their own scope narrows it', async () => {
  const w = await analysed('a', 'b');
  const [a, b] = w.paths as [string, string];
  const scope = { mode: 'paths', media_type: 'any', media_paths: [b], hash_strs: [] as string[] } as const;
  const filters = [{ facet_id: 'technical.hdr', operator: 'is_any_of' as const, values: ['sdr'] }];
  const found = async (more: Partial<typeof common> & object, filter: object | null) => {
    const metadata_filter_request = filter as TextSearch['metadata_filter_request'];
    const { matches } = await w.search.text({ ...common, ...more, query: 'x', metadata_filter_request });
    return matches.map(({ video_path }) => video_path);
  };
  assert.deepEqual(await found({}, { scope, filters }), [b]);
  assert.deepEqual(await found({ media_paths: [a] }, { scope, filters }), []);
  assert.deepEqual(await found({ media_paths: [a] }, { filters }), [a]);
  assert.deepEqual(await found({ media_paths: [a], search_all: true }, { filters }), [a, b]);
  assert.deepEqual(await found({}, { scope, filters: [] }), [b]);
  const speech = { ...scope, mode: 'global', media_type: 'speech' };
  assert.deepEqual(await found({}, { scope: speech, filters }), []);
  await w.end();
});

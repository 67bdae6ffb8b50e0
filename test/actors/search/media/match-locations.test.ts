import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Identities, type LocationParts } from '../../../../actors/search/media/location.ts';
import { copiesIn, locateMatches } from '../../../../actors/search/media/match-locations.ts';
import { world } from '../../analysis/fakes.ts';

/** Files that are analysed, and where the matches in them are found to lie. */
async function located(names: readonly string[], content?: string) {
  const w = await world(names.map((name) => ({ name, frames: 1, ...(content ? { content } : {}) })));
  await w.run();
  const { index, prober } = w;
  const parts: LocationParts = { index, identities: new Identities(prober, index) };
  type Asked = Readonly<Record<string, readonly string[]>>;
  const found = (request: Asked = {}, of: readonly string[] = w.paths) => {
    const matches = of.map((path) => ({ hash_str: w.state.media.get(path)!.identity.hash_str, path }));
    return locateMatches(parts, '/cache', matches, ({ path }) => request[path] ?? [], {});
  };
  const locate = async (...request: Parameters<typeof found>) => {
    const { shown, gone, changed } = await found(...request);
    return { shown: shown.map(({ path }) => path), gone, changed };
  };
  return { ...w, found, locate };
}

test('a match is shown where it lies: as named, where a copy is, or told to be gone', async () => {
  const w = await located(['a', 'b'], 'same');
  const [a, b] = w.paths as [string, string];
  assert.deepEqual(await w.locate({ [a]: [a] }, [a]), { shown: [a], gone: [], changed: [] });
  // Two copies that are named: the first that is there.
  assert.deepEqual((await w.locate({ [a]: [b, a] }, [a])).shown, [b]);
  rmSync(b);
  assert.deepEqual((await w.locate({ [a]: [b, a] }, [a])).shown, [a]);
  assert.deepEqual(await w.locate({}, [b]), { shown: [a], gone: [], changed: [] });
  assert.deepEqual(await w.locate({ [b]: [b] }, [b]), { shown: [a], gone: [], changed: [] });
  // A folder in the place of a file is not that file.
  mkdirSync(b);
  assert.deepEqual(await w.locate({}, [b]), { shown: [a], gone: [], changed: [] });
  rmSync(a);
  assert.deepEqual(await w.locate({}, [b]), { shown: [b], gone: [b], changed: [] });
  await w.end();
});

test('a match names the other files with its content that are there, and none where there is one', async () => {
  const w = await located(['a', 'b', 'c'], 'same');
  const [a, b, c] = w.paths as [string, string, string];
  const others = async (asked: string) => {
    const found = await w.found({ [a]: [asked] }, [a]);
    return found.shown.map((one) => one.others);
  };
  assert.deepEqual(await others(b), [[a, c]]);
  rmSync(a);
  assert.deepEqual(await others(b), [[c]]);
  assert.deepEqual(await others(a), [[c]]);
  rmSync(c);
  assert.deepEqual(await others(b), [[]]);
  assert.deepEqual(copiesIn({ others: [] }), {});
  await w.end();
});

test('of two copies a search that names none shows the one that was analysed last', async () => {
  const w = await located(['a', 'b'], 'same');
  const [a, b] = w.paths as [string, string];
  const media = w.state.media;
  for (const again of [a, b, a]) {
    // What is loaded still has the path of the first analysis.
    const record = media.get(again)!;
    media.delete(again);
    await w.index.ask('remember', { cache_dir: '/cache', media: record }, {});
    for (const loaded of [a, b]) assert.deepEqual((await w.locate({}, [loaded])).shown, [again]);
  }
  await w.end();
});

test('what was written anew under its path is not shown but told; the next analysis takes its place', async () => {
  const w = await located(['a', 'b']);
  const [a, b] = w.paths as [string, string];
  appendFileSync(a, 'more');
  assert.deepEqual(await w.locate(), { shown: [b], gone: [], changed: [a] });
  w.state.files.set(a, { name: 'new', frames: 1 });
  const old = { hash_str: 'a', path: a };
  await w.run();
  const parts = { index: w.index, identities: new Identities(w.prober, w.index) };
  const found = await locateMatches(parts, '/cache', [old], () => [], {});
  assert.deepEqual(found, { shown: [], gone: [], changed: [] });
  assert.deepEqual(await w.locate(), { shown: [a, b], gone: [], changed: [] });
  await w.end();
});

test('a file of the same size and another time is read: touched it is the same, written it is not', async () => {
  const w = await located(['a', 'b', 'c']);
  const [a, b] = w.paths as [string, string];
  // A clock may also go back.
  utimesSync(a, 1, 1);
  writeFileSync(b, 'x');
  utimesSync(b, 2, 2);
  w.state.files.set(b, { name: 'x', frames: 1 });
  const { shown, changed } = await w.locate();
  assert.deepEqual([shown, changed], [[a, w.paths[2]], [b]]);
  await w.end();
});

test('of a named file that is another one now, a copy elsewhere is not shown in its place', async () => {
  const w = await located(['a', 'b'], 'same');
  const [a, b] = w.paths as [string, string];
  appendFileSync(a, 'more');
  assert.deepEqual(await w.locate({ [a]: [a] }, [a]), { shown: [], gone: [], changed: [a] });
  // One that was not named is shown where its content still lies.
  assert.deepEqual(await w.locate({}, [a]), { shown: [b], gone: [], changed: [] });
  await w.end();
});

test('while a drive is away its matches are shown and told, and are there again with it', async () => {
  const w = await located(['a']);
  const drive = dirname(w.paths[0]!);
  const away = `${drive}-away`;
  renameSync(drive, away);
  assert.deepEqual(await w.locate(), { shown: w.paths, gone: w.paths, changed: [] });
  renameSync(away, drive);
  assert.deepEqual(await w.locate(), { shown: [join(drive, 'a')], gone: [], changed: [] });
  await w.end();
});

const cache_dir = '/cache';

test('cache paths are those of the content, found by path, by another name of it, or by hash', async () => {
  const w = await world([
    { name: 'a', frames: 2, content: 'aa' },
    { name: 'b', frames: 2 },
  ]);
  const [a, b] = w.paths as [string, string];
  await w.run(new AbortController().signal, false, [a]);
  const copy = w.add({ name: 'copy', frames: 2, content: 'aa' });
  const here = { visual_cache_path: '/cache/vectors', audio_cache_path: null };
  const nowhere = { visual_cache_path: null, audio_cache_path: null };
  for (const [request, answer] of [
    [{ media_path: a }, here],
    [{ media_path: copy }, here],
    [{ hash_str: 'aa' }, here],
    [{ media_path: b }, nowhere],
    [{ media_path: join(w.folder, 'gone') }, nowhere],
    [{ hash_str: 'bb' }, nowhere],
  ] as const) {
    assert.deepEqual(await w.search.cachePaths({ cache_dir, ...request }), answer);
  }
  w.state.transcribed.add('aa');
  const both = { visual_cache_path: '/cache/vectors', audio_cache_path: '/cache' };
  assert.deepEqual(await w.search.cachePaths({ cache_dir, media_path: a }), both);
  await w.end();
});

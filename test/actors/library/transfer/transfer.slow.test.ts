import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { type RootRecord, rootsText } from '../../../../actors/index/store/roots-file.ts';
import {
  type LibraryTransfer,
  type Manifest,
  manifestFile,
  transferErrors,
} from '../../../../actors/library/transfer/contract.ts';
import { exportLibrary } from '../../../../actors/library/transfer/export.ts';
import { importLibrary } from '../../../../actors/library/transfer/import.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord } from '../../index/footage.ts';
import { countsOf, type Harness, indexActor, someFootage, store } from '../../index/handlers.ts';
import { cluster, people, storeFaces } from '../../index/people/faces.ts';
import { summarise } from '../../index/summaries/trees.ts';

const films = ['aa', 'bb', 'cc'];

const mark = {
  model_key: 'm',
  language: null,
  spoken: 'en',
  channels: null,
  detect_speakers: true,
  speaker_count: 'auto',
};

/** An analysis folder with pictures and people, and a folder to carry it in. */
async function setUp(t: TestContext) {
  const base = temporaryFolder(t);
  const at = (...names: string[]) => join(base, ...names);
  const cacheDir = at('analysis');
  const index = await indexActor(t);
  for (const [i, hash] of films.entries()) {
    await store(index, cacheDir, hash, someFootage(20, i + 1));
    await storeFaces(index, cacheDir, hash, [[1], [1, 2], [2]]);
  }
  await cluster(index, cacheDir, films);
  const segments = [{ start_seconds: 0, end_seconds: 1, text: ' hello', speaker: 'SPEAKER_00' }];
  await index.call('transcribe', { cache_dir: cacheDir, media: mediaRecord('cc'), mark, segments });
  await summarise(index, cacheDir, 'cc', { collection: { name: 'All', description: '' } });
  const { signal } = new AbortController();
  const of = (more: Partial<LibraryTransfer> = {}): LibraryTransfer => {
    const places = { cacheDir, folder: at('carried'), home: at('home'), roots: at('home', 'roots.json') };
    return { ...places, progress: () => {}, signal, ...more };
  };
  const taken = { cacheDir: at('taken') };
  return { at, cacheDir, index, of, taken };
}

/** Everything that a folder answers of its media and people. */
async function answers(index: Harness, cache_dir: string) {
  const { media } = await index.call('held_media', { cache_dir, under: null, offset: 0, limit: 100 });
  const frames = films.map((hash_str) => ({ hash_str, frame_index: 3 }));
  const { previews } = await index.call('previews', { cache_dir, frames });
  const loading = { cache_dir, model_key: 'model', hashes: null };
  await index.load(loading);
  const picture = someFootage(20, 2).slice(0, 32);
  const scope = { hashes: null, ranges: {}, filters: [] };
  const request = { cache_dir, model_key: 'model', text: null, picture, text_weight: 1, exclude: null };
  const { matches } = await index.call('search', { ...request, scope, max_results: 50 });
  return { media, previews, matches, people: await people(index, cache_dir) };
}

const failsWith = (code: keyof typeof transferErrors, words: RegExp) => (error: Error) =>
  transferErrors[code].is(error) && words.test(error.message);

const manifestIn = (path: string) => JSON.parse(readFileSync(join(path, manifestFile), 'utf8')) as Manifest;

test('a library that is exported and imported answers as before, with its people', async (t) => {
  const { cacheDir, index, of, taken } = await setUp(t);
  const { files, missing } = await exportLibrary(of());
  assert.deepEqual(missing, []);
  const kinds = new Set(files.map(({ path }) => path.replace(/.*\./, '')));
  assert.deepEqual([...kinds].sort(), ['columns', 'faces', 'mdb', 'previews', 'vectors']);
  await importLibrary(of(taken));
  assert.deepEqual(await answers(index, taken.cacheDir), await answers(index, cacheDir));
  // What is carried is a library like any other: it is written on.
  await store(index, taken.cacheDir, 'dd', someFootage(5, 9));
});

test('a library is exported while it is written, without who writes it', async (t) => {
  const { cacheDir, index, of, taken } = await setUp(t);
  const begin = { cache_dir: cacheDir, hash_str: 'dd', model_key: 'model', dimensions: 32 };
  const { stage } = await index.call('begin', begin);
  await exportLibrary(of());
  await importLibrary(of(taken));
  await index.call('abort', { stage });
  await index.close();
  const other = await indexActor(t);
  await store(other, taken.cacheDir, 'dd', someFootage(5, 9));
});

test('a bundle that is replaced while it is copied is copied anew', async (t) => {
  const { cacheDir, index, of, taken } = await setUp(t);
  let replaced: Promise<void> | null = null;
  const { missing } = await exportLibrary(
    of({
      progress: () => {
        replaced ??= store(index, cacheDir, 'cc', someFootage(30, 7));
      },
    }),
  );
  await replaced;
  assert.deepEqual(missing, []);
  await importLibrary(of(taken));
  const { media } = await answers(index, taken.cacheDir);
  assert.ok([20, 30].includes(countsOf(media[2]!, 'video')[0]!));
  assert.deepEqual(
    media.map(({ unreadable }) => unreadable),
    [[], [], []],
  );
});

test('an export that is cut short is no library, and goes on with what is whole', async (t) => {
  const { at, of, taken } = await setUp(t);
  const stop = new AbortController();
  let steps = 0;
  const cut = of({ signal: stop.signal, progress: () => ++steps === 4 && stop.abort() });
  await assert.rejects(exportLibrary(cut));
  assert.ok(!existsSync(at('carried', manifestFile)));
  await assert.rejects(importLibrary(of(taken)), failsWith('INCOMPLETE', /has not ended/));
  const whole = readdirSync(at('carried'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(vectors|previews|faces|columns)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  assert.ok(whole.length >= 3);
  const times = whole.map((path) => statSync(path, { bigint: true }).mtimeNs);
  await exportLibrary(of());
  assert.deepEqual(
    whole.map((path) => statSync(path, { bigint: true }).mtimeNs),
    times,
  );
  await importLibrary(of(taken));
});

test('a later export to the same folder brings what is new, and drops what is gone', async (t) => {
  const { at, cacheDir, index, of } = await setUp(t);
  await exportLibrary(of());
  await index.call('remove_media', { cache_dir: cacheDir, hashes: ['aa'] });
  await store(index, cacheDir, 'dd', someFootage(5, 9));
  await exportLibrary(of());
  const { files } = manifestIn(at('carried'));
  const lying = readdirSync(at('carried'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== manifestFile)
    .map((entry) => join(entry.parentPath, entry.name).slice(at('carried').length + 1));
  assert.deepEqual(lying.sort(), files.map(({ path }) => path).sort());
  assert.ok(
    files.some(({ path }) => path.includes('/dd.')) && !files.some(({ path }) => path.includes('/aa.')),
  );
});

test('a copy that was damaged since is copied anew, also where its size is the same', async (t) => {
  const { at, cacheDir, index, of, taken } = await setUp(t);
  const { files } = await exportLibrary(of());
  const damaged = at('carried', files.find(({ path }) => path.startsWith('previews/'))!.path);
  const bytes = readFileSync(damaged);
  bytes[bytes.length - 5]! ^= 1;
  writeFileSync(damaged, bytes);
  await exportLibrary(of());
  await importLibrary(of(taken));
  assert.deepEqual(await answers(index, taken.cacheDir), await answers(index, cacheDir));
});

test('a folder takes one library at a time', async (t) => {
  const { of, taken } = await setUp(t);
  let second: Promise<unknown> | null = null;
  const inUse = failsWith('FOLDER_TAKEN', /Process \d+ on .* is already copying a library to /);
  await exportLibrary(
    of({
      progress: () => {
        second ??= assert.rejects(exportLibrary(of()), inUse);
      },
    }),
  );
  await second;
  second = null;
  await importLibrary(
    of({
      ...taken,
      progress: () => {
        second ??= assert.rejects(importLibrary(of(taken)), inUse);
      },
    }),
  );
  await second;
});

test('a bundle that was lost is named, and its media count as not analysed after the import', async (t) => {
  const { cacheDir, index, of, taken } = await setUp(t);
  const vectors = join(cacheDir, 'vectors', 'm-model', 'bb');
  rmSync(vectors, { recursive: true });
  const { missing } = await exportLibrary(of());
  assert.match(missing.join(), /^vectors\/m-model\/bb\/bb\.[^,]+$/);
  await importLibrary(of(taken));
  const report = await index.load({ cache_dir: taken.cacheDir, model_key: 'model', hashes: null });
  assert.equal(report.media, 2);
});

test('damaged and missing files are named together, nothing counts, and the next import goes on', async (t) => {
  const { at, cacheDir, index, of, taken } = await setUp(t);
  await exportLibrary(of());
  const { files } = manifestIn(at('carried'));
  const [first, second] = files.filter(({ path }) => path.startsWith('previews/'));
  cpSync(at('carried'), at('good'), { recursive: true });
  const bytes = readFileSync(at('carried', first!.path));
  bytes[bytes.length - 5]! ^= 1;
  writeFileSync(at('carried', first!.path), bytes);
  rmSync(at('carried', second!.path));
  const named = new RegExp(`${first!.path}, ${second!.path}\\. `);
  await assert.rejects(importLibrary(of(taken)), failsWith('LIBRARY_DAMAGED', named));
  assert.ok(!existsSync(join(taken.cacheDir, 'records.mdb')));
  await importLibrary(of({ ...taken, folder: at('good') }));
  assert.deepEqual(await answers(index, taken.cacheDir), await answers(index, cacheDir));
});

test('what is there already is never written over', async (t) => {
  const { at, cacheDir, of, taken } = await setUp(t);
  mkdirSync(at('other'));
  writeFileSync(at('other', 'film.mp4'), '');
  const other = of({ folder: at('other') });
  await assert.rejects(exportLibrary(other), failsWith('FOLDER_TAKEN', /holds other files/));
  await assert.rejects(importLibrary(other), failsWith('NO_LIBRARY', /no exported library/));
  const inside = of({ folder: join(cacheDir, 'carried') });
  await assert.rejects(exportLibrary(inside), failsWith('FOLDER_TAKEN', /is in .*analysis/));
  const nothing = of({ cacheDir: at('none') });
  await assert.rejects(exportLibrary(nothing), failsWith('NO_LIBRARY', /holds no analysis/));
  await exportLibrary(of());
  await importLibrary(of(taken));
});

test('a list of files names nothing outside its folder, and one of a newer program is refused', async (t) => {
  const { at, of, taken } = await setUp(t);
  await exportLibrary(of());
  const manifest = manifestIn(at('carried'));
  const tried = (changed: object) => {
    writeFileSync(at('carried', manifestFile), JSON.stringify({ ...manifest, ...changed }));
    return importLibrary(of(taken));
  };
  for (const path of ['../records.mdb', '/etc/passwd', 'a/../../b', 'C:\\b', '']) {
    const files = [...manifest.files, { path, bytes: 1, sha256: '0'.repeat(64) }];
    await assert.rejects(tried({ files }), failsWith('LIBRARY_DAMAGED', /not the list/), path);
  }
  await assert.rejects(tried({ files: [] }), failsWith('LIBRARY_DAMAGED', /names no records/));
  await assert.rejects(tried({ version: 2 }), /newer version/);
  await assert.rejects(tried({ format: manifest.format + 1 }), /newer version/);
  await assert.rejects(tried({ format: manifest.format - 1 }), /older version/);
});

test('the roots of a library come along, also those that nothing was stored by yet', async (t) => {
  const { at, of, taken } = await setUp(t);
  const root = (place: string): RootRecord => {
    return { name: 'films', folder: place, origin: place, volume: null, removed: false };
  };
  mkdirSync(at('home'));
  writeFileSync(at('home', 'roots.json'), rootsText([root('/footage')]));
  const { roots } = await exportLibrary(of());
  assert.deepEqual(roots, [{ name: 'films', stored_as: '/footage' }]);
  await importLibrary(of(taken));
  writeFileSync(at('there.json'), rootsText([root('/data')]));
  const there = await indexActor(t, { rootsFile: at('there.json') });
  const { media } = await answers(there, taken.cacheDir);
  assert.deepEqual(
    media.map(({ path }) => path),
    films.map((hash) => `/data/${hash}.mp4`),
  );
});

/** A second library: `bb` is in both, `dd` and the clustering `other` in this one alone. */
async function second(t: TestContext, cacheDir: string) {
  const index = await indexActor(t);
  await store(index, cacheDir, 'bb', someFootage(20, 2));
  await store(index, cacheDir, 'dd', someFootage(20, 4));
  await storeFaces(index, cacheDir, 'bb', [[3], [3]]);
  await storeFaces(index, cacheDir, 'dd', [[3], [3, 2]]);
  await cluster(index, cacheDir, ['bb', 'dd']);
  await cluster(index, cacheDir, ['dd'], {}, 'other');
  return index;
}

test('a library joins what is there: nothing is doubled or changed, and the rest comes whole', async (t) => {
  const { at, cacheDir, index, of } = await setUp(t);
  const there = at('there');
  const other = await second(t, there);
  const before = await people(other, there);
  await exportLibrary(of());
  const { merged } = await importLibrary(of({ cacheDir: there }));
  assert.deepEqual(merged, { imported: 2, known: 1, different: [], clusterings: ['job'] });
  const page = { cache_dir: there, under: null, offset: 0, limit: 100 };
  const { media } = await other.call('held_media', page);
  assert.deepEqual(
    media.map((one) => [one.hash_str, ...countsOf(one, 'video'), ...countsOf(one, 'faces')]),
    [
      ['aa', 20, 4],
      ['bb', 20, 2],
      ['cc', 20, 4],
      ['dd', 20, 3],
    ],
  );
  assert.deepEqual([countsOf(media[2]!, 'speech'), countsOf(media[2]!, 'summary').length], [[1], 1]);
  assert.deepEqual(await people(other, there), before);
  const models = await other.call('held_models', { cache_dir: there });
  assert.equal(models.models[0]?.rows, 80);
  const loaded = await other.load({ cache_dir: there, model_key: 'model', hashes: null });
  assert.equal(loaded.media, 4);
  const all = ['aa', 'bb', 'cc', 'dd'];
  const frames = ['aa', 'cc'].map((hash_str) => ({ hash_str, frame_index: 3 }));
  const shown = await other.call('previews', { cache_dir: there, frames });
  assert.deepEqual(shown, await index.call('previews', { cache_dir: cacheDir, frames }));
  // Their faces are there with the others: they can be clustered, found again and removed.
  await cluster(other, there, all, {}, 'together');
  const { clusters } = await people(other, there, 'together');
  assert.equal(
    clusters.reduce((sum, { shown }) => sum + shown.length, 0),
    13,
  );
  await other.call('remove_media', { cache_dir: there, hashes: all });
  assert.equal((await other.call('held_media', page)).total, 0);
  assert.deepEqual(
    readdirSync(there).filter((name) => name.startsWith('import-')),
    [],
  );
});

test('a library that joins is whole or not there, and the same import goes on', async (t) => {
  const { at, of } = await setUp(t);
  const there = at('there');
  const other = await second(t, there);
  await exportLibrary(of());
  const begin = { cache_dir: there, hash_str: 'ee', model_key: 'model', dimensions: 32 };
  const count = async () => {
    const page = { cache_dir: there, under: null, offset: 0, limit: 100 };
    return (await other.call('held_media', page)).total;
  };
  const stop = new AbortController();
  let steps = 0;
  const cut = of({ cacheDir: there, signal: stop.signal, progress: () => ++steps === 4 && stop.abort() });
  await assert.rejects(importLibrary(cut));
  assert.equal(await count(), 2);
  const { stage } = await other.call('begin', begin);
  await other.call('abort', { stage });
  await importLibrary(of({ cacheDir: there }));
  const { merged } = await importLibrary(of({ cacheDir: there }));
  assert.deepEqual([await count(), merged?.imported, merged?.known], [4, 0, 3]);
});

test('media of a library that joins are stored by the roots of the folder that they come to', async (t) => {
  const { at, index, cacheDir, of } = await setUp(t);
  const root = (folder: string): RootRecord => {
    return { name: 'films', folder, origin: folder, volume: null, removed: false };
  };
  mkdirSync(at('home'));
  writeFileSync(at('home', 'roots.json'), rootsText([root('/footage')]));
  await exportLibrary(of());
  await index.call('held_media', { cache_dir: cacheDir, under: null, offset: 0, limit: 1 });
  writeFileSync(at('there.json'), rootsText([root('/data')]));
  const there = await indexActor(t, { rootsFile: at('there.json') });
  const taken = at('there');
  await there.call('remember', { cache_dir: taken, media: mediaRecord('dd', '/data/dd.mp4') });
  await importLibrary(of({ cacheDir: taken }));
  const paths = async () => {
    const page = { cache_dir: taken, under: null, offset: 0, limit: 100 };
    return (await there.call('held_media', page)).media.map(({ path }) => path);
  };
  assert.deepEqual(
    await paths(),
    ['aa', 'bb', 'cc', 'dd'].map((hash) => `/data/${hash}.mp4`),
  );
  writeFileSync(at('there.json'), rootsText([{ ...root('/data'), folder: '/elsewhere' }]));
  assert.deepEqual(
    await paths(),
    ['aa', 'bb', 'cc', 'dd'].map((hash) => `/elsewhere/${hash}.mp4`),
  );
});

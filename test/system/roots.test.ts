// A library that moves: to another place on its machine, and to another machine with other places.
import assert from 'node:assert/strict';
import { readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import { manifestFile } from '../../actors/library/transfer/contract.ts';
import { copySamples } from '../../actors/samples/samples.ts';
import type { SearchAnswer } from '../../actors/search/contract.ts';
import { type Home, newHome, SLOW_MS } from './command-line.ts';
import { type RunningService, startService } from './service.ts';

const footage = [join('films', 'beach.mp4'), join('images', 'sunset.jpg'), join('images', 'forest.jpg')];

/** Footage of a person, and what the command line says of it. */
async function footageHome(t: TestContext) {
  const home = newHome();
  t.after(home.remove);
  const place = (name: string) => join(home.folder, name);
  for (const name of footage) await copySamples(join(place('disk'), dirname(name)), [basename(name)]);
  return { home, place };
}

async function ran({ run }: Pick<Home, 'run'>, ...args: string[]): Promise<string> {
  const { code, out, err } = await run(...args);
  assert.equal(code, 0, `${args.join(' ')}: ${err}`);
  return out;
}

/** The best match of words, whose film is where it is said to be. */
async function bestMatch({ ok }: RunningService, cache_dir: string) {
  const { matches } = await ok<SearchAnswer>('/search/text', { cache_dir, query: 'a sunset' });
  return matches[0]!;
}

/** What a task on all of the footage finds to do. */
async function analysedAgain(service: RunningService & { cache_dir: string }, folder: string) {
  const visual_media_paths = footage.map((name) => join(folder, name));
  const request = { cache_dir: service.cache_dir, visual_media_paths };
  const { task_id } = await service.ok<{ task_id: string }>('/analyze', request);
  await service.follow(task_id);
  const { files, analyzed } = (await service.ok<TaskDetail>(`/tasks/${task_id}`)).counts;
  return { files, analyzed };
}

async function withLoaded(t: TestContext, home: Home): Promise<RunningService & { cache_dir: string }> {
  const service = await startService(['--no-guardian'], home);
  t.after(service.stop);
  await service.modelReady();
  const cache_dir = join(home.folder, 'home', 'analysis');
  await service.ok('/analysis-data/load', { cache_dir });
  return { ...service, cache_dir };
}

test('a library that moves', { timeout: 3 * SLOW_MS }, async (t) => {
  const world = await footageHome(t);
  await ran(world.home, 'analyze', world.place('disk'));
  await t.test(
    'a folder of other files is no place for it, and an export that was cut short is none',
    (own) => exportTo(own, world),
  );
  await t.test(
    'a root moves while the service runs: searches, lists, watch folders and exports go on',
    (own) => moveRoot(own, world),
  );
  await t.test('it is exported, damaged, exported again, and played on another machine', (own) =>
    carry(own, world),
  );
});

type World = Awaited<ReturnType<typeof footageHome>>;

async function moveRoot(t: TestContext, { home, place }: World): Promise<void> {
  const service = await withLoaded(t, home);
  const { ok, call, cache_dir } = service;
  await ok('/watch-folders', { folder_path: join(place('disk'), 'images'), enabled: false });
  const sunset = (folder: string) => join(place(folder), 'images', 'sunset.jpg');
  const moment = { media_path: sunset('disk'), start_seconds: 0, end_seconds: 1 };
  const made = await call<{ list: { list_id: string } }>('/lists', { name: 'Cut', items: [moment] });
  assert.equal((await call('/roots', { name: 'footage', folder: place('disk') })).status, 201);

  renameSync(place('disk'), place('moved'));
  const { body: away } = await call<{ roots: { away: string | null }[] }>('/roots');
  assert.match(away.roots[0]?.away ?? '', /does not exist/);
  const missing = await call<{ message: string }>('/media/metadata', {
    cache_dir,
    media_paths: [sunset('disk')],
  });
  assert.match(JSON.stringify(missing.body), /root footage/);
  const pruned = await ok<{ forgotten: unknown[]; skipped: { reason: string; count: number }[] }>(
    '/library/prune',
    { cache_dir },
  );
  assert.deepEqual([pruned.forgotten.length, pruned.skipped[0]?.count], [0, footage.length]);
  assert.match(pruned.skipped[0]?.reason ?? '', /root footage is away/);
  const elsewhere = await call<{ message: string }>('/roots/footage', { folder: home.folder }, 'PUT');
  assert.deepEqual(
    [elsewhere.status, (await bestMatch(service, cache_dir)).video_path],
    [400, sunset('disk')],
  );

  await ok('/roots/footage', { folder: place('moved') }, 'PUT');
  assert.equal((await bestMatch(service, cache_dir)).video_path, sunset('moved'));
  const { media } = await ok<{ media: { media_path: string }[] }>('/library/list', { cache_dir });
  assert.ok(media.every(({ media_path }) => statSync(media_path).isFile()));
  const listed = await ok<{ files: { visual: string[] }[] }>('/media/list', {
    cache_dir,
    folder: join(place('moved'), 'images'),
  });
  assert.deepEqual(
    listed.files.map(({ visual }) => visual.length),
    [1, 1],
  );
  const { list } = await ok<{ list: { items: { media_path: string }[] } }>(
    `/lists/${made.body.list.list_id}`,
  );
  assert.equal(list.items[0]?.media_path, sunset('moved'));
  const { watch_folders } = await ok<{ watch_folders: { folder_path: string }[] }>('/watch-folders');
  assert.equal(watch_folders[0]?.folder_path, join(place('moved'), 'images'));
  const film = join(place('moved'), footage[0]!);
  const clips = [{ media_path: film, start_seconds: 1, end_seconds: 2 }];
  const cut = await ok<{ results: { output_path: string }[] }>('/export/clips', {
    output_dir: place('cut'),
    clips,
  });
  assert.ok(statSync(cut.results[0]!.output_path).size > 0);
  assert.deepEqual(await analysedAgain(service, place('moved')), { files: footage.length, analyzed: 0 });
}

/** With its root, which stands elsewhere by now. */
async function carry(t: TestContext, { home, place }: World): Promise<void> {
  await ran(home, 'library', 'export', place('carried'));
  const manifest = JSON.parse(readFileSync(join(place('carried'), manifestFile), 'utf8')) as {
    files: { path: string; bytes: number }[];
  };
  const films = manifest.files.filter(({ path }) => path !== 'records.mdb');
  assert.ok(films.length >= 2);

  const other = newHome();
  t.after(other.remove);
  renameSync(place('moved'), join(other.folder, 'drive'));
  const [vectors] = films.filter(({ path }) => path.startsWith('vectors/'));
  const damaged = join(place('carried'), vectors!.path);
  const bytes = readFileSync(damaged);
  truncateSync(damaged, bytes.length - 1);
  const refused = await other.run('library', 'import', place('carried'));
  assert.deepEqual([refused.code, refused.err.includes(vectors!.path)], [1, true]);

  writeFileSync(damaged, bytes);
  const imported = await other.run('library', 'import', place('carried'));
  assert.deepEqual([imported.code, /roots add footage FOLDER/.test(imported.err)], [0, true]);
  await ran(other, 'roots', 'add', 'footage', join(other.folder, 'drive'));

  const service = await withLoaded(t, other);
  const { video_path, image } = await bestMatch(service, service.cache_dir);
  assert.equal(video_path, join(other.folder, 'drive', 'images', 'sunset.jpg'));
  assert.equal(
    Buffer.from(image ?? '', 'base64')
      .subarray(0, 2)
      .toString('hex'),
    'ffd8',
  );
  const film = { cache_dir: service.cache_dir, media_path: join(other.folder, 'drive', footage[0]!) };
  const { url } = await service.ok<{ url: string }>('/media/link', film);
  const played = await fetch(new URL(url, service.address), { headers: { Range: 'bytes=0-99' } });
  assert.deepEqual([played.status, (await played.arrayBuffer()).byteLength], [206, 100]);
  assert.deepEqual(await analysedAgain(service, join(other.folder, 'drive')), {
    files: footage.length,
    analyzed: 0,
  });
}

async function exportTo(t: TestContext, { home, place }: World): Promise<void> {
  const taken = await home.run('library', 'export', place('disk'));
  assert.match(taken.err, /holds other files/);
  assert.match((await home.run('library', 'import', place('disk'))).err, /holds no exported library/);
  await ran(home, 'library', 'export', place('carried'));
  renameSync(join(place('carried'), manifestFile), join(place('carried'), `${manifestFile}.part`));
  writeFileSync(join(place('carried'), 'records.mdb'), 'cut short');
  const other = newHome();
  t.after(other.remove);
  const cut = await other.run('library', 'import', place('carried'));
  assert.match(cut.err, /has not ended/);
  await ran(home, 'library', 'export', place('carried'));
  assert.match(await ran(other, 'library', 'import', place('carried')), /imported to/);
}

// A client of the service that asks over REST and follows its tasks over Socket.IO, on real footage.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import type { FacetAnswer, SearchAnswer } from '../../actors/search/contract.ts';
import { sharedPath, skipWithout } from '../shared.ts';
import { newHome } from './command-line.ts';
import { type SharedService as Service, sharedService } from './service.ts';

const media = sharedPath('media');
const skip = skipWithout('media');
const cars = join(media, 'video', 'car-detection.mp4');
const bottles = join(media, 'video', 'bottle-detection.mp4');
const rocket = join(media, 'images', 'rocket.jpg');
const cat = join(media, 'images', 'chelsea.png');
const speech = join(media, 'speech', 'jfk.flac');
const films = [cars, bottles, rocket, cat];

test('a client analyses, searches, filters and shows footage over REST and Socket.IO', {
  skip,
}, async (t) => {
  const service = await sharedService();
  assert.deepEqual(await service.ok('/health'), { status: 'ok' });
  await t.test('a face job without face models is refused whole, and the command is named', () =>
    refuseFaces(service),
  );
  await t.test('a file that is not there fails alone, and a client that joins late is sent the end', () =>
    analyseAll(service),
  );
  await t.test('words, a picture and a frame find what they describe', () => searchEachWay(service));
  await t.test('facets count the files, and a filter keeps those it names', () => filterByExtension(service));
  await t.test('moments and scenes have thumbnails, sound has none', () => showThumbnails(service));
  await t.test('a task that is cancelled goes on where it stopped when it is resumed', () =>
    cancelAndResume(service),
  );
});

async function refuseFaces({ call, ok, cache_dir }: Service): Promise<void> {
  const face_clustering_jobs = [{ cluster_job_name: 'signers', face_media_paths: [cars] }];
  const request = { cache_dir, visual_media_paths: [cars], face_clustering_jobs };
  const before = await ok('/tasks');
  const refused = await call<{ message: string }>('/analyze', request);
  assert.equal(refused.status, 400, JSON.stringify(refused.body));
  assert.match(refused.body.message, /framehound models pull faces/);
  assert.deepEqual(await ok('/tasks'), before);
}

async function analyseAll({ ok, follow, cache_dir }: Service): Promise<void> {
  const { task_id } = await ok<{ task_id: string }>('/analyze', {
    cache_dir,
    visual_media_paths: [...films, '/nowhere/gone.mp4'],
  });
  const events = await follow(task_id);
  const last = events.at(-1)!;
  assert.deepEqual([last.done, last.progress, last.type], [true, 100, 'video']);
  assert.ok(events.some(({ video_path, error }) => video_path === '/nowhere/gone.mp4' && error));
  assert.equal((await follow(task_id)).at(-1)?.done, true);
  const { state, counts } = await ok<TaskDetail>(`/tasks/${task_id}`);
  assert.deepEqual(
    [state, counts.files, counts.analyzed, counts.failed],
    ['completed', films.length + 1, films.length, 1],
  );
}

async function searchEachWay({ ok, call, cache_dir }: Service): Promise<void> {
  const question = { cache_dir, query: 'fire at night' };
  assert.equal((await call('/search/text', question)).status, 400, 'nothing is loaded yet');
  assert.match((await ok<{ message: string }>('/analysis-data/load', { cache_dir })).message, /4 media/);
  const byText = await ok<SearchAnswer>('/search/text', question);
  assert.equal(byText.matches[0]?.video_path, rocket);
  const preview = Buffer.from(byText.matches[0]?.image ?? '', 'base64');
  assert.equal(preview.subarray(0, 2).toString('hex'), 'ffd8');
  const byImage = await ok<SearchAnswer>('/search/image', { cache_dir, image_path: cat });
  assert.equal(byImage.matches[0]?.video_path, cat);
  const byFrame = await ok<SearchAnswer>('/search/frame', {
    cache_dir,
    media_path: bottles,
    time_seconds: 12,
    segments_to_frame_indices: { [bottles]: [10, 20] },
  });
  assert.ok(byFrame.matches.every(({ video_path }) => video_path === bottles));
  assert.equal(byFrame.matches[0]?.frame_idx, '12');
}

async function filterByExtension({ ok, cache_dir }: Service): Promise<void> {
  const { coverage, facets } = await ok<FacetAnswer>('/metadata/facets', { cache_dir, search_all: true });
  assert.deepEqual(coverage, { scope_count: 4, indexed_count: 4, missing_count: 0 });
  const extension = facets.find(({ id }) => id === 'file.extension');
  const png = extension?.options.find(({ label }) => label.toLowerCase().includes('png'));
  assert.equal(png?.count, 1);
  const filtered = await ok<SearchAnswer>('/search/text', {
    cache_dir,
    query: 'fire at night',
    metadata_filter_request: { filters: [{ facet_id: 'file.extension', values: [png?.value] }] },
  });
  assert.deepEqual([...new Set(filtered.matches.map(({ video_path }) => video_path))], [cat]);
}

async function showThumbnails({ ok, cache_dir }: Service): Promise<void> {
  const { media_properties } = await ok<{ media_properties: Record<string, { hash_str: string }> }>(
    '/media/metadata',
    { cache_dir, media_paths: [...films, speech] },
  );
  assert.deepEqual(Object.keys(media_properties).sort(), [...films, speech].sort());
  const { thumbnails } = await ok<{ thumbnails: { thumbnail: string | null }[] }>('/thumbnails', {
    cache_dir,
    requests: [
      { media_path: cars, time_seconds: 3 },
      { media_path: speech, time_seconds: 1 },
      { media_path: cat, time_seconds: 0 },
    ],
  });
  assert.deepEqual(
    thumbnails.map(({ thumbnail }) => thumbnail !== null),
    [true, false, true],
  );
  const strip = await ok<{ scene_thumbnails: [string, string][] }>('/thumbnails/scene', {
    cache_dir,
    media_path: bottles,
    start_time: '00:00:02',
    end_time: '00:00:06',
    hash_str: media_properties[bottles]!.hash_str,
  });
  assert.deepEqual(
    strip.scene_thumbnails.map(([, timestamp]) => timestamp),
    ['00:00:02', '00:00:03', '00:00:04', '00:00:05', '00:00:06'],
  );
}

async function cancelAndResume({ ok, follow, home }: Service): Promise<void> {
  const cache_dir = join(home.folder, 'cancelled');
  const paths = [rocket, cat, cars, bottles];
  const { task_id } = await ok<{ task_id: string }>('/analyze', { cache_dir, visual_media_paths: paths });
  const cancelled = Promise.withResolvers<unknown>();
  const events = await follow(task_id, (event) => {
    // As soon as something is finished, so that something is left.
    if ((event.files_done ?? 0) > 0 && !event.done)
      cancelled.resolve(ok('/analyze/cancel', undefined, 'POST'));
  });
  await cancelled.promise;
  assert.equal(events.at(-1)?.cancelled, true);
  const before = await ok<TaskDetail>(`/tasks/${task_id}`);
  assert.equal(before.state, 'cancelled');
  assert.ok(
    before.counts.analyzed > 0 && before.counts.analyzed < paths.length,
    JSON.stringify(before.counts),
  );

  const resumed = await ok<{ task_id: string }>(`/tasks/${task_id}/resume`, undefined, 'POST');
  assert.equal(resumed.task_id, task_id);
  await follow(task_id);
  const after = await ok<TaskDetail>(`/tasks/${task_id}`);
  assert.equal(after.state, 'completed');
  assert.deepEqual(
    after.results.map(({ path }) => basename(path)).sort(),
    paths.map((path) => basename(path)).sort(),
  );
  const { tasks } = await ok<{ tasks: { task_id: string }[] }>('/tasks');
  assert.deepEqual(
    [tasks[0]?.task_id, tasks.filter((task) => task.task_id === task_id).length],
    [task_id, 1],
  );
}

test('a service that is told an impossible host ends at once and is not started again', async (t) => {
  const home = newHome();
  t.after(home.remove);
  mkdirSync(join(home.folder, 'home'));
  writeFileSync(join(home.folder, 'home', 'config.json'), JSON.stringify({ hosts: ['a b'] }));
  const { code, err } = await home.run('serve', '--port', '0');
  assert.equal(code, 2);
  assert.match(err, /hosts: "a b" is not a host name/);
  assert.equal(err.match(/engine started/g)?.length, 1);
});

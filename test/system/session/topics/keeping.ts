// What is kept beside analyses: lists, saved searches, webhooks, watch folders, and the library itself.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Store } from '../../../../actors/index/store/store.ts';
import { until } from '../../../until.ts';
import type { Session } from '../session.ts';

const put = { method: 'PUT' };
const remove = { method: 'DELETE' };

export async function lists(s: Session): Promise<void> {
  const { places } = s.media;
  const item = { media_path: places, start_seconds: 1, end_seconds: 3, note: 'the sea' };
  await s.ask('/lists');
  const { body } = await s.ask<{ list_id: string; version: number }>('/lists', {
    name: 'Cut',
    items: [item],
  });
  const { list_id, version } = body;
  await s.ask(`/lists/${list_id}`);
  await s.ask(`/lists/${list_id}`, { version, name: 'First cut' }, put);
  await s.ask(`/lists/${list_id}`, { version, name: 'Second cut' }, put);
  await s.ask('/lists', { name: '', items: [] });
  await s.ask('/lists', { name: 'Cut', items: [{ ...item, end_seconds: 1 }] });
  await s.ask('/lists');
  await s.ask(`/lists/${list_id}`, undefined, remove);
  await s.ask(`/lists/${list_id}`);
}

export async function roots(s: Session): Promise<void> {
  const folder = join(s.out, 'footage');
  mkdirSync(folder);
  await s.ask('/roots');
  await s.ask('/roots', { name: 'footage', folder });
  await s.ask('/roots', { name: 'footage', folder: s.out });
  await s.ask('/roots', { name: 'home', folder: join(s.service.home.folder, 'home') });
  await s.ask('/roots', { name: 'everything', folder: '/' });
  await s.ask('/roots/footage', { folder: s.out }, put);
  await s.ask('/roots/footage', { folder: join(s.out, 'nowhere') }, put);
  await s.ask('/roots');
  await s.ask('/roots/footage', undefined, remove);
  await s.ask('/roots/footage', undefined, remove);
}

export async function savedSearches(s: Session): Promise<void> {
  const request = { cache_dir: s.cacheDir, query: 'sunset' };
  await s.ask('/searches/saved');
  const { body } = await s.ask<{ search: { search_id: string } }>('/searches/saved', {
    name: 'Evenings',
    request,
  });
  const { search_id } = body.search;
  await s.ask('/searches/saved', { name: ' ', request });
  await s.ask('/searches/saved', { name: 'Nothing', request: { ...request, query: '' } });
  await s.ask(
    `/searches/saved/${search_id}`,
    { name: 'By the sea', request: { ...request, query: 'sea' } },
    put,
  );
  await s.ask('/searches/saved/no-such-search', { name: 'By the sea' }, put);
  await s.ask('/searches/saved');
  await s.ask(`/searches/saved/${search_id}/hits`);
  await s.ask(`/searches/saved/${search_id}/seen`, undefined, { method: 'POST' });
  await s.ask(`/searches/saved/${search_id}`, undefined, remove);
  await s.ask(`/searches/saved/${search_id}`, undefined, remove);
}

export async function webhooks(s: Session): Promise<void> {
  const url = 'http://127.0.0.1:9/hook';
  const events = ['task.ended'];
  await s.ask('/events/stream?event=nothing');
  await s.ask('/webhooks');
  const { body } = await s.ask<{ webhook: { webhook_id: string } }>(
    '/webhooks',
    { url, events },
    {
      keep: ({ webhook, secret }: { webhook: unknown; secret: string }) => ({
        webhook,
        secret: secret.slice(0, 6),
      }),
    },
  );
  const { webhook_id } = body.webhook;
  await s.ask('/webhooks', { url: 'http://elsewhere.example/hook', events });
  await s.ask('/webhooks', { url, events: ['tasks'] });
  await s.ask('/webhooks');
  await s.ask(`/webhooks/${webhook_id}/deliveries`);
  await s.ask(`/webhooks/${webhook_id}/deliveries/no-such-delivery/resend`, undefined, { method: 'POST' });
  await s.ask(`/webhooks/${webhook_id}`, undefined, remove);
  await s.ask(`/webhooks/${webhook_id}`, undefined, remove);
}

export async function watchFolders(s: Session): Promise<void> {
  const folder_path = join(s.service.home.folder, 'incoming');
  mkdirSync(folder_path);
  await s.ask('/watch-folders');
  const excluded = {
    excluded_extensions: ['MOV'],
    excluded_filename_globs: ['*_proxy.*'],
    excluded_folder_globs: ['a\\b'],
  };
  const { body } = await s.ask<{ watch_folder: { id: string } }>('/watch-folders', {
    folder_path,
    cache_dir: null,
    ...excluded,
  });
  const { id } = body.watch_folder;
  await s.ask('/watch-folders', { folder_path });
  await s.ask('/watch-folders', { folder_path: join(folder_path, 'nowhere') });
  await s.ask('/watch-folders', { folder_path: s.service.home.folder, enable_face_analysis: true });
  await s.ask('/watch-folders', { folder_path: s.out, excluded_extensions: [' '] });
  await s.ask(`/watch-folders/${id}`, { enable_audio_analysis: true, audio_language: 'german' }, put);
  await s.ask(`/watch-folders/${id}`, { audio_language: 'klingon' }, put);
  await s.ask(`/watch-folders/${id}`, { folder_path: s.out }, put);
  await s.ask('/watch-folders/no-such-folder', { enabled: false }, put);
  await s.ask('/watch-folders/service/start', undefined, {
    method: 'POST',
    keep: (told: { message: string }) => told.message,
  });
  await until(async () => {
    const { state } = await s.service.ok<{ state: string }>('/watch-folders/service/status');
    return state === 'waiting';
  });
  await s.ask('/watch-folders/service/status');
  await s.ask('/watch-folders/service/stop', undefined, {
    method: 'POST',
    keep: (told: { message: string }) => told.message,
  });
  await until(async () => {
    const { state } = await s.service.ok<{ state: string }>('/watch-folders/service/status');
    return state === 'stopped';
  });
  await s.ask('/watch-folders');
  await s.ask(`/watch-folders/${id}`, undefined, remove);
  await s.ask(`/watch-folders/${id}`, undefined, remove);
}

export async function library(s: Session): Promise<void> {
  const { folder } = s.service.home;
  const { stripes, flowers, gone } = s.media;
  await s.inFolder('/library/list');
  await s.inFolder('/library/list', { under: stripes });
  await s.inFolder('/library/list', { offset: 1, limit: 1 });
  await s.inFolder('/library/disk');
  await s.inFolder('/library/prune', { dry_run: true });
  await s.inFolder('/library/move', {
    from: join(folder, 'media'),
    to: join(folder, 'nowhere'),
    dry_run: true,
  });
  await s.inFolder('/library/forget', { media_paths: [stripes, gone], dry_run: true });
  await s.inFolder('/library/forget', { media_paths: [stripes] });
  await s.inFolder('/library/forget', { media_paths: [gone] });
  await s.inFolder('/search/text', { query: 'stripes', media_paths: [flowers, stripes] });
  await s.inFolder('/library/list');
}

/** Stores results of models that this service does not have: things, printed words and voices. */
async function storeSights(cacheDir: string, film: string, speech: string): Promise<void> {
  const store = new Store(cacheDir);
  try {
    const media = store.media.byPath(film)!;
    const seen = { start: 4, end: 7, best: 5, score: 0.9 };
    const car = {
      class: 'car',
      box: [0.3, 0.5, 0.4, 0.3],
      colours: [{ colour: 'red', share: 0.7 }],
    } as const;
    const exit = { text: 'EXIT 12', box: [0.1, 0.1, 0.2, 0.1] as [number, number, number, number] };
    const by = { model_key: 'eyes', from_previews: false };
    store.results('things').store(media, {
      ...by,
      items: [{ ...seen, ...car, box: [...car.box], colours: [...car.colours] }],
    });
    store.results('text').store(media, { ...by, items: [{ ...seen, ...exit }] });
    const talk = store.media.byPath(speech)!;
    const { mark, segments } = store.transcripts.transcript(talk.identity.hash_str)!;
    const speakers = [...new Set(segments.flatMap(({ speaker }) => speaker ?? []))];
    const vectors = Float32Array.from(speakers.flatMap((_, at) => [Number(at === 0), Number(at === 1)]));
    const voices = speakers.map((speaker) => ({ speaker, seconds: 2 }));
    store.transcripts.store(talk, mark, segments, { model: 'ears@1', speakers: voices, vectors });
  } finally {
    await store.close();
  }
}

/** A library of every kind is carried to another folder, answers there as here, and is forgotten there. */
export async function transfer(s: Session): Promise<void> {
  const { places, people, talk, flowers } = s.media;
  await s.run('/analyze', {
    cache_dir: s.cacheDir,
    face_clustering_jobs: [
      { cluster_job_name: 'people', face_media_paths: [people], face_eps: 0.1, face_min_samples: 2 },
    ],
    summary_requests: [{ path: talk, collection: { name: 'Talks', description: '' } }],
  });
  await storeSights(s.cacheDir, places, talk);
  const there = join(s.service.home.folder, 'imported');
  const carried = join(s.service.home.folder, 'carried');
  s.mask.name(there, 'imported');
  s.mask.name(carried, 'carried');
  const answers = async (cache_dir: string) => {
    await s.ask('/library/list', { cache_dir });
    await s.ask('/media/seen', { cache_dir, media_path: places });
    await s.ask('/transcriptions', { cache_dir, media_paths: [talk] });
    await s.ask('/speakers/suggest', { cache_dir, media_path: talk, speaker: 'SPEAKER_00' });
    await s.ask('/faces/clusters/samples', { cache_dir, cluster_job_name: 'people', limit_per_cluster: 2 });
    await s.ask('/summaries/overview', { cache_dir, path: talk });
    await s.ask('/search/written', { cache_dir, query: 'exit 12' });
    await s.ask('/thumbnails', { cache_dir, requests: [{ media_path: people, time_seconds: 2 }] });
    await s.ask('/analysis-data/load', { cache_dir });
    await s.ask('/search/image', { cache_dir, image_path: flowers, max_results: 3 });
    await s.ask('/library/disk', { cache_dir });
  };
  await answers(s.cacheDir);
  const library = async (...args: string[]) => {
    const { code, out, err } = await s.service.home.run('library', ...args);
    s.note(`library ${args[0]}`, {
      code,
      out: out.replace(/[\d.]+ MB/, '<size>').split('\n'),
      err: err.split('\n').slice(-3),
    });
  };
  await library('export', carried, '--cache-dir', s.cacheDir);
  await library('import', carried, '--cache-dir', there);
  await answers(there);
  await library('import', carried, '--cache-dir', there);
  const media_paths = [join(s.service.home.folder, 'media')];
  await s.ask('/library/forget', { cache_dir: there, media_paths, dry_run: true });
  await s.ask('/library/forget', { cache_dir: there, media_paths });
  await s.ask('/library/list', { cache_dir: there });
  await s.ask(`/faces/clusters?cache_dir=${encodeURIComponent(there)}`);
  await s.ask('/search/written', { cache_dir: there, query: 'exit' });
  await s.ask('/analysis-data/load', { cache_dir: s.cacheDir });
}

// What is kept beside analyses: lists, saved searches, webhooks, watch folders, and the library itself.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
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

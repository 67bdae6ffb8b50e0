// What is known of media files, and what is shown and heard of them.
import type { Session } from '../session.ts';

export async function media(s: Session): Promise<void> {
  const { places, people, talk, flowers, clock, broken, notes, gone } = s.media;
  await s.inFolder('/media/metadata', {
    media_paths: [places, people, talk, flowers, clock, broken, notes, gone],
  });
  await s.inFolder('/media/metadata', { media_paths: [gone] });
  await s.inFolder('/media/metadata', { media_paths: [] });
  await s.inFolder('/media/list', { folder: `${s.service.home.folder}/media` });
  await s.inFolder('/media/list', { folder: `${s.service.home.folder}/media`, offset: 1, limit: 1 });
  await s.inFolder('/media/list', { folder: `${s.service.home.folder}/nowhere` });
  await s.inFolder('/cache-paths', { media_path: places });
  await s.inFolder('/cache-paths', { media_path: talk });
  await s.inFolder('/cache-paths', {});
  await s.inFolder('/media/facts', { media_path: places });
  await s.inFolder('/media/facts', { media_path: gone });
  await s.inFolder('/media/peaks', { media_path: talk, points: 4 });
  await s.inFolder('/media/peaks', { media_path: people, points: 4 });
  await s.inFolder('/media/peaks', { media_path: gone, points: 4 });
  await s.inFolder('/media/frames', { media_path: places, start_seconds: 1, end_seconds: 2 });
  await s.inFolder('/media/frames', { media_path: places, start_seconds: 2, end_seconds: 1 });
  await s.inFolder('/media/seen', { media_path: people });
  await s.inFolder('/media/seen', { media_path: gone });
  await s.inFolder('/scenes', { media_path: places });
  await s.inFolder('/scenes', { media_path: places, start_seconds: 5, end_seconds: 9 });
  await s.inFolder('/scenes', { media_path: talk });
  await s.inFolder('/scenes', { media_path: gone });
}

export async function links(s: Session): Promise<void> {
  const { places, people, flowers, gone } = s.media;
  const { body } = await s.inFolder<{ url: string }>('/media/link', { media_path: flowers });
  const size = (text: string) => `${text.length > 0 ? 'bytes' : 'nothing'}`;
  await s.ask(body.url, undefined, { bare: true, keep: size, headers: { Range: 'bytes=0-9' } });
  await s.ask('/media/fhm_of-nothing-at-all', undefined, { bare: true });
  await s.inFolder('/media/link', { media_path: gone });
  await s.inFolder('/media/link', { media_path: people, proxy: true });
  await s.run('/media/proxy', { cache_dir: s.cacheDir, media_path: people });
  await s.inFolder('/media/proxy', { media_path: people });
  await s.inFolder('/media/proxy', { media_path: flowers });
  await s.inFolder('/media/link', { media_path: people, proxy: true });
  await s.inFolder('/media/link', { media_path: places });
}

export async function thumbnails(s: Session): Promise<void> {
  const { places, talk, flowers, gone } = s.media;
  const at = (media_path: string, time_seconds: number) => ({ media_path, time_seconds });
  await s.inFolder('/thumbnails', {
    requests: [at(places, 0), at(places, 11.5), at(talk, 1), at(flowers, 0), at(gone, 1)],
  });
  await s.inFolder('/thumbnails', { requests: [at(places, 3)], max_size: 64 });
  await s.inFolder('/thumbnails', { requests: [at(places, -1)] });
  const strip = { media_path: places, start_time: '00:00:02', end_time: '00:00:05' };
  await s.inFolder('/thumbnails/scene', strip);
  await s.inFolder('/thumbnails/scene', { ...strip, media_path: talk });
  await s.inFolder('/thumbnails/scene', { ...strip, end_time: '00:00:01' });
  await s.inFolder('/thumbnails/scene', { ...strip, end_time: '5' });
}

// A running service with saved searches: real files are analysed, and their hits come by every way.
import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { io } from 'socket.io-client';
import type { SearchHit, SearchStanding } from '../../events/searches/contract.ts';
import { receiver } from '../events/receiver.ts';
import { until } from '../until.ts';
import { SLOW_MS } from './command-line.ts';
import { sharedService } from './service.ts';

const sample = (name: string) =>
  fileURLToPath(new URL(`../../actors/samples/media/${name}`, import.meta.url));

test('hits in new files come as events, webhooks, lines and counts', async (t) => {
  const service = await sharedService();
  const { home, ok, call, address, key, cache_dir } = service;
  const at = ['--server', address, '--key', key, '--cache-dir', cache_dir];
  const first = await ok<{ task_id: string }>('/analyze', {
    cache_dir,
    visual_media_paths: ['beach.mp4', 'a-day-outdoors.mp4', 'camp-fire.mkv'].map(sample),
  });
  await service.follow(first.task_id);
  // Those of another folder may be loaded.
  await ok('/analysis-data/load', { cache_dir });
  await ok('/analysis-data/load-transcriptions', { cache_dir });
  const picture = ['searches', 'save', 'stop', '--image', sample('stop-sign.jpg'), '--json', ...at];
  const saved = await home.run(...picture);
  assert.equal(saved.code, 0, saved.err);
  const stop = JSON.parse(saved.out) as SearchStanding;
  const save = (name: string, query: string) =>
    call<{ search: SearchStanding }>('/searches/saved', { name, request: { cache_dir, query } });
  const spoken = (await save('spoken', 'harbour at dawn')).body.search;
  await save('half', 'harbour castle');

  const to = await receiver(t);
  assert.equal((await call('/webhooks', { url: to.url, events: ['search.hit'] })).status, 201);
  const socket = io(address, { transports: ['websocket'], forceNew: true });
  t.after(() => socket.disconnect());
  const joined: SearchHit[] = [];
  socket.on('search_hit', (hit: SearchHit) => void joined.push(hit));
  assert.deepEqual(await socket.emitWithAck('join', { search_id: stop.search_id }), { joined: true });
  const { joined: isJoined } = (await socket.emitWithAck('join', { search_id: 'none' })) as {
    joined: boolean;
  };
  assert.equal(isJoined, false);
  const following = home.start('searches', 'follow', '--json', ...at);
  t.after(() => following.child.kill('SIGKILL'));
  let lines = '';
  following.child.stdout!.on('data', (text) => {
    lines += text;
  });
  await until(async () => {
    const text = await (await fetch(`${address}/metrics`)).text();
    return /^framehound_event_clients 2$/m.test(text);
  });

  const film = join(home.folder, 'talk.mp4');
  copyFileSync(sample('beach.mp4'), film);
  writeFileSync(
    film.replace('.mp4', '.srt'),
    '1\n00:00:01,000 --> 00:00:04,000\nWe leave the harbour at dawn.\n',
  );
  await ok('/analyze', {
    cache_dir,
    visual_media_paths: [sample('the-red-car.mp4')],
    transcription_jobs: [{ path: film, language: 'english' }],
  });
  await until(() => to.received.length === 2 && joined.length === 1 && lines.split('\n').length === 3, {
    within: SLOW_MS,
  });
  const hits = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SearchHit);
  const found = hits.map(({ name, media_path, sure }) => [name, media_path, sure]).sort();
  assert.deepEqual(found, [
    ['spoken', film, true],
    ['stop', sample('the-red-car.mp4'), true],
  ]);
  const ofWebhook = to.received.map(({ body }) => JSON.parse(body).data as SearchHit);
  const byId = (a: SearchHit, b: SearchHit) => a.hit_id.localeCompare(b.hit_id);
  assert.deepEqual(ofWebhook.sort(byId), hits.sort(byId));
  assert.deepEqual(
    joined,
    hits.filter(({ search_id }) => search_id === stop.search_id),
  );

  const listed = async () => (await ok<{ searches: SearchStanding[] }>('/searches/saved')).searches;
  const counts = async () =>
    (await listed()).map(({ name, hits, new_hits, problem }) => [name, hits, new_hits, problem]);
  assert.deepEqual(await counts(), [
    ['stop', 1, 1, null],
    ['spoken', 1, 1, null],
    ['half', 0, 0, null],
  ]);
  const shown = await home.run('searches', 'hits', spoken.search_id.slice(0, 8), ...at);
  assert.equal(shown.out, `spoken: ${film}  00:00:01 said\n`);
  assert.deepEqual((await counts())[1], ['spoken', 1, 0, null]);
  assert.equal((await home.run('searches', 'remove', 'stop', ...at)).code, 0);
  assert.equal((await listed()).length, 2);
});

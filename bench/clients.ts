// The service under load: a thousand clients, each with a connection of its own, send requests (health,
// models, tasks, searches, facets, thumbnails, cache paths) without a pause for a minute. Any answer but 200
// ends it. Memory after a while is compared with memory at the end; afterwards no request may be in flight or
// queued. FRAMEHOUND_BENCH_SECONDS sets how long (60 when left out).
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { footage, kinds } from './footage.ts';
import { median, type Question, type Row } from './row.ts';
import { type Client, type Service, startService, until } from './service.ts';
import { sized } from './size.ts';

const CLIENTS = sized(1000, 20);
const seconds = Number(process.env['FRAMEHOUND_BENCH_SECONDS'] ?? sized(60, 3));

/** A request and its share of the traffic. */
type Ask = readonly [share: number, path: string, body?: unknown];

export const clients: Question = async (say, home) => {
  mkdirSync(join(home, 'home'));
  const service = await startService(join(home, 'home'), { FRAMEHOUND_HARDWARE_DECODING: 'off' });
  try {
    return await measure(service, home, say);
  } finally {
    await service.stop();
  }
};

async function measure(service: Service, home: string, say: (text: string) => void): Promise<Row[]> {
  const firstClient = service.client(1);
  await until('the visual model', 60_000, async () => (await firstClient.ask('/readyz')).status === 200);
  const asks = await prepare(firstClient, home, say);
  // Once more each, so that first-time allocations are not counted as growth.
  for (const [, path, body] of asks) await firstClient.ask(path, body);
  const all = Array.from({ length: CLIENTS }, () => service.client(1));
  const before = await service.metric('framehound_http_requests_total');
  say(`${CLIENTS} clients for ${seconds} s`);
  const watch = watchMemory(service);
  const end = performance.now() + seconds * 1000;
  const times = (await Promise.all(all.map((client, i) => askUntil(end, client, asks, i)))).flat();
  const growth = watch.stop();
  const counted = (await service.metric('framehound_http_requests_total')) - before;
  if (counted < times.length) throw new Error(`${times.length} answers, of which ${counted} were counted`);
  for (const client of all) client.close();
  await until(
    'rest',
    10_000,
    async () =>
      // The scrape itself is in flight.
      (await service.metric('framehound_http_requests_in_flight')) <= 1 &&
      (await service.metric('framehound_actor_queue_depth')) === 0 &&
      (await service.metric('framehound_actor_turns')) === 0 &&
      (await service.metric('framehound_slots', 'used')) === 0,
  );
  firstClient.close();
  return rowsOf(times, growth);
}

/** A film is analysed and loaded, so that there is something to ask about. */
async function prepare(client: Client, home: string, say: (text: string) => void): Promise<Ask[]> {
  const film = await footage(kinds.h264Gop12, say);
  const cache_dir = join(home, 'analysis');
  const media_path = film.path;
  const started = await client.get<{ task_id: string }>('/api/v1/analyze', {
    cache_dir,
    visual_media_paths: [media_path],
  });
  const task = `/api/v1/tasks/${started.task_id}`;
  await until('the analysis', 120_000, async () => {
    const { state } = await client.get<{ state: string }>(task);
    if (state === 'failed') throw new Error('the analysis failed');
    return state === 'completed';
  });
  await client.get('/api/v1/analysis-data/load', { cache_dir });
  const requests = [{ media_path, time_seconds: 3 }];
  return [
    [4, '/api/v1/health'],
    [4, '/api/v1/models/loaded'],
    [2, '/api/v1/tasks'],
    [2, task],
    [3, '/api/v1/search/text', { cache_dir, query: 'bright blue waves', max_results: 5 }],
    [2, '/api/v1/metadata/facets', { cache_dir, search_all: true }],
    [2, '/api/v1/thumbnails', { cache_dir, requests, max_size: 480 }],
    [1, '/metrics'],
  ];
}

/** Milliseconds of each answer. Throws at the first that is not 200 and whole. */
async function askUntil(end: number, client: Client, asks: readonly Ask[], first: number): Promise<number[]> {
  const order = asks.flatMap((ask) => Array.from({ length: ask[0] }, () => ask));
  const times: number[] = [];
  // Offsets of seven, so that clients do not send the same request at the same time.
  for (let i = first * 7; performance.now() < end; i += 7) {
    const [, path, body] = order[i % order.length]!;
    const { status, body: content, ms } = await client.ask(path, body);
    if (status !== 200) throw new Error(`${path} ${status}: ${content.toString().slice(0, 500)}`);
    times.push(ms);
  }
  return times;
}

/** Resident megabytes once a second. */
function watchMemory(service: Service) {
  const samples: number[] = [];
  let running = true;
  const loop = async () => {
    while (running) {
      samples.push((await service.metric('process_resident_memory_bytes')) / 1e6);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  };
  const watched = loop();
  // A failure rejects when it is awaited, not as an unhandled rejection before.
  watched.catch(() => {});
  return {
    stop: () => {
      running = false;
      const part = (from: number, to: number) =>
        median(samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to)));
      return { early: part(0.2, 0.35), late: part(0.85, 1) };
    },
  };
}

function rowsOf(times: readonly number[], { early, late }: { early: number; late: number }): Row[] {
  const bare = { question: 'clients', against: null, ratio: null, goal: null };
  const sorted = [...times].sort((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)]!;
  return [
    {
      ...bare,
      name: `growth over ${seconds} s, ${CLIENTS} clients, no error`,
      value: (late / early - 1) * 100,
      unit: '%',
      against: { name: 'MB after a fifth of it', value: early },
      goal: { of: 'value', at: 'most', than: 5 },
    },
    { ...bare, name: 'mixed reads', value: times.length / seconds, unit: 'answers/s' },
    { ...bare, name: 'mixed reads, p50', value: median(times), unit: 'ms' },
    {
      ...bare,
      name: 'mixed reads, p99',
      value: p99,
      unit: 'ms',
      goal: { of: 'value', at: 'most', than: 1000 },
    },
  ];
}

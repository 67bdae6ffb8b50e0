import { type CDPSession, chromium, type Page } from 'playwright-core';
import { queryVector } from '../actors/models/starter/query/vector.ts';
import { findChromium } from '../test/http/page/browser.ts';
import { FRAMES, writeLibrary } from './library.ts';
import { median, type Question, type Row } from './row.ts';
import { type Client, type Service, startService, until } from './service.ts';
import { sized } from './size.ts';

const modelKey = 'starter-visual-3';
const queries = ['sunset over the sea', 'green forest', 'red at night', 'beach', 'blue sky', 'fire'];
const TIMED = sized(24, 2);
const MANY = sized(200, 6);
/** The longest that an answer may take. */
const mostMs = 20_000;
const question = 'page';

export const page: Question = async (say, home) => {
  const executablePath = findChromium();
  if (executablePath === null) {
    say('left out: there is no Chromium here; FRAMEHOUND_CHROMIUM names one');
    return [];
  }
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    say(`writing a library of ${FRAMES * 100} vectors`);
    const { cacheDir } = await writeLibrary(
      home,
      modelKey,
      queries.map((query) => queryVector(query).vector),
    );
    const service = await startService(home, { FRAMEHOUND_CACHE_DIR: cacheDir });
    const client = service.client(1);
    try {
      await until('the visual model', 60_000, async () => (await client.ask('/readyz')).status === 200);
      await client.get('/api/v1/analysis-data/load', { cache_dir: cacheDir });
      const { ticket } = await client.get<{ ticket: string }>('/api/v1/tickets', {});
      const opened = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en' });
      await opened.goto(`http://localhost:${service.port}/#${ticket}`);
      await opened.getByRole('searchbox').waitFor();
      return await measure(opened, service, { client, cacheDir, say });
    } finally {
      client.close();
      await service.stop();
    }
  } finally {
    await browser.close();
  }
};

interface Around {
  readonly client: Client;
  readonly cacheDir: string;
  say(text: string): void;
}

async function measure(opened: Page, service: Service, { client, cacheDir, say }: Around): Promise<Row[]> {
  const paint: number = await opened.evaluate(
    `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
  );
  const weight: number = await opened.evaluate(
    `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type)).reduce((sum, one) => sum + one.transferSize, 0)`,
  );
  await typed(opened, queries.at(-1)!);
  say(`${TIMED} searches`);
  const times: number[] = [];
  const plain: number[] = [];
  for (let i = 0; i < TIMED; i++) {
    const query = queries[i % queries.length]!;
    times.push(await typed(opened, query));
    plain.push((await client.ask('/api/v1/search/text', { cache_dir: cacheDir, query })).ms);
  }
  say(`${MANY} searches`);
  const devtools = await opened.context().newCDPSession(opened);
  const before = await memory(devtools, service);
  for (let i = 0; i < MANY; i++) await typed(opened, queries[i % queries.length]!);
  const after = await memory(devtools, service);
  return rowsOf({ paint, weight, times, plain, before, after });
}

/**
 * Milliseconds from the last letter to the answer in the page, the wait for more letters included. The box
 * holds another query before: the first tiles are others then.
 */
function typed(opened: Page, query: string): Promise<number> {
  return opened.evaluate(`new Promise((resolve, reject) => {
    const box = document.querySelector('input[type="search"], [role="searchbox"]');
    const tiles = () => [...document.querySelectorAll('.tile')].slice(0, 12).map((one) => one.getAttribute('aria-label')).join();
    const before = tiles();
    setTimeout(() => reject(new Error(${JSON.stringify(`nothing else is shown for “${query}”`)})), ${mostMs});
    const observer = new MutationObserver(() => {
      const now = tiles();
      if (now === '' || now === before) return;
      observer.disconnect();
      resolve(performance.now() - began);
    });
    observer.observe(document.querySelector('main'), { childList: true, subtree: true, attributes: true });
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, ${JSON.stringify(query)});
    const began = performance.now();
    box.dispatchEvent(new InputEvent('input', { bubbles: true }));
  })`);
}

interface Memory {
  readonly service: number;
  readonly page: number;
}

/** MB. */
async function memory(devtools: CDPSession, service: Service): Promise<Memory> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return { page: usedSize / 1e6, service: (await service.metric('process_resident_memory_bytes')) / 1e6 };
}

interface Measured {
  readonly paint: number;
  readonly weight: number;
  readonly times: readonly number[];
  readonly plain: readonly number[];
  readonly before: Memory;
  readonly after: Memory;
}

function rowsOf({ paint, weight, times, plain, before, after }: Measured): Row[] {
  const bare = { question, against: null, ratio: null, goal: null };
  const most = (than: number): Row['goal'] => ({ of: 'value', at: 'most', than });
  const p50 = median(times);
  const floor = median(plain);
  const frames = (FRAMES * 100).toLocaleString('en');
  return [
    { ...bare, name: 'first paint', value: paint, unit: 'ms', goal: most(1000) },
    {
      ...bare,
      name: 'weight on the wire, answers of the service included',
      value: weight / 1000,
      unit: 'kB',
      goal: most(150),
    },
    {
      ...bare,
      name: `from the last letter to the first matches over ${frames} frames, p50`,
      value: p50,
      unit: 'ms',
      against: { name: 'the answer of /search/text with its pictures', value: floor },
      ratio: floor / p50,
      goal: most(300),
    },
    { ...bare, name: 'the slowest of them', value: Math.max(...times), unit: 'ms' },
    ...(['service', 'page'] as const).map((which) => ({
      ...bare,
      name: `memory of the ${which} after ${MANY} searches`,
      value: after[which],
      unit: 'MB',
      against: { name: 'before', value: before[which] },
      ratio: before[which] / after[which],
    })),
  ];
}

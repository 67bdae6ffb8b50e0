// A film of ten hours in the player, three of them outside a release, with all that can be known of one: the
// service's answers about a sample are made as long as that.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { withoutBrowser } from '../http/page/browser.ts';
import { untilRelease } from '../shared.ts';
import { until } from '../until.ts';
import { SLOW_MS } from './command-line.ts';
import { samplePage } from './sample-page.ts';

const sample = samplePage();

const HOURS = untilRelease ? 3 : 10;
const SECONDS = HOURS * 3600;
const LINES = HOURS * 450;
const range = (count: number, every: number, long: number) =>
  Array.from({ length: count }, (_, i) => ({ start_seconds: i * every, end_seconds: i * every + long }));
const box = [0.1, 0.1, 0.3, 0.4];

function transcript({ after_segment_index: after = -1 }: { readonly after_segment_index?: number }) {
  const segments = range(LINES, 8, 7)
    .map((one, i) => ({ ...one, segment_index: i, text: `Sentence ${i}.`, speaker: `S${i % 4}` }))
    .slice(after + 1, after + 501)
    .map((one) => ({ ...one, speaker_name: '' }));
  const last = segments.at(-1)?.segment_index ?? LINES;
  const truncated = last < LINES - 1;
  return { segments, truncated, next_after_segment_index: truncated ? last : null };
}

function seen() {
  const things = ['person', 'car', 'dog', 'cup', 'book', 'chair', 'tv', 'cat'].map((name) => ({
    ...{ class: name, measured: true, score: 0.9 },
    ranges: range(HOURS * 150, 24, 9).map((one) => [one.start_seconds, one.end_seconds]),
    tracks: range(HOURS * 300, 12, 8).map((one) => ({ ...one, box })),
  }));
  const lines = range(HOURS * 400, 9, 4).map((one) => ({ ...one, text: 'EXIT', box }));
  const faces = Array.from({ length: HOURS * 2000 }, (_, i) => ({ time_seconds: i * 1.8, box }));
  return { things, lines, faces };
}

type Answer = Record<string, unknown>;

/** By the end of their addresses: what is put into the answers of the service. */
const answers: Readonly<Record<string, (asked: Answer) => Answer>> = {
  '/media/peaks': () => ({
    duration_seconds: SECONDS,
    peaks: Array.from({ length: 4000 }, (_, i) => Math.abs(Math.sin(i))),
  }),
  '/scenes': () => ({ scenes: range(HOURS * 720, 5, 5) }),
  '/media/seen': seen,
  '/transcriptions/range': transcript,
};

async function lengthened(page: Page): Promise<void> {
  for (const [path, put] of Object.entries(answers))
    await page.route(`**/api/v1${path}`, async (route) => {
      const response = await route.fetch();
      const answer = response.ok() ? ((await response.json()) as Answer) : {};
      const json = { ...answer, ...put((route.request().postDataJSON() ?? {}) as Answer) };
      await route.fulfill({ status: 200, json });
    });
}

interface Event {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** µs of the processor. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** ms of the processor, of the longest task of the page's thread; other processes do not count. */
function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly Event[] };
  const threadOf = ({ pid, tid }: Event) => `${pid} ${tid}`;
  const ofPages = traceEvents.filter(
    (one) => one.name === 'thread_name' && one.args.name === 'CrRendererMain',
  );
  const threads = new Set(ofPages.map(threadOf));
  const tasks = traceEvents.filter((one) => one.name.endsWith('RunTask') && threads.has(threadOf(one)));
  assert.ok(tasks.length > 100, `${tasks.length} tasks`);
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
}

test('a film of many hours opens without holding up the page, and every line can be found', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await sample.signedIn(t);
  await lengthened(page);
  const { media } = await sample.service.ok<{ media: { media_path: string; hash_str: string }[] }>(
    '/library/list',
    { cache_dir: join(sample.home.folder, 'analysis') },
  );
  const { hash_str } = media.find(({ media_path }) => media_path.endsWith('beach.mp4'))!;
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ['toplevel'] });
  await page.evaluate(`location.hash = '#/player/${hash_str}@9'`);
  await page.locator('[data-line="1"][aria-current]').waitFor({ timeout: SLOW_MS });
  await page.locator('.lane.thing canvas').nth(7).waitFor({ timeout: SLOW_MS });
  // Some 45 ms, most of it to read the answers; it was seconds where each span and line was an element.
  const longest = longestTask(await browser.stopTracing());
  t.diagnostic(`longest task: ${longest.toFixed(0)} ms`);
  assert.ok(longest < 250, `${longest} ms`);
  const dog = page.locator('.lane.thing').nth(2);
  const { x, y, width } = (await dog.boundingBox())!;
  await page.mouse.move(x + (width * 6_004) / SECONDS, y + 3);
  await until(async () => (await dog.getAttribute('title')) === '1:40:00 Dog');
  await until(async () => (await page.locator('[data-line]').count()) === LINES, { within: SLOW_MS });
  assert.deepEqual(problems, []);
});

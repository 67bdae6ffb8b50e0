// What a service says of a film of ten hours, three outside a release, put into its answers about a sample,
// and how long the page was busy to show it.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { untilRelease } from '../shared.ts';

const HOURS = untilRelease ? 3 : 10;
export const SECONDS = HOURS * 3600;
export const LINES = HOURS * 450;
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

function takes() {
  const part = { media_path: '/films/other.mp4', hash_str: 'of another film', other_paths: [] };
  const asked = { ...part, start_seconds: 5, end_seconds: 15 };
  const found = { ...part, start_seconds: 105, end_seconds: 115 };
  const take = {
    asked,
    found,
    offset_seconds: 100,
    mirrored: true,
    agreeing_frames: 11,
    certainty: 'strong',
  };
  return { takes: [take], next_cursor: null, compared: null };
}

type Answer = Record<string, unknown>;

/** By the end of their addresses: what is put into the answers of the service. */
const answers: Readonly<Record<string, (asked: Answer) => Answer>> = {
  '/media/facts': () => ({ duration_seconds: SECONDS }),
  '/media/peaks': () => ({
    duration_seconds: SECONDS,
    peaks: Array.from({ length: 4000 }, (_, i) => Math.abs(Math.sin(i))),
  }),
  '/scenes': () => ({ scenes: range(HOURS * 720, 5, 5) }),
  '/media/seen': seen,
  '/search/takes': takes,
  '/transcriptions/range': transcript,
};

export async function lengthened(page: Page): Promise<void> {
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
export function longestTask(trace: Buffer): number {
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

import { definition } from '../actors/index/actor.ts';
import { indexContract } from '../actors/index/contract.ts';
import type { MediaRecord } from '../actors/index/store/contract.ts';
import { mostNodesOfMessage, type NewSummaryNode } from '../actors/index/summaries/contract.ts';
import { createSummaries } from '../actors/summarizer/stored/summaries.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLog } from '../runtime/log.ts';
import type { Ref } from '../runtime/ref.ts';
import { createSupervisor } from '../runtime/supervisor.ts';
import { startInMemory } from '../test/runtime/memory.ts';
import { median, type Question, type Row } from './row.ts';
import { sized } from './size.ts';
import { seeded } from './vectors.ts';

const films = sized(2500, 20);
const leaves = 199;
const characters = 220;
const rounds = sized(15, 1);
const log = createLog('bench', () => {});
const hashOf = (film: number): string => (film + 0x100000).toString(16);

/** Words by how often they are: the second half as often as the first, and so on. */
function writer(): () => string {
  const random = seeded(7);
  const syllables = ['ka', 'lo', 'mi', 'ran', 'te', 'sul', 'po', 'ver', 'di', 'nach', 'ou', 'wen'];
  const word = (i: number): string => {
    let [text, left] = ['', i + 12];
    for (; left > 0; left = Math.floor(left / 12)) text += syllables[left % 12];
    return text;
  };
  const words = Array.from({ length: 20_000 }, (_, i) => word(i));
  return () => {
    let text = '';
    while (text.length < characters) text += `${words[Math.floor(words.length ** (random() + 0.5)) - 1]} `;
    return text;
  };
}

function* nodesOf(film: number, text: () => string): Iterable<NewSummaryNode> {
  const common = { verification_hints: [], failed: false, evidence: null };
  const child_ids = Array.from({ length: leaves }, (_, i) => `n${i}`);
  yield {
    ...common,
    node_id: '0',
    parent_id: null,
    level: 0,
    text: `film ${film}`,
    range: [0, leaves * 5],
    child_ids,
  };
  for (const [i, node_id] of child_ids.entries()) {
    const own = film === films >> 1 && i === 56 ? `${text()} zeppelin harbour` : text();
    yield {
      ...common,
      node_id,
      parent_id: '0',
      level: 1,
      text: own,
      range: [i * 5, i * 5 + 5],
      child_ids: [],
    };
  }
}

function mediaOf(film: number): MediaRecord {
  const hash_str = hashOf(film);
  const facts = { creation_date: null, camera_make: null, camera_model: null, location: null };
  return {
    path: `/footage/${hash_str}.mp4`,
    identity: { hash_str, size_bytes: 1000, mtime_ms: 1, inode: '1' },
    probe: {
      ...facts,
      kind: 'video',
      container: 'mov',
      size_bytes: 1000,
      duration_seconds: leaves * 5,
      grid_frames: leaves * 5,
      width: 320,
      height: 180,
      video: null,
      audio: [],
      subtitles: [],
      timecode: { text: '00:00:00:00', drop_frame: false, rate: { num: 25, den: 1 } },
    },
  };
}

async function store(
  index: Ref<typeof indexContract>,
  cache_dir: string,
  film: number,
  nodes: NewSummaryNode[],
) {
  const named = { hash_str: hashOf(film), analysis_name: 'general', model_key: 'bench', settings: '' };
  const { stage } = await index.ask('begin_summary', { cache_dir, ...named, replace_existing: true });
  for (let at = 0; at < nodes.length; at += mostNodesOfMessage)
    await index.ask('append_nodes', { stage, nodes: nodes.slice(at, at + mostNodesOfMessage) });
  const none = { warnings: [], uncovered_ranges: [], failed_node_ids: [] };
  await index.ask('commit_summary', {
    stage,
    media: mediaOf(film),
    collection: null,
    one_line_summary: 'A film',
    short_summary: 'A film.',
    root_id: '0',
    objective: { preset: 'general_understanding', priority_hints: [], custom_instructions: null },
    quality: { ...none, warning_count: 0, uncovered_range_count: 0, failed_node_count: 0 },
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function row(name: string, value: number, unit: string, rest: Partial<Row> = {}): Row {
  return { question: 'summary-search', name, value, unit, against: null, ratio: null, goal: null, ...rest };
}

type Find = (query: string) => Promise<{ readonly total: number; readonly total_is_exact: boolean }>;

/** The first search, while somebody else asks. */
async function firstSearch(index: Ref<typeof indexContract>, cache_dir: string, find: Find): Promise<Row[]> {
  globalThis.gc?.();
  const before = process.memoryUsage();
  let longest = 0;
  let isDone = false;
  const first = timed(() => find('zeppelin')).finally(() => {
    isDone = true;
  });
  const other = { cache_dir, hashes: [], after: null, limit: 1 };
  while (!isDone) longest = Math.max(longest, await timed(() => index.ask('list_summaries', other)));
  const whole = await first;
  globalThis.gc?.();
  const after = process.memoryUsage();
  return [
    row('first search, which reads 500,000 nodes', whole, 'ms'),
    row('longest wait of another question meanwhile', longest, 'ms', {
      goal: { of: 'value', at: 'most', than: 50 },
    }),
    row('memory more afterwards', (after.rss - before.rss) / 1e6, 'MB'),
    row('of these in lists and texts', (after.arrayBuffers - before.arrayBuffers) / 1e6, 'MB'),
  ];
}

async function searches(find: Find, texts: readonly string[]): Promise<Row[]> {
  const long = 'x'.repeat(10_000);
  const plain = ['zeppelin', 'zeppelin harbour', 'nothinglikethis', 'ka', 'lo mi', 'a', long];
  const rows: Row[] = [];
  for (const query of [...plain, '"zeppelin harbour"']) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await timed(() => find(query)));
    const { total, total_is_exact } = await find(query);
    const words = plain.includes(query) ? query.split(' ') : [query.replaceAll('"', '')];
    const scan = await timed(async () => texts.filter((text) => words.every((one) => text.includes(one))));
    const named = query === long ? 'a query of 10,000 characters' : query;
    const name = `${named}, ${total_is_exact ? total : `${total} or more`} found`;
    const against = { name: 'includes', value: scan };
    rows.push(row(name, median(times), 'ms', { against, goal: { of: 'value', at: 'most', than: 100 } }));
  }
  return rows;
}

async function measured(index: Ref<typeof indexContract>, cache_dir: string, texts: readonly string[]) {
  const summaries = createSummaries({ index, prober: null as never });
  const request = { cache_dir, max_results: 50 };
  const find: Find = (query) => summaries.find({ ...request, query });
  const rows = [...(await firstSearch(index, cache_dir, find)), ...(await searches(find, texts))];
  await store(index, cache_dir, 5, [...nodesOf(5, writer())]);
  const after = await timed(() => find('zeppelin'));
  return [...rows, row('search after a summary of 200 nodes was replaced', after, 'ms')];
}

export const summarySearch: Question = async (say, folder) => {
  const supervisor = createSupervisor({ clock: systemClock, log });
  try {
    const index = await supervisor.add({
      name: 'index',
      contract: indexContract,
      turnLimitMs: 60_000,
      start: () => startInMemory(definition, { log }),
    });
    say('storing half a million nodes');
    const text = writer();
    const texts: string[] = [];
    for (let film = 0; film < films; film++) {
      const nodes = [...nodesOf(film, text)];
      for (const node of nodes) texts.push(node.text);
      await store(index, folder, film, nodes);
    }
    say('searching');
    return await measured(index, folder, texts);
  } finally {
    await supervisor.stop();
  }
};

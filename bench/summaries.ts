import { definition } from '../actors/index/actor.ts';
import { indexContract } from '../actors/index/contract.ts';
import type { MediaRecord } from '../actors/index/store/contract.ts';
import { Environment } from '../actors/index/store/environment.ts';
import { databaseFile, mediaKey, pathKey } from '../actors/index/store/names.ts';
import { Media, Summary, SummaryCollection, SummaryMember } from '../actors/index/store/records.ts';
import { collectionKey, memberKey, newSummaryId, summaryKey } from '../actors/index/store/summaries/rows.ts';
import { seal } from '../actors/index/store/table.ts';
import { mostNodesOfMessage, type NewSummaryNode } from '../actors/index/summaries/contract.ts';
import { createSummaries } from '../actors/summarizer/stored/summaries.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLog } from '../runtime/log.ts';
import type { Ref } from '../runtime/ref.ts';
import { createSupervisor } from '../runtime/supervisor.ts';
import { startInMemory } from '../test/runtime/memory.ts';
import { median, type Question, type Row } from './row.ts';
import { sized } from './size.ts';

const width = 12;
const leaves = sized(458_000, 5000);
const films = sized(2500, 100);
const summaries = sized(100_000, 1000);
const rounds = sized(30, 1);

const log = createLog('bench', () => {});
const hashOf = (film: number): string => (film + 0x100000).toString(16);
const collection_id = newSummaryId(0, '000000000000');

export const summariesRead: Question = async (say, folder) => {
  const supervisor = createSupervisor({ clock: systemClock, log });
  try {
    const index = await supervisor.add({
      name: 'index',
      contract: indexContract,
      turnLimitMs: 60_000,
      start: () => startInMemory(definition, { log }),
    });
    say('storing a tree of half a million nodes');
    const start = performance.now();
    const nodes = await storeTree(index, folder);
    const seconds = (performance.now() - start) / 1000;
    say(`${nodes.toLocaleString('en')} nodes; storing ${summaries.toLocaleString('en')} summaries`);
    await storeMany(folder);
    const rows = [row('nodes stored a second', nodes / seconds, '1/s')];
    return [...rows, ...(await measured(index, folder))];
  } finally {
    await supervisor.stop();
  }
};

function row(name: string, value: number, unit: string, goal: number | null = null): Row {
  const wanted = goal === null ? null : ({ of: 'value', at: 'most', than: goal } as const);
  return { question: 'summaries', name, value, unit, against: null, ratio: null, goal: wanted };
}

function mediaOf(film: number): MediaRecord {
  const hash_str = hashOf(film);
  return {
    path: `/footage/${hash_str}.mp4`,
    identity: { hash_str, size_bytes: 1000, mtime_ms: 1, inode: '1' },
    probe: {
      kind: 'video',
      container: 'mov',
      size_bytes: 1000,
      duration_seconds: leaves,
      grid_frames: leaves,
      width: 320,
      height: 180,
      video: null,
      audio: [],
      subtitles: [],
      timecode: { text: '00:00:00:00', drop_frame: false, rate: { num: 25, den: 1 } },
      creation_date: null,
      camera_make: null,
      camera_model: null,
      location: null,
    },
  };
}

/** Level by level from the root; each level has as many children as fit below it. */
function* tree(): Iterable<NewSummaryNode> {
  const levels = Math.ceil(Math.log(leaves) / Math.log(width));
  const countAt = (level: number) => Math.ceil(leaves / width ** (levels - level));
  for (let level = 0; level <= levels; level++) {
    for (let at = 0; at < countAt(level); at++) {
      const below = level === levels ? 0 : Math.min(width, countAt(level + 1) - at * width);
      const step = width ** (levels - level);
      yield {
        node_id: level === 0 ? '0' : `${level}.${at}`,
        parent_id: level === 0 ? null : level === 1 ? '0' : `${level - 1}.${Math.floor(at / width)}`,
        level,
        text: `Two people in a bright room; mostly wide shots. What happens at ${at} of level ${level}.`.repeat(
          3,
        ),
        range: [at * step, (at + 1) * step],
        child_ids: Array.from({ length: below }, (_, i) => `${level + 1}.${at * width + i}`),
        verification_hints: [],
        failed: false,
        evidence: null,
      };
    }
  }
}

async function storeTree(index: Ref<typeof indexContract>, cache_dir: string): Promise<number> {
  const hash_str = hashOf(0);
  const { stage } = await index.ask('begin_summary', {
    cache_dir,
    hash_str,
    analysis_name: 'large',
    model_key: 'bench',
    settings: '',
    replace_existing: false,
  });
  let page: NewSummaryNode[] = [];
  let count = 0;
  for (const node of tree()) {
    page.push(node);
    count++;
    if (page.length < mostNodesOfMessage) continue;
    await index.ask('append_nodes', { stage, nodes: page });
    page = [];
  }
  await index.ask('append_nodes', { stage, nodes: page });
  const none = { warnings: [], uncovered_ranges: [], failed_node_ids: [] };
  await index.ask('commit_summary', {
    stage,
    media: mediaOf(0),
    collection: null,
    one_line_summary: 'Very long',
    short_summary: 'Very long indeed.',
    root_id: '0',
    objective: { preset: 'general_understanding', priority_hints: [], custom_instructions: null },
    quality: { ...none, warning_count: 0, uncovered_range_count: 0, failed_node_count: 0 },
  });
  return count;
}

/** As commits leave them, but many in one transaction: what is measured is reading. */
async function storeMany(folder: string): Promise<void> {
  const environment = Environment.open(databaseFile(folder), 'write');
  const together = 1000;
  for (let at = 0; at < summaries; at += together) {
    environment.transact((writes) => {
      if (at === 0) putCollection(writes);
      for (let i = at; i < at + together; i++) putSummary(writes, i);
    });
  }
  await environment.close();
}

type Writes = Parameters<Parameters<Environment['transact']>[0]>[0];

function putCollection(writes: Writes): void {
  const key = collectionKey(collection_id);
  writes.put(key, seal(SummaryCollection, key, { name: 'All', description: '', made_ms: 0 }));
  for (let film = 1; film <= films; film++) {
    const { path, identity, probe } = mediaOf(film);
    const facts = { probe_json: JSON.stringify(probe), content_digest: '', volume: '', root_folder: '' };
    const row = { path, ...identity, ...facts, ctime_ms: 0 };
    for (const one of [pathKey(path), mediaKey(row.hash_str)]) writes.put(one, seal(Media, one, row));
  }
}

function putSummary(writes: Writes, i: number): void {
  const hash_str = hashOf(1 + (i % films));
  const analysis_id = newSummaryId(i + 1, '000000000000');
  const name = `summary ${i}`;
  const key = summaryKey(hash_str, analysis_id);
  const own = { hash_str, analysis_id, name, model_key: 'bench', collection_id, token: 'none' };
  const one_line = `What happens in film ${i % films}, in a sentence of the usual length, with somebody in it.`;
  writes.put(key, seal(Summary, key, { ...own, one_line, nodes: 1, bytes: 500, stored_ms: i + 1 }));
  const member = memberKey(collection_id, hash_str, analysis_id);
  writes.put(member, seal(SummaryMember, member, { hash_str, analysis_id, name }));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function middle(work: (round: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await timed(() => work(round)));
  return median(times);
}

async function measured(index: Ref<typeof indexContract>, cache_dir: string): Promise<Row[]> {
  const reading = createSummaries({ index, prober: null as never });
  const byHash = { cache_dir, hash_str: hashOf(0) };
  const before = process.memoryUsage.rss();
  const overview = await middle(() => reading.overview(byHash));
  const node = await middle((round) =>
    reading.node({ ...byHash, node_id: `${2 + (round % 5)}.${round % 20}`, include_evidence: true }),
  );
  const page = (film: number, limit: number) => ({
    cache_dir,
    media_paths: [],
    hash_strs: Array.from({ length: films }, (_, i) => hashOf(1 + ((film + i) % films))),
    limit,
  });
  const list = await middle((round) => reading.list(page(round, 100)));
  const small = (process.memoryUsage.rss() - before) / 1e6;
  let most = 0;
  const collections = { cache_dir, collection_id, include_members: false };
  const count = await middle(() => reading.collections({ cache_dir, include_members: false }));
  const turns = await middle(async () => {
    most = Math.max(
      most,
      await timed(() => index.ask('list_members', { cache_dir, collection_id, after: null, limit: 500 })),
    );
  });
  const members = await timed(() => reading.collections({ ...collections, include_members: true }));
  return [
    row('overview of half a million nodes', overview, 'ms', 5),
    row('a node of half a million', node, 'ms', 5),
    row('a page of 100 of 100,000 summaries', list, 'ms', 50),
    row('memory more after these', small, 'MB', 200),
    row('collections with the count of 100,000', count, 'ms', 100),
    row('a turn of the index for 500 members', turns, 'ms', 50),
    row('all 100,000 members', members, 'ms', 5000),
  ];
}

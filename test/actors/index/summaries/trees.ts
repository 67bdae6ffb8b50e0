// Summaries of tests: trees whose ranges nest, stored through the actor.
import type { indexContract } from '../../../../actors/index/contract.ts';
import type { MediaRecord } from '../../../../actors/index/store/contract.ts';
import type { CollectionChoice, NewSummaryNode } from '../../../../actors/index/summaries/contract.ts';
import type { Ref } from '../../../../runtime/ref.ts';
import { mediaRecord, seeded } from '../footage.ts';
import type { Harness } from '../handlers.ts';

/** The actor itself, or a reference to it (`callsOf`). */
export type Calls = Pick<Harness, 'call'>;

export function callsOf(index: Ref<typeof indexContract>): Calls {
  return { call: (name, request) => index.ask(name, request) };
}

export const quality = {
  warnings: [],
  warning_count: 0,
  uncovered_ranges: [],
  uncovered_range_count: 0,
  failed_node_ids: [],
  failed_node_count: 0,
};
export const objective = { preset: 'general_understanding', priority_hints: [], custom_instructions: null };

export function evidenceOf(id: string, frame: number): NonNullable<NewSummaryNode['evidence']> {
  return {
    frames: [{ evidence_id: `f-${id}`, frame_idx: frame, timestamp: '00:00:01' }],
    transcript: [
      {
        evidence_id: `t-${id}`,
        start_seconds: frame,
        end_seconds: frame + 1,
        text: ` said ${id}`,
        speaker: 'Ada',
      },
    ],
    speakers: ['Ada'],
    people: ['Grace'],
    attribution_hints: ['Ada is probably Grace: they are alone in the room'],
  };
}

/**
 * A tree over `seconds`: each node is cut into `width` children until it is `least` seconds long. Parents
 * first.
 */
export function tree(seconds: number, width = 4, least = 4): NewSummaryNode[] {
  const nodes: NewSummaryNode[] = [];
  const add = (node_id: string, parent_id: string | null, level: number, start: number, end: number) => {
    const parts = Math.min(width, Math.floor((end - start) / least));
    const isLeaf = parts < 2;
    const cuts = Array.from({ length: parts + 1 }, (_, i) => start + Math.round(((end - start) * i) / parts));
    const child_ids = isLeaf
      ? []
      : cuts.slice(1).map((_, i) => (level === 0 ? `${i + 1}` : `${node_id}.${i + 1}`));
    nodes.push({
      node_id,
      parent_id,
      level,
      text: `${node_id} from ${start} to ${end}`,
      range: [start, end],
      child_ids,
      verification_hints: [],
      failed: false,
      evidence: isLeaf ? evidenceOf(node_id, start) : null,
    });
    for (const [i, child] of child_ids.entries()) add(child, node_id, level + 1, cuts[i]!, cuts[i + 1]!);
  };
  add('0', null, 0, 0, seconds);
  return nodes;
}

export interface Told {
  readonly name?: string;
  readonly model?: string;
  readonly settings?: string;
  readonly replace?: boolean;
  readonly collection?: CollectionChoice | null;
  readonly one_line?: string;
  readonly path?: string;
  readonly media?: MediaRecord;
  readonly nodes?: readonly NewSummaryNode[];
  readonly quality?: typeof quality | object;
}

export async function begin(index: Calls, cache_dir: string, hash_str: string, result: Told = {}) {
  return index.call('begin_summary', {
    cache_dir,
    hash_str,
    analysis_name: result.name ?? 'general',
    model_key: result.model ?? 'extractive',
    settings: result.settings ?? 'one',
    replace_existing: result.replace ?? false,
  });
}

export async function append(index: Calls, stage: number, nodes: readonly NewSummaryNode[]): Promise<void> {
  for (let at = 0; at < nodes.length; at += 500) {
    await index.call('append_nodes', { stage, nodes: nodes.slice(at, at + 500) });
  }
}

export async function commit(index: Calls, stage: number, hash: string, result: Told = {}) {
  return index.call('commit_summary', {
    stage,
    media: result.media ?? mediaRecord(hash, result.path),
    collection: result.collection ?? null,
    one_line_summary: result.one_line ?? `All of ${hash}`,
    short_summary: `In short, ${hash}.`,
    root_id: '0',
    objective,
    quality: { ...quality, ...result.quality },
  });
}

/** From begin to commit; answers the ids. */
export async function summarise(index: Calls, cache_dir: string, hash: string, result: Told = {}) {
  const { stage } = await begin(index, cache_dir, hash, result);
  await append(index, stage, result.nodes ?? tree(10));
  return commit(index, stage, hash, result);
}

export const readNode = (
  index: Calls,
  cache_dir: string,
  hash_str: string,
  node_id: string | null = null,
  analysis_id: string | null = null,
  evidence = false,
) => index.call('read_summary', { cache_dir, hash_str, analysis_id, node_id, evidence });

export const list = (index: Calls, cache_dir: string, hashes: string[], limit = 500) =>
  index.call('list_summaries', { cache_dir, hashes, after: null, limit });

export async function sweep(index: Calls, cache_dir: string): Promise<number> {
  for (let steps = 1; steps < 1000; steps++)
    if ((await index.call('sweep_summaries', { cache_dir })).done) return steps;
  throw new Error('the sweep does not end');
}

export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = seeded(seed);
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

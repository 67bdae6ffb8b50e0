// Reads a summary of a running service as a client does, node by node, and holds every claim of its texts
// against the evidence.
import assert from 'node:assert/strict';
import type {
  Evidence,
  NodeAnswer,
  OverviewAnswer,
  SummaryNodeEntry,
} from '../../actors/summarizer/stored/contract.ts';
import type { RunningService } from './service.ts';

export interface ReadNode {
  readonly node: SummaryNodeEntry;
  /** Of a leaf its own; of others that of all leaves below. */
  readonly evidence: readonly Evidence[];
}

export interface ReadSummary {
  readonly overview: OverviewAnswer;
  /** The root first, each node before its children. */
  readonly nodes: readonly ReadNode[];
}

export async function readSummary(
  { ok }: Pick<RunningService, 'ok'>,
  cache_dir: string,
  path: string,
): Promise<ReadSummary> {
  const overview = await ok<OverviewAnswer>('/summaries/overview', { cache_dir, path });
  const nodes: ReadNode[] = [];
  const read = async (node_id: string): Promise<readonly Evidence[]> => {
    const { summary_ref } = overview;
    const request = { cache_dir, summary_ref, node_id, include_evidence: true };
    const answer = await ok<NodeAnswer>('/summaries/node', request);
    const at = nodes.push({ node: answer.node, evidence: [] }) - 1;
    const below: Evidence[] = answer.evidence ? [answer.evidence] : [];
    for (const child of answer.children) below.push(...(await read(child.node_id)));
    nodes[at] = { node: answer.node, evidence: below };
    return below;
  };
  await read(overview.root.node_id);
  assert.equal(nodes.length, overview.node_count);
  return { overview, nodes };
}

/**
 * Ranges nest and cover: the root has the whole grid, and the children of each node its range without a gap.
 */
export function checkRanges({ nodes }: ReadSummary, seconds: number): void {
  assert.deepEqual(nodes[0]?.node.search_range, [0, seconds]);
  for (const { node, evidence } of nodes) {
    const [start, end] = node.search_range;
    assert.equal(node.is_leaf, node.children.length === 0, node.node_id);
    if (!node.is_leaf) {
      const bounds = node.children.map(({ search_range }) => search_range);
      assert.deepEqual(
        [start, ...bounds.map(([, last]) => last)],
        [...bounds.map(([first]) => first), end],
        node.node_id,
      );
    }
    for (const { frames } of evidence)
      for (const { frame_idx } of frames) assert.ok(frame_idx >= start && frame_idx < end, node.node_id);
  }
}

const quoted = /[“"]([^”"]+)[”"]/g;
const clock = /\((?:(\d+):)?(\d{1,2}):(\d{2})\)/g;
const speakerId = /SPEAKER_\d+/g;

/**
 * Everything that a text quotes, whom it names, and each time it tells, is in the evidence of its leaves.
 * Claims checked.
 */
export function checkClaims({ overview, nodes }: ReadSummary): number {
  let claims = 0;
  for (const { node, evidence } of nodes) {
    const said = evidence.flatMap(({ transcript }) => transcript.map(({ text }) => plain(text))).join(' ');
    const speakers = new Set(evidence.flatMap((one) => one.speakers));
    const [start, end] = node.search_range;
    assert.notEqual(node.text.trim(), '', node.node_id);
    for (const [, words] of node.text.matchAll(quoted)) {
      claims++;
      assert.ok(said.includes(plain(words!)), `${node.node_id}: nobody says ${words} in: ${said}`);
    }
    for (const [told, hours = '0', minutes, seconds] of node.text.matchAll(clock)) {
      claims++;
      const at = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
      assert.ok(at >= start && at < end, `${node.node_id} [${start}, ${end}): ${told}`);
    }
    for (const [speaker] of node.text.matchAll(speakerId)) {
      claims++;
      assert.ok(speakers.has(speaker), `${node.node_id}: ${speaker}`);
    }
    const ids = new Set(
      evidence.flatMap((one) => [...one.frames, ...one.transcript].map(({ evidence_id }) => evidence_id)),
    );
    for (const { evidence_ids } of node.verification_hints)
      for (const id of evidence_ids) assert.ok(ids.has(id), `${node.node_id}: ${id} is no evidence`);
  }
  const all = nodes[0]!.evidence
    .flatMap(({ transcript }) => transcript.map(({ text }) => plain(text)))
    .join(' ');
  for (const text of [overview.short_summary])
    for (const [, words] of text.matchAll(quoted)) assert.ok(all.includes(plain(words!)), words);
  return claims;
}

/** Without what a quotation may leave out: the mark of a cut, and spaces. */
function plain(text: string): string {
  return text.replace(/…$/u, '').replace(/\s+/g, ' ').trim();
}

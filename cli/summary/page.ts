// Makes the page of a summary: reads its tree, and brings the pictures of the frames that it was made of.
import { type DocumentNode, mostDocumentNodes } from '../../actors/exporter/summary/contract.ts';
import { qualityNotes } from '../../actors/exporter/summary/quality-notes.ts';
import type { OverviewAnswer } from '../../actors/summaries/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { usageErrors } from '../context.ts';
import { type Picture, summaryPage } from './page-text.ts';
import type { Walk } from './walk.ts';
import { walked } from './walk.ts';

/** Pictures of a page at most, and of one request; their longest side, px. */
const MOST_PICTURES = 600;
const TOGETHER = 200;
const SIDE = 320;

/** The text of the page. */
export async function pageText(
  client: Client,
  overview: OverviewAnswer,
  walk: Walk,
  cache_dir: string,
): Promise<string> {
  const nodes: DocumentNode[] = [];
  const warnings = new Set(overview.quality.warnings);
  for await (const { answer, below } of walked(client, overview, { ...walk, evidence: true })) {
    const { node, evidence = null, quality } = answer;
    for (const warning of quality.warnings) warnings.add(warning);
    nodes.push({ node, below, evidence });
    if (nodes.length > mostDocumentNodes) {
      const what = `a page can show at most ${mostDocumentNodes} nodes`;
      throw usageErrors.USAGE(
        `${what}: show fewer levels with --depth, or start at a deeper node with --node`,
      );
    }
  }
  const moments = momentsOf(nodes);
  const some = [...moments].slice(0, MOST_PICTURES);
  const pictures = new Map<string, Picture>();
  for (let at = 0; at < some.length; at += TOGETHER) {
    const part = some.slice(at, at + TOGETHER);
    const requests = part.map(([, time_seconds]) => ({ media_path: overview.media_path, time_seconds }));
    const { thumbnails } = await client.thumbnails({ cache_dir, requests, max_size: SIDE });
    for (const [i, [id, seconds]] of part.entries()) {
      const jpeg = thumbnails[i]?.thumbnail;
      if (jpeg) pictures.set(id, { seconds, jpeg });
    }
  }
  const left = moments.size - some.length;
  const notes = [
    ...qualityNotes(overview.quality, [...warnings]),
    ...(left > 0 ? [`${left} more nodes have no picture on this page`] : []),
  ];
  return summaryPage({ overview, nodes, pictures, notes });
}

/**
 * By id: for a leaf the first frame it was made of; for a chapter that is no leaf the one of the leaf in its middle. Chapters
 * come first.
 */
function momentsOf(nodes: readonly DocumentNode[]): Map<string, number> {
  const leaves = nodes.filter(({ node }) => node.is_leaf);
  const seconds = ({ node, evidence }: DocumentNode) =>
    evidence?.frames[0]?.frame_idx ?? Math.floor((node.search_range[0] + node.search_range[1]) / 2);
  const chapters = nodes.flatMap(({ node, below }): [string, number][] => {
    if (node.is_leaf || below !== 1) return [];
    const [start, end] = node.search_range;
    const middle = (start + end) / 2;
    const leaf = leaves.find(
      ({
        node: {
          search_range: [from, to],
        },
      }) => from <= middle && middle < to,
    );
    return [[node.node_id, leaf ? seconds(leaf) : Math.floor(middle)]];
  });
  return new Map([...chapters, ...leaves.map((one): [string, number] => [one.node.node_id, seconds(one)])]);
}

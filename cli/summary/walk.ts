// The nodes of a summary as a command reads them: from the root or a node on, down to a level.
import type { OverviewAnswer } from '../../actors/summaries/contract.ts';
import { inReadingOrder, type Reached } from '../../actors/summaries/reading-order.ts';
import type { Client } from '../../http/client/client.ts';

export interface Walk {
  readonly cache_dir: string;
  /** Null: the root. */
  readonly node: string | null;
  readonly depth: number;
  readonly evidence: boolean;
}

export function walked(
  client: Client,
  { summary_ref, root, quality }: OverviewAnswer,
  { cache_dir, node, depth, evidence }: Walk,
): AsyncGenerator<Reached, void> {
  return inReadingOrder(node ?? root.node_id, depth, async (node_id) => {
    // It came with the overview.
    if (node_id === root.node_id && !(evidence && root.is_leaf)) {
      return { summary_ref, node: root, children: root.children, quality };
    }
    return client.summaryNode({ cache_dir, summary_ref, node_id, include_evidence: evidence });
  });
}

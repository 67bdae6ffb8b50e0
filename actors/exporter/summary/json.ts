// A summary as one JSON document: the fields of the API, with every node in the place of its preview.
import type { DocumentNode, SummaryTree } from './contract.ts';

/** A node as `SummaryNode` of the API, with nodes as its children. */
interface WholeNode extends Omit<DocumentNode['node'], 'children'> {
  readonly evidence?: DocumentNode['evidence'];
  /** Those that were read: none at the last level that was asked for, whether or not it is a leaf. */
  readonly children: WholeNode[];
}

export function jsonDocument({ overview, nodes, warnings }: SummaryTree): string {
  const { root: _, ...facts } = overview;
  /** The last node of each level: the parent of what comes next. */
  const open: WholeNode[] = [];
  for (const { node, below, evidence } of nodes) {
    const whole: WholeNode = { ...node, ...(evidence && { evidence }), children: [] };
    open[below - 1]?.children.push(whole);
    open.splice(below, open.length, whole);
  }
  const left = warnings.length > 0 ? { warnings } : {};
  return `${JSON.stringify({ ...facts, root: open[0], ...left })}\n`;
}

// Records of summaries as values of the contract, and back. Lists that nobody computes with lie in them as
// JSON.
import type {
  NewSummaryNode,
  SummaryDetail,
  SummaryEvidence,
  SummaryNode,
} from '../../summaries/contract.ts';
import {
  SummaryDetail as DetailRow,
  SummaryEvidence as EvidenceRow,
  SummaryNode as NodeRow,
} from '../records.ts';
import { seal, unseal } from '../table.ts';

export function sealNode(key: string, node: SummaryNode): Uint8Array {
  const [start, end] = node.range;
  return seal(NodeRow, key, {
    node_id: node.node_id,
    parent_id: node.parent_id ?? '',
    level: node.level,
    text: node.text,
    start,
    end,
    children_json: JSON.stringify(node.child_ids),
    hints_json: JSON.stringify(node.verification_hints),
    failed: node.failed ? 1 : 0,
  });
}

/** Throws STORE_DAMAGED. */
export function unsealNode(key: string, bytes: Uint8Array, file: string): SummaryNode {
  const row = unseal(NodeRow, key, bytes, file);
  return {
    node_id: row.node_id,
    parent_id: row.parent_id === '' ? null : row.parent_id,
    level: row.level,
    text: row.text,
    range: [row.start, row.end],
    // Written by this program under a checksum, here and below.
    child_ids: JSON.parse(row.children_json) as string[],
    verification_hints: JSON.parse(row.hints_json) as SummaryNode['verification_hints'],
    failed: row.failed === 1,
  };
}

export function sealEvidence(key: string, evidence: NonNullable<NewSummaryNode['evidence']>): Uint8Array {
  return seal(EvidenceRow, key, { evidence_json: JSON.stringify(evidence) });
}

/** Throws STORE_DAMAGED. */
export function unsealEvidence(key: string, bytes: Uint8Array, file: string): SummaryEvidence {
  return JSON.parse(unseal(EvidenceRow, key, bytes, file).evidence_json) as SummaryEvidence;
}

export function sealDetail(key: string, detail: SummaryDetail): Uint8Array {
  const { root_id, short_summary, objective, quality } = detail;
  const lists = { objective_json: JSON.stringify(objective), quality_json: JSON.stringify(quality) };
  return seal(DetailRow, key, { root_id, short_summary, ...lists });
}

/** Throws STORE_DAMAGED. */
export function unsealDetail(key: string, bytes: Uint8Array, file: string): SummaryDetail {
  const { root_id, short_summary, objective_json, quality_json } = unseal(DetailRow, key, bytes, file);
  return {
    root_id,
    short_summary,
    objective: JSON.parse(objective_json) as SummaryDetail['objective'],
    quality: JSON.parse(quality_json) as SummaryDetail['quality'],
  };
}

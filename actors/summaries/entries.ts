// Stored summaries and nodes with the fields of the API.
import { posix, win32 } from 'node:path';
import type { HeldSummary, SummaryMember, SummaryNode } from '../index/summaries/contract.ts';
import {
  type ChildPreview,
  previewCharacters,
  type SummaryEntry,
  type SummaryMemberEntry,
  type SummaryNodeEntry,
} from './contract.ts';
import { shortened } from './shortened.ts';
import { summaryRef } from './summary-ref.ts';

/** A folder may have been written on another system. */
function basenameOf(path: string): string {
  return path.startsWith('/') ? posix.basename(path) : win32.basename(path);
}

/** `as`: the path by which the file was asked for. */
export function memberEntry(summary: SummaryMember, as: string = summary.media_path): SummaryMemberEntry {
  const { hash_str, analysis_id, analysis_name } = summary;
  return {
    summary_ref: summaryRef(summary),
    analysis_id,
    analysis_name,
    hash_str,
    media_path: as,
    media_basename: basenameOf(as),
  };
}

export function summaryEntry(summary: HeldSummary, as?: string): SummaryEntry {
  const { one_line_summary, collection_id, model_key, stored_ms } = summary;
  const written = { summary_model_key: model_key, created: stored_ms / 1000 };
  return { ...memberEntry(summary, as), one_line_summary, collection_id, ...written };
}

export function childPreview({ node_id, text, child_ids, range }: SummaryNode): ChildPreview {
  const preview = shortened(text, previewCharacters);
  return {
    node_id,
    text_preview: preview.text,
    preview_truncated: preview.isCut,
    is_leaf: child_ids.length === 0,
    search_range: range,
  };
}

export function nodeEntry(node: SummaryNode, children: readonly SummaryNode[]): SummaryNodeEntry {
  const { node_id, parent_id, level, text, child_ids, range, failed, verification_hints } = node;
  return {
    node_id,
    parent_id,
    level,
    text,
    is_leaf: child_ids.length === 0,
    search_range: range,
    failed,
    verification_hints,
    children: children.map(childPreview),
  };
}

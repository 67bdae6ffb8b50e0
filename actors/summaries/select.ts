// Which summary a request means: by its `summary_ref`, or by a file, and then the one of an id or the one stored last.
import { quoted } from '../../runtime/quoted.ts';
import type { CallOptions } from '../../runtime/ref.ts';
import { hashesOf, type SummariesParts } from './contents.ts';
import { type SummarySelector, summariesErrors } from './contract.ts';
import { parseSummaryRef } from './summary-ref.ts';

export interface Selected {
  readonly hash_str: string;
  /** Null: the one that was stored last. */
  readonly analysis_id: string | null;
  /** The path that was asked for. */
  readonly path: string | null;
  /** The field to name when there is none. */
  readonly field: string;
}

const ways = ['summary_ref', 'path', 'hash_str'] as const;

/** WHICH_SUMMARY, BAD_SUMMARY_REF, UNKNOWN_SUMMARY, what keeps the file from being read. */
export async function select(
  parts: SummariesParts,
  request: SummarySelector,
  call: CallOptions,
): Promise<Selected> {
  const { summary_ref, path, hash_str, analysis_id } = request;
  const given = ways.filter((one) => request[one] !== undefined);
  const [way, second] = given;
  if (way === undefined || second !== undefined) {
    const what = `${given.length === 0 ? 'none' : given.join(' and ')} is given; give exactly one of ${ways.join(', ')}`;
    throw summariesErrors.WHICH_SUMMARY(`${way ?? 'summary_ref'}: ${what}`, { field: way ?? 'summary_ref' });
  }
  if (summary_ref !== undefined) {
    const found = parseSummaryRef(summary_ref, 'summary_ref');
    if (analysis_id !== undefined && analysis_id !== found.analysis_id) {
      const what = `analysis_id: summary_ref belongs to ${found.analysis_id}`;
      throw summariesErrors.WHICH_SUMMARY(what, { field: 'analysis_id' });
    }
    return { ...found, path: null, field: 'summary_ref' };
  }
  const field = analysis_id === undefined ? way : 'analysis_id';
  const asked = { analysis_id: analysis_id ?? null, path: path ?? null, field };
  if (hash_str !== undefined) return { ...asked, hash_str };
  const [hash = null] = await hashesOf(parts, request.cache_dir, [path!], call, (error) => {
    throw error;
  });
  if (hash !== null) return { ...asked, hash_str: hash };
  throw summariesErrors.UNKNOWN_SUMMARY(`path: ${request.cache_dir} has no analysis of ${path}`, {
    field: 'path',
  });
}

export function unknownSummary(
  { cache_dir }: SummarySelector,
  { hash_str, analysis_id, path, field }: Selected,
) {
  const which = analysis_id === null ? 'summary' : `summary ${quoted(analysis_id)}`;
  const what = `${field}: ${cache_dir} has no ${which} of ${path ?? hash_str}`;
  return summariesErrors.UNKNOWN_SUMMARY(what, { field });
}

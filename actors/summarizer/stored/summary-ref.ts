// The text that names one summary of one content. It holds no path, so it stays the same when the file is
// renamed or moved, and a checksum, so that a mistyped one is told from one that is not there.
import { crc32 } from 'node:zlib';
import { quoted } from '../../../runtime/text.ts';
import type { SummaryName } from '../../index/summaries/contract.ts';
import { summariesErrors } from './contract.ts';
import { summaryRefForm } from './requests/contract.ts';

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');

export function summaryRef({ hash_str, analysis_id }: SummaryName): string {
  const named = `s1.${hash_str}.${analysis_id}`;
  return `${named}.${checksum(named)}`;
}

/** Throws BAD_SUMMARY_REF naming the field. */
export function parseSummaryRef(text: string, field: string): SummaryName {
  const [, hash_str, analysis_id, sum] = summaryRefForm.exec(text) ?? [];
  if (hash_str !== undefined && analysis_id !== undefined) {
    if (checksum(`s1.${hash_str}.${analysis_id}`) === sum) return { hash_str, analysis_id };
  }
  const what = `${field}: ${quoted(text.slice(0, 200))} is not a complete summary_ref`;
  throw summariesErrors.BAD_SUMMARY_REF(what, { field });
}

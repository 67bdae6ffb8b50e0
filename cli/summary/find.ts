// `framehound summary --find WORDS`: nodes of summaries whose texts hold the words.

import { resolve } from 'node:path';
import { clockTime } from '../../actors/decoder/contract.ts';
import type { SummaryMatchEntry } from '../../actors/summarizer/stored/contract.ts';
import { mostSummaryMatches } from '../../actors/summarizer/stored/requests/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { type Context, exit } from '../context.ts';
import { inks, type Output, printable, wrapped } from '../terminal.ts';

const INDENT = 5;

export interface FindArguments {
  readonly cache_dir: string;
  readonly query: string;
  /** Empty: every summary there is. */
  readonly files: readonly string[];
  readonly collection_id?: string;
  readonly max_results: number;
  readonly json: boolean;
}

export async function found(
  client: Client,
  { files, json, ...asked }: FindArguments,
  { out, output, screen }: Context,
): Promise<number> {
  const some = files.length === 0 ? {} : { media_paths: files.map((path) => resolve(path)) };
  const answer = await client.searchSummaries({ ...asked, ...some });
  const { matches, total, total_is_exact, warning } = answer;
  if (warning !== undefined) screen.write(`note: ${printable(warning)}\n`);
  if (json) {
    out(`${JSON.stringify(answer)}\n`);
    return exit.ok;
  }
  for (const [i, match] of matches.entries()) out(matchLines(match, i + 1, output));
  if (matches.length === 0) out('  nothing was found\n');
  const more = total - matches.length;
  if (more > 0) {
    const next = matches.length < mostSummaryMatches ? `: --max ${Math.min(mostSummaryMatches, total)}` : '';
    out(`  ${total_is_exact ? '' : 'at least '}${more} more${next}\n`);
  }
  return exit.ok;
}

/** A part of a text shows where it was cut, as far as that can be seen. */
export function excerptOf({
  text_preview,
  preview_truncated,
}: Pick<SummaryMatchEntry, 'text_preview' | 'preview_truncated'>): string {
  if (!preview_truncated) return text_preview;
  const begins = /^[^\p{Ll}\p{P}]|^[“"«(]/u.test(text_preview) ? '' : '…';
  const ends = /[.!?…。！？]["”’»)]*$/u.test(text_preview) ? '' : '…';
  return `${begins}${text_preview}${ends}`;
}

function matchLines(match: SummaryMatchEntry, number: number, output: Output): string {
  const { strong, quiet } = inks(output);
  const { search_range, node_id, media_path, analysis_name } = match;
  const times = `${clockTime(search_range[0])}–${clockTime(search_range[1])}`;
  const where = `${printable(media_path)}  ${quiet(`"${printable(analysis_name)}" ${printable(node_id)}`)}`;
  const text = printable(excerptOf(match).replace(/\s+/g, ' '));
  const lines = wrapped(text, Math.max(24, output.columns - INDENT));
  return [
    `${String(number).padStart(3)}. ${strong(times)}  ${where}\n`,
    ...lines.map((line) => `${' '.repeat(INDENT)}${line}\n`),
  ].join('');
}

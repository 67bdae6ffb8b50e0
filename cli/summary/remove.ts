// `framehound summary … --delete`: removes summaries of files, or a collection with all of its own.
import type { SummaryMemberEntry } from '../../actors/summarizer/stored/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { quoted } from '../../runtime/quoted.ts';
import { agreed, type Consent } from '../consent.ts';
import { type Context, exit } from '../context.ts';
import { printable } from '../terminal.ts';

export interface Removal {
  readonly cache_dir: string;
  readonly summaries: readonly SummaryMemberEntry[];
  /** Goes with them. */
  readonly collection: { readonly collection_id: string; readonly name: string } | null;
}

/** Summaries that are named before the rest is counted. */
const NAMED = 20;

export async function removed(
  client: Client,
  { cache_dir, summaries, collection }: Removal,
  consent: Consent & { readonly json: boolean },
  context: Context,
): Promise<number> {
  const refs = summaries.map(({ summary_ref }) => summary_ref);
  const collection_id = collection?.collection_id ?? null;
  const named = collection && `the collection ${quoted(collection.name)} with `;
  const what = `${named ?? ''}${refs.length === 1 ? '1 summary' : `${refs.length} summaries`}`;
  if (consent['dry-run'] && consent.json) {
    context.out(`${JSON.stringify({ dry_run: true, summary_refs: refs, collection_id })}\n`);
    return exit.ok;
  }
  const tell = consent['dry-run'] ? context.out : context.screen.write;
  if (consent['dry-run'] || !consent.yes) {
    for (const { media_path, analysis_name } of summaries.slice(0, NAMED))
      tell(`  ${printable(media_path)}  "${printable(analysis_name)}"\n`);
    if (summaries.length > NAMED) tell(`  and ${summaries.length - NAMED} more\n`);
  }
  if (consent['dry-run']) {
    context.out(`would delete ${what}\n`);
    return exit.ok;
  }
  if (!consent.yes && !(await agreed(context, `Delete ${what} permanently?`))) return exit.cancelled;
  const which = collection_id === null ? { summary_refs: refs } : { summary_refs: [], collection_id };
  const answer = await client.deleteSummaries({ cache_dir, ...which });
  context.out(consent.json ? `${JSON.stringify(answer)}\n` : `${printable(answer.message)}\n`);
  return exit.ok;
}

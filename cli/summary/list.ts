// `framehound summary --list`: which summaries there are, of files, of a collection, or of everything that is
// known.
import { resolve } from 'node:path';
import type {
  SummaryCollection,
  SummaryEntry,
  SummaryMemberEntry,
} from '../../actors/summarizer/stored/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { type Context, exit } from '../context.ts';
import { inks, printable } from '../terminal.ts';
import { listOf } from './choice.ts';
import { listLines } from './lines.ts';

export interface ListRequest {
  readonly cache_dir: string;
  readonly files: readonly string[];
  readonly collection: (SummaryCollection & { readonly members: readonly SummaryMemberEntry[] }) | null;
  readonly json: boolean;
}

/** Media of one page of the library. */
const PAGE = 1000;

export async function listed(client: Client, request: ListRequest, context: Context): Promise<number> {
  const { cache_dir, files, collection, json } = request;
  const isAll = files.length === 0 && collection === null;
  const { collections } = isAll ? await client.summaryCollections({ cache_dir }) : { collections: [] };
  const summaries = isAll
    ? await everything(client, cache_dir, context)
    : collection !== null
      ? await membersOf(client, cache_dir, collection.members, context)
      : await listOf(client, { cache_dir, media_paths: files.map((path) => resolve(path)) }, context);
  if (json) {
    context.out(`${JSON.stringify({ summaries, ...(isAll && { collections }) })}\n`);
    return exit.ok;
  }
  const { quiet } = inks(context.output);
  context.out(listLines(summaries, context.output));
  for (const { name, member_count, collection_id } of collections) {
    const members = `${member_count} ${member_count === 1 ? 'summary' : 'summaries'}`;
    context.out(`Collection "${printable(name)}": ${members}  ${quiet(printable(collection_id))}\n`);
  }
  if (summaries.length === 0) {
    context.screen.write('There are no summaries yet. To make some: framehound analyze PATH --summary\n');
  }
  return exit.ok;
}

/** Of all media that the folder knows to have some. */
async function everything(client: Client, cache_dir: string, context: Context): Promise<SummaryEntry[]> {
  const hash_strs: string[] = [];
  for (let offset = 0; ; ) {
    const { media, total } = await client.listLibrary({ cache_dir, offset, limit: PAGE });
    hash_strs.push(...media.filter(({ summaries }) => summaries > 0).map(({ hash_str }) => hash_str));
    offset += media.length;
    if (media.length === 0 || offset >= total) break;
  }
  return listOf(client, { cache_dir, hash_strs: [...new Set(hash_strs)] }, context);
}

async function membersOf(
  client: Client,
  cache_dir: string,
  members: readonly SummaryMemberEntry[],
  context: Context,
): Promise<SummaryEntry[]> {
  const hash_strs = [...new Set(members.map(({ hash_str }) => hash_str))];
  const refs = new Set(members.map(({ summary_ref }) => summary_ref));
  const all = await listOf(client, { cache_dir, hash_strs }, context);
  return all.filter(({ summary_ref }) => refs.has(summary_ref));
}

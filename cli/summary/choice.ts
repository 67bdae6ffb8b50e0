// Which summaries a person means: of files, or of a collection.
import { resolve } from 'node:path';
import { foldName } from '../../actors/index/summaries/fold-name.ts';
import type {
  SummaryCollection,
  SummaryEntry,
  SummaryMemberEntry,
} from '../../actors/summarizer/stored/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { quoted } from '../../runtime/quoted.ts';
import { type Context, usageErrors } from '../context.ts';
import { shellWord } from '../faces/choice.ts';
import { printable } from '../terminal.ts';

/** Of a file: the one that is meant, and the others it has. */
export interface Chosen {
  readonly summary: SummaryMemberEntry;
  readonly others: readonly SummaryEntry[];
}

/** Contents of one request. */
const together = 500;

/** All summaries of files and contents, as a list of them; what is damaged is told. */
export async function listOf(
  client: Client,
  request: { readonly cache_dir: string; readonly media_paths?: string[]; readonly hash_strs?: string[] },
  { screen }: Context,
): Promise<SummaryEntry[]> {
  const { cache_dir, media_paths = [], hash_strs = [] } = request;
  const all: SummaryEntry[] = [];
  const longest = Math.max(media_paths.length, hash_strs.length);
  for (let at = 0; at < longest; at += together) {
    const some = {
      media_paths: media_paths.slice(at, at + together),
      hash_strs: hash_strs.slice(at, at + together),
    };
    const { summaries, warning } = await client.listSummaries({ cache_dir, ...some });
    if (warning !== undefined) screen.write(`note: ${printable(warning)}\n`);
    all.push(...summaries);
  }
  return all;
}

/**
 * Of each file the summary with this name or id, the latest when it is null; a file without any is told and
 * left out.
 */
export async function chosenOf(
  client: Client,
  cache_dir: string,
  files: readonly string[],
  analysis: string | null,
  context: Context,
): Promise<Chosen[]> {
  const chosen: Chosen[] = [];
  for (const file of files) {
    const path = resolve(file);
    const all = await listOf(client, { cache_dir, media_paths: [path] }, context);
    const summary = analysis === null ? all.at(-1) : named(all, analysis);
    if (summary) chosen.push({ summary, others: all.filter((one) => one !== summary) });
    else context.screen.write(`✗ ${printable(path)}: ${whyNone(file, all, analysis)}\n`);
  }
  return chosen;
}

function named(all: readonly SummaryEntry[], analysis: string): SummaryEntry | undefined {
  const folded = foldName(analysis);
  return (
    all.find(({ analysis_id }) => analysis_id === analysis) ??
    all.find(({ analysis_name }) => foldName(analysis_name) === folded)
  );
}

function whyNone(file: string, all: readonly SummaryEntry[], analysis: string | null): string {
  if (all.length === 0) {
    return `no summary; to make one: framehound analyze ${printable(shellWord(file))} --summary`;
  }
  const names = all.map(({ analysis_name }) => printable(analysis_name)).join(', ');
  return `no summary named ${quoted(analysis!)}; existing summaries: ${names}`;
}

/** The collection with this id or name, with its members. Throws USAGE, naming those there are. */
export async function collectionNamed(
  client: Client,
  cache_dir: string,
  text: string,
  { screen }: Context,
): Promise<SummaryCollection & { readonly members: readonly SummaryMemberEntry[] }> {
  const { collections } = await client.summaryCollections({ cache_dir });
  const folded = foldName(text);
  const found =
    collections.find(({ collection_id }) => collection_id === text) ??
    collections.find(({ name }) => foldName(name) === folded);
  if (found === undefined) {
    const names = collections.map(({ name }) => printable(name)).join(', ');
    const known = names === '' ? 'no collections exist' : `existing collections: ${names}`;
    throw usageErrors.USAGE(`no collection named ${quoted(text)}; ${known}`);
  }
  const answer = await client.summaryCollections({
    cache_dir,
    collection_id: found.collection_id,
    include_members: true,
  });
  if (answer.warning !== undefined) screen.write(`note: ${printable(answer.warning)}\n`);
  const [collection = found] = answer.collections;
  return { ...collection, members: collection.members ?? [] };
}

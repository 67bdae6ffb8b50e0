// Lists of summaries: those that a person means, `framehound summary --list`, `--find` and `--delete`.
import { resolve } from 'node:path';
import { clockTime } from '../../actors/decoder/contract.ts';
import { foldName } from '../../actors/index/summaries/fold-name.ts';
import type {
  SummaryCollection,
  SummaryEntry,
  SummaryMatchEntry,
  SummaryMemberEntry,
} from '../../actors/summarizer/stored/contract.ts';
import { mostSummaryMatches } from '../../actors/summarizer/stored/requests/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { counted, quoted } from '../../runtime/text.ts';
import { agreed, type Consent, type Context, exit, usageErrors } from '../context.ts';
import { shellWord } from '../faces/clusters.ts';
import { inks, type Output, printable, wrapped } from '../terminal.ts';
import { listLines } from './view.ts';

// Which summaries a person means: of files, or of a collection.

/** The chosen summary of a file, and its others. */
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
 * Finds for each file the summary with this name or id, or the latest if it is null. A file without any is
 * reported and left out.
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

// `framehound summary --list`: which summaries there are, of files, of a collection, or of everything that is
// known.

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
    const members = counted(member_count, 'summary', 'summaries');
    context.out(`Collection "${printable(name)}": ${members}  ${quiet(printable(collection_id))}\n`);
  }
  if (summaries.length === 0) {
    context.screen.write('There are no summaries yet. To make some: framehound analyze PATH --summary\n');
  }
  return exit.ok;
}

/** Summaries of all media of the folder. */
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

// `framehound summary --find WORDS`: nodes of summaries whose texts hold the words.

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

// `framehound summary … --delete`: removes summaries of files, or a collection with all of its own.

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

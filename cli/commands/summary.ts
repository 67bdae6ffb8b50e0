// `framehound summary FILE… | --collection NAME|ID | --list`: stored summaries, shown, taken away as
// documents and removed.
import { basename, dirname, resolve } from 'node:path';
import { clockTime } from '../../actors/decoder/contract.ts';
import { SummaryDocumentRequest } from '../../actors/exporter/summary/contract.ts';
import { checkText, leadOf, qualityNotes } from '../../actors/exporter/summary/wording.ts';
import { foldName } from '../../actors/index/summaries/fold-name.ts';
import {
  type Evidence,
  type OverviewAnswer,
  type SummaryCollection,
  type SummaryEntry,
  type SummaryMatchEntry,
  type SummaryMemberEntry,
  type SummaryNodeEntry,
  summariesErrors,
} from '../../actors/summarizer/stored/contract.ts';
import { inReadingOrder, type Reached } from '../../actors/summarizer/stored/reading.ts';
import { FindRequest, mostSummaryMatches } from '../../actors/summarizer/stored/requests/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { isOf } from '../../http/client/error.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { saveNew } from '../../runtime/files/save-new.ts';
import { typedPath } from '../../runtime/files/user-folders.ts';
import { counted, quoted } from '../../runtime/text.ts';
import { folders } from '../../settings.ts';
import { numberArgument } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import {
  agreed,
  argumentsOf,
  type Command,
  type Consent,
  type Context,
  exit,
  requireConsent,
  usageErrors,
} from '../context.ts';
import { withService } from '../service.ts';
import { inks, minuteText, printable, shellWord, type TerminalOutput, wrapped } from '../terminal.ts';

const parseOptions = (args: readonly string[]) => argumentsOf(commandTable.summary, args);
type Values = ReturnType<typeof parseOptions>['values'];

const ways = ['find', 'list', 'json', 'markdown', 'vtt', 'delete'] as const;
type Way = (typeof ways)[number] | 'show';

export const summary: Command = async (args, context) => {
  const { values, positionals: files } = parseOptions(args);
  const way = wayOf(values, files, context);
  const depth =
    values.depth === undefined
      ? null
      : numberArgument('--depth', values.depth, SummaryDocumentRequest.properties.depth);
  const max_results = numberArgument('--max', values.max ?? '50', FindRequest.properties.max_results);
  const cache_dir = folders(context.values).cache;
  return withService(context, 0, async ({ client }) => {
    const collection =
      values.collection === undefined
        ? null
        : await collectionNamed(client, cache_dir, values.collection, context);
    if (way === 'find') {
      const where = collection && { collection_id: collection.collection_id };
      const request = {
        cache_dir,
        query: values.find!,
        files,
        ...where,
        max_results,
        json: values.json,
      };
      return found(client, request, context);
    }
    if (way === 'list') return listed(client, { cache_dir, files, collection, json: values.json }, context);
    const chosen: Chosen[] =
      collection === null
        ? await chosenOf(client, cache_dir, files, values.analysis ?? null, context)
        : collection.members.map((member) => ({ summary: member, others: [] }));
    if (way === 'delete') {
      expectOneEach(chosen, values);
      if (chosen.length === 0 && collection === null) return exit.error;
      const summaries = chosen.map((entry) => entry.summary);
      const code = await removed(client, { cache_dir, summaries, collection }, values, context);
      return code === exit.ok && collection === null && chosen.length < files.length ? exit.someFailed : code;
    }
    for (const [i, entry] of chosen.entries()) {
      if (i > 0 && (way === 'show' || way === 'markdown')) context.out('\n');
      const part = { cache_dir, node: values.node ?? null, depth, evidence: values.evidence };
      await run[way](client, entry, part, values, context).catch((error) => {
        throw asTyped(error, values);
      });
    }
    if (collection !== null) return exit.ok;
    return chosen.length === files.length ? exit.ok : chosen.length === 0 ? exit.error : exit.someFailed;
  });
};

/** Before anything is started. */
function wayOf(values: Values, files: readonly string[], context: Context): Way {
  const { collection, list, json, vtt } = values;
  const given = ways.filter((way) => values[way] !== undefined && values[way] !== false);
  // Lists and removals are answered as JSON, too.
  const [way = 'show', second] = given.length > 1 && json ? given.filter((name) => name !== 'json') : given;
  if (second !== undefined || (json && ['markdown', 'vtt'].includes(way))) {
    const both = given.map((name) => `--${name}`).join(' and ');
    throw usageErrors.USAGE(`${both} cannot be combined`);
  }
  if (files.length > 0 && collection !== undefined) {
    throw usageErrors.USAGE('use either files or --collection, not both');
  }
  if (files.length === 0 && collection === undefined && !list && values.find === undefined) {
    throw usageErrors.USAGE(
      'summary needs a file or --collection; to see what exists: framehound summary --list',
    );
  }
  const isOne = files.length === 1 && collection === undefined;
  const wantsOne = { vtt, node: values.node };
  for (const [name, value] of Object.entries(wantsOne)) {
    if (value !== undefined && !isOne) throw usageErrors.USAGE(`--${name} works with one file only`);
  }
  if (values.analysis !== undefined && (files.length === 0 || way === 'find')) {
    throw usageErrors.USAGE('--analysis needs a file, and cannot be combined with --find');
  }
  if (values.find?.trim() === '') throw usageErrors.USAGE('--find needs a search text');
  if (values.max !== undefined && way !== 'find')
    throw usageErrors.USAGE('--max can only be used with --find');
  if (way === 'delete') requireConsent(values, context);
  else if (values.yes || values['dry-run'])
    throw usageErrors.USAGE('--yes and --dry-run can only be used with --delete');
  return way;
}

type DocumentPart = Omit<Walk, 'depth'> & { readonly depth: number | null };
type Run = (
  client: Client,
  chosen: Chosen,
  part: DocumentPart,
  values: Values,
  context: Context,
) => Promise<void>;

/** Each node is printed when it is there. */
const show: Run = async (client, { summary: { summary_ref }, others }, part, _, context) => {
  const { out, output, screen, signal } = context;
  const overview = await client.summaryOverview({ cache_dir: part.cache_dir, summary_ref });
  const written = new Set<string>();
  const tell = (notes: readonly string[]) => {
    for (const note of notes) {
      if (!written.has(note)) screen.write(`note: ${printable(note)}\n`);
      written.add(note);
    }
  };
  let hasHead = false;
  const walk = { ...part, depth: part.depth ?? Infinity };
  for await (const { answer, below } of walked(client, overview, walk)) {
    if (signal.aborted) throw engineErrors.CANCELLED();
    if (!hasHead) {
      // Where there is no such node, nothing is printed.
      out(headLines(overview, others, answer.node, output));
      tell(qualityNotes(overview.quality, overview.quality.warnings));
    }
    hasHead = true;
    tell(answer.quality.warnings);
    out(nodeLines(answer.node, below, answer.evidence, output));
  }
};

const printed =
  (format: 'json' | 'markdown'): Run =>
  async (client, chosen, part, _, context) => {
    const document = await documentOf(client, chosen, part, format, context);
    context.out(document);
  };

const vtt: Run = async (client, chosen, part, values, context) => {
  const document = await documentOf(client, chosen, part, 'vtt', context);
  if (values.vtt === '-') context.out(document);
  else await save(values.vtt!, document, context);
};

const run: Readonly<Record<Exclude<Way, 'find' | 'list' | 'delete'>, Run>> = {
  show,
  json: printed('json'),
  markdown: printed('markdown'),
  vtt,
};

async function documentOf(
  client: Client,
  { summary: { summary_ref, media_path } }: Chosen,
  { cache_dir, node, depth, evidence }: DocumentPart,
  format: 'json' | 'markdown' | 'vtt',
  { screen }: Context,
): Promise<Buffer> {
  const part = { ...(node !== null && { node_id: node }), ...(depth !== null && { depth }) };
  const { content_base64 = '', warnings = [] } = await client.exportSummary({
    cache_dir,
    summary_ref,
    format,
    include_evidence: evidence,
    ...part,
  });
  for (const warning of warnings) screen.write(`note: ${printable(media_path)}: ${printable(warning)}\n`);
  return Buffer.from(content_base64, 'base64');
}

/** Under another name where the one asked for is taken. */
async function save(file: string, bytes: Uint8Array, { out }: Context): Promise<string> {
  const path = typedPath(file);
  const saved = await saveNew(dirname(path), basename(path), bytes);
  out(`${printable(saved)}\n`);
  return saved;
}

/** A permanent removal has to name its summary. */
function expectOneEach(chosen: readonly Chosen[], { analysis }: Values): void {
  const many = analysis === undefined ? chosen.find(({ others }) => others.length > 0) : undefined;
  if (many === undefined) return;
  const names = [...many.others, many.summary]
    .map(({ analysis_name }) => printable(analysis_name))
    .join(', ');
  const { media_path } = many.summary;
  throw usageErrors.USAGE(
    `${printable(media_path)} has several summaries; choose one with --analysis: ${names}`,
  );
}

/** The same error with the option that was typed. */
function asTyped(error: unknown, { node }: Values): unknown {
  if (!isOf(summariesErrors.UNKNOWN_NODE, error) || node === undefined) return error;
  return usageErrors.USAGE(
    `--node: the summary has no node ${printable(node)}; run the command without --node to see all nodes and their ids`,
  );
}

// Lists of summaries: those that a person means, `framehound summary --list`, `--find` and `--delete`.

// Which summaries a person means: of files, or of a collection.

/** The chosen summary of a file, and its others. */
interface Chosen {
  readonly summary: SummaryMemberEntry;
  readonly others: readonly SummaryEntry[];
}

/** Contents of one request. */
const together = 500;

/** All summaries of files and contents, as a list of them; what is damaged is told. */
async function listOf(
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
async function chosenOf(
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
    if (summary) chosen.push({ summary, others: all.filter((entry) => entry !== summary) });
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
async function collectionNamed(
  client: Client,
  cache_dir: string,
  text: string,
  { screen }: Context,
): Promise<SummaryCollection & { readonly members: readonly SummaryMemberEntry[] }> {
  const { collections } = await client.summaryCollections({ cache_dir });
  const folded = foldName(text);
  const entry =
    collections.find(({ collection_id }) => collection_id === text) ??
    collections.find(({ name }) => foldName(name) === folded);
  if (entry === undefined) {
    const names = collections.map(({ name }) => printable(name)).join(', ');
    const existing = names === '' ? 'no collections exist' : `existing collections: ${names}`;
    throw usageErrors.USAGE(`no collection named ${quoted(text)}; ${existing}`);
  }
  const answer = await client.summaryCollections({
    cache_dir,
    collection_id: entry.collection_id,
    include_members: true,
  });
  if (answer.warning !== undefined) screen.write(`note: ${printable(answer.warning)}\n`);
  const [collection = entry] = answer.collections;
  return { ...collection, members: collection.members ?? [] };
}

// `framehound summary --list`: which summaries there are, of files, of a collection, or of everything that is
// known.

interface ListRequest {
  readonly cache_dir: string;
  readonly files: readonly string[];
  readonly collection: (SummaryCollection & { readonly members: readonly SummaryMemberEntry[] }) | null;
  readonly json: boolean;
}

/** Media of one page of the library. */
const PAGE = 1000;

async function listed(client: Client, request: ListRequest, context: Context): Promise<number> {
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

interface FindArguments {
  readonly cache_dir: string;
  readonly query: string;
  /** Empty: every summary there is. */
  readonly files: readonly string[];
  readonly collection_id?: string;
  readonly max_results: number;
  readonly json: boolean;
}

async function found(
  client: Client,
  { files, json, ...request }: FindArguments,
  { out, output, screen }: Context,
): Promise<number> {
  const some = files.length === 0 ? {} : { media_paths: files.map((path) => resolve(path)) };
  const answer = await client.searchSummaries({ ...request, ...some });
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

function matchLines(match: SummaryMatchEntry, number: number, output: TerminalOutput): string {
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

interface Removal {
  readonly cache_dir: string;
  readonly summaries: readonly SummaryMemberEntry[];
  /** Goes with them. */
  readonly collection: { readonly collection_id: string; readonly name: string } | null;
}

/** Summaries that are named before the rest is counted. */
const NAMED = 20;

async function removed(
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

// Summaries for a person to read: as lines, a tree that is indented by its levels and wrapped to the width.

const STEP = 2;
/** Columns that a text has at least, however deep it lies. */
const NARROWEST = 24;

/** File, origin and what stands before the tree; the texts of its nodes come after it, `first` first. */
function headLines(
  overview: OverviewAnswer,
  others: readonly SummaryEntry[],
  first: SummaryNodeEntry,
  output: TerminalOutput,
): string {
  const { strong, quiet } = inks(output);
  const { media_path, node_count } = overview;
  const lead = leadOf(overview, first);
  const more = others.map(({ analysis_name }) => printable(analysis_name)).join(', ');
  return lines([
    strong(printable(media_path)),
    quiet(`  ${originText(overview)}, ${counted(node_count, 'node')}`),
    ...(more === '' ? [] : [quiet(`  other summaries of this file, shown with --analysis: ${more}`)]),
    '',
    ...(lead === '' ? [] : [...paragraph(lead, 0, output), '']),
  ]);
}

/** `"general" by extractive, 2026-11-22 13:45` */
function originText({ analysis_name, summary_model_key, created }: SummaryEntry): string {
  return `"${printable(analysis_name)}" by ${printable(summary_model_key)}, ${minuteText(created)}`;
}

function nodeLines(
  { node_id, search_range: [start, end], text, failed, verification_hints }: SummaryNodeEntry,
  below: number,
  evidence: Evidence | undefined,
  output: TerminalOutput,
): string {
  const { strong, quiet } = inks(output);
  const indent = indentOf(below, output);
  const plainer = failed ? quiet('  (less detailed than requested)') : '';
  const hints = verification_hints.map(checkText);
  return lines([
    `${' '.repeat(indent)}${strong(`${clockTime(start)}–${clockTime(end)}`)}  ${quiet(printable(node_id))}${plainer}`,
    ...paragraph(text, indent + STEP, output),
    ...hints.flatMap((hint) => paragraph(hint, indent + STEP, output).map(quiet)),
    ...(evidence ? evidenceTexts(evidence) : []).flatMap((line) =>
      paragraph(line, indent + STEP, output).map(quiet),
    ),
  ]);
}

function evidenceTexts({ frames, transcript, speakers, people, attribution_hints }: Evidence): string[] {
  const row = (name: string, some: readonly string[]) =>
    some.length === 0 ? [] : [`${name}: ${some.join(', ')}`];
  return [
    ...row(
      'Frames',
      frames.map(({ frame_idx }) => clockTime(frame_idx)),
    ),
    ...row('People', people),
    ...row('Speakers', speakers),
    ...transcript.map(
      ({ start_seconds, speaker, text }) =>
        `${clockTime(start_seconds)}  ${speaker === null ? '' : `${speaker}: `}${text.trim()}`,
    ),
    ...attribution_hints,
  ];
}

/** A line for each summary of each file, under the path. */
function listLines(summaries: readonly SummaryEntry[], output: TerminalOutput): string {
  const { strong, quiet } = inks(output);
  const ofFile = Map.groupBy(summaries, ({ media_path }) => media_path);
  return [...ofFile]
    .map(([path, some]) =>
      lines([
        strong(printable(path)),
        ...some.flatMap((entry) => [
          `  ${originText(entry)}  ${quiet(entry.analysis_id)}`,
          ...paragraph(entry.one_line_summary, 2 * STEP, output),
        ]),
      ]),
    )
    .join('');
}

function indentOf(below: number, { columns }: TerminalOutput): number {
  return Math.max(0, Math.min(below * STEP, columns - NARROWEST - STEP));
}

function paragraph(text: string, indent: number, { columns }: TerminalOutput): string[] {
  // White space is not shown as it is: what moves the cursor would be shown as text.
  const plain = printable(text.replace(/\s+/g, ' '));
  const width = Math.max(NARROWEST, columns - indent);
  return wrapped(plain, width).map((line) => `${' '.repeat(indent)}${line}`);
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

// The nodes of a summary as a command reads them: from the root or a node on, down to a level.

interface Walk {
  readonly cache_dir: string;
  /** Null: the root. */
  readonly node: string | null;
  readonly depth: number;
  readonly evidence: boolean;
}

function walked(
  client: Client,
  { summary_ref, root, quality }: OverviewAnswer,
  { cache_dir, node, depth, evidence }: Walk,
): AsyncGenerator<Reached, void> {
  return inReadingOrder(node ?? root.node_id, depth, async (node_id) => {
    // It came with the overview.
    if (node_id === root.node_id && !(evidence && root.is_leaf)) {
      return { summary_ref, node: root, children: root.children, quality };
    }
    return client.summaryNode({ cache_dir, summary_ref, node_id, include_evidence: evidence });
  });
}

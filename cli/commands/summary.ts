// `framehound summary FILE… | --collection NAME|ID | --list`: stored summaries, shown, taken away as
// documents and removed.

import { basename, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { SummaryDocumentRequest } from '../../actors/exporter/summary/contract.ts';
import { qualityNotes } from '../../actors/exporter/summary/wording.ts';
import { summariesErrors } from '../../actors/summarizer/stored/contract.ts';
import { FindRequest } from '../../actors/summarizer/stored/requests/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { isOf } from '../../http/client/error.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { saveNew } from '../../runtime/files/save-new.ts';
import { typedPath } from '../../runtime/files/user-folders.ts';
import { folders } from '../../settings.ts';
import { numberArgument } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, requireConsent, usageErrors } from '../context.ts';
import { withService } from '../service.ts';
import { type Chosen, chosenOf, collectionNamed, found, listed, removed } from '../summary/list.ts';
import { headLines, nodeLines, type Walk, walked } from '../summary/view.ts';
import { printable } from '../terminal.ts';

const { options } = commandTable.summary;
const parseOptions = (args: readonly string[]) =>
  parseArgs({ args: [...args], allowPositionals: true, options });
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

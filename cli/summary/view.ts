// Summaries for a person to read: as lines, a tree that is indented by its levels and wrapped to the width.
import { clockTime } from '../../actors/decoder/contract.ts';
import { checkText, leadOf } from '../../actors/exporter/summary/wording.ts';
import type {
  Evidence,
  OverviewAnswer,
  SummaryEntry,
  SummaryNodeEntry,
} from '../../actors/summarizer/stored/contract.ts';
import { inReadingOrder, type Reached } from '../../actors/summarizer/stored/reading.ts';
import type { Client } from '../../http/client/client.ts';
import { counted } from '../../runtime/text.ts';
import { inks, minuteText, type Output, printable, wrapped } from '../terminal.ts';

const STEP = 2;
/** Columns that a text has at least, however deep it lies. */
const NARROWEST = 24;

/** File, origin and what stands before the tree; the texts of its nodes come after it, `first` first. */
export function headLines(
  overview: OverviewAnswer,
  others: readonly SummaryEntry[],
  first: SummaryNodeEntry,
  output: Output,
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
export function originText({ analysis_name, summary_model_key, created }: SummaryEntry): string {
  return `"${printable(analysis_name)}" by ${printable(summary_model_key)}, ${minuteText(created)}`;
}

export function nodeLines(
  { node_id, search_range: [start, end], text, failed, verification_hints }: SummaryNodeEntry,
  below: number,
  evidence: Evidence | undefined,
  output: Output,
): string {
  const { strong, quiet } = inks(output);
  const indent = indentOf(below, output);
  const plainer = failed ? quiet('  (less detailed than requested)') : '';
  const hints = verification_hints.map(checkText);
  return lines([
    `${' '.repeat(indent)}${strong(`${clockTime(start)}–${clockTime(end)}`)}  ${quiet(printable(node_id))}${plainer}`,
    ...paragraph(text, indent + STEP, output),
    ...hints.flatMap((hint) => paragraph(hint, indent + STEP, output).map(quiet)),
    ...(evidence ? evidenceTexts(evidence) : []).flatMap((one) =>
      paragraph(one, indent + STEP, output).map(quiet),
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
export function listLines(summaries: readonly SummaryEntry[], output: Output): string {
  const { strong, quiet } = inks(output);
  const ofFile = Map.groupBy(summaries, ({ media_path }) => media_path);
  return [...ofFile]
    .map(([path, some]) =>
      lines([
        strong(printable(path)),
        ...some.flatMap((one) => [
          `  ${originText(one)}  ${quiet(one.analysis_id)}`,
          ...paragraph(one.one_line_summary, 2 * STEP, output),
        ]),
      ]),
    )
    .join('');
}

function indentOf(below: number, { columns }: Output): number {
  return Math.max(0, Math.min(below * STEP, columns - NARROWEST - STEP));
}

function paragraph(text: string, indent: number, { columns }: Output): string[] {
  // White space is not shown as it is: what moves the cursor would be shown as text.
  const plain = printable(text.replace(/\s+/g, ' '));
  const width = Math.max(NARROWEST, columns - indent);
  return wrapped(plain, width).map((line) => `${' '.repeat(indent)}${line}`);
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

// The nodes of a summary as a command reads them: from the root or a node on, down to a level.

export interface Walk {
  readonly cache_dir: string;
  /** Null: the root. */
  readonly node: string | null;
  readonly depth: number;
  readonly evidence: boolean;
}

export function walked(
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

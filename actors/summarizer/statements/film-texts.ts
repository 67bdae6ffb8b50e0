// The texts of one outlined file, node by node, each with its statements and evidence. What was worked out of
// one node is kept for those above it: some hundred numbers a node.
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import {
  type GridRange,
  mostQualityEntries,
  type NewSummaryNode,
  type SummaryEvidence,
  type SummaryQuality,
  type VerificationHint,
} from '../../index/summaries/contract.ts';
import { canName, leastPictures } from '../concepts/concepts.ts';
import { type AttributionHint, attributionHints, evidenceOf, frameId } from '../facts/evidence.ts';
import { joinedFacts, leafFacts, type RangeFacts, segmentsWithin } from '../facts/facts.ts';
import { isAnythingFound, type OutlinedFilm } from '../facts/film.ts';
import type { OutlineNode } from '../outline/outline.ts';
import { nothingRecognised, oneLine, shortSummary, statementsOf } from './node.ts';
import { capital, counted, fromTo, lengthOf, listOf, type Statement, textOf, timeOf } from './statement.ts';

export interface NodeStatements {
  readonly node: OutlineNode;
  readonly facts: RangeFacts;
  readonly statements: readonly Statement[];
  readonly text: string;
  readonly hints: readonly VerificationHint[];
  /** Evidence of a leaf; null for other nodes. */
  readonly evidence: SummaryEvidence | null;
}

export class FilmTexts {
  readonly film: OutlinedFilm;
  readonly #facts = new Map<string, RangeFacts>();
  #hints: readonly AttributionHint[] | null = null;

  constructor(film: OutlinedFilm) {
    this.film = film;
  }

  /** The node and everything below it is read where it was not yet; of a leaf some milliseconds. */
  statementsOf(node: OutlineNode): NodeStatements {
    const { film } = this;
    const facts = this.facts(node.node_id);
    const statements = statementsOf(film, node, (id) => this.facts(id));
    const isLeaf = node.child_ids.length === 0;
    const evidence = isLeaf ? this.evidence(node) : null;
    const hints = limitationsOf(film, node, facts, statements);
    return { node, facts, statements, text: textOf(statements), hints, evidence };
  }

  /** Evidence of a leaf is complete; other nodes have what their texts may use. */
  evidence({ node_id, child_ids }: OutlineNode): SummaryEvidence {
    this.#hints ??= attributionHints(this.film);
    return evidenceOf(this.film, this.facts(node_id), this.#hints, child_ids.length === 0);
  }

  /** Reads the facts of the leaves below the node one after the other, with a checkpoint between them. */
  async read({ node_id, child_ids }: OutlineNode, checkpoint: Checkpoint): Promise<void> {
    if (this.#facts.has(node_id)) return;
    for (const id of child_ids) await this.read(this.film.nodes.get(id)!, checkpoint);
    this.facts(node_id);
    await checkpoint();
  }

  facts(node_id: string): RangeFacts {
    const before = this.#facts.get(node_id);
    if (before) return before;
    const node = this.film.nodes.get(node_id)!;
    const children = node.child_ids.map((id) => this.facts(id));
    const facts = children.length === 0 ? leafFacts(this.film, node) : joinedFacts(this.film, node, children);
    this.#facts.set(node_id, facts);
    return facts;
  }

  whole(): { one_line_summary: string; short_summary: string } {
    const { facts, statements } = this.statementsOf(this.film.root);
    const short_summary = shortSummary(this.film, facts, statements);
    return { one_line_summary: oneLine(this.film, facts), short_summary };
  }

  /** `failed`: ids of nodes. `written` and `given`: warnings of whoever wrote, and gave the material. */
  quality(
    failed: readonly string[],
    written: readonly string[],
    given: readonly string[] = [],
  ): SummaryQuality {
    const { outline, late } = this.film;
    const missing = outline.uncovered.reduce((sum, { start, end }) => sum + end - start, 0);
    const { duration } = this.film;
    const warnings = [
      ...given,
      ...(missing > 0
        ? [`Not analysed: ${lengthOf(Math.min(missing, duration))} of ${lengthOf(duration)}.`]
        : []),
      ...(late > 0
        ? [`${counted(late, 'segment')} of the transcript after the end of the file: ignored.`]
        : []),
      ...(failed.length > 0
        ? [`${counted(failed.length, 'node keeps its text', 'nodes keep their texts')} from templates.`]
        : []),
      ...written,
    ];
    return {
      warnings: warnings.slice(0, mostQualityEntries).map((warning) => warning.slice(0, 2000)),
      warning_count: warnings.length,
      uncovered_ranges: outline.uncovered
        .slice(0, mostQualityEntries)
        .map(({ start, end }) => ({ start_seconds: start, end_seconds: end })),
      uncovered_range_count: outline.uncovered.length,
      failed_node_ids: failed.slice(0, mostQualityEntries),
      failed_node_count: failed.length,
    };
  }
}

/** Node for the store. `wrote`: text and hints of a model, if one wrote them. */
export function newNode(
  { node, text, hints, evidence }: NodeStatements,
  wrote?: { readonly text: string; readonly hints: readonly VerificationHint[]; readonly failed: boolean },
): NewSummaryNode {
  const { node_id, parent_id, level, start, end, child_ids } = node;
  return {
    node_id,
    parent_id,
    level,
    text: wrote?.text ?? text,
    range: [start, end],
    child_ids: [...child_ids],
    verification_hints: [...(wrote?.hints ?? []), ...hints].slice(0, 16),
    failed: wrote?.failed ?? false,
    evidence,
  };
}

// Hints for people who check a text: gaps in the evidence of a node, and places to look at. They do not judge
// the text.

const most = { hints: 8, gaps: 3, evidence: 8 };

/** The widest first where there are too many. */
function limitationsOf(
  film: OutlinedFilm,
  node: OutlineNode,
  facts: RangeFacts,
  statements: readonly Statement[],
): VerificationHint[] {
  const range: GridRange = [node.start, node.end];
  const isLeaf = node.child_ids.length === 0;
  // A gap throughout the file is reported at the root alone.
  const isRoot = node.parent_id === null;
  return [
    ...gaps(film, range),
    ...(isRoot ? unheard(film, range) : []),
    ...(isRoot || isAnySpeakerKnown(film) ? unknownSpeakers(film, facts, range, isLeaf) : []),
    ...unnamedPeople(facts, range),
    ...(isRoot ? unnamedPictures(film, facts, range) : []),
    ...(isLeaf ? cutQuotes(statements, range) : []),
  ].slice(0, most.hints);
}

const hint = (
  limitation: string,
  affected_range: GridRange,
  suggested_follow_up: string,
  evidence: readonly string[] = [],
): VerificationHint => ({
  limitation,
  affected_range,
  evidence_ids: evidence.slice(0, most.evidence),
  suggested_follow_up,
});

function gaps({ outline, kind }: OutlinedFilm, [start, end]: GridRange): VerificationHint[] {
  if (kind === 'audio') return [];
  const within = outline.uncovered
    .filter((gap) => gap.start < end && gap.end > start)
    .map((gap): GridRange => [Math.max(start, gap.start), Math.min(end, gap.end)]);
  if (within.length === 0) return [];
  const follow = 'Look at these seconds in the file, or analyse it again.';
  if (within.length <= most.gaps)
    return within.map((gap) => hint(`No pictures of ${fromTo(...gap)} were analysed.`, gap, follow));
  const seconds = within.reduce((sum, [from, to]) => sum + to - from, 0);
  const hull: GridRange = [within[0]![0], within.at(-1)![1]];
  return [hint(`No pictures were analysed for ${lengthOf(seconds)} in ${within.length} gaps.`, hull, follow)];
}

function unheard({ segments, hasSound }: OutlinedFilm, range: GridRange): VerificationHint[] {
  if (segments !== null || !hasSound) return [];
  return [
    hint('There is no transcript, so nothing is known about the sound.', range, 'Transcribe the file.'),
  ];
}

const isAnySpeakerKnown = ({ segments }: OutlinedFilm): boolean =>
  segments?.some(({ speaker }) => speaker !== null) ?? false;

function unknownSpeakers(
  film: OutlinedFilm,
  { speakers }: RangeFacts,
  range: GridRange,
  isLeaf: boolean,
): VerificationHint[] {
  const unknown = speakers.find(({ speaker }) => speaker === null);
  if (!unknown) return [];
  const evidence = isLeaf
    ? segmentsWithin(film, { start: range[0], end: range[1] }).filter(
        (number) => film.segments![number]!.speaker === null,
      )
    : unknown.segments;
  const ids = evidence.filter((number) => unknown.segments.includes(number)).map((number) => `t${number}`);
  const text = `The speaker is unknown for ${lengthOf(unknown.seconds)}.`;
  return [hint(text, range, 'Listen to it, or transcribe the file with speaker detection.', ids)];
}

function unnamedPeople({ people }: RangeFacts, range: GridRange): VerificationHint[] {
  const unnamed = people.filter(({ isNamed }) => !isNamed);
  if (unnamed.length === 0) return [];
  const ids = [...new Set(unnamed.flatMap(({ frames }) => frames.map(frameId)))];
  const who = counted(unnamed.length, 'person is', 'people are');
  return [hint(`${capital(who)} seen without a name.`, range, 'Name their face clusters.', ids)];
}

/** Reported once for the whole file. */
function unnamedPictures(
  { concepts, kind, sights }: OutlinedFilm,
  { seen, lines, pictured, frames }: RangeFacts,
  range: GridRange,
): VerificationHint[] {
  if (kind === 'audio' || pictured === 0 || (concepts && canName(concepts))) return [];
  const pictures = concepts?.background.pictures ?? 0;
  const isAnythingSeen = seen.length > 0 || lines.length > 0;
  const isUncertain = isAnythingFound(sights, { start: range[0], end: range[1] });
  const what = isAnythingSeen
    ? 'Only some kinds of things and printed text were recognised in the pictures'
    : nothingRecognised(isUncertain);
  // Without any, the model understands no words.
  const [why, follow] =
    pictures === 0
      ? ['', 'Look at the frames, or analyse with a larger visual model.']
      : [
          `: the library has too few pictures to compare with (${pictures})`,
          `Look at the frames, or summarise again when ${leastPictures} pictures have been analysed.`,
        ];
  const places = isAnythingSeen ? seen.flatMap((concept) => concept.frames.slice(0, 1)) : frames;
  return [hint(`${what}${why}.`, range, follow, [...new Set(places.map(frameId))])];
}

function cutQuotes(statements: readonly Statement[], range: GridRange): VerificationHint[] {
  const cut = statements.flatMap((statement) =>
    statement.kind === 'quote' && statement.quote.isCut
      ? [{ ...statement.quote, evidence: statement.evidence }]
      : [],
  );
  if (cut.length === 0) return [];
  const ids = [...new Set(cut.flatMap(({ evidence }) => evidence))];
  const which = listOf(cut.map(({ second }) => timeOf(second)));
  return [hint(`Quotations are cut (${which}).`, range, 'Read the transcript in the evidence.', ids)];
}

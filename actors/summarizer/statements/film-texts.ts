// The texts of one outlined file, node by node, each with its statements and evidence. What was worked out of
// one node is kept for those above it: some hundred numbers a node.
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import type {
  NewSummaryNode,
  SummaryEvidence,
  SummaryQuality,
  VerificationHint,
} from '../../index/summaries/contract.ts';
import { mostQualityEntries } from '../../index/summaries/contract.ts';
import { type AttributionHint, attributionHints } from '../facts/attribution.ts';
import { evidenceOf } from '../facts/evidence.ts';
import type { Facts } from '../facts/facts.ts';
import type { OutlinedFilm } from '../facts/film.ts';
import { joinedFacts } from '../facts/joined.ts';
import { leafFacts } from '../facts/leaf.ts';
import type { OutlineNode } from '../outline/outline.ts';
import { counted, lengthOf } from './english.ts';
import { limitationsOf } from './limitations.ts';
import { statementsOf } from './node.ts';
import { type Statement, textOf } from './statement.ts';
import { oneLine, shortSummary } from './whole.ts';

export interface NodeStatements {
  readonly node: OutlineNode;
  readonly facts: Facts;
  readonly statements: readonly Statement[];
  readonly text: string;
  readonly hints: readonly VerificationHint[];
  /** Of a leaf; null for others. */
  readonly evidence: SummaryEvidence | null;
}

export class FilmTexts {
  readonly film: OutlinedFilm;
  readonly #facts = new Map<string, Facts>();
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

  /** Of a leaf all there is, of others what their texts may be made of. */
  evidence({ node_id, child_ids }: OutlineNode): SummaryEvidence {
    this.#hints ??= attributionHints(this.film);
    return evidenceOf(this.film, this.facts(node_id), this.#hints, child_ids.length === 0);
  }

  /**
   * What is told of leaves is taken from all that is stored of them: one after the other, with a checkpoint
   * between.
   */
  async read({ node_id, child_ids }: OutlineNode, checkpoint: Checkpoint): Promise<void> {
    if (this.#facts.has(node_id)) return;
    for (const id of child_ids) await this.read(this.film.nodes.get(id)!, checkpoint);
    this.facts(node_id);
    await checkpoint();
  }

  facts(node_id: string): Facts {
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

  /** `failed`: ids of nodes. `others`: warnings of whoever wrote. */
  quality(failed: readonly string[], others: readonly string[]): SummaryQuality {
    const { outline, late } = this.film;
    const missing = outline.uncovered.reduce((sum, { start, end }) => sum + end - start, 0);
    const { seconds } = this.film.material;
    const warnings = [
      ...(missing > 0 ? [`Not analysed: ${lengthOf(missing)} of ${lengthOf(seconds)}.`] : []),
      ...(late > 0
        ? [`${counted(late, 'segment')} of the transcript after the end of the file: ignored.`]
        : []),
      ...(failed.length > 0
        ? [`${counted(failed.length, 'node keeps its text', 'nodes keep their texts')} from templates.`]
        : []),
      ...others,
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

/** As it is stored. `wrote`: text and hints where a model wrote them. */
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

// Finds words in the texts of summaries and puts the matches in order: those that hold more of the words
// whole come first, then by path, summary and time.
import type { Static } from 'typebox';
import type { Store } from '../store/store.ts';
import { excerptOf } from '../text/excerpt.ts';
import type { Picked } from '../text/shard.ts';
import { hasWholeWord } from '../text/whole-word.ts';
import type { SummaryMatch } from './contract.ts';
import type { SummaryPart } from './loaded-summary.ts';
import type { SummaryTexts } from './summary-texts.ts';

/** Matches that are looked at: to put more of them in order takes longer than somebody waits. */
export const mostCounted = 10_000;
/** Characters of a preview. */
const previewCharacters = 200;

export interface TextQuery {
  /** Folded. */
  readonly words: readonly string[];
  /** Of contents; null for all. */
  readonly hashes: ReadonlySet<string> | null;
  /** `hash/id` of summaries; null for all. */
  readonly names: ReadonlySet<string> | null;
  readonly most: number;
}

interface Hit {
  readonly part: SummaryPart;
  readonly row: number;
  /** Words that stand whole in it. */
  readonly whole: number;
}

function inOrder(a: Hit, b: Hit): number {
  if (a.whole !== b.whole) return b.whole - a.whole;
  const [one, other] = [a.part.summary, b.part.summary];
  return (
    order(one.path, other.path) ||
    order(one.hash_str, other.hash_str) ||
    order(one.analysis_id, other.analysis_id) ||
    a.part.starts[a.row]! - b.part.starts[b.row]! ||
    // What is said of a shorter range is more exact.
    b.part.levels[b.row]! - a.part.levels[a.row]! ||
    order(a.part.idOf(a.row), b.part.idOf(b.row))
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function searchSummaries(
  store: Store,
  texts: SummaryTexts,
  request: TextQuery,
  pause: () => void,
): { matches: Static<typeof SummaryMatch>[]; total: number; total_is_exact: boolean } {
  const { words, hashes, names, most } = request;
  const needles = words.map((word) => Buffer.from(word));
  const pick = ({ summary: { hash_str, analysis_id } }: SummaryPart): Picked =>
    (hashes?.has(hash_str) ?? true) && (names?.has(`${hash_str}/${analysis_id}`) ?? true);
  const found = texts.first({ needles, pickOf: pick, most: mostCounted, pause });
  const hits = found.map(({ document: part, row }): Hit => {
    const whole = needles.reduce((sum, one) => sum + (hasWholeWord(part.folded, row, one) ? 1 : 0), 0);
    return { part, row, whole };
  });
  const matches = hits
    .sort(inOrder)
    .slice(0, most)
    .flatMap((one) => {
      pause();
      return matchOf(store, one, words);
    });
  const total = found.length;
  return { matches, total, total_is_exact: total < mostCounted };
}

/** None for a node that was removed, or damaged, since its text was read. */
function matchOf(store: Store, { part, row }: Hit, words: readonly string[]): Static<typeof SummaryMatch>[] {
  const { hash_str, analysis_id, analysis_name, path, token } = part.summary;
  const node = store.summaries.node({ hash_str, token }, part.idOf(row));
  if (node === null) return [];
  const { text, ranges, isCut } = excerptOf(node.text, words, previewCharacters);
  return [
    {
      hash_str,
      analysis_id,
      analysis_name,
      media_path: path,
      node_id: node.node_id,
      level: node.level,
      is_leaf: node.child_ids.length === 0,
      range: node.range,
      text_preview: text,
      match_ranges: ranges,
      preview_truncated: isCut,
    },
  ];
}

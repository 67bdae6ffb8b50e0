// What a summary says, with the evidence it has, and how statements become a text of bounded length.
import { timeOf } from './english.ts';

type SentenceKind =
  /** What pictures show. */
  | 'seen'
  /** How a range is against the others of the film. */
  | 'looks'
  | 'written'
  | 'people'
  | 'speakers'
  | 'words'
  | 'figures'
  /** A child in one line. */
  | 'part'
  /** What there is and how long. */
  | 'extent'
  /** That something is missing, or nobody knows: nothing can show it. */
  | 'absence';

export interface Quote {
  /** `Ada asks: `. */
  readonly lead: string;
  /** In quotation marks. */
  readonly words: string;
  /** Whether the words end in an ellipsis. */
  readonly isCut: boolean;
  readonly second: number;
}

export type Statement = (
  | { readonly kind: SentenceKind; readonly text: string }
  | { readonly kind: 'quote'; readonly quote: Quote }
) & {
  /** Ids of the evidence of leaves; none of what is absent, and of what the outline says. */
  readonly evidence: readonly string[];
  /** What is kept first where there is no room for all: the lower. */
  readonly rank: number;
};

/** A quote of the same speaker as the statement before it has no lead. */
export function sentenceOf(statement: Statement, before?: Statement): string {
  if (statement.kind !== 'quote') return statement.text;
  const { lead, words, second } = statement.quote;
  const goesOn = before?.kind === 'quote' && before.quote.lead === lead;
  return `${goesOn ? '' : lead}${words} (${timeOf(second)}).`;
}

export const textOf = (statements: readonly Statement[]): string =>
  statements.map((own, i) => sentenceOf(own, statements[i - 1])).join(' ');

/** Statements in their order, without those for which there is no room. */
export function fitting(statements: readonly Statement[], longest: number): Statement[] {
  const fit = new Set<Statement>();
  let length = -1;
  for (const statement of statements.toSorted((a, b) => a.rank - b.rank)) {
    const more = length + 1 + sentenceOf(statement).length;
    if (more > longest) continue;
    fit.add(statement);
    length = more;
  }
  return statements.filter((statement) => fit.has(statement));
}

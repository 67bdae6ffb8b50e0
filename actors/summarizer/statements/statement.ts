// A sentence of a summary with the evidence it has, and how sentences become a text of bounded length.

export type StatementKind =
  /** What pictures show. */
  | 'seen'
  /** How a range is against the others of the film. */
  | 'looks'
  | 'written'
  | 'people'
  | 'speakers'
  | 'words'
  | 'quote'
  | 'figures'
  /** A child in one line. */
  | 'part'
  /** What there is and how long. */
  | 'extent'
  /** That something is missing, or nobody knows: nothing can show it. */
  | 'absence';

export interface Statement {
  readonly kind: StatementKind;
  /** A whole sentence. */
  readonly text: string;
  /** Ids of the evidence of leaves; none of what is absent, and of what the outline says. */
  readonly evidence: readonly string[];
  /** What is kept first where there is no room for all: the lower. */
  readonly rank: number;
}

/** Statements in their order, without those for which there is no room. */
export function fitting(statements: readonly Statement[], longest: number): Statement[] {
  const kept = new Set<Statement>();
  let length = -1;
  for (const statement of statements.toSorted((a, b) => a.rank - b.rank)) {
    if (length + 1 + statement.text.length > longest) continue;
    kept.add(statement);
    length += 1 + statement.text.length;
  }
  return statements.filter((statement) => kept.has(statement));
}

/** In one text. Of quotes that follow each other and are of one speaker, the first tells whose they are. */
export function textOf(statements: readonly Statement[]): string {
  return statements.map((own, i) => withoutLead(own, statements[i - 1])).join(' ');
}

function withoutLead({ kind, text }: Statement, before: Statement | undefined): string {
  const lead = leadOf(text);
  const goesOn = kind === 'quote' && before?.kind === 'quote' && lead !== '' && lead === leadOf(before.text);
  return goesOn ? text.slice(lead.length) : text;
}

/** `Ada: ` of `Ada: “…”`. */
const leadOf = (text: string): string => /^[^“]*: (?=“)/u.exec(text)?.[0] ?? '';

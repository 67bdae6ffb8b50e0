// Statements of a summary with their evidence, and how they become a text of bounded length.
import { clockTime } from '../../decoder/contract.ts';

// Grammar of the templates: lists, numbers, plurals, capital letters, times.

/** `a, b and c`. */
export function listOf(parts: readonly string[]): string {
  if (parts.length <= 1) return parts[0] ?? '';
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

const numbers = 'no|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve'.split('|');

/** `two people`, `13 people`. `many`: `one` with an s where nothing is said. */
export function counted(count: number, singular: string, many = `${singular}s`): string {
  return `${numbers[count] ?? count} ${count === 1 ? singular : many}`;
}

export function capital(text: string): string {
  const [first = ''] = text;
  return first.toLocaleUpperCase('en') + text.slice(first.length);
}

/** `00:12`, and `1:02:03` from an hour on. */
export function timeOf(seconds: number): string {
  const [hours, ...parts] = clockTime(seconds).split(':');
  return Number(hours) === 0 ? parts.join(':') : `${Number(hours)}:${parts.join(':')}`;
}

/** `0.4 s`, `40 s`, `1 min 34 s`, and rounded from ten minutes on: `12 min`, `1 h 20 min`. */
export function lengthOf(seconds: number): string {
  if (seconds > 0 && seconds < 0.95) return `${Math.max(0.1, seconds).toFixed(1)} s`;
  if (seconds < 599.5) return units(Math.round(seconds), 60, 'min', 's');
  return units(Math.round(seconds / 60), 60, 'h', 'min');
}

function units(count: number, many: number, large: string, small: string): string {
  const [wholes, remainder] = [Math.floor(count / many), count % many];
  const parts = [
    ...(wholes > 0 ? [`${wholes} ${large}`] : []),
    ...(remainder > 0 ? [`${remainder} ${small}`] : []),
  ];
  return parts.length > 0 ? parts.join(' ') : `0 ${small}`;
}

/** Between two times. */
export const fromTo = (start: number, end: number): string => `${timeOf(start)}–${timeOf(end)}`;

/** With a full stop, unless it ends like a sentence. */
export function sentence(text: string): string {
  return /[.!?…]$/u.test(text) ? capital(text) : `${capital(text)}.`;
}

const mark = /["“„”]/gu;

/** In quotation marks. Marks around the text are not doubled, and those within it become single ones. */
export function inQuotes(text: string): string {
  const isQuoted = text.length > 2 && text.match(mark)?.length === 2 && /^["“„].*["“”]$/su.test(text);
  const words = isQuoted ? text.slice(1, -1) : text;
  const opens = (at: number) => at === 0 || /[\s([]/u.test(words[at - 1]!);
  return `“${words.replace(mark, (_, at: number) => (opens(at) ? '‘' : '’'))}”`;
}

type SentenceKind =
  /** The content of pictures. */
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
  /** The media present and their length. */
  | 'extent'
  /** That something is missing, or nobody knows: nothing can show it. */
  | 'absence';

export interface Quote {
  /** `Ada asks: `. */
  readonly lead: string;
  /** In quotation marks. */
  readonly words: string;
  /** True if the words end in an ellipsis. */
  readonly isCut: boolean;
  readonly second: number;
}

export type Statement = (
  | { readonly kind: SentenceKind; readonly text: string }
  | { readonly kind: 'quote'; readonly quote: Quote }
) & {
  /** Ids of the evidence of leaves; none of what is absent, and of what the outline says. */
  readonly evidence: readonly string[];
  /** Priority where space is short; lower ranks are kept first. */
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
  statements.map((statement, i) => sentenceOf(statement, statements[i - 1])).join(' ');

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

// Keeps an answer inside its evidence: sentences that claim more are taken out and become hints for a person
// to check.
import type { VerificationHint } from '../../../index/summaries/contract.ts';
import { timeOf } from '../../statements/statement.ts';
import { clipped, joinAbbreviations } from '../../text/sentences.ts';
import type { NodeMaterial } from '../contract.ts';
import {
  claimOf,
  type EvidenceFacts,
  evidenceFacts,
  folded,
  isOrdinary,
  secondsOf,
  timePattern,
  type UnheldClaim,
  wordsOf,
} from './claims.ts';
import type { GeneratedNode, WholeAnswer } from './forms.ts';

export interface Guarded {
  /** Empty when nothing is left. */
  readonly text: string;
  readonly hints: readonly VerificationHint[];
}

/** UTF-16 units of the texts at most. */
export const longestText = { leaf: 1200, above: 2400, one_line: 200, short: 1500 } as const;
const mostHints = 16;
const mostUncertain = 4;
const longestHint = 500;
const mostEvidence = 8;

export function guardNode(
  { text, people, times, uncertain }: GeneratedNode,
  material: NodeMaterial,
): Guarded {
  const facts = evidenceFacts(material);
  const outsiders = outsidersIn(people, facts);
  const { sentences, claims } = sorted(text, facts, outsiders);
  const hints = [
    ...claims.map(({ sentence, claim }) => hintOf(sentence, claim, material)),
    ...timesOutside(times, facts).map((time) => hintOf('', { kind: 'time', what: time }, material)),
    ...uncertain
      .filter((entry) => /\p{L}/u.test(entry) && claimOf(entry, facts, outsiders) === null)
      .slice(0, mostUncertain)
      .map((entry) => uncertainHint(entry, material)),
  ];
  return {
    text: shortened(sentences, material.is_leaf ? longestText.leaf : longestText.above),
    hints: hints.slice(0, mostHints),
  };
}

/** Null when nothing is left of one of the texts. */
export function guardWhole({ one_line, short }: WholeAnswer, root: NodeMaterial): WholeAnswer | null {
  // The text of the root was checked before it came here.
  const facts = evidenceFacts({
    ...root,
    children: [...root.children, { node_id: root.node_id, range: root.range, text: root.template_text }],
  });
  const none = new Set<string>();
  const line = shortened(sorted(one_line, facts, none).sentences.slice(0, 1), longestText.one_line);
  const whole = shortened(sorted(short, facts, none).sentences, longestText.short);
  return line === '' || whole === '' ? null : { one_line: line, short: whole };
}

/** Words of names that the model gives and that nobody has. */
function outsidersIn(people: readonly string[], { names }: EvidenceFacts): ReadonlySet<string> {
  const words = people.flatMap((person) => wordsOf(person).map(({ text }) => text));
  return new Set(
    words
      .filter((word) => /^\p{Lu}/u.test(word))
      .map(folded)
      .filter((word) => !names.has(word) && !isOrdinary(word)),
  );
}

function timesOutside(times: readonly string[], { range: [start, end], saidTimes }: EvidenceFacts): string[] {
  return times
    .flatMap((time) => time.normalize('NFKC').match(timePattern) ?? [])
    .filter((time) => !saidTimes.has(time) && (secondsOf(time) < start || secondsOf(time) > end));
}

function sorted(text: string, facts: EvidenceFacts, outsiders: ReadonlySet<string>) {
  const sentences: string[] = [];
  const claims: { sentence: string; claim: UnheldClaim }[] = [];
  for (const sentence of sentencesIn(text)) {
    const claim = claimOf(sentence, facts, outsiders);
    if (claim) claims.push({ sentence, claim });
    else if (/\p{L}/u.test(sentence) && !sentences.includes(sentence)) sentences.push(sentence);
  }
  return { sentences, claims };
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * A quotation over several sentences stays in one. Text that looks like a mark of a chat or of markup is left
 * out.
 */
function sentencesIn(text: string): string[] {
  const bare = text.replaceAll(/<\|?[\p{L}\d_/|-]{1,40}\|?>/gu, ' ');
  const pieces = joinAbbreviations([...segmenter.segment(bare)].map(({ segment }) => segment));
  const sentences: string[] = [];
  let open = '';
  for (const piece of pieces) {
    open += piece;
    if (isBalanced(open)) {
      sentences.push(open);
      open = '';
    }
  }
  return [...sentences, open].map((sentence) => sentence.replaceAll(/\s+/gu, ' ').trim()).filter(Boolean);
}

function isBalanced(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return count(/"/g) % 2 === 0 && count(/[“„«]/g) <= count(/[”»]/g);
}

/** Whole sentences where they fit, and at least one. */
function shortened(sentences: readonly string[], longest: number): string {
  let text = '';
  for (const sentence of sentences) {
    const more = text === '' ? sentence : `${text} ${sentence}`;
    if (more.length > longest) break;
    text = more;
  }
  return text === '' && sentences[0] ? clipped(sentences[0], longest) : text;
}

const limitations: Readonly<Record<UnheldClaim['kind'], (what: string) => string>> = {
  name: (what) => `No evidence shows or mentions ${JSON.stringify(what)} here`,
  time: (what) => `${JSON.stringify(what)} is not a time within this range`,
  quote: (what) => `Nobody is heard saying ${JSON.stringify(what)}`,
  copy: (what) => `Something that is only said is described as if it happened: ${JSON.stringify(what)}`,
};

function hintOf(sentence: string, { kind, what }: UnheldClaim, material: NodeMaterial): VerificationHint {
  const [start, end] = material.range;
  const span = `${timeOf(start)} to ${timeOf(end)}`;
  const original = sentence === '' ? '' : `; the model wrote: ${sentence}`;
  const follow = {
    name: `Look at ${span} to see who or what is there`,
    time: `Also look for it outside of ${span}`,
    quote: `Read the transcript of ${span}`,
    copy: `Compare the frames of ${span} with what is said`,
  }[kind];
  return {
    limitation: clipped(`${limitations[kind](clipped(what, 120))}${original}`, longestHint),
    affected_range: [start, end],
    evidence_ids: evidenceIds(material, kind),
    suggested_follow_up: follow,
  };
}

function uncertainHint(entry: string, material: NodeMaterial): VerificationHint {
  const [start, end] = material.range;
  return {
    limitation: clipped(`The model cannot tell: ${entry}`, longestHint),
    affected_range: [start, end],
    evidence_ids: evidenceIds(material, 'name'),
    suggested_follow_up: `Look at ${timeOf(start)} to ${timeOf(end)}`,
  };
}

/** Where to look first: what is said for words, what is seen for others. */
function evidenceIds(
  { evidence: { frames, transcript } }: NodeMaterial,
  kind: UnheldClaim['kind'],
): string[] {
  const [frameIds, segmentIds] = [frames, transcript].map((all) => all.map(({ evidence_id }) => evidence_id));
  const order =
    kind === 'quote' || kind === 'copy' ? [...segmentIds!, ...frameIds!] : [...frameIds!, ...segmentIds!];
  return order.slice(0, mostEvidence);
}

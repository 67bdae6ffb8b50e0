// The text of a node as statements with their evidence: of a leaf what is known of it, of others what lasts,
// what stands out of their parts, and the best of what is said.
import { frameId } from '../facts/evidence.ts';
import { type FactsOf, type RangeFacts, scoredSentences } from '../facts/facts.ts';
import { isAnythingFound, largest, type OutlinedFilm, type ReadLine, shownEnd } from '../facts/film.ts';
import { highestScores, planOf, type SummaryPlan, type SummarySection } from '../objective.ts';
import type { LookName, LookValues } from '../outline/looks.ts';
import type { OutlineNode } from '../outline/outline.ts';
import { clipped } from '../text/sentences.ts';
import { seenInLeaf, seenInNode, seenPhrase } from './seen.ts';
import {
  figures,
  goingOn,
  newcomers,
  peoplePhrase,
  peopleSeen,
  quoted,
  quoteOf,
  recurring,
  recurringWords,
  segmentIds,
  speaking,
  speakingLong,
} from './speech.ts';
import {
  capital,
  fitting,
  fromTo,
  inQuotes,
  lengthOf,
  listOf,
  type Statement,
  textOf,
  timeOf,
} from './statement.ts';

// The children of a node, a line each: what is seen, who, what is read and said, with the times.

/** Children that are told of. */
const most = { root: 8, node: 5 };

interface Part {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly evidence: readonly string[];
  /** Nothing is known of it but a sentence. */
  readonly isOnlyQuote: boolean;
  readonly worth: number;
}

/** Content of a node's text before its parts. */
interface Told {
  /** Numbers of the sentences that are quoted. */
  readonly sentences: ReadonlySet<number>;
  readonly lines: ReadonlySet<string>;
}

/**
 * In the order of time; neighbours of which the same is known are one. Only what tells the parts apart, and
 * what the node has not quoted itself.
 */
function partStatements(film: OutlinedFilm, node: OutlineNode, factsOf: FactsOf, opening: Told): Statement[] {
  const parts: Part[] = [];
  for (const id of node.child_ids) {
    const { start, end, child_ids } = film.nodes.get(id)!;
    const part = {
      start,
      end,
      ...partOf(film, factsOf(id), child_ids.length === 0, opening),
      worth: film.worth.get(id)!,
    };
    const before = parts.at(-1);
    if (before?.text === part.text && before.end === start) parts[parts.length - 1] = joined(before, part);
    else parts.push(part);
  }
  const included = parts.filter(({ text }) => text !== '');
  // One thing throughout, and the best sentences, are told by the node itself.
  if (new Set(included.map(({ text }) => text)).size < 2 || included.every(({ isOnlyQuote }) => isOnlyQuote))
    return [];
  const count = node.parent_id === null ? most.root : most.node;
  const byWorth = highestScores(
    included.map(({ worth }) => worth),
    count,
  );
  return byWorth
    .toSorted((a, b) => a - b)
    .map((at): Statement => {
      const { text, evidence, ...range } = included[at]!;
      const times = fromTo(range.start, shownEnd(film, range));
      return { kind: 'part', text: `${times}: ${text}.`, evidence, rank: 3.5 + byWorth.indexOf(at) };
    });
}

function joined(a: Part, b: Part): Part {
  const evidence = [...new Set([...a.evidence, ...b.evidence])];
  return { ...a, end: b.end, evidence, worth: Math.max(a.worth, b.worth) };
}

function partOf(
  film: OutlinedFilm,
  facts: RangeFacts,
  isLeaf: boolean,
  opening: Told,
): Omit<Part, 'start' | 'end' | 'worth'> {
  const phrase = seenPhrase(facts, { things: 2, conditions: 1 }, isLeaf);
  const people = peoplePhrase(facts.people);
  const lines = largest(
    facts.lines.filter(({ text }) => !opening.lines.has(quotedLine(text))),
    1,
  );
  const evidence = [
    ...[...phrase.shown, ...facts.people].flatMap(({ frames }) => frames.map(frameId)),
    ...lines.map(({ frame }) => frameId(frame)),
  ];
  const shown = [phrase.text, people, linesPhrase(lines, 1)].filter((part) => part !== '');
  const again = recurring(film, facts.sentences, 3);
  const isSeen = facts.seen.length > 0 || facts.people.length > 0;
  // Where nothing comes again and nothing is seen, the best sentence.
  const others = facts.sentences.filter((number) => !opening.sentences.has(number));
  const [best] = again.phrase !== '' || isSeen ? [] : scoredSentences(film, others, 1);
  const quote = best && quoteOf(film, best.sentence, 80);
  const speech = quote ? `${quote.lead}${quote.words}` : again.phrase;
  const sentences = best ? [best.sentence] : again.phrase === '' ? [] : again.sentences;
  const spoken = sentences.flatMap((number) => segmentIds(film.sentences[number]!));
  return {
    text: [...shown, speech].filter((part) => part !== '').join('; '),
    evidence: [...new Set([...evidence, ...spoken])],
    isOnlyQuote: shown.length === 0 && again.phrase === '',
  };
}

// Printed text in the picture, with its times.

/** UTF-16 units of a line. */
const longest = 80;

/** `“STOP” and “Enrichment St”`. */
function linesPhrase(lines: readonly ReadLine[], count: number): string {
  return listOf(largest(lines, count).map(({ text }) => quotedLine(text)));
}

/** `In the picture: “STOP” (00:12).` Null where nothing is read. `withTimes`: not of a still. */
function writtenIn(lines: readonly ReadLine[], count: number, withTimes: boolean): Statement | null {
  const shown = largest(lines, count);
  if (shown.length === 0) return null;
  const parts = shown.map(
    ({ text, frame }) => `${quotedLine(text)}${withTimes ? ` (${timeOf(frame)})` : ''}`,
  );
  const evidence = [...new Set(shown.map(({ frame }) => frameId(frame)))];
  return { kind: 'written', text: `Text in the picture: ${listOf(parts)}.`, evidence, rank: 2.2 };
}

const quotedLine = (text: string) => inQuotes(clipped(text.replace(/\s+/gu, ' ').trim(), longest));

/** UTF-16 units of a text at most. */
export const longestTexts = { leaf: 600, node: 1200, root: 2000 };
/** Longest quotes, in characters. */
const longestQuotes = { leaf: 140, node: 160, root: 200 };

/** `factsOf`: of the node and of its children. */
export function statementsOf(film: OutlinedFilm, node: OutlineNode, factsOf: FactsOf): Statement[] {
  const plan = planOf(film.objective);
  const kind = node.parent_id === null ? 'root' : node.child_ids.length === 0 ? 'leaf' : 'node';
  const facts = factsOf(node.node_id);
  const result: Record<SummarySection, Statement[]> = {
    seen: seenSection(film, node, facts, plan),
    people: [peopleSeen(facts, kind !== 'leaf'), newcomers(film, facts, plan)].filter(
      (statement) => statement !== null,
    ),
    speech: speechSection(film, facts, plan, kind),
  };
  const parts = partStatements(film, node, factsOf, toldBy(film, facts, plan, kind));
  const sections = plan.sections.flatMap((section) => result[section]);
  const content = [...sections, ...parts];
  // Where nothing was recognised, a part is compared with the others.
  const form = content.length > 0 ? [] : formOf(film, node, facts);
  const extent = kind === 'root' ? [extentOf(film)] : [];
  // Its form is enough for a part; facts that hold throughout the file are stated at the root.
  const isTold =
    content.some((statement) => statement.kind !== 'looks') || (kind !== 'root' && form.length > 0);
  const missing = absences(film, node, facts, isTold);
  const all = [...extent, ...content, ...form, ...missing];
  const statements = all.length > 0 ? all : [goingOn(film, facts)].filter((statement) => statement !== null);
  return fitting(statements, longestTexts[kind]);
}

/** Printed lines that are quoted. */
const linesTold = { leaf: 3, node: 5 };

function toldBy(
  film: OutlinedFilm,
  facts: RangeFacts,
  plan: SummaryPlan,
  kind: keyof typeof longestTexts,
): Told {
  return {
    sentences: new Set(quotesOf(film, facts, plan, kind).map(({ sentence }) => sentence)),
    lines: new Set(largest(facts.lines, linesTold.node).map(({ text }) => quotedLine(text))),
  };
}

function seenSection(
  film: OutlinedFilm,
  node: OutlineNode,
  facts: RangeFacts,
  plan: SummaryPlan,
): Statement[] {
  const isLeaf = node.child_ids.length === 0;
  // The whole shows more than a part of it.
  const amount = { things: plan.things + (node.parent_id === null && !isLeaf ? 2 : 0), conditions: 2 };
  const visualStatement = isLeaf ? seenInLeaf(facts, amount) : seenInNode(facts, amount);
  const written = writtenIn(facts.lines, linesTold[isLeaf ? 'leaf' : 'node'], film.kind !== 'image');
  const isPart = node.parent_id !== null && film.outline.nodes.length >= fewestNodes;
  return [
    ...(visualStatement ? [visualStatement] : []),
    ...(written ? [written] : []),
    ...(isPart ? lookStatements(film.looks.get(node.node_id)!, facts, plan.looks) : []),
  ];
}

/** How a part is against others. Of a still and of a whole there is nothing to compare. */
function formOf(film: OutlinedFilm, node: OutlineNode, facts: RangeFacts): Statement[] {
  if (film.kind === 'image') return [];
  const isPart = node.parent_id !== null && film.outline.nodes.length >= fewestNodes;
  return isPart ? lookStatements(film.looks.get(node.node_id)!, facts, pictureLooks) : [];
}

function speechSection(
  film: OutlinedFilm,
  facts: RangeFacts,
  plan: SummaryPlan,
  kind: keyof typeof longestTexts,
): Statement[] {
  const scored = quotesOf(film, facts, plan, kind);
  const byWorth = scored.toSorted((a, b) => b.score - a.score || a.sentence - b.sentence);
  const quotes = scored.map((quote) =>
    quoted(film, quote.sentence, longestQuotes[kind], 3 + 2 * byWorth.indexOf(quote)),
  );
  const inQuotes = new Set(scored.map(({ sentence }) => sentence));
  // In a quote it is told who speaks.
  const speakers = kind === 'leaf' ? speaking(facts) : speakingLong(facts, kind === 'root');
  const isTold = kind !== 'root' && facts.speakers.length === 1 && quotes.length > 0;
  return [
    isTold ? null : speakers,
    kind === 'leaf' ? null : recurringWords(film, facts, 5),
    ...quotes,
    figures(film, facts, inQuotes, kind === 'leaf' ? 3 : 5),
  ].filter((statement) => statement !== null);
}

function quotesOf(film: OutlinedFilm, facts: RangeFacts, plan: SummaryPlan, kind: keyof typeof longestTexts) {
  const count = kind === 'leaf' ? plan.quotes : plan.quotes + (kind === 'root' ? 3 : 1);
  return scoredSentences(film, facts.sentences, count);
}

function absences(
  { material, segments, kind, hasSound, sights }: OutlinedFilm,
  { parent_id }: OutlineNode,
  facts: RangeFacts,
  isSomethingTold: boolean,
): Statement[] {
  const isRoot = parent_id === null;
  const noPicture = kind !== 'audio' && facts.pictured === 0;
  const absence = (text: string): Statement => ({ kind: 'absence', text, evidence: [], rank: 2.5 });
  if (noPicture && segments === null && facts.people.length === 0)
    return [absence(`Nothing is known about this ${isRoot ? 'file' : 'part'}: it has not been analysed.`)];
  const statements: Statement[] = [];
  if (noPicture) statements.push(absence(`No pictures of this ${isRoot ? 'file' : 'part'} were analysed.`));
  else if (material.pictures && !isSomethingTold && facts.pictured > 0)
    statements.push(absence(`${nothingRecognised(isAnythingFound(sights, facts.range))}.`));
  const isNeeded = isRoot || (!isSomethingTold && statements.length === 0);
  if (segments === null && kind !== 'image' && isNeeded)
    statements.push(absence(`There is no ${hasSound ? 'transcript' : 'sound'}.`));
  else if (segments !== null && facts.spoken === 0 && kind !== 'image')
    statements.push(absence(isRoot ? 'Nobody speaks.' : 'No speech.'));
  return statements;
}

/** `isUncertain`: something was found, but may be wrong. */
export const nothingRecognised = (isUncertain: boolean): string =>
  `Nothing in the pictures was recognised${isUncertain ? ' with certainty' : ''}`;

// How a range is against the other ranges of its film, where that is asked for and clear.

/** `newcomers` are told by name. How often it cuts is not told: of twelve films four were miscounted. */
const sentences: Readonly<Partial<Record<LookName, string>>> = {
  motion: 'There is more motion than in most of the film.',
  steadiness: 'The picture is calmer than in most of the film.',
  rarity: 'It looks different from most of the film.',
  talk: 'More is said than in most of the film.',
  silence: 'Less is said than in most of the film.',
  turns: 'Speakers change more often than in most of the film.',
  people: 'Known faces are visible for longer than in most of the film.',
  together: 'Several known faces are visible together for longer than in most of the film.',
};
/** Share of ranges that have less of it. */
const clear = 0.8;
/** Ranges of which too few are no film to stand out of. */
const fewestNodes = 6;

/** Looks stated where nothing else is known about the pictures. */
const pictureLooks: readonly LookName[] = ['motion', 'steadiness', 'rarity'];

/** `chosenLooks`: which are told. */
function lookStatements(looks: LookValues, facts: RangeFacts, chosenLooks: readonly LookName[]): Statement[] {
  const evidence = facts.frames.map(frameId);
  return chosenLooks.flatMap((look): Statement[] => {
    const text = sentences[look];
    const isSilent = look === 'silence' && facts.spoken === 0;
    if (!text || looks[look] < clear || isSilent || evidence.length === 0) return [];
    return [{ kind: 'looks', text, evidence, rank: 6 }];
  });
}

// Summary of a file in one line and in a few sentences.

/** UTF-16 units. */
export const longestLine = 160;
export const longestShort = 800;
/** Sentences of the short summary. */
const mostSentences = 5;

function extentPhrase({ kind, duration }: OutlinedFilm): string {
  return kind === 'image' ? 'A still' : `${kind === 'audio' ? 'Sound' : 'A video'} of ${lengthOf(duration)}`;
}

function extentSentence(film: OutlinedFilm): string {
  const parts = film.root.child_ids.length;
  return `${extentPhrase(film)}${parts > 1 ? ` in ${parts} parts` : ''}.`;
}

const extentOf = (film: OutlinedFilm): Statement => ({
  kind: 'extent',
  text: extentSentence(film),
  evidence: [],
  rank: 0,
});

/** `root`: facts of the root. */
export function oneLine(film: OutlinedFilm, root: RangeFacts): string {
  const isLeaf = film.root.child_ids.length === 0;
  const phrases = [seenPhrase(root, { things: 3, conditions: 1 }, isLeaf).text, linesPhrase(root.lines, 1)];
  const result: Record<SummarySection, string> = {
    seen: phrases.filter((part) => part !== '').join('; '),
    people: peoplePhrase(root.people),
    speech: recurring(film, root.sentences, 3).phrase || bestQuote(film, root),
  };
  const whole = extentPhrase(film);
  let line = whole;
  for (const section of planOf(film.objective).sections) {
    const more = `${line}${line === whole ? ': ' : '; '}${result[section]}`;
    if (result[section] !== '' && more.length < longestLine) line = more;
  }
  return `${line === whole ? `${whole}: ${nothingKnown(film)}` : line}.`.replace(/([.!?…]”?)\.$/u, '$1');
}

function bestQuote(film: OutlinedFilm, root: RangeFacts): string {
  const best = scoredSentences(film, root.sentences, 1)[0];
  if (!best) return '';
  const { lead, words } = quoteOf(film, best.sentence, 60);
  return `${lead}${words}`;
}

function nothingKnown({ segments, material, kind, sights, root }: OutlinedFilm): string {
  const looked = kind !== 'audio' && (material.pictures?.frames.length ?? 0) > 0;
  if (!looked) return segments ? 'nobody speaks' : 'nothing is known about it';
  const isUncertain = isAnythingFound(sights, root);
  if (kind === 'image') return `nothing was recognised${isUncertain ? ' with certainty' : ''}`;
  const nothing = nothingRecognised(isUncertain).toLowerCase();
  return [...(segments ? ['nobody speaks'] : []), nothing].join(', ');
}

/** Two to five sentences; `root`: facts and statements of the root. */
export function shortSummary(film: OutlinedFilm, root: RangeFacts, statements: readonly Statement[]): string {
  const visualStatement = seenInNode(root, { things: 4, conditions: 1 });
  const best = scoredSentences(film, root.sentences, 2);
  const quotes = best.map(({ sentence }, i) => quoted(film, sentence, 140, 3 + i));
  const words = recurringWords(film, root, 4);
  const speakers = speakingLong(root, true);
  const result: Record<SummarySection, (Statement | null)[]> = {
    seen: [visualStatement, writtenIn(root.lines, 3, film.kind !== 'image')],
    people: [peopleSeen(root, film.kind !== 'image')],
    speech: [speakers, ...(words ? [{ ...words, rank: 3.5 }, ...quotes.slice(0, 1)] : quotes)],
  };
  const content = planOf(film.objective)
    .sections.flatMap((section) => result[section])
    .filter((statement) => statement !== null);
  const missing = statements.filter(({ kind }) => kind === 'absence');
  const all = [extentOf(film), ...content, ...missing];
  const chosen = new Set(all.toSorted((a, b) => a.rank - b.rank).slice(0, mostSentences));
  const fit = fitting(
    all.filter((statement) => chosen.has(statement)),
    longestShort,
  );
  if (fit.length > 1) return capital(textOf(fit));
  return `${extentSentence(film)} ${capital(nothingKnown(film))}.`;
}

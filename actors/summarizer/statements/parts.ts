// The children of a node, a line each: what is seen, who, what is read and said, with the times.
import { frameId } from '../facts/evidence.ts';
import { type Facts, type FactsOf, scoredSentences } from '../facts/facts.ts';
import type { OutlinedFilm } from '../facts/film.ts';
import { largest, type ReadLine } from '../facts/sights.ts';
import { highestScores, type Plan } from '../objective.ts';
import type { OutlineNode } from '../outline/outline.ts';
import { clipped } from '../text/sentences.ts';
import { fromTo, listOf, timeOf } from './english.ts';
import { seenPhrase } from './seen.ts';
import { peoplePhrase, quoteOf, recurring, segmentIds } from './speech.ts';
import type { Statement } from './statement.ts';

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

/**
 * In the order of the objective; neighbours of which the same is known are one. Only what tells the parts
 * apart.
 */
export function partStatements(
  film: OutlinedFilm,
  node: OutlineNode,
  factsOf: FactsOf,
  plan: Plan,
): Statement[] {
  const parts: Part[] = [];
  for (const id of node.child_ids) {
    const { start, end } = film.nodes.get(id)!;
    const part = {
      start,
      end,
      ...partOf(film, factsOf(id), film.nodes.get(id)!.child_ids.length === 0),
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
  const order = plan.bestFirst ? 'worth' : 'time';
  const worths = included.map(({ worth }) => worth);
  const byWorth = highestScores(worths, 'worth', included.length);
  return highestScores(worths, order, count).map((at): Statement => {
    const { start, end, text, evidence } = included[at]!;
    const rank = 3.5 + byWorth.indexOf(at);
    return { kind: 'part', text: `${fromTo(start, end)}: ${text}.`, evidence, rank };
  });
}

function joined(a: Part, b: Part): Part {
  const evidence = [...new Set([...a.evidence, ...b.evidence])];
  return { ...a, end: b.end, evidence, worth: Math.max(a.worth, b.worth) };
}

function partOf(film: OutlinedFilm, facts: Facts, isLeaf: boolean): Omit<Part, 'start' | 'end' | 'worth'> {
  const seen = seenPhrase(facts, { things: 2, conditions: 1 }, isLeaf);
  const people = peoplePhrase(facts.people);
  const lines = largest(facts.lines, 1);
  const evidence = [
    ...[...seen.shown, ...facts.people].flatMap(({ frames }) => frames.map(frameId)),
    ...lines.map(({ frame }) => frameId(frame)),
  ];
  const shown = [seen.text, people, linesPhrase(lines, 1)].filter((part) => part !== '');
  const again = recurring(film, facts.sentences, 3);
  const isSeen = facts.seen.length > 0 || facts.people.length > 0;
  // Where nothing comes again and nothing is seen, the best sentence.
  const [best] = again.phrase !== '' || isSeen ? [] : scoredSentences(film, facts.sentences, 1);
  const quote = best && quoteOf(film, best.sentence, 80);
  const heard = quote ? `${quote.lead}${quote.words}` : again.phrase;
  const sentences = best ? [best.sentence] : again.phrase === '' ? [] : again.sentences;
  const spoken = sentences.flatMap((number) => segmentIds(film.sentences[number]!));
  return {
    text: [...shown, heard].filter((part) => part !== '').join('; '),
    evidence: [...new Set([...evidence, ...spoken])],
    isOnlyQuote: shown.length === 0 && again.phrase === '',
  };
}

// What can be read in the picture, with when.

/** UTF-16 units of a line. */
const longest = 80;

/** `“STOP” and “Enrichment St”`. */
export function linesPhrase(lines: readonly ReadLine[], count: number): string {
  return listOf(largest(lines, count).map(({ text }) => quotedLine(text)));
}

/** `In the picture: “STOP” (00:12).` Null where nothing is read. `withTimes`: not of a still. */
export function writtenIn(lines: readonly ReadLine[], count: number, withTimes: boolean): Statement | null {
  const told = largest(lines, count);
  if (told.length === 0) return null;
  const parts = told.map(({ text, frame }) => `${quotedLine(text)}${withTimes ? ` (${timeOf(frame)})` : ''}`);
  const evidence = [...new Set(told.map(({ frame }) => frameId(frame)))];
  return { kind: 'written', text: `Text in the picture: ${listOf(parts)}.`, evidence, rank: 2.2 };
}

const quotedLine = (text: string) => `“${clipped(text.replace(/\s+/gu, ' ').trim(), longest)}”`;

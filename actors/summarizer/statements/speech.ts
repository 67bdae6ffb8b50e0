// Sentences about speech: verbatim quotes with speaker and time, figures, repeated words.
import { frameId, segmentId } from '../facts/evidence.ts';
import { type PersonInRange, type RangeFacts, type SpeakerShare, secondOf } from '../facts/facts.ts';
import type { OutlinedFilm } from '../facts/film.ts';
import type { SummaryPlan } from '../objective.ts';
import { endsAsking } from '../text/key-sentences.ts';
import { clipped, excerptOf, isStopWord, type Sentence, termsOf } from '../text/sentences.ts';
import {
  capital,
  counted,
  inQuotes,
  lengthOf,
  listOf,
  type Quote,
  type Statement,
  timeOf,
} from './statement.ts';

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

export function segmentIds({ first, end }: Sentence): string[] {
  return Array.from({ length: end - first }, (_, i) => segmentId(first + i));
}

/** `longest`: UTF-16 units of the words. */
export function quoteOf(film: OutlinedFilm, number: number, longest: number): Quote {
  const sentence = film.sentences[number]!;
  const text = excerptOf(sentence.text, longest);
  const isQuestion = endsAsking.test(text);
  const { speaker } = sentence;
  const who = speaker === null ? (isQuestion ? 'Asked' : 'Said') : nameOf(speaker);
  return {
    lead: `${who}${speaker !== null && isQuestion ? ' asks' : ''}: `,
    // A text that runs the other way keeps its own direction, and the time after it stays after it.
    words: inQuotes(rightToLeft.test(text) ? `\u2068${text}\u2069` : text),
    isCut: text.endsWith('…'),
    second: secondOf(film, sentence),
  };
}

export const quoted = (film: OutlinedFilm, number: number, longest: number, rank: number): Statement => ({
  kind: 'quote',
  quote: quoteOf(film, number, longest),
  evidence: segmentIds(film.sentences[number]!),
  rank,
});

const figure = /(?<![\p{L}\p{N}])\p{Sc}?\p{N}+(?:[.,:'’]\p{N}+)*(?:\s?[%°€$£])?(?![\p{L}\p{N}])/gu;

/** Figures of sentences that are not quoted, with when they are said; null for none. At most `count`. */
export function figures(
  film: OutlinedFilm,
  facts: RangeFacts,
  quotes: ReadonlySet<number>,
  count: number,
): Statement | null {
  const { sentences } = film;
  const inQuotes = new Set([...quotes].flatMap((number) => figuresOf(sentences[number]!.text)));
  const included = new Map<string, number>();
  for (const number of facts.sentences) {
    if (quotes.has(number)) continue;
    for (const value of figuresOf(sentences[number]!.text))
      if (!included.has(value) && !inQuotes.has(value) && included.size < count) included.set(value, number);
  }
  if (included.size === 0) return null;
  const parts = [...included].map(
    ([value, number]) => `${value} (${timeOf(secondOf(film, sentences[number]!))})`,
  );
  const evidence = [...new Set([...included.values()].flatMap((number) => segmentIds(sentences[number]!)))];
  return { kind: 'figures', text: `Figures mentioned: ${listOf(parts)}.`, evidence, rank: 8 };
}

/** Figures of at least two digits: a single `1` is rarely what anybody looks for. */
function figuresOf(text: string): string[] {
  return (text.match(figure) ?? []).filter((match) => /\p{N}.*\p{N}|[%°€$£]/u.test(match));
}

/**
 * Words that come again in the sentences of some facts, the most frequent first, as they are said, in
 * quotation marks. `phrase`: `about “bridge” and “river”`; empty of fewer than two.
 */
export function recurring(
  { sentences }: OutlinedFilm,
  numbers: readonly number[],
  count: number,
): { words: string[]; phrase: string; sentences: number[] } {
  const having = new Map<string, { word: string; sentences: number[] }>();
  for (const number of numbers) {
    for (const word of wordsOf(sentences[number]!.text)) {
      const [term] = termsOf(word);
      if (term === undefined || isStopWord(term) || [...term].length < 2 || /^\p{N}+$/u.test(term)) continue;
      const occurrences = having.get(term) ?? { word, sentences: [] };
      if (!having.has(term)) having.set(term, occurrences);
      // A capital letter may be that of a sentence.
      if (word.toLowerCase() === word) occurrences.word = word;
      if (occurrences.sentences.at(-1) !== number) occurrences.sentences.push(number);
    }
  }
  const again = [...having.values()].filter((entry) => entry.sentences.length > 1);
  const best = again.sort((a, b) => b.sentences.length - a.sentences.length).slice(0, count);
  const words = best.map(({ word }) => inQuotes(word));
  return {
    words,
    phrase: words.length < 2 ? '' : `about ${listOf(words)}`,
    sentences: [...new Set(best.flatMap((entry) => entry.sentences.slice(0, 2)))],
  };
}

const words = new Intl.Segmenter('und', { granularity: 'word' });

function wordsOf(text: string): string[] {
  return [...words.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));
}

/** `Said more than once: bridge, river.`; null where no word comes again. */
export function recurringWords(
  film: OutlinedFilm,
  { sentences }: RangeFacts,
  count: number,
): Statement | null {
  const { words: texts, sentences: from } = recurring(film, sentences, count);
  if (texts.length < 2) return null;
  const evidence = [...new Set(from.flatMap((number) => segmentIds(film.sentences[number]!)))];
  const text = `Recurring words: ${listOf(texts)}.`;
  return { kind: 'words', text, evidence, rank: 7 };
}

// Sentences about people in view and about speakers.

/** Names of one sentence. */
const mostNames = 5;
/** UTF-16 units of a name. */
const longestName = 80;
/** And of words that are told of a part in the midst of a sentence. */
const longestWords = 140;

export const nameOf = (name: string): string => clipped(name.replace(/\s+/gu, ' ').trim(), longestName);

/** `Ada, Ben and two people without a name`. `withSeconds`: how long each is seen. */
export function peoplePhrase(people: readonly PersonInRange[], withSeconds = false): string {
  const named = people.filter(({ isNamed }) => isNamed);
  const included = named.slice(0, mostNames);
  const unnamed = people.length - named.length;
  const others = named.length - included.length;
  return listOf([
    ...included.map(({ person, seconds }) =>
      withSeconds ? `${nameOf(person)} (${lengthOf(seconds)})` : nameOf(person),
    ),
    ...(others > 0 ? [counted(others, 'other with a name', 'others with a name')] : []),
    ...(unnamed > 0 ? [counted(unnamed, 'person without a name', 'people without a name')] : []),
  ]);
}

/** Null when nobody is seen whom anybody looked for. `withSeconds`: how long each is seen. */
export function peopleSeen({ people, range }: RangeFacts, withSeconds: boolean): Statement | null {
  if (people.length === 0) return null;
  const verb = people.length === 1 ? 'is' : 'are';
  const named = people.filter(({ isNamed }) => isNamed).slice(0, mostNames);
  const unnamed = people.filter(({ isNamed }) => !isNamed);
  const isOften =
    !withSeconds &&
    range.end - range.start > 1 &&
    people.length === 1 &&
    people[0]!.seconds >= 0.8 * (range.end - range.start);
  const text = `${peoplePhrase(people, withSeconds)} ${verb} seen${isOften ? ' throughout' : ''}.`;
  const evidence = [...named, ...unnamed].flatMap(({ frames }) => frames.map(frameId));
  return { kind: 'people', text: capital(text), evidence: [...new Set(evidence)], rank: 2 };
}

/** Named people whom the film shows for the first time; null where that is not asked for, or nobody comes. */
export function newcomers(
  { material }: OutlinedFilm,
  { people, range }: RangeFacts,
  plan: SummaryPlan,
): Statement | null {
  if (!plan.looks.includes('newcomers')) return null;
  const firstOf = new Map(material.people.map(({ person, frames }) => [person, frames[0] ?? -1]));
  const come = people
    .filter(({ person, isNamed, frames }) => isNamed && frames[0] === firstOf.get(person))
    .filter(({ frames }) => frames[0]! >= range.start)
    .slice(0, mostNames)
    .sort((a, b) => a.frames[0]! - b.frames[0]!);
  if (come.length === 0) return null;
  const texts = come.map(({ person, frames }) => `${nameOf(person)} (${timeOf(frames[0]!)})`);
  const text = `Seen for the first time: ${listOf(texts)}.`;
  return { kind: 'people', text, evidence: come.map(({ frames }) => frameId(frames[0]!)), rank: 3 };
}

/** Names the speakers; null if there are none, or none is known. */
export function speaking({ speakers, spoken }: RangeFacts, withSeconds = false): Statement | null {
  const [first, ...others] = speakers.filter(({ speaker }) => speaker !== null) as Known[];
  if (!first) return null;
  const evidence = [first, ...others].flatMap(({ segments }) => segments.map(segmentId));
  const speakerText = ({ speaker, seconds }: Known) =>
    withSeconds ? `${nameOf(speaker)} (${lengthOf(seconds)})` : nameOf(speaker);
  const tell = (text: string): Statement => ({ kind: 'speakers', text, evidence, rank: 4 });
  if (others.length === 0) {
    const who = isUnnamed(first.speaker) ? 'One person' : nameOf(first.speaker);
    return tell(`${who} speaks${withSeconds ? ` for ${lengthOf(first.seconds)}` : ''}.`);
  }
  const mostly = first.seconds >= 0.7 * spoken && first.seconds > 2 * others[0]!.seconds;
  const named = others.slice(0, mostNames - 1);
  const more = others.length - named.length;
  const names = [...named.map(speakerText), ...(more > 0 ? [counted(more, 'other', 'others')] : [])];
  if (mostly) return tell(`${speakerText(first)} speaks most, along with ${listOf(names)}.`);
  return tell(`${listOf([speakerText(first), ...names])} speak.`);
}

/** True for the diarizer's label of a voice that no person has named. */
const isUnnamed = (speaker: string): boolean => /^SPEAKER_\d+$/.test(speaker);

/** Names the speakers with their durations. `isWhole`: total speaking time where no speaker is known. */
export function speakingLong(facts: RangeFacts, isWhole: boolean): Statement | null {
  const speakers = speaking(facts, true);
  const [unknown] = facts.speakers;
  if (speakers || !unknown || !isWhole) return speakers;
  const evidence = unknown.segments.map(segmentId);
  return { kind: 'speakers', text: `Speech of ${lengthOf(facts.spoken)}.`, evidence, rank: 4 };
}

/** Sentence for a part whose words all belong to a sentence that begins before it. */
export function goingOn(
  { segments }: OutlinedFilm,
  { speakers: [first], range }: RangeFacts,
): Statement | null {
  const [number] = first?.segments ?? [];
  if (number === undefined) return null;
  const { text, start_seconds } = segments![number]!;
  const words = clipped(text.trim(), longestWords);
  const quote = {
    lead: `${first?.speaker ? nameOf(first.speaker) : 'Said'}: `,
    words: inQuotes(words),
    isCut: words.endsWith('…'),
    second: Math.max(range.start, Math.round(start_seconds)),
  };
  return { kind: 'quote', quote, evidence: [segmentId(number)], rank: 4 };
}

type Known = SpeakerShare & { readonly speaker: string };

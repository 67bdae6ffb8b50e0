// Who appears and who speaks, in sentences.
import { clipped, frameId, segmentId } from '../facts/evidence.ts';
import type { Facts, SeenPerson, Speaker } from '../facts/facts.ts';
import type { OutlinedFilm } from '../facts/film.ts';
import { capital, counted, lengthOf, listOf, timeOf } from './english.ts';
import type { Plan } from './plan.ts';
import type { Statement } from './statement.ts';

/** Names of one sentence. */
const mostNames = 5;
/** UTF-16 units of a name. */
const longestName = 80;
/** And of words that are told of a part in the midst of a sentence. */
const longestWords = 140;

export const nameOf = (name: string): string => clipped(name.replace(/\s+/gu, ' ').trim(), longestName);

/** `Ada, Ben and two people without a name`. `withSeconds`: how long each is seen. */
export function peoplePhrase(people: readonly SeenPerson[], withSeconds = false): string {
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

/** Null when nobody is seen whom anybody looked for. `isLeaf`: without how long. */
export function peopleSeen({ people, range }: Facts, isLeaf: boolean): Statement | null {
  if (people.length === 0) return null;
  const verb = people.length === 1 ? 'is' : 'are';
  const named = people.filter(({ isNamed }) => isNamed).slice(0, mostNames);
  const unnamed = people.filter(({ isNamed }) => !isNamed);
  const isOften = isLeaf && people.length === 1 && people[0]!.seconds >= 0.8 * (range.end - range.start);
  const text = `${peoplePhrase(people, !isLeaf)} ${verb} seen${isOften ? ' throughout' : ''}.`;
  const evidence = [...named, ...unnamed].flatMap(({ frames }) => frames.map(frameId));
  return { kind: 'people', text: capital(text), evidence: [...new Set(evidence)], rank: 2 };
}

/** Named people whom the film shows for the first time; null where that is not asked for, or nobody comes. */
export function newcomers(
  { material }: OutlinedFilm,
  { people, range }: Facts,
  plan: Plan,
): Statement | null {
  if (!plan.looks.includes('newcomers')) return null;
  const firstOf = new Map(material.people.map(({ person, frames }) => [person, frames[0] ?? -1]));
  const come = people
    .filter(({ person, isNamed, frames }) => isNamed && frames[0] === firstOf.get(person))
    .filter(({ frames }) => frames[0]! >= range.start)
    .slice(0, mostNames);
  if (come.length === 0) return null;
  const texts = come.map(({ person, frames }) => `${nameOf(person)} (${timeOf(frames[0]!)})`);
  const text = `Seen for the first time: ${listOf(texts)}.`;
  return { kind: 'people', text, evidence: come.map(({ frames }) => frameId(frames[0]!)), rank: 3 };
}

/** Who speaks; null where nobody does, or nobody knows who. */
export function speaking({ speakers, spoken }: Facts, withSeconds = false): Statement | null {
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
  const rest = others.slice(0, mostNames - 1);
  const more = others.length - rest.length;
  const names = [...rest.map(speakerText), ...(more > 0 ? [counted(more, 'other', 'others')] : [])];
  if (mostly) return tell(`${speakerText(first)} speaks most, along with ${listOf(names)}.`);
  return tell(`${listOf([speakerText(first), ...names])} speak.`);
}

/** As the diarizer calls a voice until a person names it. */
const isUnnamed = (speaker: string): boolean => /^SPEAKER_\d+$/.test(speaker);

/** Who speaks for how long. `isWhole`: how long anybody does, where nobody knows who. */
export function speakingLong(facts: Facts, isWhole: boolean): Statement | null {
  const known = speaking(facts, true);
  const [unknown] = facts.speakers;
  if (known || !unknown || !isWhole) return known;
  const evidence = unknown.segments.map(segmentId);
  return { kind: 'speakers', text: `Speech of ${lengthOf(facts.spoken)}.`, evidence, rank: 4 };
}

/** Of a part whose words all belong to a sentence that begins before it. */
export function goingOn({ segments }: OutlinedFilm, { speakers: [first], range }: Facts): Statement | null {
  const [number] = first?.segments ?? [];
  if (number === undefined) return null;
  const { text, start_seconds } = segments![number]!;
  const words = clipped(text.trim(), longestWords);
  const quote = {
    lead: `${first?.speaker ? nameOf(first.speaker) : 'Said'}: `,
    words: `“${words}”`,
    isCut: words.endsWith('…'),
    second: Math.max(range.start, Math.round(start_seconds)),
  };
  return { kind: 'quote', quote, evidence: [segmentId(number)], rank: 4 };
}

type Known = Speaker & { readonly speaker: string };

// Builds the stored evidence of a leaf and of the nodes above it: references to frames, excerpts of the
// transcript, names.
import { clockTime } from '../../decoder/contract.ts';
import type { SummaryEvidence } from '../../index/summaries/contract.ts';
import { segmentBySecond } from '../outline/channels.ts';
import { clipped, type Sentence } from '../text/sentences.ts';
import { type RangeFacts, segmentsWithin } from './facts.ts';
import type { OutlinedFilm } from './film.ts';

/** Excerpts of a leaf; of more, those that are quoted and some taken evenly are kept. */
const mostExcerpts = 120;
const most = { frames: 200, names: 200, text: 2000, name: 500, hints: 10 };

export const frameId = (frame: number): string => `f${frame}`;
export const segmentId = (segment: number): string => `t${segment}`;

/** Segments that the sentences of some facts are made of. */
export function quotedSegments({ sentences }: OutlinedFilm, numbers: readonly number[]): number[] {
  return numbers.flatMap((number) => {
    const { first, end } = sentences[number]!;
    return Array.from({ length: end - first }, (_, i) => first + i);
  });
}

/** `isWhole`: besides what is cited, all that is said in the range, as far as there is room. */
export function evidenceOf(
  film: OutlinedFilm,
  facts: RangeFacts,
  hints: readonly AttributionHint[],
  isWhole: boolean,
): SummaryEvidence {
  const cited = [
    ...[...facts.seen, ...facts.people].flatMap(({ frames }) => frames),
    ...facts.lines.map(({ frame }) => frame),
  ];
  const frames = [...new Set([...cited, ...facts.frames])].slice(0, most.frames).sort((a, b) => a - b);
  const segments = excerptsOf(film, facts, isWhole);
  // A sentence that begins in a leaf may end with segments behind it.
  const speakers = segments
    .flatMap((number) => film.segments![number]!.speaker ?? [])
    .map((name) => clipped(name, most.name));
  const people = facts.people.flatMap(({ person, isNamed }) => (isNamed ? [clipped(person, most.name)] : []));
  return {
    frames: frames.map((frame) => ({
      evidence_id: frameId(frame),
      frame_idx: frame,
      timestamp: clockTime(frame),
    })),
    transcript: segments.map((number) => {
      const { start_seconds, end_seconds, text, speaker } = film.segments![number]!;
      return {
        evidence_id: segmentId(number),
        start_seconds,
        end_seconds,
        text: clipped(text.trim(), most.text),
        speaker: speaker === null ? null : clipped(speaker, most.name),
      };
    }),
    speakers: [...new Set(speakers)].slice(0, most.names),
    people: [...new Set(people)].slice(0, most.names),
    attribution_hints: hintsWithin(hints, facts).slice(0, most.hints),
  };
}

/** Segments that are cited, and of the others of a leaf as many as there is room for, taken evenly. */
function excerptsOf(film: OutlinedFilm, facts: RangeFacts, isWhole: boolean): number[] {
  const all = isWhole ? segmentsWithin(film, facts.range) : [];
  const needed = new Set([
    ...quotedSegments(film, facts.sentences),
    ...facts.speakers.flatMap(({ segments }) => segments),
  ]);
  const others = all.filter((number) => !needed.has(number));
  const room = Math.max(0, mostExcerpts - needed.size);
  const chosen =
    others.length <= room
      ? others
      : Array.from({ length: room }, (_, i) => others[Math.floor(((i + 0.5) * others.length) / room)]!);
  return [...needed, ...chosen].sort((a, b) => a - b);
}

// Guesses which speaker is which person: a speaker who nearly always speaks while one named person is seen,
// or who introduces himself or herself by name. The hint says what was counted or said, for people to check.

export interface AttributionHint {
  readonly speaker: string;
  /** Null where a name was only said. */
  readonly person: string | null;
  readonly text: string;
}

/**
 * Seconds of speech that are counted at least, the share that is of one speaker, and how much more than
 * elsewhere.
 */
const least = { seconds: 5, share: 0.8, lead: 0.25 };

/** `I am …` is left out: what follows is mostly no name. */
const introductions =
  /(?:\bmy name is|\bmy name's|\bmein Name ist|\bich heiße|\bje m['’]appelle|\bme llamo|\bmi nombre es)\s+(\p{Lu}[\p{L}'’-]+(?:\s+\p{Lu}[\p{L}'’-]+){0,2})/iu;

export function attributionHints(film: OutlinedFilm): AttributionHint[] {
  return [...seenWhileSpeaking(film), ...introduced(film.sentences)];
}

function seenWhileSpeaking({ segments, material, named }: OutlinedFilm): AttributionHint[] {
  if (!segments) return [];
  const by = segmentBySecond(segments, material.seconds);
  const speakerAt = (second: number) => (by[second]! < 0 ? null : segments[by[second]!]!.speaker);
  const everywhere = counted(
    Array.from({ length: material.seconds }, (_, i) => i),
    speakerAt,
  );
  return material.people.flatMap(({ person, frames }): AttributionHint[] => {
    if (!named.has(person)) return [];
    const { counts, total } = counted(Array.from(frames), speakerAt);
    const [best] = [...counts].sort((a, b) => b[1] - a[1]);
    if (!best || total < least.seconds) return [];
    const [speaker, seconds] = best;
    const usual = (everywhere.counts.get(speaker) ?? 0) / everywhere.total;
    const share = seconds / total;
    if (speaker === person || share < least.share || share - usual < least.lead) return [];
    const counting = `${speaker} speaks in ${seconds} of ${total} seconds of speech in which ${person} is seen`;
    return [{ speaker, person, text: `${counting}: ${speaker} may be ${person}.`.slice(0, 500) }];
  });
}

function counted(seconds: readonly number[], speakerAt: (second: number) => string | null) {
  const counts = new Map<string, number>();
  let total = 0;
  for (const second of seconds) {
    const speaker = speakerAt(second);
    if (speaker === null) continue;
    counts.set(speaker, (counts.get(speaker) ?? 0) + 1);
    total++;
  }
  return { counts, total };
}

function introduced(sentences: readonly Sentence[]): AttributionHint[] {
  return sentences.flatMap(({ text, speaker, start_seconds }): AttributionHint[] => {
    const name = introductions.exec(text)?.[1];
    // With the flag for cases a small letter is a capital one.
    if (!name || speaker === null || !/^\p{Lu}/u.test(name) || name === speaker) return [];
    const said = `${speaker} says “${name}” as their own name (${clockTime(start_seconds)})`;
    return [{ speaker, person: null, text: `${said}: ${speaker} may be ${name}.`.slice(0, 500) }];
  });
}

/** Hints whose speaker and person both occur in the leaf, or whose speaker speaks there. */
function hintsWithin(hints: readonly AttributionHint[], { speakers, people }: RangeFacts): string[] {
  const speaking = new Set(speakers.map(({ speaker }) => speaker));
  const visiblePeople = new Set(people.map(({ person }) => person));
  return hints
    .filter(({ speaker, person }) => speaking.has(speaker) && (person === null || visiblePeople.has(person)))
    .map(({ text }) => text);
}

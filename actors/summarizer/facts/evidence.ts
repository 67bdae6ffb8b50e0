// What the texts of a leaf and of the nodes above it are made of, as it is stored: references to frames,
// excerpts of the transcript, names.
import { clockTime } from '../../decoder/contract.ts';
import type { SummaryEvidence } from '../../index/summaries/contract.ts';
import { type AttributionHint, hintsWithin } from './attribution.ts';
import type { Facts } from './facts.ts';
import type { OutlinedFilm } from './film.ts';
import { segmentsWithin } from './leaf.ts';

/** Excerpts of a leaf; of more, those that are quoted and some taken evenly are kept. */
export const mostExcerpts = 120;
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
  facts: Facts,
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
    .map((own) => clipped(own));
  const people = facts.people.flatMap(({ person, isNamed }) => (isNamed ? [clipped(person)] : []));
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
        speaker: speaker === null ? null : clipped(speaker),
      };
    }),
    speakers: [...new Set(speakers)].slice(0, most.names),
    people: [...new Set(people)].slice(0, most.names),
    attribution_hints: hintsWithin(hints, facts).slice(0, most.hints),
  };
}

/** Segments that are cited, and of the others of a leaf as many as there is room for, taken evenly. */
function excerptsOf(film: OutlinedFilm, facts: Facts, isWhole: boolean): number[] {
  const all = isWhole ? segmentsWithin(film, facts.range) : [];
  const needed = new Set([
    ...quotedSegments(film, facts.sentences),
    ...facts.speakers.flatMap(({ segments }) => segments),
  ]);
  const others = all.filter((number) => !needed.has(number));
  const room = Math.max(0, mostExcerpts - needed.size);
  const kept =
    others.length <= room
      ? others
      : Array.from({ length: room }, (_, i) => others[Math.floor(((i + 0.5) * others.length) / room)]!);
  return [...needed, ...kept].sort((a, b) => a - b);
}

/** Without half a character at the end. */
export function clipped(text: string, longest = most.name): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

// What the evidence of a node does not show, and where to look: for people who check a text. It says nothing
// of whether the text is right.

import type { GridRange, VerificationHint } from '../../index/summaries/contract.ts';
import { canName } from '../concepts/known-concepts.ts';
import { leastPictures } from '../concepts/standing-out.ts';
import { frameId } from '../facts/evidence.ts';
import type { Facts } from '../facts/facts.ts';
import type { OutlinedFilm } from '../facts/film.ts';
import { segmentsWithin } from '../facts/leaf.ts';
import type { OutlineNode } from '../outline/outline.ts';
import { capital, counted, fromTo, lengthOf, listOf } from './english.ts';
import type { Statement } from './statement.ts';

const most = { hints: 8, gaps: 3, evidence: 8 };

/** The widest first where there are too many. */
export function limitationsOf(
  film: OutlinedFilm,
  node: OutlineNode,
  facts: Facts,
  statements: readonly Statement[],
): VerificationHint[] {
  const range: GridRange = [node.start, node.end];
  const isLeaf = node.child_ids.length === 0;
  // What is so throughout the file is told of the whole.
  const isRoot = node.parent_id === null;
  return [
    ...gaps(film, range),
    ...(isRoot ? unheard(film, range) : []),
    ...(isRoot || isAnySpeakerKnown(film) ? unknownSpeakers(film, facts, range, isLeaf) : []),
    ...unnamedPeople(facts, range),
    ...(isRoot ? unnamedPictures(film, facts, range) : []),
    ...(isLeaf ? cutQuotes(statements, range) : []),
  ].slice(0, most.hints);
}

const hint = (
  limitation: string,
  affected_range: GridRange,
  suggested_follow_up: string,
  evidence: readonly string[] = [],
): VerificationHint => ({
  limitation,
  affected_range,
  evidence_ids: evidence.slice(0, most.evidence),
  suggested_follow_up,
});

function gaps({ outline, kind }: OutlinedFilm, [start, end]: GridRange): VerificationHint[] {
  if (kind === 'audio') return [];
  const within = outline.uncovered
    .filter((gap) => gap.start < end && gap.end > start)
    .map((gap): GridRange => [Math.max(start, gap.start), Math.min(end, gap.end)]);
  if (within.length === 0) return [];
  const follow = 'Look at these seconds in the file, or analyse it again.';
  if (within.length <= most.gaps)
    return within.map((gap) => hint(`No pictures of ${fromTo(...gap)} were analysed.`, gap, follow));
  const seconds = within.reduce((sum, [from, to]) => sum + to - from, 0);
  const hull: GridRange = [within[0]![0], within.at(-1)![1]];
  return [hint(`No pictures were analysed for ${lengthOf(seconds)} in ${within.length} gaps.`, hull, follow)];
}

function unheard({ segments, kind }: OutlinedFilm, range: GridRange): VerificationHint[] {
  if (segments !== null || kind === 'image') return [];
  return [
    hint('There is no transcript, so nothing is known about the sound.', range, 'Transcribe the file.'),
  ];
}

const isAnySpeakerKnown = ({ segments }: OutlinedFilm): boolean =>
  segments?.some(({ speaker }) => speaker !== null) ?? false;

function unknownSpeakers(
  film: OutlinedFilm,
  { speakers }: Facts,
  range: GridRange,
  isLeaf: boolean,
): VerificationHint[] {
  const unknown = speakers.find(({ speaker }) => speaker === null);
  if (!unknown) return [];
  const evidence = isLeaf
    ? segmentsWithin(film, { start: range[0], end: range[1] }).filter(
        (number) => film.segments![number]!.speaker === null,
      )
    : unknown.segments;
  const ids = evidence.filter((number) => unknown.segments.includes(number)).map((number) => `t${number}`);
  const text = `The speaker is unknown for ${lengthOf(unknown.seconds)}.`;
  return [hint(text, range, 'Listen to it, or transcribe the file with speaker detection.', ids)];
}

function unnamedPeople({ people }: Facts, range: GridRange): VerificationHint[] {
  const unnamed = people.filter(({ isNamed }) => !isNamed);
  if (unnamed.length === 0) return [];
  const ids = [...new Set(unnamed.flatMap(({ frames }) => frames.map(frameId)))];
  const who = counted(unnamed.length, 'person is', 'people are');
  return [hint(`${capital(who)} seen without a name.`, range, 'Name their face clusters.', ids)];
}

/** Of the whole file once is enough. */
function unnamedPictures(
  { concepts, kind }: OutlinedFilm,
  { seen, lines, pictured, frames }: Facts,
  range: GridRange,
): VerificationHint[] {
  if (kind === 'audio' || pictured === 0 || (concepts && canName(concepts))) return [];
  const pictures = concepts?.background.pictures ?? 0;
  const isAnythingSeen = seen.length > 0 || lines.length > 0;
  const what = isAnythingSeen
    ? 'Only some kinds of things and printed text were recognised in the pictures'
    : 'Nothing in the pictures was recognised';
  // Without any, the model understands no words.
  const [why, follow] =
    pictures === 0
      ? ['', 'Look at the frames, or analyse with a larger visual model.']
      : [
          `: the library has too few pictures to compare with (${pictures})`,
          `Look at the frames, or summarise again when ${leastPictures} pictures have been analysed.`,
        ];
  const places = isAnythingSeen ? seen.flatMap((own) => own.frames.slice(0, 1)) : frames;
  return [hint(`${what}${why}.`, range, follow, [...new Set(places.map(frameId))])];
}

function cutQuotes(statements: readonly Statement[], range: GridRange): VerificationHint[] {
  const cut = statements.filter(
    ({ kind, text }) => kind === 'quote' && /…\u2069?” \([\d:]+\)\.$/u.test(text),
  );
  if (cut.length === 0) return [];
  const ids = [...new Set(cut.flatMap(({ evidence }) => evidence))];
  const which = listOf(cut.map(({ text }) => /\(([\d:]+)\)\.$/.exec(text)?.[1] ?? ''));
  return [hint(`Quotations are cut (${which}).`, range, 'Read the transcript in the evidence.', ids)];
}

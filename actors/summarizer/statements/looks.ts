// How a range is against the other ranges of its film, where that is asked for and clear.
import { frameId } from '../facts/evidence.ts';
import type { Facts } from '../facts/facts.ts';
import type { OutlinedFilm } from '../facts/film.ts';
import type { Look, Looks } from '../outline/looks.ts';
import { capital, counted, lengthOf, timeOf } from './english.ts';
import type { Statement } from './statement.ts';

/** `newcomers` are told by name. */
const sentences: Readonly<Partial<Record<Look, string>>> = {
  motion: 'There is more motion than in most of the film.',
  steadiness: 'The picture is calmer than in most of the film.',
  cuts: 'The cuts are faster than in most of the film.',
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
export const fewestNodes = 6;

/** Of pictures, for where nothing else is known of them. */
export const pictureLooks: readonly Look[] = ['motion', 'steadiness', 'cuts', 'rarity'];

/** `asked`: which are told. */
export function lookStatements(looks: Looks, facts: Facts, asked: readonly Look[]): Statement[] {
  const evidence = facts.frames.map(frameId);
  return asked.flatMap((look): Statement[] => {
    const text = sentences[look];
    const isSilent = look === 'silence' && facts.spoken === 0;
    if (!text || looks[look] < clear || isSilent || evidence.length === 0) return [];
    return [{ kind: 'looks', text, evidence, rank: 6 }];
  });
}

/**
 * `Three shots, the longest 14 s (00:13).` Told where it is asked for: four of twelve films were counted to
 * have more than they have. Of one shot there is nothing to say.
 */
export function shotStatements({ outline }: OutlinedFilm, { shots, frames, range }: Facts): Statement[] {
  if (shots < 2 || frames.length === 0) return [];
  const within = outline.shots.filter((start) => start > range.start && start < range.end);
  const starts = [range.start, ...within];
  const lengths = starts.map((start, i) => (starts[i + 1] ?? range.end) - start);
  const longest = Math.max(...lengths);
  const where = `${lengthOf(longest)} (${timeOf(starts[lengths.indexOf(longest)]!)})`;
  const text = `${capital(counted(shots, 'shot'))}, the longest ${where}.`;
  return [{ kind: 'looks', text, evidence: frames.map(frameId), rank: 5 }];
}

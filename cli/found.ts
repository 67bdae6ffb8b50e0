// Matches by sight, speech, printed words and names in one list, each with its reasons.

import { isStillName } from '../actors/decoder/media-names.ts';
import type { Match } from '../actors/search/contract.ts';
import type { Moment } from '../actors/search/moments/contract.ts';
import type { TranscriptSearchMatch } from '../actors/search/transcripts/contract.ts';
import type { WrittenSearchMatch } from '../actors/search/written/contract.ts';

// Where a match is, in words.

/** A still has one moment and no scene. */
export function isStill({ video_path, frame_idx, scene_end_timestamp }: Match): boolean {
  return isStillName(video_path) && frame_idx === '0' && scene_end_timestamp <= '00:00:01';
}

/** `00:00:12, scene 00:00:10–00:00:14`; of a still that it is one. */
export function momentText(match: Match): { readonly moment: string; readonly scene: string } {
  if (isStill(match)) return { moment: 'still', scene: '' };
  const { timestamp, scene_start_timestamp: start, scene_end_timestamp: end } = match;
  return { moment: timestamp, scene: start === end ? '' : `scene ${start}–${end}` };
}

/**
 * Half-open, in seconds of the film: between the edges of the shot where they are known, else whole seconds.
 */
export function sceneSpan({ shot, scene_start_timestamp, scene_end_timestamp }: Match) {
  // The last second of a scene belongs to it.
  const [start, end] = [secondsOf(scene_start_timestamp), secondsOf(scene_end_timestamp) + 1];
  if (shot === undefined) return { start, end };
  // A match may be of a part of a long shot.
  return {
    start: start - shot.start_seconds < 1 ? shot.start_seconds : start,
    end: Math.abs(end - shot.end_seconds) < 1 ? shot.end_seconds : end,
  };
}

/** `also at A, B and 3 more`; empty where the content is nowhere else. */
export function copiesText(paths: readonly string[] = []): string {
  if (paths.length === 0) return '';
  const more = paths.length > 2 ? ` and ${paths.length - 2} more` : '';
  return `also at ${paths.slice(0, 2).join(', ')}${more}`;
}

/** Parses `HH:MM:SS`; hours may have more than two digits. */
function secondsOf(timestamp: string): number {
  return timestamp.split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
}

/** A match of pictures, or of a name: of a person, file, folder, list or speaker. */
export interface NamedMatch extends Match {
  readonly named?: readonly Pick<NameReason, 'of' | 'name'>[];
}
type NameReason = Extract<Moment['reasons'][number], { readonly kind: 'name' }>;

/** A segment of a transcript that answers the query. */
export type SaidMatch = Omit<TranscriptSearchMatch, 'segment_index' | 'language'>;

/** At least one of the three. */
export interface SceneMatch {
  readonly seen: NamedMatch | null;
  readonly said: SaidMatch | null;
  readonly written: WrittenSearchMatch | null;
}

type Timed = Pick<WrittenSearchMatch, 'hash_str' | 'start_seconds' | 'end_seconds'>;

/** Words by their rank; one that is taken by a scene is no entry of its own. */
class Ranked<W extends Timed> {
  readonly #ranks: Map<W, number>;

  constructor(words: readonly W[]) {
    this.#ranks = new Map(words.map((word, rank) => [word, rank]));
  }

  takeWithin(match: Match): { readonly words: W | null; readonly rank: number } {
    for (const [words, rank] of this.#ranks) {
      if (!isWithin(words, match)) continue;
      this.#ranks.delete(words);
      return { words, rank };
    }
    return { words: null, rank: Number.POSITIVE_INFINITY };
  }

  rest(): [W, number][] {
    return [...this.#ranks];
  }
}

/** Orders by the best rank; words within a shown scene are joined with it. `most`: entries. */
export function merged(
  seen: readonly Match[],
  said: readonly SaidMatch[],
  most: number,
  written: readonly WrittenSearchMatch[] = [],
): SceneMatch[] {
  const [spoken, printed] = [new Ranked(said), new Ranked(written)];
  const entries = seen.map((match, rank) => {
    const [heard, read] = [spoken.takeWithin(match), printed.takeWithin(match)];
    const best = Math.min(rank, heard.rank, read.rank);
    return { seen: match, said: heard.words, written: read.words, rank: best };
  });
  const none = { seen: null, said: null, written: null };
  const alone = [
    ...spoken.rest().map(([words, rank]) => ({ ...none, said: words, rank })),
    ...printed.rest().map(([words, rank]) => ({ ...none, written: words, rank })),
  ];
  // Within one rank, spoken or printed words are surer than visual similarity.
  const weight = (entry: SceneMatch) => (entry.said ? 2 : 0) + (entry.written ? 2 : 0) + (entry.seen ? 1 : 0);
  return [...entries, ...alone].sort((a, b) => a.rank - b.rank || weight(b) - weight(a)).slice(0, most);
}

function isWithin({ hash_str, start_seconds, end_seconds }: Timed, match: Match): boolean {
  if (hash_str !== match.hash_str) return false;
  const { start, end } = sceneSpan(match);
  return start_seconds < end && end_seconds > start;
}

export function foundBy({ seen, said, written }: SceneMatch): ('named' | 'seen' | 'said' | 'written')[] {
  const isNamed = seen?.named !== undefined;
  return [
    ...(isNamed ? (['named'] as const) : []),
    ...(seen !== null && (!isNamed || seen.explanation !== undefined) ? (['seen'] as const) : []),
    ...(said === null ? [] : (['said'] as const)),
    ...(written === null ? [] : (['written'] as const)),
  ];
}

/** `named Barack Obama, folder Kakadu`, `sound: without music`; empty for a match of pictures alone. */
export function namesText({ named = [] }: NamedMatch): string {
  const [sounds, names] = [new Set<string>(), new Set<string>()];
  for (const { of, name } of named) {
    if (of === 'sound') sounds.add(name);
    else names.add(of === 'person' ? name : `${of} ${name}`);
  }
  const list = (word: string, items: ReadonlySet<string>) =>
    items.size > 0 ? [`${word} ${[...items].join(', ')}`] : [];
  return [...list('named', names), ...list('sound:', sounds)].join('; ');
}

/**
 * The matches as JSON has them, each with what it was found by. `said`, `written`: null where nobody looked
 * for them.
 */
export function matchFields(
  seen: readonly Match[],
  said: readonly SaidMatch[] | null,
  written: readonly WrittenSearchMatch[] | null = null,
) {
  const entries = merged(seen, said ?? [], Number.POSITIVE_INFINITY, written ?? []);
  const by = <K extends keyof SceneMatch>(kind: K, match: SceneMatch[K]) => ({
    found_by: entries.filter((entry) => entry[kind] === match).flatMap(foundBy),
  });
  return {
    matches: seen.map((match) => ({ ...match, ...by('seen', match) })),
    ...(said && { said_matches: said.map((match) => ({ ...match, ...by('said', match) })) }),
    ...(written && { written_matches: written.map((match) => ({ ...match, ...by('written', match) })) }),
  };
}

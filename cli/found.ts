// What is seen and what is said in one list: each entry says by which it was found. Pure.
import type { Match } from '../actors/search/contract.ts';
import type { TranscriptSearchMatch } from '../actors/search/transcripts/contract.ts';
import { secondsOf } from './scenes.ts';

/** At least one of the two. */
export interface Found {
  readonly seen: Match | null;
  readonly said: TranscriptSearchMatch | null;
}

/** By the better of the two ranks; what is said in a scene that is seen is one entry with it. `most`: entries. */
export function merged(
  seen: readonly Match[],
  said: readonly TranscriptSearchMatch[],
  most: number,
): Found[] {
  const left = new Map(said.map((one, rank) => [one, rank]));
  const entries = seen.map((match, rank) => {
    const words = [...left.keys()].find((one) => isWithin(one, match)) ?? null;
    const saidRank = words === null ? rank : (left.get(words) ?? rank);
    if (words !== null) left.delete(words);
    return { seen: match, said: words, rank: Math.min(rank, saidRank) };
  });
  const alone = [...left].map(([words, rank]) => ({ seen: null, said: words, rank }));
  // Of one rank: words that were said are surer than a likeness.
  const weight = (one: Found) => (one.said ? 2 : 0) + (one.seen ? 1 : 0);
  return [...entries, ...alone].sort((a, b) => a.rank - b.rank || weight(b) - weight(a)).slice(0, most);
}

function isWithin({ hash_str, start_seconds, end_seconds }: TranscriptSearchMatch, match: Match): boolean {
  if (hash_str !== match.hash_str) return false;
  // The last second of a scene belongs to it.
  const end = secondsOf(match.scene_end_timestamp) + 1;
  return start_seconds < end && end_seconds > secondsOf(match.scene_start_timestamp);
}

export function foundBy({ seen, said }: Found): ('seen' | 'said')[] {
  return [...(seen ? (['seen'] as const) : []), ...(said ? (['said'] as const) : [])];
}

/** The matches as JSON has them, each with what it was found by. `said`: null where nobody looked for it. */
export function toldBy(seen: readonly Match[], said: readonly TranscriptSearchMatch[] | null) {
  const entries = merged(seen, said ?? [], Number.POSITIVE_INFINITY);
  const of = (is: (entry: Found) => boolean) => entries.filter(is).flatMap(foundBy);
  const matches = seen.map((match) => ({ ...match, found_by: of((entry) => entry.seen === match) }));
  const heard = said?.map((words) => ({ ...words, found_by: of((entry) => entry.said === words) }));
  return { matches, ...(heard && { said_matches: heard }) };
}

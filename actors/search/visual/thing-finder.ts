// Searches for things that detectors have seen, joined with what the visual model finds. A model with a
// vocabulary of its own ranks by the rest of the question what shows the things; any other model reads the
// whole question, and both rankings are fused, so that neither buries the other.
import type { Reply } from '../../../runtime/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import type { ThingTerm } from '../../index/things/contract.ts';
import type { RankedMatch, VisualScope } from '../../index/visual/contract.ts';
import { now, untilDone } from '../loaded-data.ts';
import { type ThingQuestion, thingQuestion } from '../things/question.ts';
import type { Band } from './contract.ts';
import type { QueryParts } from './query-vectors.ts';

export interface ThingQuery extends Pick<ThingQuestion, 'words' | 'remainder' | 'narrower' | 'findsOthers'> {
  readonly terms: readonly ThingTerm[];
  /** Words of what is excluded that are things. */
  readonly excluded: ReadonlySet<string>;
}

export type SeenThings = Reply<typeof indexContract, 'find_things'>;

/**
 * Where the request speaks of things, and a detector has looked at something of the folder; null otherwise.
 */
export async function askThings(
  parts: Pick<QueryParts, 'index'>,
  cache_dir: string,
  query: string | null,
  exclude: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ThingQuery | null> {
  if (query === null) return null;
  const question = thingQuestion(query);
  const { terms, words, remainder, findsOthers } = question;
  const excluded = exclude
    .map(thingQuestion)
    .filter((candidate) => candidate.terms.length === 1 && candidate.remainder === '');
  const unwanted = excluded.flatMap((exclusion) =>
    exclusion.terms.map((term) => ({ ...term, negated: true })),
  );
  const all = [...terms, ...unwanted];
  if (all.length === 0) return null;
  const scope = { hashes: null, ranges: {}, filters: [] };
  const limit = { scope, max_per_media: null, max_results: 1 };
  const request = { cache_dir, model_key: null, terms: [], ...limit };
  const { looked } = await untilDone(() => parts.index.ask('find_things', request, now(signal)));
  const questions = [question, ...excluded];
  const narrower = {
    people: [...new Set(questions.flatMap(({ narrower: { people } }) => people))],
    others: [...new Set(questions.flatMap(({ narrower: { others } }) => others))],
  };
  const understood = { terms: all, words, remainder, narrower, findsOthers };
  return looked > 0 ? { ...understood, excluded: wordsOf(excluded) } : null;
}

/** The words of texts that are of things, as detectors see them. */
export function thingWords(texts: readonly string[]): ReadonlySet<string> {
  return wordsOf(texts.map(thingQuestion));
}

function wordsOf(questions: readonly Pick<ThingQuestion, 'words'>[]): ReadonlySet<string> {
  return new Set(questions.flatMap(({ words }) => words.flatMap((phrase) => phrase.split(' '))));
}

/** The part of the scope in which the things are seen. */
export function scopeOf(scope: VisualScope, { ranges }: SeenThings): VisualScope {
  return { ...scope, hashes: Object.keys(ranges), ranges };
}

/**
 * Places of the two rankings that count for one: the usual constant of reciprocal rank fusion (Cormack et
 * al., 2009).
 */
const damping = 60;

/** The matches of both, of each scene the one that ranks higher, grouped by video as the index does it. */
export function fused(
  some: readonly RankedMatch[],
  others: readonly RankedMatch[],
  max: number,
): RankedMatch[] {
  const byScene = new Map<string, { readonly match: RankedMatch; score: number }>();
  for (const list of [some, others]) {
    for (const match of list) {
      const key = sceneOf(match);
      const score = 1 / (damping + match.original_index);
      const before = byScene.get(key);
      if (before) before.score += score;
      else byScene.set(key, { match, score });
    }
  }
  const ranked = [...byScene.values()].sort((a, b) => b.score - a.score).map(({ match }) => match);
  return grouped(ranked.slice(0, max));
}

/** `others` follow where there is room for them. */
export function followed(
  first: readonly RankedMatch[],
  others: readonly RankedMatch[],
  max: number,
): RankedMatch[] {
  const byRank = (list: readonly RankedMatch[]) =>
    list.toSorted((a, b) => a.original_index - b.original_index);
  const shown = new Set(first.map(sceneOf));
  const otherMatches = byRank(others).filter((match) => !shown.has(sceneOf(match)));
  return grouped([...byRank(first), ...otherMatches].slice(0, max));
}

/** Counted anew, and grouped by video as the index does it. */
export function grouped(ranked: readonly RankedMatch[]): RankedMatch[] {
  const counted = ranked.map((match, original_index) => ({ ...match, original_index }));
  return [...Map.groupBy(counted, ({ hash_str }) => hash_str).values()].flat();
}

const sceneOf = ({ hash_str, scene_start }: Pick<RankedMatch, 'hash_str' | 'scene_start'>) =>
  `${hash_str} ${scene_start}`;

/**
 * That a thing is there was measured; its colour, place, size and number were not, nor that it is not there.
 */
function isMeasured({ colours, place, size, shot, count, negated }: ThingTerm): boolean {
  const isPlain = colours.length === 0 && place === null && size === null && shot === null && !negated;
  return isPlain && count.least === 1 && count.most === null;
}

/**
 * For each frame how sure it is that it shows the things; null where they were not seen in it. A search for
 * a woman finds all people, so what it finds is weak.
 */
export function thingBands(
  { ranges, likely, strong }: SeenThings,
  { terms, findsOthers }: Pick<ThingQuery, 'terms' | 'findsOthers'>,
  moments: readonly { readonly hash_str: string; readonly frame_index: number }[],
): (Band | null)[] {
  const isPlain = terms.every(isMeasured);
  return moments.map(({ hash_str, frame_index: frame }) => {
    const isIn = (all: SeenThings['ranges']) =>
      Object.hasOwn(all, hash_str) && all[hash_str]!.some(([from, to]) => from <= frame && frame < to);
    if (!isIn(ranges)) return null;
    if (findsOthers || !isIn(likely)) return 'weak';
    return isPlain && isIn(strong) ? 'strong' : 'likely';
  });
}

// The matches of a search that are at least so sure. A less sure one may rank before a surer one, so all are
// looked for among many.
import type { RankedMatch } from '../../index/visual/contract.ts';
import { fewPerMedia } from '../moments/fuse.ts';
import { type Band, type Explanation, isAtLeast, leftOutOf } from './contract.ts';
import { grouped } from './thing-finder.ts';

interface FoundMatches {
  readonly matches: readonly RankedMatch[];
}

interface Asked<F extends FoundMatches> {
  readonly find: (max: number) => Promise<F>;
  readonly explain: (matches: readonly RankedMatch[]) => Promise<Explanation[]>;
}

export function sureMatches<F extends FoundMatches>(
  { find, explain }: Asked<F>,
  { max_per_media = leftOutOf }: { readonly max_per_media?: number },
  min_band: Band,
) {
  return async (max: number) => {
    const found = await find(leftOutOf);
    const explained = await explain(found.matches);
    const sure = found.matches
      .filter((_, i) => isAtLeast(explained[i]!.band, min_band))
      .toSorted((a, b) => a.original_index - b.original_index);
    const few = fewPerMedia(
      sure.map((match) => ({ match, hash: match.hash_str })),
      max_per_media,
    );
    const best = few.slice(0, max).map(({ match }) => match);
    return { ...found, matches: grouped(best), weaker: found.matches.length - sure.length };
  };
}

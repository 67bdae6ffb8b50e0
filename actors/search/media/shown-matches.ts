// The best matches that can be shown: what has to be left out, because another content lies at its path by
// now, gives its place to the next best.
import type { LocatedMatch, MatchLocations, ShownMatch } from './match-locations.ts';

/** Times more is asked for; each time more than twice as much. */
const MOST_ROUNDS = 3;

export interface FoundMatches<M> {
  readonly matches: readonly M[];
}

/** `find` answers at most so many; `first` takes the best of those that can be shown. */
export async function shownMatches<M extends LocatedMatch, F extends FoundMatches<M>>(
  find: (max: number) => Promise<F>,
  locate: (found: F) => Promise<MatchLocations<M>>,
  max: number,
  first: (shown: readonly ShownMatch<M>[], max: number) => readonly ShownMatch<M>[],
) {
  for (let [most, round] = [max, 1]; ; round++) {
    const found = await find(most);
    const locations = await locate(found);
    const lost = found.matches.length - locations.shown.length;
    if (lost === 0 || found.matches.length < most || round === MOST_ROUNDS) {
      return { found, locations, lost, shown: first(locations.shown, max) };
    }
    most = 2 * (most + lost);
  }
}

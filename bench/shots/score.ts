// How well found changes agree with those that are there.
import { median } from '../row.ts';
import { type Change, isHard } from './films.ts';

export interface FoundChange {
  readonly seconds: number;
  /** First picture of the new shot. */
  readonly frame: number;
}

export interface ScoredFilm {
  readonly rate: number;
  readonly changes: readonly Change[];
  readonly found: readonly FoundChange[];
}

/** A change is found by one within so many seconds. */
const tolerance = 1;

/** Changes and what found them, one to one, the nearest first. */
export function pairs({ rate, changes, found }: ScoredFilm): [Change, FoundChange][] {
  const near = changes.flatMap((change) =>
    found.map((one) => {
      const outside = Math.max(change.frame / rate - one.seconds, one.seconds - change.end / rate, 0);
      return { change, one, outside };
    }),
  );
  const pairedChanges = new Set<Change | FoundChange>();
  return near
    .filter(({ outside }) => outside <= tolerance + 1e-6)
    .sort((a, b) => a.outside - b.outside)
    .flatMap(({ change, one }): [Change, FoundChange][] => {
      if (pairedChanges.has(change) || pairedChanges.has(one)) return [];
      pairedChanges.add(change).add(one);
      return [[change, one]];
    });
}

/** Shares from 0 to 1; `recall` also by kind. */
export function scoreOf(films: readonly ScoredFilm[]) {
  const matched = films.flatMap(pairs);
  const changes = films.flatMap((film) => film.changes);
  const precision = matched.length / films.reduce((sum, { found }) => sum + found.length, 0);
  const recall = matched.length / changes.length;
  const errors = matched
    .filter(([change]) => isHard(change))
    .map(([change, { frame }]) => Math.abs(frame - change.frame));
  const byKind = Map.groupBy(changes, ({ kind }) => kind);
  return {
    precision,
    recall,
    f1: (2 * precision * recall) / (precision + recall),
    exact: errors.filter((error) => error === 0).length / errors.length,
    framesOff: median(errors),
    kinds: [...byKind].map(([kind, all]) => ({
      kind,
      count: all.length,
      recall: matched.filter(([change]) => change.kind === kind).length / all.length,
    })),
  };
}

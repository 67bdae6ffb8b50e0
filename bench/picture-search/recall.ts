// How often what was meant came among the first, and how much that depends on which pictures were asked.
import { Dice } from '../../test/actors/models/starter/drawings/canvas.ts';

export interface Ranks {
  readonly name: string;
  /** Place of the picture that was meant, 1 for the best; one a query. */
  readonly places: readonly number[];
  /** The same by the floor. */
  readonly floor: readonly number[];
  /** Where the picture comes from. */
  readonly groups: readonly string[];
}

export function recall(places: readonly number[], within: number): number {
  return places.filter((place) => place <= within).length / places.length;
}

/** The recall between which 90 % lie when the queries are drawn again and again, with replacement. */
export function spread(places: readonly number[], within: number): [low: number, high: number] {
  const dice = new Dice(1);
  const draws = Array.from({ length: 400 }, () =>
    recall(
      places.map(() => dice.pick(places)),
      within,
    ),
  ).sort((a, b) => a - b);
  return [draws[20]!, draws[379]!];
}

// Drawn vectors of footage: shots whose looks have the mean and the covariance of pictures, and in which as
// much moves from second to second as in recorded films.
import type { Dice } from '../../test/actors/models/starter/drawings/canvas.ts';
import { unit } from '../vectors.ts';

/** Seconds of a shot. */
const [shortest, longest] = [2, 14];
/** How much of what moves in the films may move in a shot. */
const [calm, lively] = [0.5, 2];

export interface Film {
  readonly vectors: readonly Float32Array[];
  /** Positions at which shots begin. */
  readonly scenes: readonly number[];
}

export class Footage {
  readonly #mean: Float32Array;
  /** Differences of the pictures from their mean, scaled so that a normal sum of them is like one of all. */
  readonly #spread: readonly Float32Array[];
  /** Differences of the seconds of each film from the mean of the film. */
  readonly #moving: readonly (readonly Float32Array[])[];
  readonly #dice: Dice;

  /** `films`: of one shot each. */
  constructor(pictures: readonly Float32Array[], films: readonly (readonly Float32Array[])[], dice: Dice) {
    this.#mean = meanOf(pictures);
    this.#spread = apartFrom(pictures, this.#mean).map((direction) =>
      direction.map((value) => value / Math.sqrt(pictures.length)),
    );
    this.#moving = films.map((film) => apartFrom(film, meanOf(film)));
    this.#dice = dice;
  }

  draw(seconds: number): Film {
    const vectors: Float32Array[] = [];
    const scenes: number[] = [];
    while (vectors.length < seconds) {
      scenes.push(vectors.length);
      vectors.push(...this.#shot(Math.min(this.#dice.whole(shortest, longest), seconds - vectors.length)));
    }
    return { vectors, scenes };
  }

  #shot(seconds: number): Float32Array[] {
    const look = this.look();
    const film = this.#dice.pick(this.#moving);
    const from = this.#dice.whole(0, film.length - 1);
    const by = this.#dice.between(calm, lively);
    return Array.from({ length: seconds }, (_, i) => {
      const apart = film[(from + i) % film.length]!;
      return unit(look.map((value, k) => value + by * apart[k]!));
    });
  }

  look(): Float32Array {
    const look = Float32Array.from(this.#mean);
    for (const direction of this.#spread) {
      const by = normal(this.#dice);
      for (let k = 0; k < look.length; k++) look[k]! += by * direction[k]!;
    }
    return unit(look);
  }
}

function normal(dice: Dice): number {
  return Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(vectors[0]!.length);
  for (const vector of vectors) for (let k = 0; k < mean.length; k++) mean[k]! += vector[k]! / vectors.length;
  return mean;
}

function apartFrom(vectors: readonly Float32Array[], from: Float32Array): Float32Array[] {
  return vectors.map((vector) => vector.map((value, k) => value - from[k]!));
}

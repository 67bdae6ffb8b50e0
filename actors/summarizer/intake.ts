// What a caller hands over of one file, checked as it comes and kept until the file is outlined.
import { engineErrors } from '../../runtime/errors.ts';
import type { OpenFilm, SeenPerson, SpokenSegment } from './contract.ts';
import type { Sights } from './facts/sights.ts';
import { type Appearance, type Material, outlineErrors } from './outline/material.ts';

/**
 * Vectors lie in one piece of memory for the whole grid, asked for with the first of them: seconds ·
 * dimensions · 4 bytes, 166 MB for ten hours of 1152.
 */
export class Intake {
  readonly #film: Pick<OpenFilm, 'seconds' | 'visual_model'>;
  #vectors = new Float32Array(0);
  readonly #frames: number[] = [];
  readonly #cuts: number[] = [];
  #segments: SpokenSegment[] | null = null;
  #sights: Sights = { things: [], lines: [] };
  readonly #people: { readonly person: SeenPerson; readonly appearance: Appearance }[] = [];

  constructor(film: Pick<OpenFilm, 'seconds' | 'visual_model'>) {
    this.#film = film;
  }

  /** Answers how many frames there are now. Throws MATERIAL_INVALID, and then nothing is added. */
  addVectors(frames: Int32Array, vectors: Float32Array, cuts: Int32Array): number {
    const { seconds, visual_model: model } = this.#film;
    if (!model)
      throw outlineErrors.MATERIAL_INVALID('vectors of a file that was opened without a visual model');
    const d = model.dimensions;
    if (vectors.length !== frames.length * d)
      throw outlineErrors.MATERIAL_INVALID(
        `vectors: ${vectors.length} numbers for ${frames.length} frames of ${d} dimensions`,
      );
    const known = new Set(frames);
    const unknown = cuts.find((cut) => !known.has(cut));
    if (unknown !== undefined) throw outlineErrors.MATERIAL_INVALID(`cuts: ${unknown} is none of the frames`);
    let before = this.#frames.at(-1) ?? -1;
    for (const frame of frames) {
      if (frame <= before || frame >= seconds)
        throw outlineErrors.MATERIAL_INVALID(`frames: ${frame} behind ${before}, of ${seconds}`);
      before = frame;
    }
    // One number that is none makes the sum none.
    if (!Number.isFinite(vectors.reduce((sum, value) => sum + value, 0)))
      throw outlineErrors.MATERIAL_INVALID('vectors: not all numbers are finite');
    if (this.#vectors.length === 0) this.#vectors = new Float32Array(seconds * d);
    this.#vectors.set(vectors, this.#frames.length * d);
    for (const frame of frames) this.#frames.push(frame);
    for (const cut of cuts) this.#cuts.push(cut);
    return this.#frames.length;
  }

  /** Throws MATERIAL_INVALID, and then nothing is added. */
  addWords(segments: readonly SpokenSegment[]): void {
    const all = this.#segments ?? [];
    let before = all.at(-1)?.start_seconds ?? 0;
    for (const { start_seconds: start, end_seconds: end } of segments) {
      if (!(start >= before && end >= start && Number.isFinite(end)))
        throw outlineErrors.MATERIAL_INVALID(`segments: from ${start} to ${end} behind one at ${before}`);
      before = start;
    }
    for (const segment of segments) all.push(segment);
    this.#segments = all;
  }

  /** Throws MATERIAL_INVALID, and then nobody is added. */
  addPeople(people: readonly SeenPerson[]): void {
    const checked = people.map((person) => ({ person, appearance: this.#appearance(person) }));
    this.#people.push(...checked);
  }

  #appearance({ person, ranges }: SeenPerson): Appearance {
    const frames: number[] = [];
    for (const [start, end] of ranges) {
      if (start >= end || start < (frames.at(-1) ?? -1) + 1 || end > this.#film.seconds)
        throw outlineErrors.MATERIAL_INVALID(
          `people: ${person} from ${start} to ${end}, of ${this.#film.seconds}`,
        );
      for (let frame = start; frame < end; frame++) frames.push(frame);
    }
    return { person, frames: Int32Array.from(frames) };
  }

  /** Throws MATERIAL_INVALID, and then nothing is added. */
  addSights(sights: Sights): void {
    for (const { start, end, best } of [...sights.things, ...sights.lines]) {
      if (!(start <= best && best < end && end <= this.#film.seconds))
        throw outlineErrors.MATERIAL_INVALID(
          `sights: from ${start} to ${end}, best at ${best}, of ${this.#film.seconds}`,
        );
    }
    this.#sights = sights;
  }

  get sights(): Sights {
    return this.#sights;
  }

  /** All there is. *Borrowed.* */
  material(): Material {
    const { seconds, visual_model: model } = this.#film;
    const rows = this.#frames.length;
    const vectors = model && this.#vectors.subarray(0, rows * model.dimensions);
    return {
      seconds,
      pictures:
        model && vectors
          ? { vectors, dimensions: model.dimensions, frames: this.#frames, cuts: this.#cuts }
          : null,
      segments: this.#segments,
      people: this.#people.map(({ appearance }) => appearance),
    };
  }

  /** Those of the people who have a name. */
  named(): ReadonlySet<string> {
    const named = this.#people.filter(({ person }) => person.is_named);
    return new Set(named.map(({ person }) => person.person));
  }
}

/** A request that does not fit to what was asked before. */
export function misuse(message: string) {
  return engineErrors.INVALID_MESSAGE(message);
}

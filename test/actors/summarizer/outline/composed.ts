// Composed films for tests: chapters of scenes of shots, as vectors and speech made by rule, so that it is
// known where chapters begin. Everything follows from a seed.
import type { SpokenLine, SummaryInputs } from '../../../../actors/summarizer/outline/summary-inputs.ts';
import { normal, seeded } from '../../../seeded.ts';
import { withCuts } from './with-cuts.ts';

export function unit(vector: Float64Array): Float64Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

export const direction = (dimensions: number, random: () => number): Float64Array =>
  unit(Float64Array.from({ length: dimensions }, () => normal(random)));

/** The sum of directions, each with the square root of its share of the squared length, L2-normalised. */
export function blend(parts: readonly (readonly [Float64Array, number])[]): Float64Array {
  const sum = new Float64Array(parts[0]![0].length);
  for (const [vector, share] of parts)
    for (let i = 0; i < sum.length; i++) sum[i]! += Math.sqrt(Math.max(0, share)) * vector[i]!;
  return unit(sum);
}

export interface Composition {
  readonly seed: number;
  readonly chapters: number;
  readonly dimensions: number;
  /** Whether there are pictures, and speech. */
  readonly pictures: boolean;
  readonly speech: boolean;
  /**
   * Shares of the squared length of a picture: of all of them, of its chapter, its scene, its camera, and
   * noise.
   */
  readonly shares: { film: number; chapter: number; scene: number; camera: number; noise: number };
  /** Mean seconds of a chapter. */
  readonly chapterSeconds: number;
  /** Mean seconds of a shot. */
  readonly shotSeconds: number;
}

/** A composition of its own for each seed. */
export function someComposition(seed: number): Composition {
  const random = seeded(seed + 77);
  const kind = random();
  const film = 0.15 + 0.4 * random();
  const [chapter, scene, camera, noise] = [
    0.6 + random(),
    0.4 + random(),
    0.3 + random(),
    0.1 + 0.3 * random(),
  ];
  const rest = (1 - film) / (chapter + scene + camera + noise);
  return {
    seed,
    chapters: 2 + Math.floor(random() * 9),
    dimensions: random() < 0.5 ? 64 : 512,
    pictures: kind > 0.12,
    speech: kind < 0.75,
    shares: {
      film,
      chapter: chapter * rest,
      scene: scene * rest,
      camera: camera * rest,
      noise: noise * rest,
    },
    chapterSeconds: 20 + 160 * random() ** 2,
    shotSeconds: 2 + 6 * random(),
  };
}

export interface ComposedFilm {
  readonly material: SummaryInputs;
  /** Seconds at which chapters begin, without the first. */
  readonly chapterStarts: readonly number[];
}

export function composedFilm(composition: Composition): ComposedFilm {
  const random = seeded(composition.seed);
  const rows: Float64Array[] = [];
  const chapterStarts: number[] = [];
  const segments: SpokenLine[] = [];
  const film = direction(composition.dimensions, random);
  for (let chapter = 0; chapter < composition.chapters; chapter++) {
    if (chapter > 0) chapterStarts.push(rows.length);
    const start = rows.length;
    addChapter(composition, film, rows, random);
    segments.push(...speechOf(composition, chapter, [start, rows.length], random));
  }
  const { dimensions, pictures, speech } = composition;
  const vectors = new Float32Array(pictures ? rows.length * dimensions : 0);
  for (const [i, row] of pictures ? rows.entries() : []) vectors.set(row, i * dimensions);
  const frames = Uint32Array.from({ length: rows.length }, (_, i) => i);
  return {
    chapterStarts,
    material: {
      seconds: rows.length,
      pictures: pictures ? withCuts({ vectors, dimensions, frames }) : null,
      segments: speech ? segments : null,
      people: [],
    },
  };
}

function addChapter(
  { dimensions, shares, chapterSeconds, shotSeconds }: Composition,
  film: Float64Array,
  rows: Float64Array[],
  random: () => number,
): void {
  const chapter = direction(dimensions, random);
  const end = rows.length + Math.round(chapterSeconds * (0.5 + random()));
  while (rows.length < end) {
    const scene = direction(dimensions, random);
    const cameras = Array.from({ length: 1 + Math.floor(random() * 4) }, () => direction(dimensions, random));
    const shots = 2 + Math.floor(random() * 7);
    for (let shot = 0; shot < shots && rows.length < end; shot++) {
      const camera = cameras[Math.floor(random() * cameras.length)]!;
      const seconds = Math.max(1, Math.round(shotSeconds * (0.4 + 1.2 * random())));
      for (let second = 0; second < seconds && rows.length < end; second++)
        rows.push(
          blend([
            [film, shares.film],
            [chapter, shares.chapter],
            [scene, shares.scene],
            [camera, shares.camera],
            [direction(dimensions, random), shares.noise],
          ]),
        );
    }
  }
}

/** Words without meaning: `common` ones are of the whole film, others of one chapter. */
const word = (of: string, number: number): string =>
  `${of}${['ka', 'lo', 'mi', 'tu', 're'][number % 5]}${['sen', 'dor', 'pal', 'vik'][Math.floor(number / 5) % 4]}`;

function speechOf(
  _: Composition,
  chapter: number,
  [start, end]: readonly [number, number],
  random: () => number,
): SpokenLine[] {
  const segments: SpokenLine[] = [];
  const speakers = [chapter % 3, Math.floor(random() * 4)].map((number) => `SPEAKER_0${number}`);
  let speaker = speakers[0]!;
  for (let at = start + random() * 3; at < end - 2; ) {
    const length = 2 + random() * 4;
    const words = Array.from({ length: Math.round(length * 2.2) }, () =>
      random() < 0.25
        ? word(`top${String.fromCharCode(97 + chapter)}`, Math.floor(random() ** 2 * 12))
        : word('all', Math.floor(random() * 20)),
    );
    const stop = Math.min(end - 0.5, at + length);
    segments.push({ start_seconds: at, end_seconds: stop, text: ` ${words.join(' ')}.`, speaker });
    at = stop + (random() < 0.2 ? random() * 4 : 0.2);
    if (random() < 0.3) speaker = speakers[Math.floor(random() * 2)]!;
  }
  return segments;
}

/**
 * Precision and recall in one, of moments that lie within `tolerance` of each other; 1 when there are none of
 * both.
 */
export function f1(found: readonly number[], known: readonly number[], tolerance: number): number {
  if (found.length + known.length === 0) return 1;
  const left = new Set(known);
  let hits = 0;
  for (const moment of found) {
    const near = [...left].find((other) => Math.abs(other - moment) <= tolerance);
    if (near === undefined) continue;
    left.delete(near);
    hits++;
  }
  return (2 * hits) / (found.length + known.length);
}

// Long films as they are stored, for the benches: chapters of scenes of shots, of which some show what the
// lexicon of the summarizer names, with speech and people. Everything follows from the seed.
import type { TranscriptSegment } from '../actors/index/transcripts/contract.ts';
import type { SeenPerson } from '../actors/summarizer/contract.ts';
import { seeded, unit } from './vectors.ts';

export interface LongFilm {
  readonly seconds: number;
  readonly dimensions: number;
  /** Length of a shot, on average. */
  readonly shotSeconds: number;
  /** 0 for none. */
  readonly segments: number;
}

const chapterSeconds = 300;
const shotsOfScene = 6;

/** A direction that follows from a text: what a visual model makes of it. */
export function textVector(text: string, dimensions: number): Float32Array<ArrayBuffer> {
  let seed = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) seed = Math.imul(seed ^ text.charCodeAt(i), 0x01000193);
  return directionOf(seeded(seed), dimensions);
}

function directionOf(random: () => number, dimensions: number): Float32Array<ArrayBuffer> {
  return unit(Float32Array.from({ length: dimensions }, random));
}

/**
 * Rows of consecutive seconds, `together` in each piece, L2-normalised; `phrases`: texts of which scenes show
 * some.
 */
export function* pictureRows(
  { seconds, dimensions, shotSeconds }: LongFilm,
  phrases: readonly string[],
  together: number,
): Iterable<{ readonly first: number; readonly vectors: Float32Array<ArrayBuffer> }> {
  const random = seeded(seconds + dimensions);
  const pick = () => phrases[Math.floor((random() + 0.5) * phrases.length)]!;
  let [chapter, scene, shot] = [0, 0, 0].map(() => directionOf(random, dimensions)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  let [chapterEnd, sceneShots, shotEnd] = [0, 0, 0];
  for (let first = 0; first < seconds; first += together) {
    const count = Math.min(together, seconds - first);
    const vectors = new Float32Array(count * dimensions);
    for (let row = 0; row < count; row++) {
      const second = first + row;
      if (second >= chapterEnd) {
        chapter = directionOf(random, dimensions);
        chapterEnd += chapterSeconds;
      }
      if (second >= shotEnd) {
        if (--sceneShots <= 0) {
          scene = textVector(pick(), dimensions);
          sceneShots = shotsOfScene;
        }
        shot = directionOf(random, dimensions);
        shotEnd = second + shotSeconds * (0.5 + (random() + 0.5));
      }
      const vector = vectors.subarray(row * dimensions, (row + 1) * dimensions);
      const noise = 1.2 / Math.sqrt(dimensions);
      for (let k = 0; k < dimensions; k++)
        vector[k] = 0.5 * chapter[k]! + 0.5 * scene[k]! + 0.4 * shot[k]! + noise * random();
      vector.set(unit(vector));
    }
    yield { first, vectors };
  }
}

const words =
  'the a we bridge river winter flour oven water engine light house garden road harbour letter doctor family city mountain train market machine music picture question answer money village because never always perhaps found built lost opened closed carried promised remembered explained 1987 twelve'.split(
    ' ',
  );

/** Three speakers who take turns, in sentences. */
export function spokenSegments({ seconds, segments }: LongFilm): TranscriptSegment[] {
  const random = seeded(segments);
  const next = (n: number) => Math.floor((random() + 0.5) * n);
  const each = seconds / Math.max(1, segments);
  return Array.from({ length: segments }, (_, i) => ({
    start_seconds: i * each,
    end_seconds: (i + 0.9) * each,
    text: ` ${Array.from({ length: 8 + next(8) }, () => words[next(words.length)]!).join(' ')}.`,
    speaker: `SPEAKER_0${Math.floor(i / 4) % 3}`,
  }));
}

/** Five people, two of them with names, each some seconds of every minute. */
export function peopleIn({ seconds }: LongFilm): SeenPerson[] {
  return ['Ada', 'Bert', 'c3', 'c4', 'c5'].map((person, at) => ({
    person,
    is_named: at < 2,
    ranges: Array.from({ length: Math.floor(seconds / 60) }, (_, i): [number, number] => [
      i * 60 + at * 10,
      i * 60 + at * 10 + 8,
    ]),
  }));
}

// Random material for properties: with gaps, pictures that last, speech with odd texts, people; anything may
// be missing.
import fc from 'fast-check';
import type { SpokenLine, SummaryInputs } from '../../../../actors/summarizer/outline/summary-inputs.ts';
import { normal, seeded } from '../../../seeded.ts';
import { withCuts } from './with-cuts.ts';

export interface Shape {
  readonly seed: number;
  readonly seconds: number;
  readonly dimensions: number;
  /** Share of seconds without a vector. */
  readonly gaps: number;
  /** Seconds that a random picture usually lasts. */
  readonly hold: number;
  readonly hasPictures: boolean;
  readonly hasSpeech: boolean;
  readonly people: number;
}

export function randomMaterial(shape: Shape): SummaryInputs {
  const random = seeded(shape.seed);
  const { seconds, dimensions, gaps, hold } = shape;
  const frames = Array.from({ length: seconds }, (_, i) => i).filter(() => random() >= gaps);
  const vectors = new Float32Array(frames.length * dimensions);
  frames.forEach((_, row) => {
    const at = row * dimensions;
    if (row > 0 && random() > 1 / hold) {
      vectors.copyWithin(at, at - dimensions, at);
      return;
    }
    for (let k = 0; k < dimensions; k++) vectors[at + k] = normal(random);
    const length = Math.hypot(...vectors.subarray(at, at + dimensions)) || 1;
    for (let k = 0; k < dimensions; k++) vectors[at + k]! /= length;
  });
  const segments: SpokenLine[] = [];
  for (let start = random() * 9; start < seconds + 5; start += random() * 20) {
    const text = [' yes', ' the bridge is old.', '', ' 橋は古い。', ' 42?'][Math.floor(random() * 5)]!;
    const speaker = random() < 0.3 ? null : `SPEAKER_0${Math.floor(random() * 4)}`;
    segments.push({ start_seconds: start, end_seconds: start + random() * 8, text, speaker });
  }
  return {
    seconds,
    pictures: shape.hasPictures ? withCuts({ vectors, dimensions, frames }) : null,
    segments: shape.hasSpeech ? segments : null,
    people: Array.from({ length: shape.people }, (_, i) => ({
      person: `person ${i}`,
      frames: Array.from({ length: seconds }, (_, second) => second).filter(() => random() < 0.2),
    })),
  };
}

/** For properties: films of up to `longest` seconds. */
export const shapes = (longest: number) =>
  fc.record({
    seed: fc.integer({ min: 0, max: 1e6 }),
    seconds: fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: longest })),
    dimensions: fc.integer({ min: 1, max: 24 }),
    gaps: fc.constantFrom(0, 0, 0.1, 0.7, 1),
    hold: fc.constantFrom(1, 2, 8, 60, 5_000),
    hasPictures: fc.constantFrom(true, true, false),
    hasSpeech: fc.boolean(),
    people: fc.integer({ min: 0, max: 3 }),
  });

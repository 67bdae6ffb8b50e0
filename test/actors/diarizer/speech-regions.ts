// Random regions of speech, and the subsegments they are cut into.
import fc from 'fast-check';
import { type Subsegment, Subsegmenter } from '../../../actors/diarizer/turns.ts';

export const options = { length: 24_000, hop: 8000, min: 6400 };

/** Regions of speech with pauses between them, in thousands of samples. */
export const speech = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 90 })), { maxLength: 8 })
  .map((parts) => {
    let at = 0;
    return parts.map(([pause, length]): [number, number] => {
      const from = at + pause * 1000;
      at = from + length * 1000;
      return [from, at];
    });
  });

export function subsegmentsOf(regions: readonly (readonly [number, number])[]): Subsegment[] {
  const subsegmenter = new Subsegmenter(options);
  const all = regions.map(([from, to]): [number, number] => [from, to]);
  return [...subsegmenter.add(all, Number.MAX_SAFE_INTEGER), ...subsegmenter.end()];
}

// Random speaker embeddings.
import type { Plda } from '../../../actors/diarizer/plda.ts';
import type { Embeddings } from '../../../actors/diarizer/speaker-clustering.ts';
import { seeded } from '../../../bench/diarization/random.ts';

export const D = 24;

/** Unit vectors around a random point for each speaker; the cosines of one speaker are about `same`. */
export function embeddingsOf(
  speakers: readonly number[],
  same: number,
  seed: number,
  perRegion = 4,
): Embeddings {
  const random = seeded(seed);
  const gauss = () => Math.sqrt(-2 * Math.log(random.between(1e-9, 1))) * Math.cos(random.between(0, 6.2832));
  const unit = (vector: number[]) => {
    const length = Math.hypot(...vector);
    return vector.map((x) => x / length);
  };
  const points = new Map<number, number[]>();
  const vectors = new Float32Array(speakers.length * D);
  speakers.forEach((speaker, at) => {
    const point = points.get(speaker) ?? unit(Array.from({ length: D }, gauss));
    points.set(speaker, point);
    const noise = unit(Array.from({ length: D }, gauss));
    vectors.set(unit(point.map((x, i) => Math.sqrt(same) * x + Math.sqrt(1 - same) * noise[i]!)), at * D);
  });
  const regions = speakers.map((_, at) => Math.floor(at / perRegion));
  return { vectors, seconds: new Float32Array(speakers.length).fill(1.5), regions, dimensions: D, hop: 0.5 };
}

/** Turns of four embeddings each. */
export const talk = (turns: readonly number[]) =>
  turns.flatMap((speaker) => new Array<number>(4).fill(speaker));

/** PLDA of such embeddings. */
export function pldaOf(same: number): Plda {
  const transform = new Float32Array(D * D);
  for (let at = 0; at < D; at++) transform[at * (D + 1)] = Math.sqrt(D / (1 - same));
  const between = new Float64Array(D).fill(same / (1 - same));
  return { dimensions: D, mean: new Float32Array(D), transform, between };
}

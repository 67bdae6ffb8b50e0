// The library of bench/parts.ts and what it is asked, for all of its processes.
import { seeded, unit } from './vectors.ts';

export interface PartLibrary {
  readonly cacheDir: string;
  readonly model: string;
}

export const DIMENSIONS = 512;

/** By which the processes know each other. */
export const secret = 'of a bench';

export function vectorOf(question: number): Float32Array<ArrayBuffer> {
  return unit(Float32Array.from({ length: DIMENSIONS }, seeded(1000 + question)));
}

/** A search for the best 50 of everything. */
export function asked(cache_dir: string, model_key: string, question: number) {
  const scope = { hashes: null, filters: [], ranges: {} };
  const by = { text: vectorOf(question), picture: null, text_weight: 1, exclude: null };
  return { cache_dir, model_key, ...by, scope, max_results: 50 };
}

// Long arithmetic that stays pure and still lets others in: a generator yields between pieces of some 10 ms,
// and whoever runs it decides what happens there.
import type { Checkpoint } from './checkpoint.ts';

/** Yields where it may be paused, or left for good: it holds nothing that has to be freed. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** Goes on for about so long; null where there is more to do. */
export function runFor<T>(ms: number, steps: Steps<T>): T | null {
  const end = performance.now() + ms;
  do {
    const step = steps.next();
    if (step.done) return step.value;
  } while (performance.now() < end);
  return null;
}

/** A checkpoint between any two pieces: what it throws ends the work. */
export async function inSteps<T>(steps: Steps<T>, checkpoint: Checkpoint): Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    await checkpoint();
  }
}

// Checkpoints of a long turn: a sign of life for the supervisor, a yield to the event loop so that messages
// are received, and an end when the turn is cancelled.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Turn } from '../actor.ts';
import { engineErrors } from '../errors.ts';

/** Awaited after every step. Throws CANCELLED when the turn or its actor should end. */
export type Checkpoint = () => Promise<void>;

interface CheckpointOptions {
  /** Steps between two yields to the event loop; cancellation is checked after each step. */
  readonly every?: number;
  /** Aborted when the actor stops; for work that several turns share. */
  readonly stopping?: AbortSignal;
}

/** `turn`: undefined for work that several turns share. */
export function createCheckpoint(
  turn: Pick<Turn, 'throwIfCancelled' | 'alive'> | undefined,
  { every = 1, stopping }: CheckpointOptions = {},
): Checkpoint {
  let steps = 0;
  return async () => {
    turn?.throwIfCancelled();
    if (++steps % every !== 0) return;
    turn?.alive();
    await eventLoopTurn();
    if (stopping?.aborted) throw engineErrors.CANCELLED('the actor stops');
    turn?.throwIfCancelled();
  };
}

// Long arithmetic that stays pure and still lets others in: a generator yields between pieces of some 10 ms,
// and whoever runs it decides what happens there.

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

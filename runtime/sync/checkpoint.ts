// Checkpoints of a long turn: a sign of life for the supervisor, a yield to the event loop so that messages
// are received, and an end when the turn is cancelled.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Turn } from '../actor.ts';
import { engineErrors } from '../errors.ts';

/** Awaited after every step. Throws CANCELLED when the turn or its actor should end. */
export type Checkpoint = () => Promise<void>;

export interface CheckpointOptions {
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

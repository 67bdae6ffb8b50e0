// A long turn in steps. Between two steps it tells a sign of life, lets the event loop turn so that messages are heard,
// and ends when it is asked to.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Turn } from '../actor.ts';
import { engineErrors } from '../errors.ts';

/** Awaited after every step. Throws CANCELLED when the turn or its actor should end. */
export type Checkpoint = () => Promise<void>;

export interface CheckpointOptions {
  /** The event loop turns after this many steps; cancellation is looked at after each. */
  readonly every?: number;
  /** Aborted when the actor stops: for work that belongs to no single turn. */
  readonly stopping?: AbortSignal;
}

/** `turn` undefined: work that several turns wait for. */
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

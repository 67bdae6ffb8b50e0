// Loops over packets: each packet checks for cancellation, and at intervals the event loop turns and the turn
// reports that it is alive.
import type { Turn } from '../../../runtime/actor.ts';
import { type Checkpoint, createCheckpoint } from '../../../runtime/sync/checkpoint.ts';

/** The part of a turn that a loop over packets needs. */
export type PacketTurn = Pick<Turn, 'throwIfCancelled' | 'alive'>;

/** Reading a packet takes microseconds, a turn of the event loop about as long. */
const packetsPerTurn = 64;

/** Awaited once for each packet of a loop that reads packets and decodes few of them. */
export function packetCheckpoint(turn: PacketTurn): Checkpoint {
  return createCheckpoint(turn, { every: packetsPerTurn });
}

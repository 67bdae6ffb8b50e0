// The closed list of messages between a reference and the thread of its actor. Everything here survives
// structured clone. `control` is shared memory with two words for each running call: so a cancel is seen, and
// a sign of life given, while the event loop of the thread is blocked.
import type { SlotHandle } from './contract.ts';
import type { ErrorFields } from './errors.ts';
import type { LogLevel, LogLine } from './log.ts';
import type { SlotMemory } from './slots.ts';

export type CallId = number;

/** To the actor. */
export type ToActor =
  | {
      readonly type: 'ask';
      readonly id: CallId;
      readonly name: string;
      readonly request: unknown;
      readonly word: number;
    }
  | {
      readonly type: 'feed';
      readonly id: CallId;
      readonly name: string;
      readonly request: unknown;
      readonly word: number;
      readonly credit: number;
    }
  /** More items may be sent; for a feed with slots each credit comes with its slot. */
  | {
      readonly type: 'credit';
      readonly id: CallId;
      readonly credit: number;
      readonly slots: readonly SlotHandle[];
    }
  /** The answer to `reserve`; `refused` is the limit when it can never be granted. */
  | { readonly type: 'reserved'; readonly id: CallId; readonly refused: number | null }
  | { readonly type: 'cancel'; readonly id: CallId }
  | { readonly type: 'stop' };

/**
 * From the actor. `reply`, `end` and `error` are the last message of their turn: nothing of it is in use
 * after them.
 */
export type FromActor =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly error: ErrorFields }
  | {
      readonly type: 'item';
      readonly id: CallId;
      readonly value: unknown;
      readonly slots: readonly SlotHandle[];
    }
  /** The turn waits until it may use so much memory; `release` gives it back before the turn ends. */
  | { readonly type: 'reserve'; readonly id: CallId; readonly bytes: number }
  | { readonly type: 'release'; readonly id: CallId }
  | { readonly type: 'reply'; readonly id: CallId; readonly value: unknown }
  | { readonly type: 'end'; readonly id: CallId }
  | { readonly type: 'error'; readonly id: CallId; readonly error: ErrorFields }
  | { readonly type: 'log'; readonly line: LogLine }
  | { readonly type: 'closed' };

/** Word 0 asks the actor to stop; word n asks call n of the running ones to end. */
export const STOP_WORD = 0;

/** Shared words for the stop and `concurrency` running calls. */
export function createControl(concurrency: number): SharedArrayBuffer {
  return new SharedArrayBuffer(4 * (1 + 2 * concurrency));
}

/** The word in which the call of `word` counts its signs of life. */
export function lifeWord(control: Int32Array, word: number): number {
  return word + (control.length - 1) / 2;
}

export interface HostStart {
  readonly name: string;
  readonly control: SharedArrayBuffer;
  readonly memory: SlotMemory | undefined;
  readonly settings: unknown;
  /** Lines below it are not sent. */
  readonly logLevel: LogLevel;
}

export type Endpoint<In, Out> = {
  post(message: Out, transfer?: readonly ArrayBuffer[]): void;
  listen(receive: (message: In) => void): void;
  close(): void;
};

// The closed list of messages between a reference and the thread of its actor. Everything here survives
// structured clone. `control` is shared memory with two words for each running call: so a cancel is seen, and
// a sign of life given, while the event loop of the thread is blocked.
import type { SlotHandle } from './contract.ts';
import { type ErrorFields, fromFields } from './errors.ts';
import type { Log, LogLevel, LogLine } from './log.ts';
import type { SlotMemory } from './slots.ts';

export type CallId = number;

interface AskCall {
  readonly type: 'ask';
  readonly id: CallId;
  readonly name: string;
  readonly request: unknown;
  readonly word: number;
  /** Slots that the request refers to. */
  readonly slots: readonly SlotHandle[];
}

export type ToActor =
  | AskCall
  /** Calls that begin together. */
  | { readonly type: 'asks'; readonly asks: readonly AskCall[] }
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

/** Shared words for the stop and so many running calls. */
export function createControl(calls: number): SharedArrayBuffer {
  return new SharedArrayBuffer(4 * (1 + 2 * calls));
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
  /** The next message that has arrived, where that can be asked for; it is not listened to any more. */
  take?(): In | undefined;
  close(): void;
};

// A link is one running actor as its supervisor sees it: a way to send messages to it, a word of shared
// memory that asks it to stop, and notice of its end. There is one for threads, and one in memory for tests.

export interface Link {
  readonly endpoint: Pick<Endpoint<FromActor, ToActor>, 'post'>;
  readonly control: Int32Array;
  /** Resolves when the actor can take messages; rejects with what kept it from starting. */
  readonly ready: Promise<void>;
  /** Resolves when its thread has ended. `clean` is false for a crash. */
  readonly exited: Promise<{ readonly clean: boolean; readonly reason: string }>;
  onMessage(listener: (message: FromActor) => void): void;
  /** Hands over at once what has arrived, before the event loop comes to it. */
  poll(): void;
  onExit(listener: (reason: string) => void): void;
  /** Asks the actor to stop: the running turns see it at once, even inside native code. Never terminates. */
  stop(): void;
  /** Ends the actor at once, whatever it is doing. Only a process of its own can be ended so. */
  readonly kill?: () => void;
}

interface LinkMaker {
  readonly link: Link;
  /** To be called once, when the thread is gone. */
  ended(reason: string): void;
}

/** `control`: see `createControl`. */
export function createLink(
  endpoint: Endpoint<FromActor, ToActor>,
  control: SharedArrayBuffer,
  log: Log,
): LinkMaker {
  const words = new Int32Array(control);
  const started = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<{ clean: boolean; reason: string }>();
  let receive: (message: FromActor) => void = () => {};
  let notifyExit: (reason: string) => void = () => {};
  let clean = false;
  // A failed start is reported by whoever awaits `ready`; nobody has to.
  started.promise.catch(() => {});

  const handle = (message: FromActor) => {
    if (message.type === 'ready') started.resolve();
    else if (message.type === 'failed') started.reject(fromFields(message.error));
    else if (message.type === 'log')
      log.named(message.line.name)[message.line.level](message.line.message, message.line.fields);
    else if (message.type === 'closed') clean = true;
    else receive(message);
  };
  endpoint.listen(handle);
  return {
    link: {
      endpoint,
      control: words,
      ready: started.promise,
      exited: exited.promise,
      onMessage: (listener) => {
        receive = listener;
      },
      poll: () => {
        for (let next = endpoint.take?.(); next; next = endpoint.take?.()) handle(next);
      },
      onExit: (listener) => {
        notifyExit = listener;
      },
      stop: () => {
        Atomics.store(words, STOP_WORD, 1);
        endpoint.post({ type: 'stop' });
      },
    },
    ended: (reason) => {
      started.reject(new Error(reason));
      exited.resolve({ clean, reason });
      notifyExit(reason);
    },
  };
}

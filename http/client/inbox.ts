// Events of a task that wait for their reader, wherever they come from.
import type { ProgressEvent } from '../../events/protocol.ts';

export interface Inbox {
  put(event: ProgressEvent): void;
  fail(error: unknown): void;
}

/**
 * The events that `open` puts into the inbox, to the one that says `done`. `open` answers the function that
 * ends it.
 */
export async function* untilDone(
  signal: AbortSignal | undefined,
  open: (inbox: Inbox) => () => void,
): AsyncGenerator<ProgressEvent, void, void> {
  signal?.throwIfAborted();
  const inbox = createInbox();
  const close = open(inbox);
  const abort = () => inbox.fail(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      const event = await inbox.next();
      yield event;
      if (event.done) return;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    close();
  }
}

/**
 * Events that wait to be read by one reader, in order. A failure is told after them. Programs load this on
 * Node 20, which has no `Promise.withResolvers`.
 */
function createInbox(): Inbox & { next(): Promise<ProgressEvent> } {
  const waiting: ProgressEvent[] = [];
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};
  return {
    put: (event) => {
      waiting.push(event);
      wake();
    },
    fail: (error) => {
      failure ??= { error };
      wake();
    },
    next: async () => {
      for (;;) {
        const event = waiting.shift();
        if (event) return event;
        if (failure) throw failure.error;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

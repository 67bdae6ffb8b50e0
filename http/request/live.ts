// Sends live text to its client, and ends a client that reads more slowly than events come.
import type { LiveText } from '../../runtime/live-text.ts';

/** The part of a response of uWebSockets that is used here. */
interface Outlet {
  cork(write: () => void): unknown;
  /** False when some of what was written before has not left yet. */
  write(text: string): boolean;
  end(): unknown;
  close(): unknown;
}

/** Bytes that may wait for a client that reads slowly. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;

/** Answers what is to be called once when the client has gone. */
export function sendLive(to: Outlet, live: LiveText): () => void {
  let isOver = false;
  let isGone = false;
  let waiting = 0;
  const send = (text: string) => {
    if (isOver) return;
    to.cork(() => {
      waiting = to.write(text) ? 0 : waiting + Buffer.byteLength(text);
    });
    if (waiting <= MOST_WAITING_BYTES) return;
    isOver = true;
    // Not while the caller may be writing to it.
    setImmediate(() => {
      if (!isGone) to.close();
    });
  };
  const end = () => {
    if (isOver) return;
    isOver = true;
    to.cork(() => {
      to.end();
    });
  };
  const close = live.open(send, end);
  return () => {
    isOver = true;
    isGone = true;
    close();
  };
}

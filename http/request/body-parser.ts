// Parses the bodies of requests: small ones at once, large ones in a thread of their own, so that other
// requests are answered meanwhile.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { engineErrors } from '../../runtime/errors.ts';
import { moduleUrl } from '../../runtime/module-url.ts';
import { createPool } from '../../runtime/pool.ts';
import { type Body, parseBody } from './body.ts';
import type { Parsed } from './parse-large-body.ts';
import { fromPieces } from './pieces.ts';

export interface BodyParser {
  /**
   * `chunks`: the body as it was received; those of a large one are *moved* away. A string is the reason why
   * the body is refused. Rejects with CANCELLED when the signal aborts, and retryably when the thread ends.
   * `signal` is called for large bodies only.
   */
  parse(chunks: readonly Uint8Array[], signal: () => AbortSignal): Body | string | Promise<Body | string>;
  /** Ends what is being parsed. */
  close(): Promise<void>;
}

/**
 * Bytes. Below it the message to the thread and back costs as much as parsing, which takes about a
 * millisecond.
 */
export const LARGE_BODY = 1024 * 1024;
/** Heap of the thread: the text of the largest body, its values, and its pieces. */
const MOST_MEGABYTES = 1024;

/** `module`: exports `parseLargeBody`. The bodies that may wait are bounded where they are received. */
export function createBodyParser(module = moduleUrl('./parse-large-body', import.meta.url)): BodyParser {
  const name = 'parseLargeBody';
  // One: a thread holds several times the bytes of its body, and a second body waits for a fraction of a
  // second.
  const pool = createPool<Uint8Array[], Parsed>({ module, name, threads: 1, mostMegabytes: MOST_MEGABYTES });
  const parseLarge = async (chunks: readonly Uint8Array[], signal: AbortSignal): Promise<Body | string> => {
    const own = chunks.map(withOwnBuffer);
    const parsed = await pool.run(
      own,
      signal,
      own.map(({ buffer }) => buffer),
    );
    if ('refused' in parsed) return parsed.refused;
    const pause = async () => {
      await eventLoopTurn();
      if (signal.aborted) throw engineErrors.CANCELLED('while a body was received');
    };
    return (await fromPieces(parsed.body, pause)) as Body;
  };
  return {
    parse: (chunks, signal) => {
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      if (bytes > LARGE_BODY) return parseLarge(chunks, signal());
      return parseBody(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    },
    close: pool.close,
  };
}

/** A view of a part of a buffer cannot be moved alone. */
function withOwnBuffer(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = chunk;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(chunk);
}

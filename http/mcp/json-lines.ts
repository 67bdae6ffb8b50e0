// The lines of a client on standard input. The library leaves out what is not JSON without an answer, and the
// client would wait for one; JSON-RPC has an error for it.
import { Transform, type Writable } from 'node:stream';

const refusals = {
  parse: { code: -32700, message: 'Parse error: the line is not JSON' },
  message: { code: -32600, message: 'Invalid request: the line is not a message of JSON-RPC' },
} as const;

/** Bytes of a line; arguments of tools are short. */
const MOST_BYTES = 4 * 2 ** 20;

/** Passes on lines that are objects of JSON, and answers others to `output`. */
export function jsonLines(output: Writable): Transform {
  let pending: Buffer[] = [];
  return new Transform({
    transform(chunk: Buffer, _, done) {
      let from = 0;
      for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
        const line = Buffer.concat([...pending, chunk.subarray(from, end + 1)]);
        pending = [];
        from = end + 1;
        const error = refusalOf(line.toString());
        if (error === null) this.push(line);
        else if (error !== 'blank') output.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n`);
      }
      if (from < chunk.length) pending.push(chunk.subarray(from));
      const waiting = pending.reduce((sum, { length }) => sum + length, 0);
      done(waiting > MOST_BYTES ? new Error(`a line has more than ${MOST_BYTES} bytes`) : null);
    },
  });
}

/** Null for a line that is passed on. */
function refusalOf(line: string): (typeof refusals)[keyof typeof refusals] | 'blank' | null {
  if (line.trim() === '') return 'blank';
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? null : refusals.message;
  } catch {
    return refusals.parse;
  }
}

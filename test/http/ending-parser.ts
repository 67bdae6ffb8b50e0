// The parser of large bodies in a thread that ends, waits or works, as the body says.
import { type LargeBody, parseLargeBody as parse } from '../../http/request/parse-large-body.ts';

export function parseLargeBody(large: LargeBody): ReturnType<typeof parse> {
  const head = Buffer.from(large.chunks[0]!).subarray(0, 100).toString();
  if (head.includes('"end the thread"')) process.exit(1);
  while (head.includes('"wait"')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  return parse(large);
}

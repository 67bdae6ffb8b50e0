// Standard output for a protocol alone: whatever else this process, its threads or a package writes there
// goes to standard error, since one foreign line would break the connection.
import { Writable } from 'node:stream';

/** To be called once, before anything is written. */
export function protocolOutput(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Writable {
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, encoding, done) => {
      write(chunk as string, encoding, (error) => done(error ?? null));
    },
  });
}

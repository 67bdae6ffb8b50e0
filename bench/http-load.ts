// Clients of bench/http.ts in a process of their own: connections that are kept, each sends the same request
// again as soon as it has the whole answer. Requests are bytes written once, answers are only counted.
import { connect, type Socket } from 'node:net';

export interface Load {
  readonly port: number;
  readonly request: string;
  readonly connections: number;
  readonly milliseconds: number;
}

export interface Answered {
  readonly answered: number;
  readonly seconds: number;
  readonly body: string;
}

let answered = 0;
let running = false;
/** The body of an answer. */
let last = '';

/** An answer is nearly always one chunk; split ones are joined. */
function client(port: number, request: Buffer): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let before = '';
    const receive = (count: number, buffer: Uint8Array): boolean => {
      const text = before + Buffer.from(buffer.buffer, buffer.byteOffset, count).toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      const length = head < 0 ? Number.NaN : lengthOf(text.slice(0, head));
      if (!(text.length >= head + 4 + length)) {
        before = text;
        return true;
      }
      if (!text.startsWith('HTTP/1.1 200')) throw new Error(text);
      last = text.slice(head + 4);
      before = text.slice(head + 4 + length);
      answered++;
      if (running) socket.write(request);
      return true;
    };
    const onread = { buffer: Buffer.alloc(16_384), callback: receive };
    const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread }, () => resolve(socket));
    socket.once('error', reject);
  });
}

function lengthOf(head: string): number {
  const at = head.toLowerCase().indexOf('content-length:');
  return at < 0 ? Number.NaN : Number.parseInt(head.slice(at + 15), 10);
}

process.on('message', async ({ port, request, connections, milliseconds }: Load) => {
  const bytes = Buffer.from(request);
  const clients = await Promise.all(Array.from({ length: connections }, () => client(port, bytes)));
  answered = 0;
  running = true;
  const began = performance.now();
  for (const socket of clients) socket.write(bytes);
  setTimeout(() => {
    running = false;
    const seconds = (performance.now() - began) / 1000;
    process.send?.({ answered, seconds, body: last } satisfies Answered);
    for (const socket of clients) socket.destroy();
  }, milliseconds);
});
process.on('disconnect', () => process.exit());

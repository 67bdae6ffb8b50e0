// The clients of bench/fanout.ts in a process of their own. They only count the frames that carry an event,
// so that they are never the bottleneck.
import { once } from 'node:events';
import { connect } from 'node:net';

interface Join {
  readonly port: number;
  readonly task: string;
  readonly clients: number;
}

/** Masked with zeros, as a client must. */
function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

/**
 * Calls `event` for each frame that begins with `42`, answers pings, keeps an incomplete frame until the rest
 * arrives.
 */
function reader(event: () => void, ping: () => void) {
  let remainder: Buffer = Buffer.alloc(0);
  return (chunk: Buffer) => {
    const bytes = remainder.length > 0 ? Buffer.concat([remainder, chunk]) : chunk;
    let at = 0;
    while (at + 4 <= bytes.length) {
      const short = bytes[at + 1]! & 127;
      const start = at + (short === 126 ? 4 : 2);
      const end = start + (short === 126 ? bytes.readUInt16BE(at + 2) : short);
      if (end > bytes.length) break;
      if (bytes[start] === 0x34 && bytes[start + 1] === 0x32) event();
      else if (bytes[start] === 0x32) ping();
      at = end;
    }
    remainder = bytes.subarray(at);
  };
}

let expected = Number.POSITIVE_INFINITY;
let received = 0;
const count = () => {
  if (++received === expected) process.send?.({ received });
};

async function join({ port, task, clients }: Join): Promise<void> {
  for (let i = 0; i < clients; i++) {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    const headers =
      'Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13';
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    socket.write(`GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n${headers}\r\n${key}\r\n\r\n`);
    await once(socket, 'data');
    socket.write(frame('40'));
    await once(socket, 'data');
    socket.write(frame(`420["join","${task}"]`));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    if (!answer.includes('"joined":true')) throw new Error(`the task was not joined: ${answer}`);
    socket.on(
      'data',
      reader(count, () => socket.write(frame('3'))),
    );
  }
  process.send?.({ joined: clients });
}

process.on('message', (message: { join: Join } | { expect: number }) => {
  if ('join' in message) void join(message.join);
  else {
    expected = message.expect;
    received = 0;
    process.send?.({ ready: true });
  }
});
process.on('disconnect', () => process.exit());

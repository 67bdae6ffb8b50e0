// A client that writes and reads bytes, so that a test can say things no decent client says.
import { connect, type Socket } from 'node:net';
import { Condition } from '../../runtime/sync/locks.ts';
import { until } from '../until.ts';

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export class RawClient {
  readonly socket: Socket;
  /** Resolves to what came after the last answer that was read. */
  readonly closed: Promise<Buffer>;
  /** Pieces as they came; joined when they are looked at, so that a large answer is copied once. */
  #pieces: Buffer[] = [];
  #length = 0;
  readonly #news = new Condition();
  #over = false;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const closed = Promise.withResolvers<Buffer>();
    this.closed = closed.promise;
    this.socket.on('data', (bytes) => {
      this.#pieces.push(bytes);
      this.#length += bytes.length;
      this.#news.notifyAll();
    });
    // A connection that is reset is closed as well.
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.#over = true;
      this.#news.notifyAll();
      closed.resolve(this.#received);
    });
  }

  /** Resolves when the bytes have left this process. */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.socket.write(bytes, () => resolve());
    });
  }

  /** One whole answer; `withBody` false for those that announce a length and send nothing. */
  async read(withBody = true): Promise<RawAnswer> {
    const headEnd = () => this.#received.indexOf('\r\n\r\n');
    await this.#until(() => headEnd() >= 0);
    const head = this.#received.subarray(0, headEnd()).toString('latin1');
    const [first = '', ...lines] = head.split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const from = headEnd() + 4;
    const length = withBody ? Number(headers['content-length'] ?? 0) : 0;
    await this.#until(() => this.#length >= from + length);
    const body = this.#received.subarray(from, from + length);
    this.#pieces = [this.#received.subarray(from + length)];
    this.#length -= from + length;
    return { status: Number(first.split(' ')[1]), head, headers, body };
  }

  async ask(bytes: string | Uint8Array, withBody = true): Promise<RawAnswer> {
    await this.send(bytes);
    return this.read(withBody);
  }

  leave(): Promise<Buffer> {
    this.socket.destroy();
    return this.closed;
  }

  get #received(): Buffer {
    if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0]!;
  }

  async #until(isSo: () => boolean): Promise<void> {
    await until(() => isSo() || this.#over, { next: (signal) => this.#news.wait(signal) });
    if (!isSo()) throw new Error(`closed after ${JSON.stringify(this.#received.toString('latin1'))}`);
  }
}

/** A request as text; a body gets its length announced. */
export function request(
  method: string,
  path: string,
  body?: string,
  headers: readonly string[] = [],
): string {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...headers, ...length, '', body ?? ''].join(
    '\r\n',
  );
}

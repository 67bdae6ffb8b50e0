// A client that writes and reads bytes, so that a test can say things no decent client says.
import { connect, type Socket } from 'node:net';
import { Condition } from '../../runtime/sync/condition.ts';
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
  #received: Buffer = Buffer.alloc(0);
  readonly #news = new Condition();
  #over = false;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const closed = Promise.withResolvers<Buffer>();
    this.closed = closed.promise;
    this.socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
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
    await this.#until(() => this.#received.length >= from + length);
    const body = this.#received.subarray(from, from + length);
    this.#received = this.#received.subarray(from + length);
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

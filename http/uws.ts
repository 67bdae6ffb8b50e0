// The socket side, and the only importer of uWebSockets: reads a request synchronously, collects its body,
// writes the response corked, and notices when the client has disconnected.
//
// uWebSockets frees a request when its handler returns and a response when it is aborted or ended; using
// either later crashes the process. So everything is read at once, and every write checks that the client is
// still there.
import { engineErrors } from '../runtime/errors.ts';
import type { Pending } from './exchange.ts';
import { bearerOf, framingProblem, HeadFields, sizeProblem } from './request/head.ts';
import { sendLive } from './request/live.ts';
import { type ByteStream, isLive, isStream, type RawResponse, statusLine } from './request/response.ts';
import type { App } from './server.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type ListenSocket,
  native,
  serverErrors,
  type TemplatedApp,
} from './uws-native.ts';

/** uWebSockets closes a connection that was idle for 8 to 12 seconds. */
const KEEP_ALIVE = 'timeout=8';

export interface Server {
  /** The port in use; another one than configured when that is 0. */
  readonly port: number;
  /** For Socket.IO, which answers its own path on the same port. */
  readonly sockets: TemplatedApp;
  listen(host: string, port: number): void;
  /** Takes no new connections; those that are open go on. */
  stopListening(): void;
  /** Ends every connection. The thread may end only after this. */
  close(): void;
}

interface ServerOptions {
  /** Called with the uWebSockets app before routes are set: Socket.IO shares the port. */
  attach?(sockets: TemplatedApp): void;
  /** Open at the same time; one more is closed at once, so that the engine can still open files. */
  readonly mostConnections?: number;
  /** A connection was refused. */
  onRefused?(): void;
  readonly linger?: LingerBounds;
}

/** How long what a client still sends after its answer is dropped: without a byte, and in all. */
interface LingerBounds {
  readonly quietMs: number;
  readonly mostMs: number;
}
const usualLinger: LingerBounds = { quietMs: 2_000, mostMs: 30_000 };

export function createServer(app: App, options: ServerOptions = {}): Server {
  const { attach = () => {}, mostConnections = Number.POSITIVE_INFINITY, linger = usualLinger } = options;
  const sockets = native.App();
  let connections = 0;
  const onConnection = (res: HttpResponse, change: number) => {
    connections += change;
    if (change < 0 || connections <= mostConnections) return;
    options.onRefused?.();
    res.close();
  };
  sockets.filter(onConnection);
  attach(sockets);
  sockets.any('/*', (res, req) => serve(app, linger, res, req));
  let listening: ListenSocket | undefined;
  let port = 0;
  return {
    get port() {
      return port;
    },
    sockets,
    listen: (host, requestedPort) => {
      // It would take ::1 where this name has both, and programs on this machine ask 127.0.0.1.
      const address = host === 'localhost' ? '127.0.0.1' : host;
      // Without "exclusive" a second service could share the port and would get every other request.
      sockets.listen(address, requestedPort, native.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
        if (socket) listening = socket;
      });
      if (!listening) {
        const message = `port: ${host}:${requestedPort} cannot be listened on: the port may be in use, or this machine may not have the address ${host}`;
        throw serverErrors.PORT_TAKEN(message, { field: 'port', port: requestedPort });
      }
      port = native.us_socket_local_port(listening);
    },
    stopListening: () => {
      if (listening) native.us_listen_socket_close(listening);
      listening = undefined;
    },
    close: () => {
      listening = undefined;
      sockets.close();
    },
  };
}

function serve(app: App, linger: LingerBounds, res: HttpResponse, req: HttpRequest): void {
  const head = new HeadFields();
  req.forEach((name, value) => {
    head.take(name, value);
  });
  const { length = '', lengths, codings, licenseKey, authorization = '' } = head;
  const hasBody = codings.length > 0 || Number(length) > 0;
  const method = req.getCaseSensitiveMethod();
  const [path, query = ''] = [req.getUrl(), req.getQuery()];
  // Two spaces, a question mark, the version and the end of the line.
  const lineBytes = method.length + path.length + query.length + ' ? HTTP/1.1\r\n\r\n'.length + 1;
  const begun = app.begin({
    method,
    path,
    query,
    host: head.host ?? '',
    licenseKey: licenseKey || bearerOf(authorization),
    acceptEncoding: head.acceptEncoding ?? '',
    requestId: head.requestId ?? '',
    origin: head.origin ?? '',
    contentLength: length === '' ? Number.NaN : Number(length),
    // uWebSockets goes by the first length, and takes whatever is encoded for chunked.
    misframed: framingProblem(lengths, codings) ?? sizeProblem(lineBytes + head.bytes),
    header: (name) => req.getHeader(name),
    conditions: () => ({
      range: req.getHeader('range'),
      ifRange: req.getHeader('if-range'),
      ifNoneMatch: req.getHeader('if-none-match'),
      ifMatch: req.getHeader('if-match'),
    }),
  });
  // uWebSockets looks at the length alone.
  const closes = hasBody && head.connection?.length === 'close'.length;
  const client = new Client(res, { headOnly: method === 'HEAD', closes, linger });
  if (!('run' in begun)) client.refuse(begun);
  else if (begun.takesBody) client.collect(begun);
  else client.answer(begun, null);
}

interface ClientOptions {
  readonly headOnly: boolean;
  /** The request has a body, and asks for its connection to be closed. */
  readonly closes: boolean;
  readonly linger: LingerBounds;
}

/** Bytes that uWebSockets collects while a request is read; larger data is sent at once. */
const CORKED_BYTES = 16 * 1024;

/** The client of one request. */
class Client {
  readonly #res: HttpResponse;
  readonly #options: ClientOptions;
  #gone = false;
  #control: AbortController | undefined;
  /** The request whose body is being received. */
  #pending: Pending | undefined;
  #chunks: Uint8Array[] | undefined;
  /** Called when the client disconnects while it is sent a stream. */
  #interrupt: (() => void) | undefined;
  /** Set while what the client still sends is dropped: called with each part of it. */
  #drop: ((isLast: boolean) => void) | undefined;

  constructor(res: HttpResponse, options: ClientOptions) {
    this.#res = res;
    this.#options = options;
  }

  /** A small body comes in one chunk and is used in place; the chunks of a larger one are copied. */
  collect(pending: Pending): void {
    this.#pending = pending;
    this.#listen();
  }

  #listen(): void {
    this.#res.onAborted(() => this.#onAborted());
    this.#res.onData((chunk, isLast) => this.#onChunk(chunk, isLast));
  }

  /** Answers before the body was received. */
  refuse(answer: RawResponse): void {
    if (!answer.ends && !this.#options.closes) {
      this.write(answer);
      return;
    }
    this.#listen();
    this.#linger(answer);
  }

  answer(pending: Pending, body: readonly Uint8Array[] | null): void {
    const answer = pending.run(body, () => this.#signal());
    if (!(answer instanceof Promise)) {
      this.write(answer);
      return;
    }
    if (body === null) this.#res.onAborted(() => this.#onAborted());
    void answer.then((result) => {
      if (!this.#gone) this.#res.cork(() => this.write(result));
      else if (isStream(result.body)) result.body.end(0);
    });
  }

  /** To be called corked: uWebSockets corks while a request is read, `cork` does afterwards. */
  write(answer: RawResponse): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#send(answer);
  }

  #onChunk(chunk: ArrayBuffer, isLast: boolean): void {
    this.#drop?.(isLast);
    const pending = this.#pending;
    if (!pending) return;
    const refused = pending.receive(chunk.byteLength, isLast);
    if (!isLast && !refused) {
      this.#chunks ??= [];
      // The memory of the chunk is reused when this returns.
      this.#chunks.push(new Uint8Array(chunk.slice(0)));
      return;
    }
    const chunks = this.#chunks;
    this.#pending = undefined;
    this.#chunks = undefined;
    if (refused) {
      if (this.#options.closes && !isLast) this.#linger(refused);
      else this.write(refused);
      return;
    }
    if (chunks) this.answer(pending, [...chunks, new Uint8Array(chunk.slice(0))]);
    else this.answer(pending, [Buffer.from(chunk)]);
  }

  #onAborted(): void {
    this.#gone = true;
    this.#chunks = undefined;
    this.#pending?.abandon();
    this.#pending = undefined;
    this.#interrupt?.();
    this.#drop?.(true);
    this.#control?.abort(engineErrors.CANCELLED('the client has disconnected'));
  }

  #signal(): AbortSignal {
    if (!this.#control) {
      this.#control = new AbortController();
      if (this.#gone) this.#control.abort(engineErrors.CANCELLED('the client has disconnected'));
    }
    return this.#control.signal;
  }

  #send({ status, headers, body }: RawResponse): void {
    const res = this.#res;
    // 200 is the default.
    if (status !== 200) res.writeStatus(statusLine(status));
    for (const [name, value] of headers) res.writeHeader(name, value);
    res.writeHeader('Keep-Alive', KEEP_ALIVE);
    if (status === 204 || status === 304) res.endWithoutBody();
    else if (isStream(body)) this.#sendStream(body);
    else if (isLive(body) && !this.#options.headOnly) this.#interrupt = sendLive(res, body);
    else if (isLive(body)) res.endWithoutBody();
    else if (this.#options.headOnly) this.#endHead(Buffer.byteLength(body));
    else res.end(body);
  }

  /**
   * Answers, and closes the connection when the client has sent all it sends. uWebSockets would close it with
   * the end of the answer, at which the system tells a client that still sends that its connection is broken,
   * and many do not read the answer then. So to uWebSockets this one is a head without an end: it closes the
   * connection at a next request, too.
   */
  #linger({ status, headers, body, ends }: RawResponse): void {
    const res = this.#res;
    res.writeStatus(statusLine(status));
    for (const [name, value] of headers) res.writeHeader(name, value);
    // White space: the answer has to leave before what follows the request is parsed.
    const text = ends ? String(body).padEnd(CORKED_BYTES) : String(body);
    // uWebSockets ends a header with two bytes.
    const length = Buffer.byteLength(text) + 2;
    res.writeHeader('Connection', `close\r\nContent-Length: ${length}\r\n\r\n${text}`);
    const { quietMs, mostMs } = this.#options.linger;
    const close = () => {
      if (!this.#gone) res.close();
    };
    const [quiet, most] = [setTimeout(close, quietMs), setTimeout(close, mostMs)];
    this.#drop = (isLast) => {
      quiet.refresh();
      if (!isLast) return;
      clearTimeout(quiet);
      clearTimeout(most);
      // Not before the answer has left.
      setImmediate(close);
    };
  }

  #sendStream(body: ByteStream): void {
    if (this.#options.headOnly || body.length === 0) {
      this.#endHead(body.length);
      body.end(0);
      return;
    }
    const sender = new StreamSender(this.#res, body);
    this.#interrupt = () => sender.interrupt();
    void sender.run();
  }

  /** The length as an argument of `endWithoutBody` would make the connection wait for that many bytes. */
  #endHead(bytes: number): void {
    this.#res.writeHeader('Content-Length', String(bytes));
    this.#res.endWithoutBody();
  }
}

/** Sends a stream piece by piece: the next one is read when the last byte of the one before has left. */
class StreamSender {
  readonly #res: HttpResponse;
  readonly #body: ByteStream;
  #isOver = false;
  /** Piece being sent, and its place in the body. */
  #piece: Uint8Array = new Uint8Array(0);
  #start = 0;
  /** Resolves the wait for a client that takes no more for now. */
  #goOn = () => {};

  constructor(res: HttpResponse, body: ByteStream) {
    this.#res = res;
    this.#body = body;
  }

  /** The client has disconnected: the response is no longer valid. */
  interrupt(): void {
    this.#isOver = true;
    this.#goOn();
  }

  async run(): Promise<void> {
    const body = this.#body;
    let sent = 0;
    // Once: uWebSockets forgets one that is set while another one runs, and nothing would be sent any more.
    this.#res.onWritable((offset) => this.#offer(offset));
    try {
      while (!this.#isOver && sent < body.length) {
        const piece = await body.next();
        // Disconnected while it was read.
        if (this.#isOver) break;
        await this.#write(piece, sent);
        sent += piece.length;
      }
    } catch (error) {
      // The status has been sent: only a connection that ends too early tells the client.
      if (!this.#isOver) this.#res.close();
      body.end(sent, error);
      return;
    }
    body.end(sent);
  }

  /** Resolves when the whole piece has left, or the client. */
  #write(piece: Uint8Array, start: number): Promise<void> {
    this.#piece = piece;
    this.#start = start;
    return new Promise((resolve) => {
      this.#goOn = resolve;
      this.#res.cork(() => {
        this.#offer(start);
      });
    });
  }

  /** `offset`: bytes of the body that have left. Answers whether all of the piece has by now. */
  #offer(offset: number): boolean {
    // Called also while the next piece is read.
    if (offset >= this.#start + this.#piece.length) return true;
    const [isSent] = this.#res.tryEnd(this.#piece.subarray(offset - this.#start), this.#body.length);
    if (isSent) this.#goOn();
    return isSent;
  }
}

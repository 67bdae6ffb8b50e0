// Answers other nodes about the part that this engine holds, on a port of its own: it is no part of the API,
// and whoever does not know the secret of the cluster learns nothing.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { deserialize, serialize } from 'node:v8';
import { Check } from 'typebox/value';
import { engineErrors, reasonOf, toFields } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import { clusterErrors } from './contract.ts';
import { encryption, identity, PartMessage, partPath } from './part-message.ts';

/** Bytes of a question: the names of a million media. */
const LONGEST = 64 << 20;
/** ms that a connection stays open without a question. */
const KEEP_OPEN = 60_000;

export interface PartServerParts {
  /** Host and port at which other nodes reach this one. */
  readonly address: string;
  /** Empty as long as nobody knows it. */
  secret(): string;
  answer(message: PartMessage, signal: AbortSignal): Promise<unknown>;
  readonly log: Log;
}

export class PartServer {
  readonly #parts: PartServerParts;
  readonly #server: Server;

  constructor(parts: PartServerParts) {
    this.#parts = parts;
    const pskCallback = (_: unknown, name: string) => {
      const secret = parts.secret();
      return name === identity && secret !== '' ? Buffer.from(secret) : null;
    };
    const options = { ...encryption, pskCallback };
    this.#server = createServer(options, (request, response) => void this.#serve(request, response));
    this.#server.keepAliveTimeout = KEEP_OPEN;
  }

  /** Resolves when it listens. INVALID_CONFIG. */
  async begin(): Promise<void> {
    const { hostname, port } = new URL(`https://${this.#parts.address}`);
    // A machine may not know the address by which others reach it, but nobody else reaches a loopback one.
    const host = /^(localhost|127\..*|\[::1\])$/.test(hostname) ? hostname.replace(/[[\]]/g, '') : undefined;
    const listening = Promise.withResolvers<void>();
    this.#server.once('error', listening.reject);
    this.#server.listen({ port: Number(port || 443), host }, listening.resolve);
    try {
      await listening.promise;
    } catch (error) {
      throw engineErrors.INVALID_CONFIG(
        `hold_address: it is not possible to listen at ${this.#parts.address}: ${reasonOf(error)}`,
      );
    }
    this.#server.removeListener('error', listening.reject);
    this.#server.on('error', (error) => this.#parts.log.warn('a question of a node failed', { error }));
    this.#server.unref();
  }

  async stop(): Promise<void> {
    const closed = Promise.withResolvers<void>();
    this.#server.close(() => closed.resolve());
    this.#server.closeAllConnections();
    await closed.promise;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort());
    try {
      if (request.method !== 'POST' || request.url !== partPath)
        return void refuse(response, 404, { error: 'nothing is here' });
      const message = messageIn(await bodyOf(request));
      const answer = serialize(await this.#parts.answer(message, left.signal));
      response.writeHead(200, { 'content-length': answer.length }).end(answer);
    } catch (error) {
      if (left.signal.aborted) return;
      const { stack: _, ...fields } = toFields(error);
      refuse(response, fields.status, fields);
    }
  }
}

function refuse(response: ServerResponse, status: number, body: object): void {
  // What is left of the question is not read.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > LONGEST) throw engineErrors.INVALID_MESSAGE(`a question of more than ${LONGEST} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function messageIn(body: Buffer): PartMessage {
  try {
    const message: unknown = deserialize(body);
    if (Check(PartMessage, message)) return message;
  } catch {
    // Said below.
  }
  throw clusterErrors.OTHER_PART('the nodes do not understand each other: run the same version on both');
}

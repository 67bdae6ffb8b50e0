// Asks another node about the part of the library that it holds.
import { Agent, request as httpsRequest } from 'node:https';
import { deserialize, serialize } from 'node:v8';
import { type ErrorFields, engineErrors, fromFields, reasonOf } from '../../runtime/errors.ts';
import type { Hold } from '../index/visual/contract.ts';
import { clusterErrors } from './contract.ts';
import { encryption, identity, type PartMessage, partPath, protocol } from './part-message.ts';

export interface AskedPart {
  readonly address: string;
  readonly hold: Hold;
  /** ms until the answer has to be there. */
  readonly within: number;
  readonly signal: AbortSignal | undefined;
}

export class PartClient {
  readonly #agent: Agent;

  /** `secret`: by which nodes know each other. */
  constructor(secret: () => string) {
    this.#agent = new Agent({
      ...encryption,
      pskCallback: () => ({ psk: Buffer.from(secret()), identity }),
      // There is no certificate: whoever has the secret is a node.
      checkServerIdentity: () => undefined,
      keepAlive: true,
      maxFreeSockets: 16,
    });
  }

  /** CANCELLED, PART_AWAY, PART_LATE, and what the other node answers. */
  async ask(asked: AskedPart, message: Omit<PartMessage, 'protocol' | 'hold'>): Promise<unknown> {
    const body = serialize({ ...message, protocol, hold: asked.hold });
    const late = AbortSignal.timeout(asked.within);
    const signal = asked.signal === undefined ? late : AbortSignal.any([late, asked.signal]);
    try {
      return answerOf(asked, await this.#send(asked, body, signal));
    } catch (error) {
      if (asked.signal?.aborted) throw engineErrors.CANCELLED();
      if (late.aborted) throw clusterErrors.PART_LATE(`${asked.address} did not answer in time`);
      throw error;
    }
  }

  async #send(asked: AskedPart, body: Buffer, signal: AbortSignal): Promise<Sent> {
    for (let again = true; ; again = false) {
      try {
        return await this.#once(asked, body, signal);
      } catch (error) {
        const { isReused } = error as Broken;
        // The other node may have closed a connection that nobody used for a while.
        if (again && isReused && !signal.aborted) continue;
        const { cause } = error as Broken;
        const isStranger = (cause as NodeJS.ErrnoException).code === 'EPROTO';
        const reason = isStranger ? 'no node of this cluster listens there' : reasonOf(cause);
        throw clusterErrors.PART_AWAY(`${asked.address}: ${reason}`);
      }
    }
  }

  #once({ address }: AskedPart, body: Buffer, signal: AbortSignal): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-length': body.length };
      const options = { agent: this.#agent, method: 'POST', headers, signal };
      const sent = httpsRequest(`https://${address}${partPath}`, options, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.once('end', () => resolve({ status: response.statusCode!, bytes: Buffer.concat(pieces) }));
        response.once('error', fail);
      });
      const fail = (cause: Error) => reject({ isReused: sent.reusedSocket, cause } satisfies Broken);
      sent.once('error', fail);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Errors are JSON: whatever else listens there may answer one. */
function answerOf({ address }: AskedPart, { status, bytes }: Sent): unknown {
  let fields: ErrorFields | null = null;
  try {
    if (status === 200) return deserialize(bytes);
    fields = JSON.parse(bytes.toString()) as ErrorFields;
  } catch {
    // Said below.
  }
  if (typeof fields?.code === 'string') throw fromFields(fields);
  throw clusterErrors.PART_AWAY(`${address} answers, but not as a node (${status})`);
}

interface Sent {
  readonly status: number;
  readonly bytes: Buffer;
}

interface Broken {
  readonly isReused: boolean;
  readonly cause: Error;
}

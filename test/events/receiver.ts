// A program that webhooks call: keeps what it is sent, and answers as a test says.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
}

type Answer = number | { readonly status: number; readonly location: string };

/** `answers`: of the first requests, in order; then 204. */
export async function receiver(t: TestContext, answers: readonly Answer[] = []): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const answer = answers[received.length] ?? 204;
      received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
      if (typeof answer === 'number') response.writeHead(answer).end();
      else response.writeHead(answer.status, { Location: answer.location }).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}

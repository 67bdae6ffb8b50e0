// A license server on a loopback port, whose answers a test sets.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export type Respond = (response: ServerResponse, request: Asked) => void;

export interface LicenseServer {
  readonly url: string;
  /** Questions so far, oldest first. */
  readonly asked: readonly Asked[];
  /** What it does with the next questions. */
  respond: Respond;
  /** Resolves when the next question has come. */
  question(): Promise<void>;
  /** From now on nothing listens there. */
  stop(): Promise<void>;
}

/** Answers JSON with a status. */
export function answers(body: unknown, status = 200): Respond {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}

export async function startLicenseServer(t: TestContext, respond: Respond): Promise<LicenseServer> {
  const asked: Asked[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    void read(request).then((one) => {
      asked.push(one);
      made.respond(response, one);
      for (const go of waiting.splice(0)) go();
    });
  });
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go));
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((go) => {
      server.close(() => go());
      server.closeAllConnections();
    });
  t.after(stop);
  const made: LicenseServer = {
    url: `http://127.0.0.1:${port}/validate`,
    asked,
    respond,
    question: () => new Promise((go) => waiting.push(go)),
    stop,
  };
  return made;
}

async function read(request: IncomingMessage): Promise<Asked> {
  let text = '';
  for await (const part of request) text += String(part);
  const { method = '', url: path = '', headers } = request;
  return { method, path, type: headers['content-type'] ?? '', body: JSON.parse(text) as Asked['body'] };
}

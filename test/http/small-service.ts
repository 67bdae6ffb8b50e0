// A listening service of small routes, each for one thing a connection can do: answer, wait, be large, be
// empty, fail.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { Type } from 'typebox';
import type { AppOptions } from '../../http/exchange.ts';
import type { AccessDecision } from '../../http/license/decision.ts';
import { createBodyParser } from '../../http/request/intake.ts';
import { type Route, reply, route } from '../../http/route.ts';
import { createApp } from '../../http/server.ts';
import { createServer } from '../../http/uws.ts';
import { createLog, type LogLine } from '../../runtime/log.ts';
import { until } from '../until.ts';
import { RawClient, request } from './raw-client.ts';

export const LARGE = 48 * 1024 * 1024;
export const MOST = 1000;

/** A handler that waits until the test lets it go; each call is one meeting. */
interface Meeting {
  readonly signal: AbortSignal;
  readonly aborted: Promise<unknown>;
  finish(): void;
  fail(error: unknown): void;
}
const meetings: Meeting[] = [];
export const meeting = (): Promise<Meeting> => until(() => meetings.shift());

const Any = Type.Unknown();
const common = { tag: 'Test', summary: 'For a test' } as const;
const open = { ...common, access: 'open' } as const;
const routes: readonly Route[] = [
  route({
    ...open,
    method: 'GET',
    path: '/hi',
    id: 'hi',
    answers: { 200: Any },
    handle: () => reply(200, 'hi'),
  }),
  route({
    ...open,
    method: 'POST',
    path: '/echo',
    id: 'echo',
    body: Type.Object({ q: Type.String() }),
    answers: { 200: Any },
    handle: ({ body }) => reply(200, body.q),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/wait',
    id: 'wait',
    answers: { 200: Any },
    handle: async ({ signal }) => {
      const done = Promise.withResolvers<void>();
      const aborted = new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
      });
      meetings.push({ signal, aborted, finish: done.resolve, fail: done.reject });
      await done.promise;
      return reply(200, 'waited');
    },
  }),
  route({
    ...open,
    method: 'GET',
    path: '/large',
    id: 'large',
    form: { text: 'text/plain' },
    answers: { 200: Any },
    handle: () => reply(200, 'x'.repeat(LARGE)),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/empty/{status}',
    id: 'empty',
    params: Type.Object({ status: Type.Integer() }),
    answers: { 204: Any, 304: Any },
    handle: ({ params }) => reply(params.status as 204, undefined),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/fault/{kind}',
    id: 'fault',
    params: Type.Object({ kind: Type.String() }),
    answers: { 200: Any },
    handle: ({ params }) => {
      if (params.kind === 'now') throw new Error('thrown at once');
      if (params.kind === 'later') return Promise.reject(new Error('thrown later'));
      if (params.kind === 'unsayable') return reply(200, 1n);
      return Promise.resolve(reply(200, 1n));
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/locked',
    id: 'locked',
    answers: { 200: Any },
    handle: () => reply(200, 1),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/locked',
    id: 'lock',
    answers: { 200: Any },
    handle: () => reply(200, 2),
  }),
];

const lines: LogLine[] = [];
export const observed: [id: string | undefined, status: number][] = [];
const license = (key: string | undefined): AccessDecision => {
  if (key === 'broken') throw new Error('the licenses are broken');
  if (key === 'good') return { ok: true };
  return { ok: false, status: 401, body: { error: 'Authentication required', message: '' } };
};

export function start(options: Partial<AppOptions> = {}) {
  const app = createApp({
    routes,
    service: {} as never,
    license,
    isAllowedHost: (host) => host === 'localhost',
    origins: [],
    bodies: createBodyParser(),
    log: createLog('http', (line) => lines.push(line)),
    observe: (of, status) => observed.push([of?.id, status]),
    newId: () => 'own-id',
    now: () => performance.now(),
    mostBytes: MOST,
    ...options,
  });
  const server = createServer(app);
  server.listen('127.0.0.1', 0);
  return { app, server };
}

/** One for the tests of a file. `assertWell`: it still answers, and nothing is left of what was before. */
export function smallService() {
  const { app, server } = start();
  after(() => server.close());
  const assertWell = async () => {
    const client = new RawClient(server.port);
    assert.equal((await client.ask(request('GET', '/hi'))).body.toString(), '"hi"');
    await client.leave();
    await app.idle();
    assert.equal(app.inFlight, 0);
  };
  return { app, server, assertWell };
}

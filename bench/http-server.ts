// One side of bench/http.ts in a process of its own: the service from socket to answer with its license check
// and validation, a bare uWebSockets handler, or Fastify with its schemas. All three take and give the same
// bytes. Sends its port and, on request, the processor time it has used.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Licenses, localKeys } from '../http/license/licenses.ts';
import { issueKey, KEY_BYTES } from '../http/license/store.ts';
import { createMetrics } from '../http/metrics/metrics.ts';
import { requestIds } from '../http/request/head.ts';
import { createBodyParser } from '../http/request/intake.ts';
import { reply, route } from '../http/route.ts';
import { createApp } from '../http/server.ts';
import type { Service } from '../http/service.ts';
import { createServer } from '../http/uws.ts';
import { native } from '../http/uws-native.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLog } from '../runtime/log.ts';
import { hostRule } from '../runtime/origin.ts';
import { defaulted } from '../runtime/schema.ts';

const path = '/api/v1/bench';
const Body = Type.Object({
  cache_dir: Type.String({ minLength: 1 }),
  query: Type.String({ minLength: 1 }),
  max_results: defaulted(Type.Integer({ minimum: 1, maximum: 500 }), 50),
  text_weight: defaulted(Type.Number({ minimum: 0, maximum: 1 }), 0.5),
  media_paths: defaulted(Type.Array(Type.String()), []),
  search_all: defaulted(Type.Boolean(), false),
});
const Told = Type.Object({
  query: Type.String(),
  count: Type.Integer(),
  matches: Type.Array(Type.Object({ path: Type.String(), frame: Type.Integer(), score: Type.Number() })),
});

function answerTo({ query, max_results, media_paths }: Static<typeof Body>): Static<typeof Told> {
  const matches = media_paths.map((mediaPath, i) => ({ path: mediaPath, frame: 12 + i, score: 0.3125 }));
  return { query, count: max_results ?? 50, matches };
}

/** The parts of the service, without the engine. */
async function ours(): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-http-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const log = createLog('bench', () => {});
  const { key } = issueKey(folder, { tier: 'pro', name: '', days: null }, randomBytes(KEY_BYTES), Date.now());
  const licenses = new Licenses(localKeys(folder, Date.now, log), {
    clock: systemClock,
    now: Date.now,
    log,
  });
  const one = route({
    method: 'POST',
    path,
    id: 'bench',
    tag: 'Bench',
    summary: 'A small question',
    body: Body,
    answers: { 200: Told },
    handle: ({ body }) => reply(200, answerTo(body)),
  });
  const routes = [one];
  const metrics = createMetrics({
    routes,
    states: () => [],
    slots: { count: 0, free: 0, waiting: 0 },
    models: {
      state: { model_key: null, device: null, load_status: 'unavailable' },
      loads: { ready: 0, failed: 0, seconds: 0 },
    } as unknown as Parameters<typeof createMetrics>[0]['models'],
    watchFolders: { list: () => Promise.reject(new Error('nothing is watched here')) },
    clips: { counts: { encoded: new Map(), failed: new Map() } },
    clock: systemClock,
    inFlight: () => app.inFlight,
    eventClients: () => 0,
    engineRestarts: 0,
    version: '0',
  });
  const app = createApp({
    routes,
    service: {} as Service,
    license: (given) => licenses.check(given),
    isAllowedHost: hostRule([], { host: '127.0.0.1' }),
    origins: [],
    bodies: createBodyParser(),
    log,
    observe: metrics.request,
    newId: requestIds(randomUUID().slice(0, 8)),
    now: systemClock.now,
  });
  const server = createServer(app);
  server.listen('127.0.0.1', 0);
  return { port: server.port, key, path };
}

async function bare(): Promise<Side> {
  let port = 0;
  const app = native.App().post(path, (res) => {
    let isGone = false;
    let before: Buffer | undefined;
    res.onAborted(() => {
      isGone = true;
    });
    res.onData((chunk, isLast) => {
      const piece = Buffer.from(chunk);
      if (!isLast) {
        before = Buffer.concat(before ? [before, piece] : [piece]);
        return;
      }
      const body = JSON.parse((before ? Buffer.concat([before, piece]) : piece).toString()) as Static<
        typeof Body
      >;
      const text = JSON.stringify(answerTo(body));
      if (isGone) return;
      res.cork(() => {
        res.writeHeader('Content-Type', 'application/json').end(text);
      });
    });
  });
  app.listen('127.0.0.1', 0, 0, (socket) => {
    port = socket ? native.us_socket_local_port(socket) : 0;
  });
  return { port, key: '', path };
}

async function withFastify(): Promise<Side> {
  const { default: fastify } = await import('fastify');
  const app = fastify();
  app.post(path, { schema: { body: Body, response: { 200: Told } } }, async (request) =>
    answerTo(request.body as Static<typeof Body>),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { port: (app.server.address() as { port: number }).port, key: '', path };
}

export interface Side {
  readonly port: number;
  readonly key: string;
  readonly path: string;
}

const sides: Readonly<Record<string, () => Promise<Side>>> = { ours, bare, fastify: withFastify };
process.send?.(await sides[process.argv[2] ?? '']!());
/** Seconds of processor time so far. */
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1e6);
});
process.on('disconnect', () => process.exit());

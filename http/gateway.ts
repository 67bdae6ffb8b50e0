// The service on its port: engine, licenses, routes and events put together, from listening to the last
// answer.
import { randomUUID } from 'node:crypto';
import type { Engine } from '../actors/engine.ts';
import type { SavedSearches } from '../events/searches/contract.ts';
import type { EventServer } from '../events/server.ts';
import type { Webhooks } from '../events/webhooks/contract.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Config } from '../runtime/config.ts';
import type { Log } from '../runtime/log.ts';
import { type HostRule, pageAddress } from '../runtime/origin.ts';
import { filesOfEngine, mostConnections, openFileLimit } from '../runtime/process/limits.ts';
import { conflate } from '../runtime/sync/queue.ts';
import { folders, type settings } from '../settings.ts';
import { createAssistants } from './mcp/assistants.ts';
import type { Assistants } from './mcp/contract.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { requestIds } from './request/head.ts';
import { type BodyParser, createBodyParser } from './request/intake.ts';
import { routes } from './routes.ts';
import { type App, createApp, inProcess } from './server.ts';
import { createMediaLinks, type Service, settingsAnswer } from './service.ts';
import type { Access } from './sessions/access.ts';
import { createServer } from './uws.ts';

interface GatewayParts {
  readonly engine: Engine;
  readonly access: Access;
  readonly events: EventServer;
  readonly searches: SavedSearches;
  readonly webhooks: Webhooks;
  readonly isAllowedHost: HostRule;
  readonly config: Config<typeof settings>;
  readonly clock: Clock;
  readonly log: Log;
  readonly engineRestarts: number;
  readonly version: string;
}

export interface Gateway {
  /** Asks the app in this process, without a socket. */
  readonly fetch: typeof fetch;
  /** Throws PORT_TAKEN. */
  listen(): { readonly host: string; readonly port: number };
  /** Answers 503 from now on, except to questions about its health. */
  stopAdmitting(): void;
  /** Resolves when every request is answered, or after `limitMs`. */
  drain(limitMs: number): Promise<void>;
  /** Ends every connection. */
  close(): Promise<void>;
}

export function createGateway(parts: GatewayParts): Gateway {
  const { engine, access, events, config, clock } = parts;
  const { values } = config;
  let stopping = false;
  const metrics = metricsOf(parts, () => app.inFlight);
  const bodies = createBodyParser();
  const ownFetch: typeof fetch = (input, init) => inProcess(app)(input, init);
  const app = appOf(
    parts,
    {
      ...engine,
      metrics,
      assistants: assistantsOf(parts, ownFetch),
      mediaLinks: createMediaLinks(Date.now, (credential) => access.check(credential)),
      access,
      events,
      searches: parts.searches,
      webhooks: parts.webhooks,
      pageAddress: () => pageAddress(values.host, server.port),
      settings: settingsAnswer(config, parts.version),
      stopping: () => stopping,
    },
    metrics,
    bodies,
  );
  const unsubscribe = engine.tasks.subscribe(metrics.task);
  const connections = connectionLimit(parts);
  const server = createServer(app, { attach: events.attach, ...connections });
  return {
    fetch: ownFetch,
    listen: () => {
      connections.tell();
      server.listen(values.host, values.port);
      return { host: values.host, port: server.port };
    },
    stopAdmitting: () => {
      stopping = true;
      app.stopAdmitting();
    },
    drain: async (limitMs) => {
      const late = Promise.withResolvers<void>();
      const forget = clock.after(limitMs, late.resolve);
      await Promise.race([app.idle(), late.promise]);
      forget();
    },
    close: () => {
      unsubscribe();
      metrics.close();
      server.close();
      return bodies.close();
    },
  };
}

/** Number of clients that the engine is designed for. */
const CLIENTS = 1000;
const TELL_EVERY_MS = 10_000;

function connectionLimit({ config: { values }, log, clock }: GatewayParts) {
  const limit = openFileLimit();
  const most = mostConnections(limit, values.decoders);
  let refused = 0;
  const tellRefused = conflate<string, number>(clock, TELL_EVERY_MS, (connections) =>
    log.warn('too many connections are open; new connections are refused', {
      refused: connections,
      most,
      open_files: limit,
    }),
  );
  return {
    mostConnections: most,
    onRefused: () => tellRefused.put('refused', ++refused),
    tell: () => {
      if (most >= CLIENTS) return;
      const facts = {
        open_files: limit,
        most_connections: most,
        for_many_clients: filesOfEngine(values.decoders) + CLIENTS,
      };
      log.warn('the limit of open files (ulimit -n) is low, so only few clients can connect', facts);
    },
  };
}

function metricsOf(
  { engine, events, clock, engineRestarts, version }: GatewayParts,
  inFlight: () => number,
): Metrics {
  return createMetrics({
    routes,
    states: engine.states,
    slots: engine.slots,
    models: engine.search.models,
    watchFolders: engine.watchFolders,
    clips: engine.clips,
    cluster: engine.cluster,
    clock,
    inFlight,
    eventClients: () => events.clients,
    engineRestarts,
    version,
  });
}

function assistantsOf({ config, version, log }: GatewayParts, ownFetch: typeof fetch): Assistants {
  return createAssistants({
    fetch: ownFetch,
    cacheDir: folders(config.values).cache,
    version,
    onError: (error) => log.named('mcp').debug('a message was rejected', { error }),
  });
}

function appOf(parts: GatewayParts, service: Service, metrics: Metrics, bodies: BodyParser): App {
  const { access, isAllowedHost, config, log, clock } = parts;
  return createApp({
    routes,
    service,
    license: (key) => access.check(key),
    isAllowedHost,
    origins: config.values.origins,
    bodies,
    log: log.named('http'),
    observe: metrics.request,
    newId: requestIds(randomUUID().slice(0, 8)),
    now: clock.now,
  });
}

// An event server on a free port of this machine, and clients of it.
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { io, type ManagerOptions, type Socket } from 'socket.io-client';
import type { ClientEvents, ProgressEvent, ServerEvents } from '../../events/protocol.ts';
import { createEventServer, type EventServer, type EventServerOptions } from '../../events/server.ts';
import { native } from '../../http/uws-native.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createLog, type LogLine } from '../../runtime/log.ts';
import { type FakeTasks, fakeTasks, noSearches } from './fake-tasks.ts';

export type Client = Socket<ServerEvents, ClientEvents>;
export type Transport = 'websocket' | 'polling';

export interface Serving {
  readonly port: number;
  readonly tasks: FakeTasks;
  readonly server: EventServer;
  readonly log: readonly LogLine[];
  /** How often something was published to a room. */
  readonly published: number;
  /** Connected, and receives the events in the list. */
  client(transports: readonly Transport[], options?: Partial<ManagerOptions>): Promise<Client>;
}

export async function serve(t: TestContext, options: Partial<EventServerOptions> = {}): Promise<Serving> {
  const tasks = fakeTasks();
  const lines: LogLine[] = [];
  const server = createEventServer({
    tasks,
    searches: noSearches,
    clock: systemClock,
    log: createLog('events', (line) => void lines.push(line)),
    isAllowedHost: (host) => host !== undefined && /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host),
    origins: [],
    ...options,
  });
  const app = native.App();
  let published = 0;
  const publish = app.publish.bind(app);
  app.publish = (...sent) => {
    published++;
    return publish(...sent);
  };
  server.attach(app);
  app.any('/*', (res) => void res.writeStatus('404 Not Found').end());
  const port = await new Promise<number>((resolve) => {
    app.listen('127.0.0.1', 0, 0, (socket) => resolve(socket ? native.us_socket_local_port(socket) : 0));
  });
  const clients = new Set<Client>();
  t.after(async () => {
    for (const client of clients) client.disconnect();
    await server.close();
    app.close();
  });
  return {
    port,
    tasks,
    server,
    log: lines,
    get published() {
      return published;
    },
    client: async (transports, more) => {
      const client: Client = io(`http://127.0.0.1:${port}`, {
        transports: [...transports],
        forceNew: true,
        reconnection: false,
        ...more,
      });
      clients.add(client);
      client.on('disconnect', () => void clients.delete(client));
      const failed = once(client as never, 'connect_error').then(([error]) => Promise.reject(error));
      await Promise.race([once(client as never, 'connect'), failed]);
      return client;
    },
  };
}

/** Everything a client receives, in order; `until` resolves when an event passes. */
export function eventsOf(client: Client) {
  const events: ProgressEvent[] = [];
  let waiting: { passes: (event: ProgressEvent) => boolean; resolve: () => void } | undefined;
  client.on('progress', (event) => {
    events.push(event);
    if (waiting?.passes(event)) waiting.resolve();
  });
  return {
    events,
    until: async (passes: (event: ProgressEvent) => boolean) => {
      if (events.some(passes)) return;
      await new Promise<void>((resolve) => {
        waiting = { passes, resolve };
      });
    },
  };
}

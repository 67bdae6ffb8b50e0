// The event server, and the only place that knows Socket.IO. It is attached to the uWebSockets app of the HTTP server, so
// that one port serves both. uWebSockets publishes an event to all clients of a room; Socket.IO keeps that in a global, so
// a process has one event server at a time.
//
// No license key is needed: without the id of a task a client receives nothing. Browsers let any page open a websocket, so
// the Host rule holds here too, and a page must come from an allowed host or a configured origin.
import type { TemplatedApp } from '@uwsjs/core';
import { Server } from 'socket.io';
import type { Tasks } from '../actors/analysis/contract.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { type Incoming, roomOf, serveConnection } from './connection.ts';
import { type EngineRequest, type Guests, isWellFormed, refusal } from './handshake.ts';
import { EVENT_PATH, type ServerEvents } from './protocol.ts';
import { createRooms } from './rooms.ts';

export interface EventServerOptions extends Guests {
  readonly tasks: Pick<Tasks, 'subscribe' | 'get'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Between two events of one task and type. */
  readonly everyMs?: number;
  /** A client that does not answer a ping in time is disconnected. */
  readonly pingIntervalMs?: number;
  readonly pingTimeoutMs?: number;
  readonly mostClients?: number;
}

export interface EventServer {
  /** Answers under `/socket.io/` on this app. Once, before the app listens. */
  attach(app: TemplatedApp): void;
  /** Connected now. */
  readonly clients: number;
  /** Emits what waits and disconnects all clients, which may connect again to the next server. Before the app is closed. */
  close(): Promise<void>;
}

/** A little more than a tenth of a second, so that there are never eleven events in a second. */
const EVERY_MS = 110;
const MOST_CLIENTS = 10_000;
/** Largest thing a client may send, bytes. A task id is not long. */
const MOST_BYTES = 16 * 1024;
/** Bytes that may wait for a slow client; more than gather before its ping times out. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;
/** How long a client may take to read what waits when the server closes. */
const LAST_READ_MS = 1000;

export function createEventServer(options: EventServerOptions): EventServer {
  const { tasks, clock, log, everyMs = EVERY_MS } = options;
  let attached: Server<Incoming, ServerEvents> | undefined;
  const rooms = createRooms({
    clock,
    everyMs,
    emit: (event) => void attached?.to(roomOf(event.task_id)).emit('progress', event),
  });
  const unsubscribe = tasks.subscribe(rooms.publish);
  let closing: Promise<void> | undefined;
  const close = async () => {
    unsubscribe();
    rooms.flush();
    if (attached) await disconnectAll(attached, clock);
    attached = undefined;
  };
  return {
    attach: (app) => {
      const io = attachTo(app, options, () => closing !== undefined);
      io.on('connection', (client) => serveConnection(client, { tasks, rooms, log }));
      attached = io;
    },
    get clients() {
      return attached?.engine.clientsCount ?? 0;
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Closes connections without a disconnect packet: clients then try to connect again, to the next server. */
async function disconnectAll(io: Server<Incoming, ServerEvents>, clock: Clock): Promise<void> {
  const connections = [...io.of('/').sockets.values()].map(({ conn }) => conn);
  const gone = connections.map(
    (connection) => new Promise<void>((resolve) => connection.once('close', () => resolve())),
  );
  // A connection closes when its client has read what waits; a polling client may be between two polls.
  for (const connection of connections) connection.close();
  let stop: (() => void) | undefined;
  const timeout = new Promise<void>((resolve) => {
    stop = clock.after(LAST_READ_MS, resolve);
  });
  await Promise.race([Promise.all(gone), timeout]);
  stop?.();
  await io.close();
}

/** What the engine hands on is the request of uWebSockets with these fields added. */
interface Raw {
  readonly method: string;
  readonly headers: EngineRequest['headers'];
  readonly _query: EngineRequest['query'];
}

function requestOf(raw: unknown): EngineRequest {
  const { method, headers, _query: query } = raw as Raw;
  return { method, headers, query };
}

function attachTo(
  app: TemplatedApp,
  options: EventServerOptions,
  isClosing: () => boolean,
): Server<Incoming, ServerEvents> {
  const { log, origins, mostClients = MOST_CLIENTS } = options;
  const io = new Server<Incoming, ServerEvents>({
    path: EVENT_PATH,
    transports: ['polling', 'websocket'],
    serveClient: false,
    maxHttpBufferSize: MOST_BYTES,
    httpCompression: false,
    connectTimeout: 10_000,
    pingInterval: options.pingIntervalMs ?? 25_000,
    pingTimeout: options.pingTimeoutMs ?? 20_000,
    ...(origins.length > 0 ? { cors: { origin: [...origins], methods: ['GET', 'POST'] } } : {}),
    allowRequest: (raw, answer) => {
      const full = isClosing() || io.engine.clientsCount >= mostClients;
      const reason =
        refusal(requestOf(raw), options) ?? (full ? 'Too many clients are connected' : undefined);
      answer(reason, reason === undefined);
    },
  });
  // uWebSockets reads these two; the types of the package leave them out.
  const sockets = { maxBackpressure: MOST_WAITING_BYTES, idleTimeout: 120 };
  io.attachApp(app, sockets as Parameters<typeof io.attachApp>[1]);
  io.engine.use((raw: unknown, _res: unknown, next: (error?: Error) => void) => {
    next(isWellFormed(requestOf(raw)) ? undefined : new Error('not a transport request'));
  });
  // Closing a polling transport waits for the next poll of its client, half a minute by default.
  io.engine.on('connection', ({ transport }: { transport: { closeTimeout?: number } }) => {
    transport.closeTimeout = LAST_READ_MS;
  });
  io.engine.on('connection_error', ({ code, message }: { code: number; message: string }) => {
    log.debug('a client was refused', { code, message });
  });
  return io;
}

// The event server, and the only place that knows Socket.IO. It is attached to the uWebSockets app of the
// HTTP server, so that one port serves both. uWebSockets publishes an event to all clients of a room;
// Socket.IO keeps that in a global, so a process has one event server at a time.
//
// No license key is needed: without the id of a task a client receives nothing. Browsers let any page open a
// websocket, so the Host rule holds here too, and a page must come from an allowed host or a configured
// origin.
import { Server, type Socket } from 'socket.io';
import { analysisErrors, type Tasks } from '../actors/analysis/contract.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { originRule } from '../runtime/origin.ts';
import { quoted } from '../runtime/text.ts';
import { recordOf } from './payload.ts';
import {
  type ClientEvents,
  EVENT_PATH,
  type EventStreams,
  type JoinAnswer,
  type LeaveAnswer,
  LONGEST_ID,
  type ProgressEvent,
  type RoomNames,
  roomIn,
  type ServerEvents,
} from './protocol.ts';
import { createRooms, type Rooms } from './rooms.ts';
import { type SavedSearches, searchErrors } from './searches/contract.ts';
import { createStream } from './stream.ts';

// Rules of the event server: who may connect, and which requests the transports accept.

/** A request as the engine hands it on: header names in lower case. */
interface EngineRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
}

interface Guests {
  isAllowedHost(host: string | undefined): boolean;
  /** `scheme://name[:port]` */
  readonly origins: readonly string[];
}

/** Why this client may not connect; undefined when it may. */
/** The uWebSockets app of the HTTP server. */
type EventApp = Parameters<Server['attachApp']>[0];

function refusal({ headers }: EngineRequest, { isAllowedHost, origins }: Guests): string | undefined {
  if (!isAllowedHost(headers['host'])) return 'Host not allowed';
  const { isAllowed } = originRule(origins, isAllowedHost);
  return isAllowed(headers['origin'] ?? '') ? undefined : 'Origin not allowed';
}

/**
 * False for requests that engine.io cannot handle: a websocket upgrade with `transport=polling` ends the
 * process, a plain request with `transport=websocket` is never answered. uWebSockets takes a key of 24
 * characters for an upgrade.
 */
function isWellFormed({ method, headers, query }: EngineRequest): boolean {
  const upgrades = method === 'GET' && headers['sec-websocket-key']?.length === 24;
  if (upgrades) return query['transport'] === 'websocket';
  return query['transport'] === 'polling' && (method === 'GET' || method === 'POST');
}

export interface EventServerOptions extends Guests {
  readonly tasks: Pick<Tasks, 'subscribe' | 'get'>;
  readonly searches: Pick<SavedSearches, 'has' | 'subscribe'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Between two events of one task and type. */
  readonly everyMs?: number;
  /** A client that does not answer a ping in time is disconnected. */
  readonly pingIntervalMs?: number;
  readonly pingTimeoutMs?: number;
  readonly mostClients?: number;
}

export interface EventServer extends EventStreams {
  /** Answers under `/socket.io/` on this app. Once, before the app listens. */
  attach(app: EventApp): void;
  /** Connected now, to Socket.IO and to the stream. */
  readonly clients: number;
  /**
   * Emits what waits and disconnects all clients, which may connect again to the next server. Before the app
   * is closed.
   */
  close(): Promise<void>;
}

const MOST_CLIENTS = 10_000;
/** Largest thing a client may send, bytes. A task id is not long. */
const MOST_BYTES = 16 * 1024;
/** Bytes that may wait for a slow client; more than gather before its ping times out. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;
/** How long a client may take to read what waits when the server closes. */
const LAST_READ_MS = 1000;

export function createEventServer(options: EventServerOptions): EventServer {
  const { tasks, searches, clock, log, everyMs } = options;
  let attached: Server<Incoming, ServerEvents> | undefined;
  const rooms = createRooms({
    clock,
    everyMs,
    emit: (event) => {
      const room = roomOf(event.task_id);
      attached?.to(room).emit('progress', event);
      stream.publish('progress', room, event);
    },
  });
  const stream = createStream(clock);
  const unsubscribe = tasks.subscribe(rooms.publish);
  const unsubscribeHits = searches.subscribe((hit) => {
    const room = searchRoom(hit.search_id);
    attached?.to(room).emit('search_hit', hit);
    stream.publish('search_hit', room, hit);
  });
  let closing: Promise<void> | undefined;
  const close = async () => {
    unsubscribe();
    unsubscribeHits();
    rooms.flush();
    stream.close();
    if (attached) await disconnectAll(attached, clock);
    attached = undefined;
  };
  const parts = { tasks, searches, rooms, log };
  return {
    attach: (app) => {
      const io = attachTo(app, options, () => closing !== undefined);
      io.on('connection', (client) => serveConnection(client, parts));
      attached = io;
    },
    get clients() {
      return (attached?.engine.clientsCount ?? 0) + stream.clients;
    },
    stream: async ({ task_ids, search_ids, event, lastEventId }) => {
      for (const search_id of search_ids) if (!searches.has(search_id)) throw unknownSearch(search_id);
      const ended = await Promise.all(task_ids.map((task_id) => endIn(parts, task_id)));
      const replayed = () => task_ids.flatMap((task_id, i) => rooms.replay(task_id) ?? ended[i] ?? []);
      const named = [...task_ids.map(roomOf), ...search_ids.map(searchRoom)];
      return stream.follow({
        rooms: named.length > 0 ? new Set(named) : null,
        event,
        lastEventId,
        first: () => replayed().map((data) => ({ name: 'progress', data })),
      });
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
  const closings = connections.map(
    (connection) => new Promise<void>((resolve) => connection.once('close', () => resolve())),
  );
  // A connection closes when its client has read what waits; a polling client may be between two polls.
  for (const connection of connections) connection.close();
  let stop: (() => void) | undefined;
  const timeout = new Promise<void>((resolve) => {
    stop = clock.after(LAST_READ_MS, resolve);
  });
  await Promise.race([Promise.all(closings), timeout]);
  stop?.();
  await io.close();
}

/** Request of uWebSockets with the fields that Engine.IO adds. */
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
  app: EventApp,
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

// One connected client: joins and leaves rooms, and gets the replay of a room it joins. Nothing it sends is
// trusted: the argument may be anything, and the acknowledgement no function.

/** The arguments are whatever the client sent; an acknowledgement may be the last of them. */
type Incoming = { [K in keyof ClientEvents]: (...sent: readonly unknown[]) => void };
type Client = Socket<Incoming, ServerEvents>;

interface ConnectionParts {
  readonly tasks: Pick<Tasks, 'get'>;
  readonly searches: Pick<SavedSearches, 'has'>;
  readonly rooms: Pick<Rooms, 'replay'>;
  readonly log: Log;
}

/** Rooms of one client, at most, and joins of it that wait for a record to be read. */
const MOST_ROOMS = 1000;

/** The prefix keeps task ids apart from the names of the clients' own rooms. */
function roomOf(task_id: string): string {
  return `task:${task_id}`;
}

function searchRoom(search_id: string): string {
  return `search:${search_id}`;
}

function serveConnection(client: Client, parts: ConnectionParts): void {
  const { searches, rooms } = parts;
  const lookUps = createLookUps();
  client.on('join', (...sent) => {
    const answer = answerOf<JoinAnswer>(sent);
    const named = roomIn(sent[0]);
    const { task_id, search_id } = named;
    const room = roomNamed(named);
    if (room === undefined) {
      return answer({ joined: false, error: `task_id must be a string of 1 to ${LONGEST_ID} characters` });
    }
    // Every client is in one room of its own, which does not count.
    if (!client.rooms.has(room) && client.rooms.size > MOST_ROOMS) {
      return answer({ joined: false, error: `At most ${MOST_ROOMS} tasks can be joined` });
    }
    if (task_id === undefined) return joinSearch(client, room, searches.has(search_id ?? ''), answer);
    const replay = rooms.replay(task_id);
    if (!replay && lookUps.waiting >= MOST_ROOMS)
      return answer({ joined: false, error: 'Too many joins at once' });
    const isMember = client.rooms.has(room);
    // Before the look-up, so that a task that begins meanwhile is followed from its start.
    client.join(room);
    if (!replay) {
      lookUps.add(async () => {
        const isKnown = await replayRecord(client, task_id, parts, answer);
        if (!isKnown && !isMember) client.leave(room);
      });
      return;
    }
    answer({ joined: true });
    for (const event of replay) client.emit('progress', event);
  });
  client.on('leave', (...sent) => {
    const answer = answerOf<LeaveAnswer>(sent);
    const room = roomNamed(roomIn(sent[0]));
    const wasJoined = room !== undefined && client.rooms.has(room);
    if (wasJoined) client.leave(room);
    answer({ left: wasJoined });
  });
}

function roomNamed({ task_id, search_id }: RoomNames): string | undefined {
  if (task_id !== undefined) return roomOf(task_id);
  return search_id === undefined ? undefined : searchRoom(search_id);
}

function joinSearch(
  client: Client,
  room: string,
  isKnown: boolean,
  answer: (answer: JoinAnswer) => void,
): void {
  if (isKnown) client.join(room);
  answer(isKnown ? { joined: true } : { joined: false, error: 'There is no such saved search' });
}

function unknownSearch(search_id: string): Error {
  return searchErrors.SEARCH_UNKNOWN(`There is no saved search ${quoted(search_id)}`, { search_id });
}

/**
 * For a task that this process has not run: answers, and emits its end, read from its record. False when
 * there is no such task.
 */
async function replayRecord(
  client: Client,
  task_id: string,
  { tasks, rooms, log }: ConnectionParts,
  answer: (answer: JoinAnswer) => void,
): Promise<boolean> {
  if (!client.connected) return true;
  const record = await recorded({ tasks, log }, task_id);
  // It may have begun to run meanwhile: then this client is in the room and gets its events.
  const begun = rooms.replay(task_id) !== undefined;
  if (record === null && !begun) {
    answer({ joined: false, error: `There is no task with the id ${quoted(task_id)}` });
    return false;
  }
  answer({ joined: true });
  const event = record && !begun ? recordOf(stageKinds, record) : undefined;
  if (event && client.rooms.has(roomOf(task_id))) client.emit('progress', event);
  return true;
}

/** Null when there is no such task, undefined when its record cannot be read. */
function recorded({ tasks, log }: Pick<ConnectionParts, 'tasks' | 'log'>, task_id: string) {
  return tasks.get(task_id, { offset: 0, limit: 1 }).catch((error: unknown) => {
    if (analysisErrors.TASK_UNKNOWN.is(error)) return null;
    log.warn('the task cannot be looked up', { task_id, error });
    return undefined;
  });
}

/** The end of a task that this process has not run; none when it has not ended. Throws TASK_UNKNOWN. */
async function endIn(parts: ConnectionParts, task_id: string): Promise<ProgressEvent | undefined> {
  if (parts.rooms.replay(task_id)) return undefined;
  const record = await recorded(parts, task_id);
  if (record === null && !parts.rooms.replay(task_id))
    throw analysisErrors.TASK_UNKNOWN(`There is no task with the id ${quoted(task_id)}`, { task_id });
  return record ? recordOf(stageKinds, record) : undefined;
}

/**
 * Reads records one after the other, so that a client that joins many tasks at once does not occupy the disk.
 */
function createLookUps() {
  let last = Promise.resolve();
  let waiting = 0;
  return {
    get waiting() {
      return waiting;
    },
    /** `work` does not reject. */
    add: (work: () => Promise<void>) => {
      waiting++;
      last = last.then(work).then(() => {
        waiting--;
      });
    },
  };
}

function answerOf<A>(sent: readonly unknown[]): (answer: A) => void {
  const last = sent.at(-1);
  return typeof last === 'function' ? (answer) => void last(answer) : () => {};
}

// The events as server-sent events, for clients without Socket.IO. What was sent last is kept, so
// that a client that reconnects is sent what it missed. It knows no sockets.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../runtime/clock.ts';
import type { LiveText } from '../runtime/live-text.ts';
import type { ServerEvents } from './protocol.ts';

/** Names of the events that a client of Socket.IO is sent, with the same bodies. */
type Name = keyof ServerEvents;

interface StreamFilter {
  /** Only the events of these rooms; null for all. */
  readonly rooms: ReadonlySet<string> | null;
  /** Only events of this name. */
  readonly event?: Name | undefined;
  /** The id of the event that the client received last; empty for none. */
  readonly lastEventId: string;
  /** First messages for a client that has missed none. */
  first(): readonly { readonly name: Name; readonly data: object }[];
}

interface Stream {
  publish<N extends Name>(name: N, room: string, data: Parameters<ServerEvents[N]>[0]): void;
  follow(filter: StreamFilter): LiveText;
  /** Connected now. */
  readonly clients: number;
  /** Ends every client; it may connect again to the next service. */
  close(): void;
}

/** Bytes of events that are kept for clients that reconnect. */
const MOST_KEPT_BYTES = 1024 * 1024;
/** Proxies end a connection on which nothing comes, often after half a minute. */
const HEARTBEAT_MS = 15_000;
const COMMENT = ':\n\n';
/** How long a client is asked to wait before it reconnects. */
const RETRY_MS = 2000;

interface Kept {
  readonly number: number;
  readonly name: Name;
  readonly room: string;
  readonly text: string;
}

interface Client extends Pick<StreamFilter, 'rooms' | 'event'> {
  readonly send: (text: string) => void;
  readonly end: () => void;
}

/** The events that were sent last. */
class Memory {
  // Numbers begin again with each service, so an id says of which one it is.
  readonly #service = randomBytes(4).toString('hex');
  readonly #events: Kept[] = [];
  #bytes = 0;
  #last = 0;

  get lastId(): string {
    return `${this.#service}-${this.#last}`;
  }

  add(name: Name, room: string, text: (id: string) => string): Kept {
    const number = ++this.#last;
    const event = { number, name, room, text: text(this.lastId) };
    this.#events.push(event);
    this.#bytes += event.text.length;
    while (this.#bytes > MOST_KEPT_BYTES) this.#bytes -= this.#events.shift()!.text.length;
    return event;
  }

  /** Null when some of what came after it is not kept any more, or it is of another service. */
  since(id: string): readonly Kept[] | null {
    const [service, number] = id.split('-');
    const oldest = this.#events[0]?.number ?? this.#last + 1;
    const next = Number(number) + 1;
    const isKept = service === this.#service && next >= oldest && next <= this.#last + 1;
    return isKept ? this.#events.slice(next - oldest) : null;
  }
}

export function createStream(clock: Clock): Stream {
  const memory = new Memory();
  const clients = new Set<Client>();
  let isClosed = false;
  let stop = () => {};
  const beat = () => {
    for (const { send } of clients) send(COMMENT);
    stop = clock.after(HEARTBEAT_MS, beat);
  };
  stop = clock.after(HEARTBEAT_MS, beat);
  return {
    publish: (name, room, data) => {
      const entry = memory.add(name, room, (id) => `id: ${id}\n${textOf(name, data)}`);
      for (const client of clients) if (isFor(client, entry)) client.send(entry.text);
    },
    follow: (filter) => ({
      open: (send, end) => {
        if (isClosed) {
          end();
          return () => {};
        }
        const client = { rooms: filter.rooms, event: filter.event, send, end };
        send(welcome(memory, filter));
        clients.add(client);
        return () => void clients.delete(client);
      },
    }),
    get clients() {
      return clients.size;
    },
    close: () => {
      isClosed = true;
      stop();
      for (const { end } of clients) end();
      clients.clear();
    },
  };
}

function welcome(memory: Memory, filter: StreamFilter): string {
  const { lastEventId, first } = filter;
  const missed = lastEventId === '' ? null : memory.since(lastEventId);
  const head = `retry: ${RETRY_MS}\n`;
  if (missed) {
    const texts = missed.filter((entry) => isFor(filter, entry)).map(({ text }) => text);
    // The client has an id, and without an event nothing else to be told.
    return texts.length > 0 ? `${head}${texts.join('')}` : COMMENT;
  }
  const lost = lastEventId === '' ? '' : textOf('missed', { last_event_id: lastEventId });
  const texts = first()
    .filter(({ name }) => filter.event === undefined || filter.event === name)
    .map(({ name, data }) => textOf(name, data));
  // The state has no ids of its own, so its first event has the id from which the client goes on. With no
  // state there is an event for it: a client that lost its connection before the first one would miss that.
  const events = `${lost}${texts.join('')}` || textOf('connected', {});
  return `${head}id: ${memory.lastId}\n${events}`;
}

function isFor({ rooms, event }: Pick<StreamFilter, 'rooms' | 'event'>, { name, room }: Kept): boolean {
  return (rooms === null || rooms.has(room)) && (event === undefined || event === name);
}

function textOf(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

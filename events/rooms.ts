// The rooms: each task has one, named by its id. Turns the events of a task into throttled `progress` events,
// and keeps what is replayed to a client that joins late. Pure but for the clock it is given; it knows no
// sockets.
import type { TaskEvent, TaskListener, WorkResult } from '../actors/analysis/contract.ts';
import type { StageKind } from '../actors/analysis/stages/kind.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import type { Clock } from '../runtime/clock.ts';
import {
  type AnnouncedTask,
  advance,
  atLeast,
  closedOf,
  type End,
  endingsOf,
  endOf,
  failureOf,
  hasOwnEnd,
  newRun,
  shown,
  stateOf,
} from './payload.ts';
import { type ProgressEvent, percentageOf } from './protocol.ts';

/** A run begins, or waits for its turn. */
type Announcement = Extract<TaskEvent, { readonly type: 'start' | 'queued' }>;
type Pieces = Pick<Announcement, 'files' | 'jobs' | 'types'>;

export interface Rooms {
  /** Takes an event of a task. */
  readonly publish: TaskListener;
  /**
   * The files that failed and the jobs that ended, the latest of them, and the last event of every type in
   * this room. Undefined when the task published no event, or ended long ago.
   */
  replay(task_id: string): readonly ProgressEvent[] | undefined;
  /** Emits what waits. */
  flush(): void;
}

interface RoomsOptions {
  readonly clock: Clock;
  /** The kinds of work there are. */
  readonly kinds?: readonly StageKind[];
  /** Between two events of one task and type; 110 when left out. */
  readonly everyMs?: number | undefined;
  emit(event: ProgressEvent): void;
}

/** A little more than a tenth of a second, so that there are never eleven events in a second. */
const EVERY_MS = 110;
/** Tasks that have ended and whose last events are kept. */
const ENDED_KEPT = 200;
/** Failures, and ends of jobs, of a run that are replayed; GET /tasks/{task_id} has them all. */
const NOTES_KEPT = 100;

/**
 * Events are throttled by type, and built when they are emitted, so that they hold the state of that moment.
 */
interface Channel {
  readonly throttle: Throttle<() => ProgressEvent>;
  last: ProgressEvent | undefined;
  readonly endings: Endings;
  /** The latest state named files that ended; the next one is of the file that is worked on. */
  named: boolean;
}

interface Room {
  run: AnnouncedTask;
  readonly channels: Map<string, Channel>;
  /** Failures and ends of jobs that were emitted in this run, oldest first. */
  notes: ProgressEvent[];
  /**
   * The highest percentage that was told of the task, by whichever run: whatever comes after tells no less.
   */
  sentCount: number;
}

export function createRooms(options: RoomsOptions): Rooms {
  const rooms = new TaskRooms(options);
  return {
    publish: (task_id, event) => rooms.publish(task_id, event),
    replay: (task_id) => rooms.replay(task_id),
    flush: () => rooms.flush(),
  };
}

class TaskRooms {
  readonly #options: Required<RoomsOptions> & { readonly everyMs: number };
  readonly #rooms = new Map<string, Room>();
  /** In the order in which they ended. */
  readonly #ended = new Set<string>();

  constructor({ kinds = stageKinds, everyMs = EVERY_MS, ...options }: RoomsOptions) {
    this.#options = { ...options, kinds, everyMs };
  }

  publish(task_id: string, event: TaskEvent): void {
    const announces = event.type === 'start' || event.type === 'queued';
    if (this.#ended.has(task_id) && !announces) return;
    const room = announces ? this.#announce(task_id, event) : this.#enter(task_id, { files: 0, types: [] });
    if (event.type === 'end') {
      this.#finish(room, event);
      this.#end(task_id);
    } else if (event.type === 'result') {
      const { result } = event;
      room.run = advance(room.run, event);
      const channel = this.#channel(room, result.type);
      if (result.outcome === 'failed') channel.throttle.enqueue(() => failureOf(room.run, result));
      else if (result.outcome !== 'cancelled' && hasOwnEnd(room.run, result))
        channel.throttle.enqueue(() => closedOf(room.run, result));
      else if (result.outcome !== 'cancelled') channel.endings.add(result);
    } else {
      if (!announces) room.run = advance(room.run, event);
      const { latest } = room.run;
      // An event of a file is always followed by one of the task, which has both.
      if (event.type !== 'file' && event.type !== 'closing') {
        const channel = this.#channel(room, latest);
        channel.throttle.replace(() => nextState(room.run, channel, latest));
      }
    }
  }

  /**
   * The end is the last event of a run: what waits in other channels goes first, and then the files not named
   * yet.
   */
  #finish(room: Room, event: End): void {
    const { run } = room;
    for (const [type, { throttle }] of room.channels) if (type !== run.first) throttle.flush();
    const { throttle } = this.#channel(room, run.first);
    for (const { endings } of room.channels.values())
      for (const results of endings.rest()) throttle.enqueue(() => endingsOf(run, results));
    throttle.finish(() => endOf(run, event));
    room.run = { ...run, standing: null };
  }

  replay(task_id: string): readonly ProgressEvent[] | undefined {
    const room = this.#rooms.get(task_id);
    if (!room) return undefined;
    const last = [...room.channels.values()]
      .flatMap((channel) => channel.last ?? [])
      .toSorted((a, b) => Number(a.done) - Number(b.done));
    const events = [...room.notes.filter((note) => !last.includes(note)), ...last];
    // The client may be one that has heard of more already.
    return events.map((event) => atLeast(this.#options.kinds, event, room.sentCount));
  }

  flush(): void {
    for (const room of this.#rooms.values()) flushRoom(room);
  }

  #enter(task_id: string, { files, types, jobs }: Pieces): Room {
    const openRoom = this.#rooms.get(task_id);
    if (openRoom) return openRoom;
    const run = newRun(this.#options.kinds, task_id, files, types, jobs);
    const room: Room = { run, channels: new Map(), notes: [], sentCount: 0 };
    this.#rooms.set(task_id, room);
    return room;
  }

  #announce(task_id: string, event: Announcement): Room {
    const { files, jobs, types, percentage = 0 } = event;
    const room = this.#enter(task_id, event);
    // It runs again: the end of the last run is emitted first, and not replayed any more.
    if (room.run.standing === null) {
      flushRoom(room);
      for (const channel of room.channels.values()) channel.last = undefined;
      room.notes = [];
      this.#ended.delete(task_id);
    }
    const standing = event.type === 'queued' ? event : null;
    // It goes on where it stood, which another process may have told.
    room.sentCount = Math.max(room.sentCount, percentage === 100 ? 100 : shown(percentage));
    room.run = { ...newRun(this.#options.kinds, task_id, files, types, jobs), percentage, standing };
    return room;
  }

  #end(task_id: string): void {
    this.#ended.add(task_id);
    if (this.#ended.size <= ENDED_KEPT) return;
    const [oldest = ''] = this.#ended;
    const room = this.#rooms.get(oldest);
    this.#ended.delete(oldest);
    this.#rooms.delete(oldest);
    if (room) flushRoom(room);
  }

  #channel(room: Room, type: string): Channel {
    const existing = room.channels.get(type);
    if (existing) return existing;
    const { clock, everyMs, emit, kinds } = this.#options;
    const throttle = createThrottle<() => ProgressEvent>(clock, everyMs, (make) => {
      const event = atLeast(kinds, make(), room.sentCount);
      room.sentCount = percentageOf(event);
      // The next event of the task may be long in coming.
      if (channel.endings.waiting > 0) channel.throttle.replace(() => nextState(room.run, channel, type));
      // Files of every type are named before the end, by the channel of the end.
      this.#channel(room, event.type).last = event;
      if (isNote(event)) {
        room.notes.push(event);
        if (room.notes.length > NOTES_KEPT) room.notes.shift();
      }
      emit(event);
    });
    const channel: Channel = { throttle, last: undefined, endings: createEndings(), named: false };
    room.channels.set(type, channel);
    return channel;
  }
}

/** A failure of a file, or the end of a job. */
function isNote({ done, error, cluster_media_hashes }: ProgressEvent): boolean {
  return !done && (error !== undefined || cluster_media_hashes !== undefined);
}

/** In turn, so that neither very many stills nor one long film hides the other. */
function nextState(run: AnnouncedTask, channel: Channel, type: string): ProgressEvent {
  const results = channel.named ? [] : channel.endings.take();
  channel.named = results.length > 0;
  return channel.named ? endingsOf(run, results) : stateOf(run, type);
}

function flushRoom({ channels }: Room): void {
  for (const { throttle } of channels.values()) throttle.flush();
}

// Files that have ended and are not named in an event yet. States are conflated, the end of a file is not:
// each one is named once, and several in one event where very many end at the same time.

interface Endings {
  add(result: WorkResult): void;
  /** Files for the next event, oldest first; empty if none waits. */
  take(): readonly WorkResult[];
  readonly waiting: number;
  /** All that wait, divided among the last events of a run. */
  rest(): readonly (readonly WorkResult[])[];
}

/** At the end of a run what waits is divided among so many events. */
const EVENTS = 20;
/** Characters of paths in one event: what waits for a slow client stays small. */
const MOST_CHARACTERS = 256 * 1024;

function createEndings(): Endings {
  let waiting: WorkResult[] = [];
  const cut = (most: number) => {
    let [count, characters] = [0, 0];
    while (count < Math.min(most, waiting.length) && characters < MOST_CHARACTERS)
      characters += waiting[count++]!.path.length;
    const first = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return first;
  };
  return {
    add: (result) => {
      waiting.push(result);
    },
    // Two such events are a fifth of a second apart.
    take: () => cut(waiting.length),
    get waiting() {
      return waiting.length;
    },
    rest: () => {
      const most = Math.ceil(waiting.length / EVENTS);
      const batches: (readonly WorkResult[])[] = [];
      while (waiting.length > 0) batches.push(cut(most));
      return batches;
    },
  };
}

// A throttle: at most one value every `everyMs`. Of states only the newest is kept; queued values are all
// emitted, in order; the final value of a run comes after them. Pure but for the clock it is given.

interface Throttle<V extends object> {
  /** Takes the place of the state that waits. */
  replace(value: V): void;
  /** Waits behind what is queued already, and is never replaced. */
  enqueue(value: V): void;
  /** Ends the run: emitted after the queue, and drops the state that waits. Flushed before the next run. */
  finish(value: V): void;
  /** Emits everything that waits now. */
  flush(): void;
}

/** After `finish` the queue is emitted within this many turns, several values a turn where it is longer. */
const LAST_TURNS = 20;

export function createThrottle<V extends object>(
  clock: Clock,
  everyMs: number,
  emit: (value: V) => void,
): Throttle<V> {
  let queue: V[] = [];
  let state: V | undefined;
  let final: V | undefined;
  let portion = 1;
  let emitted = Number.NEGATIVE_INFINITY;
  let timer: (() => void) | undefined;

  const take = (): readonly V[] => {
    if (queue.length > 0) return queue.splice(0, portion);
    const value = state ?? final;
    state = undefined;
    final = undefined;
    return value ? [value] : [];
  };
  const turn = () => {
    timer = undefined;
    emitted = clock.now();
    for (const value of take()) emit(value);
    schedule();
  };
  const schedule = () => {
    if (timer || (queue.length === 0 && !state && !final)) return;
    const due = emitted + everyMs - clock.now();
    if (due <= 0) turn();
    else timer = clock.after(due, turn);
  };
  return {
    replace: (value) => {
      state = value;
      schedule();
    },
    enqueue: (value) => {
      queue.push(value);
      schedule();
    },
    finish: (value) => {
      state = undefined;
      final = value;
      portion = Math.max(1, Math.ceil(queue.length / LAST_TURNS));
      schedule();
    },
    flush: () => {
      timer?.();
      timer = undefined;
      const waiting = [...queue, ...(state ? [state] : []), ...(final ? [final] : [])];
      queue = [];
      state = undefined;
      final = undefined;
      portion = 1;
      if (waiting.length > 0) emitted = clock.now();
      for (const value of waiting) emit(value);
    },
  };
}

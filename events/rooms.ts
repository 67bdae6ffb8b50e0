// The rooms: each task has one, named by its id. Decides what is told in it and when, and remembers what a client that
// joins late has to hear. Pure but for the clock it is given; sockets are the server's business.
import type { TaskEvent, TaskListener } from '../actors/analysis/contract.ts';
import type { StageKind } from '../actors/analysis/stages/kind.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import type { Clock } from '../runtime/clock.ts';
import { createPace, type Pace } from './pace.ts';
import { advance, endOf, failureOf, newRun, type Run, stateOf } from './payload.ts';
import type { ProgressEvent } from './protocol.ts';

export interface Rooms {
  readonly hear: TaskListener;
  /**
   * The files that failed, the latest of them, and the last event of every type told in this room. Undefined when no event
   * of the task came by, or long ago.
   */
  replay(task_id: string): readonly ProgressEvent[] | undefined;
  /** Tells what waits. */
  flush(): void;
}

export interface RoomsOptions {
  readonly clock: Clock;
  /** The kinds of work there are. */
  readonly kinds?: readonly StageKind[];
  /** Between two events of one task and type. */
  readonly everyMs: number;
  tell(event: ProgressEvent): void;
}

/** Tasks that have ended and whose last events are kept. */
const ENDED_KEPT = 200;
/** Failures of a run that who joins late hears of; GET /tasks/{task_id} has them all. */
const FAILURES_KEPT = 100;

/** Events are paced by type; built when their turn has come, so that they say what is true then. */
interface Lane {
  readonly pace: Pace<() => ProgressEvent>;
  last: ProgressEvent | undefined;
}

interface Room {
  run: Run;
  readonly lanes: Map<string, Lane>;
  /** Told in this run, oldest first. */
  failures: ProgressEvent[];
}

export function createRooms(options: RoomsOptions): Rooms {
  const rooms = new TaskRooms(options);
  return {
    hear: (task_id, event) => rooms.hear(task_id, event),
    replay: (task_id) => rooms.replay(task_id),
    flush: () => rooms.flush(),
  };
}

class TaskRooms {
  readonly #options: Required<RoomsOptions>;
  readonly #rooms = new Map<string, Room>();
  /** In the order in which they ended. */
  readonly #ended = new Set<string>();

  constructor({ kinds = stageKinds, ...options }: RoomsOptions) {
    this.#options = { ...options, kinds };
  }

  hear(task_id: string, event: TaskEvent): void {
    if (this.#ended.has(task_id) && event.type !== 'start') return;
    const begins = event.type === 'start';
    const room = begins ? this.#start(task_id, event.files, event.types) : this.#enter(task_id, 0);
    if (event.type === 'end') {
      const { run } = room;
      // The end is the last thing told: what waits in another lane goes before it.
      for (const [type, { pace }] of room.lanes) if (type !== run.first) pace.flush();
      this.#lane(room, run.first).pace.last(() => endOf(run, event));
      this.#end(task_id);
    } else if (event.type === 'result') {
      const { result } = event;
      if (result.outcome !== 'failed') return;
      this.#lane(room, result.type).pace.single(() => failureOf(room.run, result));
    } else {
      if (event.type !== 'start') room.run = advance(room.run, event);
      const { latest } = room.run;
      // What a file tells is followed by what that means for the task.
      if (event.type !== 'file') this.#lane(room, latest).pace.state(() => stateOf(room.run, latest));
    }
  }

  replay(task_id: string): readonly ProgressEvent[] | undefined {
    const room = this.#rooms.get(task_id);
    if (!room) return undefined;
    const last = [...room.lanes.values()]
      .flatMap((lane) => lane.last ?? [])
      .toSorted((a, b) => Number(a.done) - Number(b.done));
    return [...room.failures.filter((failure) => !last.includes(failure)), ...last];
  }

  flush(): void {
    for (const room of this.#rooms.values()) flushRoom(room);
  }

  #enter(task_id: string, files: number, types: readonly string[] = []): Room {
    const known = this.#rooms.get(task_id);
    if (known) return known;
    const run = newRun(this.#options.kinds, task_id, files, types);
    const room: Room = { run, lanes: new Map(), failures: [] };
    this.#rooms.set(task_id, room);
    return room;
  }

  #start(task_id: string, files: number, types: readonly string[]): Room {
    const room = this.#enter(task_id, files, types);
    // It runs again: the end of the run before is told first, and to nobody who joins from now on.
    flushRoom(room);
    for (const lane of room.lanes.values()) lane.last = undefined;
    room.failures = [];
    this.#ended.delete(task_id);
    room.run = newRun(this.#options.kinds, task_id, files, types);
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

  #lane(room: Room, type: string): Lane {
    const known = room.lanes.get(type);
    if (known) return known;
    const { clock, everyMs, tell } = this.#options;
    const pace = createPace<() => ProgressEvent>(clock, everyMs, (make) => {
      const event = make();
      lane.last = event;
      if (event.error !== undefined && !event.done) {
        room.failures.push(event);
        if (room.failures.length > FAILURES_KEPT) room.failures.shift();
      }
      tell(event);
    });
    const lane: Lane = { pace, last: undefined };
    room.lanes.set(type, lane);
    return lane;
  }
}

function flushRoom({ lanes }: Room): void {
  for (const { pace } of lanes.values()) pace.flush();
}

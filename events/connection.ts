// One connected client: joins and leaves rooms, and gets the replay of a room it joins. Nothing it sends is trusted: the
// argument may be anything, and the acknowledgement no function.
import type { Socket } from 'socket.io';
import { analysisErrors, type Tasks } from '../actors/analysis/contract.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import type { Log } from '../runtime/log.ts';
import { quoted } from '../runtime/quoted.ts';
import { recordOf } from './payload.ts';
import {
  type ClientEvents,
  type JoinAnswer,
  type LeaveAnswer,
  LONGEST_ID,
  type ServerEvents,
  taskIdOf,
} from './protocol.ts';
import type { Rooms } from './rooms.ts';

/** The arguments are whatever the client sent; an acknowledgement may be the last of them. */
export type Incoming = { [K in keyof ClientEvents]: (...sent: readonly unknown[]) => void };
type Client = Socket<Incoming, ServerEvents>;

export interface ConnectionParts {
  readonly tasks: Pick<Tasks, 'get'>;
  readonly rooms: Pick<Rooms, 'replay'>;
  readonly log: Log;
}

/** Rooms of one client, at most, and joins of it that wait for a record to be read. */
const MOST_ROOMS = 1000;

/** The prefix keeps task ids apart from the names of the clients' own rooms. */
export function roomOf(task_id: string): string {
  return `task:${task_id}`;
}

export function serveConnection(client: Client, { tasks, rooms, log }: ConnectionParts): void {
  const lookUps = createLookUps();
  client.on('join', (...sent) => {
    const answer = answerOf<JoinAnswer>(sent);
    const task_id = taskIdOf(sent[0]);
    if (task_id === undefined) {
      return answer({ joined: false, error: `task_id must be a string of 1 to ${LONGEST_ID} characters` });
    }
    const room = roomOf(task_id);
    // Every client is in one room of its own, which does not count.
    if (!client.rooms.has(room) && client.rooms.size > MOST_ROOMS) {
      return answer({ joined: false, error: `At most ${MOST_ROOMS} tasks can be joined` });
    }
    const replay = rooms.replay(task_id);
    if (!replay && lookUps.waiting >= MOST_ROOMS)
      return answer({ joined: false, error: 'Too many joins at once' });
    const isMember = client.rooms.has(room);
    // Before the look-up, so that a task that begins meanwhile is followed from its start.
    client.join(room);
    if (!replay) {
      lookUps.add(async () => {
        const known = await replayRecord(client, task_id, { tasks, rooms, log }, answer);
        if (!known && !isMember) client.leave(room);
      });
      return;
    }
    answer({ joined: true });
    for (const event of replay) client.emit('progress', event);
  });
  client.on('leave', (...sent) => {
    const answer = answerOf<LeaveAnswer>(sent);
    const task_id = taskIdOf(sent[0]);
    const left = task_id !== undefined && client.rooms.has(roomOf(task_id));
    if (left) client.leave(roomOf(task_id));
    answer({ left });
  });
}

/**
 * For a task that this process has not run: answers, and emits its end, read from its record. False when there is no such
 * task.
 */
async function replayRecord(
  client: Client,
  task_id: string,
  { tasks, rooms, log }: ConnectionParts,
  answer: (answer: JoinAnswer) => void,
): Promise<boolean> {
  if (!client.connected) return true;
  const found = await tasks.get(task_id, { offset: 0, limit: 1 }).catch((error: unknown) => {
    if (analysisErrors.TASK_UNKNOWN.is(error)) return null;
    log.warn('the task cannot be looked up', { task_id, error });
    return undefined;
  });
  // It may have begun to run meanwhile: then this client is in the room and gets its events.
  const begun = rooms.replay(task_id) !== undefined;
  if (found === null && !begun) {
    answer({ joined: false, error: `There is no task with the id ${quoted(task_id)}` });
    return false;
  }
  answer({ joined: true });
  const event = found && !begun ? recordOf(stageKinds, found) : undefined;
  if (event && client.rooms.has(roomOf(task_id))) client.emit('progress', event);
  return true;
}

/** Reads records one after the other, so that a client that joins many tasks at once does not occupy the disk. */
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

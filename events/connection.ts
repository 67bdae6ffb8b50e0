// One connected client: which rooms it is in, and what it hears when it joins. What it sends is not trusted: neither
// the argument nor that an acknowledgement can be given.
import type { Socket } from 'socket.io';
import { analysisErrors, type Tasks } from '../actors/analysis/contract.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import type { Log } from '../runtime/log.ts';
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

/** Whatever a client sent, and whether it is followed by a function is up to the client too. */
export type Incoming = { [K in keyof ClientEvents]: (...sent: readonly unknown[]) => void };
type Client = Socket<Incoming, ServerEvents>;

export interface ListenerParts {
  readonly tasks: Pick<Tasks, 'get'>;
  readonly rooms: Pick<Rooms, 'replay'>;
  readonly log: Log;
}

/** Of one client. As many tasks may wait to be looked up. */
const MOST_ROOMS = 1000;

/** So that no task's id is ever the name of the room that every client has of its own. */
export function roomOf(task_id: string): string {
  return `task:${task_id}`;
}

export function listen(client: Client, { tasks, rooms, log }: ListenerParts): void {
  const lookUp = lookUps();
  client.on('join', (...sent) => {
    const answer = answerOf<JoinAnswer>(sent);
    const task_id = taskIdOf(sent[0]);
    if (task_id === undefined) {
      return answer({ joined: false, error: `task_id must be a text of 1 to ${LONGEST_ID} characters` });
    }
    const room = roomOf(task_id);
    // One room of them is its own.
    if (!client.rooms.has(room) && client.rooms.size > MOST_ROOMS) {
      return answer({ joined: false, error: `At most ${MOST_ROOMS} tasks can be joined` });
    }
    const told = rooms.replay(task_id);
    if (!told && lookUp.waiting >= MOST_ROOMS)
      return answer({ joined: false, error: 'Too many joins at once' });
    client.join(room);
    answer({ joined: true });
    for (const event of told ?? []) client.emit('progress', event);
    if (!told) lookUp.add(() => replayRecord(client, task_id, { tasks, rooms, log }));
  });
  client.on('leave', (...sent) => {
    const answer = answerOf<LeaveAnswer>(sent);
    const task_id = taskIdOf(sent[0]);
    const left = task_id !== undefined && client.rooms.has(roomOf(task_id));
    if (left) client.leave(roomOf(task_id));
    answer({ left });
  });
}

/** A task that this process has not run: its end is told from its record. Nothing is told of an id that is unknown. */
async function replayRecord(client: Client, task_id: string, { tasks, rooms, log }: ListenerParts) {
  if (!client.connected) return;
  try {
    const event = recordOf(stageKinds, await tasks.get(task_id, { offset: 0, limit: 1 }));
    // It may have begun to run meanwhile: then this client has heard, being in the room.
    if (event && client.rooms.has(roomOf(task_id)) && !rooms.replay(task_id)) client.emit('progress', event);
  } catch (error) {
    if (!analysisErrors.TASK_UNKNOWN.is(error)) log.warn('a task cannot be looked up', { task_id, error });
  }
}

/** One after the other, so that a client who joins many tasks at once does not keep the disk from others. */
function lookUps() {
  let before = Promise.resolve();
  let waiting = 0;
  return {
    get waiting() {
      return waiting;
    },
    /** `work` does not reject. */
    add: (work: () => Promise<void>) => {
      waiting++;
      before = before.then(work).then(() => {
        waiting--;
      });
    },
  };
}

function answerOf<A>(sent: readonly unknown[]): (answer: A) => void {
  const last = sent.at(-1);
  return typeof last === 'function' ? (answer) => void last(answer) : () => {};
}

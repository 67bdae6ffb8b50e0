// An engine that runs in this process for one command, asked as a service is.
import type { Engine } from '../actors/engine.ts';
import type { ProgressEvent } from '../events/protocol.ts';
import { createRooms } from '../events/rooms.ts';
import type { Client } from '../http/client/client.ts';
import { untilDone } from '../http/client/inbox.ts';
import { directClient } from '../http/direct-client.ts';
import type { Clock } from '../runtime/clock.ts';

/** The caller stops the engine. */
export function ownClient(engine: Engine, clock: Clock): Client {
  const hearing = new Set<(event: ProgressEvent) => void>();
  const emit = (event: ProgressEvent) => {
    for (const hear of hearing) hear(event);
  };
  const rooms = createRooms({ clock, emit });
  engine.tasks.subscribe(rooms.publish);
  const follow: Client['follow'] = (task_id, { signal } = {}) =>
    untilDone(signal, ({ put }) => {
      const hear = (event: ProgressEvent) => {
        if (event.task_id === task_id) put(event);
      };
      hearing.add(hear);
      for (const event of rooms.replay(task_id) ?? []) put(event);
      return () => hearing.delete(hear);
    });
  return directClient(engine, follow);
}

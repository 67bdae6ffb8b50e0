// The events of one task as an iterator, over Socket.IO. After a lost connection the client reconnects and
// joins the room again; the server then sends the last state, or the end of a task that has ended meanwhile.
import { io, type Socket } from 'socket.io-client';
import type { ClientEvents, ProgressEvent, ServerEvents } from '../../events/protocol.ts';
import { clientErrors } from './error.ts';
import { type Inbox, untilDone } from './inbox.ts';

type Connection = Socket<ServerEvents, ClientEvents>;

/**
 * Ends after an event that says `done`. Throws NO_SERVICE when the first connection fails, and what `signal`
 * says.
 */
export function follow(
  url: string,
  task_id: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ProgressEvent, void, void> {
  return untilDone(signal, (inbox) => {
    const socket: Connection = io(url, { forceNew: true, reconnectionDelayMax: 2000 });
    listen(socket, url, task_id, inbox);
    return () => socket.disconnect();
  });
}

function listen(socket: Connection, url: string, task_id: string, inbox: Inbox): void {
  let connected = false;
  socket.on('connect', () => {
    connected = true;
    socket.emit('join', task_id, (answer) => {
      if (!answer.joined) inbox.fail(clientErrors.NOT_FOLLOWED(`${task_id}: ${answer.error}`, { task_id }));
    });
  });
  socket.on('connect_error', (error) => {
    // After a first connection the service may come back: a restart of the engine takes seconds.
    if (!connected)
      inbox.fail(clientErrors.NO_SERVICE(`no events at ${url} (${error.message})`, { url }, error));
  });
  socket.on('disconnect', (reason) => {
    // The package does not reconnect by itself when the server has closed the connection.
    if (reason === 'io server disconnect') socket.connect();
  });
  socket.on('progress', (event) => {
    if (event.task_id === task_id) inbox.put(event);
  });
}

// One side of bench/fanout.ts in a process of its own: the event server fed by tasks, or bare Socket.IO on
// uWebSockets. Sends its port to its parent, emits on request, and ends when the parent disconnects.
import { setImmediate } from 'node:timers/promises';
import { Server } from 'socket.io';
import type { TaskEvent } from '../actors/analysis/contract.ts';
import { progressOf } from '../actors/analysis/progress.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import { advance, newRun, stateOf } from '../events/payload.ts';
import { createEventServer } from '../events/server.ts';
import { native } from '../http/uws-native.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLog } from '../runtime/log.ts';
import { fakeTasks } from '../test/events/fake-tasks.ts';

const TASK = '018f3c1e-5b7a-7d2c-9a51-3f0c7e2b9d44';
const app = native.App();

function happening(step: number): TaskEvent & { type: 'task' } {
  const counts = {
    types: ['video'],
    files: 40,
    files_done: 12,
    surveyed: true,
    percentage: 12.5,
    elapsed_seconds: 31.25,
  };
  const amounts = { video: { done: 1200 + step, all: 90_000 } };
  return { type: 'task', task: progressOf(stageKinds, { ...counts, amounts }) };
}

/** The whole way from an event of a task to the sockets, without throttling. */
function ours(): (step: number) => void {
  const tasks = fakeTasks();
  const server = createEventServer({
    searches: { has: () => false, subscribe: () => () => {} },
    tasks,
    clock: systemClock,
    log: createLog('bench', () => {}),
    isAllowedHost: () => true,
    origins: [],
    everyMs: 0,
  });
  server.attach(app);
  return (step) => tasks.emit(TASK, happening(step));
}

/** The same payload in the same room, with Socket.IO alone. */
function bare(): (step: number) => void {
  const io = new Server({ serveClient: false });
  io.attachApp(app, { maxBackpressure: 8 * 1024 * 1024 } as object);
  io.on('connection', (socket) => {
    socket.on('join', (id: string, answer: (answer: object) => void) => {
      socket.join(id);
      answer({ joined: true });
    });
  });
  const event = stateOf(advance(newRun(stageKinds, TASK, 40), happening(0)), 'video');
  return (step) => void io.to(TASK).emit('progress', { ...event, frames: 1200 + step });
}

const emit = process.argv[2] === 'ours' ? ours() : bare();
app.any('/*', (res) => void res.end());
app.listen('127.0.0.1', 0, 0, (socket) => {
  process.send?.({ port: socket ? native.us_socket_local_port(socket) : 0, task: TASK });
});
process.on('message', async ({ emits }: { emits: number }) => {
  for (let step = 0; step < emits; step++) {
    emit(step);
    // Each event becomes a packet of its own, as it does when there is time between them.
    await setImmediate();
  }
});
process.on('disconnect', () => process.exit());

// First module of every actor's thread: loads the actor's definition and serves it on the thread's port.
import { constants, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import type { ActorDefinition } from './actor.ts';
import { collectWhenIdle } from './heap.ts';
import { serve } from './host.ts';
import type { ThreadData } from './thread.ts';
import type { FromActor, ToActor } from './wire.ts';

const { module, port, isBackground, ...start } = workerData as ThreadData;
// Threads that models and decoders start inherit the priority. On other systems this would change that of the
// whole process.
if (isBackground && process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
const { definition } = (await import(module)) as { definition: ActorDefinition };

const active = collectWhenIdle();

await serve(
  definition,
  {
    post: (message: FromActor, transfer = []) => {
      active();
      port.postMessage(message, transfer);
    },
    listen: (receive) =>
      port.on('message', (message: ToActor) => {
        active();
        receive(message);
      }),
    // Without a listener the port keeps the thread alive no longer, and it ends by itself.
    close: () => port.close(),
  },
  start,
);

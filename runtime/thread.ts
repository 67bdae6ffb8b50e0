// Runs an actor in a worker thread of its own.
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { ChildSpec } from './child.ts';
import type { Contract } from './contract.ts';
import type { Log } from './log.ts';
import { moduleUrl } from './process/program.ts';
import type { SlotMemory } from './slots.ts';
import {
  createControl,
  createLink,
  type FromActor,
  type HostStart,
  type Link,
  type ToActor,
} from './wire.ts';

export interface ThreadOptions {
  readonly name: string;
  /** URL of the module that exports `definition`. */
  readonly module: URL;
  /** At once, as its contract says. */
  readonly calls: number;
  /** Plain data for the actor. */
  readonly settings: unknown;
  readonly memory?: SlotMemory | undefined;
  /** True if other threads of the engine go first where processors are short (Linux only). */
  readonly isBackground?: boolean;
  readonly log: Log;
}

export interface ThreadData extends HostStart {
  readonly module: string;
  readonly port: MessagePort;
  readonly isBackground: boolean;
}

/**
 * An actor in a thread of its own, as a supervisor takes it: `actors/<role>/actor` beside the module `root`
 * is its module.
 */
export function threadSpec<C extends Contract>(
  contract: C,
  root: string,
  options: Omit<ThreadOptions, 'module' | 'calls'>,
): ChildSpec<C> {
  const module = moduleUrl(`./actors/${contract.name}/actor`, root);
  const { calls } = contract;
  return { name: options.name, contract, start: () => startThread({ ...options, module, calls }) };
}

/**
 * The thread is never terminated: `worker.terminate()` while native code runs aborts the whole process. It is
 * asked to stop and ends by itself.
 */
export function startThread(options: ThreadOptions): Link {
  const control = createControl(options.calls);
  const { name, memory, settings, module, isBackground = false } = options;
  const logLevel = options.log.level;
  // A port of our own, because the one of a worker cannot be asked for what has arrived.
  const { port1: port, port2 } = new MessageChannel();
  const workerData: ThreadData = {
    ...{ name, control, memory, settings, logLevel },
    module: module.href,
    port: port2,
    isBackground,
  };
  const transferList = [port2];
  const worker = new Worker(moduleUrl('./entry', import.meta.url), { name, workerData, transferList });
  const maker = createLink(
    {
      post: (message: ToActor, transfer = []) => port.postMessage(message, transfer),
      listen: (receive) => port.on('message', (message: FromActor) => receive(message)),
      take: () => receiveMessageOnPort(port)?.message as FromActor | undefined,
      close: () => {},
    },
    control,
    options.log,
  );
  let failure = '';
  worker.on('error', (error) => {
    failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
  });
  worker.on('exit', (code) => {
    maker.link.poll();
    port.close();
    maker.ended(failure || `thread ended with code ${code}`);
  });
  return maker.link;
}

// A link is one running actor as its supervisor sees it: a way to send messages to it, a word of shared
// memory that asks it to stop, and notice of its end. There is one for threads, and one in memory for tests.
import { fromFields } from './errors.ts';
import type { Log } from './log.ts';
import { type Endpoint, type FromActor, STOP_WORD, type ToActor } from './wire.ts';

export interface Link {
  readonly endpoint: Pick<Endpoint<FromActor, ToActor>, 'post'>;
  readonly control: Int32Array;
  /** Resolves when the actor can take messages; rejects with what kept it from starting. */
  readonly ready: Promise<void>;
  /** Resolves when its thread has ended. `clean` is false for a crash. */
  readonly exited: Promise<{ readonly clean: boolean; readonly reason: string }>;
  onMessage(listener: (message: FromActor) => void): void;
  onExit(listener: () => void): void;
  /** Asks the actor to stop: the running turns see it at once, even inside native code. Never terminates. */
  stop(): void;
}

export interface LinkMaker {
  readonly link: Link;
  /** To be called once, when the thread is gone. */
  ended(reason: string): void;
}

/** `control`: see `createControl`. */
export function createLink(
  endpoint: Endpoint<FromActor, ToActor>,
  control: SharedArrayBuffer,
  log: Log,
): LinkMaker {
  const words = new Int32Array(control);
  const started = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<{ clean: boolean; reason: string }>();
  let receive: (message: FromActor) => void = () => {};
  let notifyExit: () => void = () => {};
  let clean = false;
  // A failed start is reported by whoever awaits `ready`; nobody has to.
  started.promise.catch(() => {});

  endpoint.listen((message) => {
    if (message.type === 'ready') started.resolve();
    else if (message.type === 'failed') started.reject(fromFields(message.error));
    else if (message.type === 'log')
      log.named(message.line.name)[message.line.level](message.line.message, message.line.fields);
    else if (message.type === 'closed') clean = true;
    else receive(message);
  });
  return {
    link: {
      endpoint,
      control: words,
      ready: started.promise,
      exited: exited.promise,
      onMessage: (listener) => {
        receive = listener;
      },
      onExit: (listener) => {
        notifyExit = listener;
      },
      stop: () => {
        Atomics.store(words, STOP_WORD, 1);
        endpoint.post({ type: 'stop' });
      },
    },
    ended: (reason) => {
      started.reject(new Error(reason));
      exited.resolve({ clean, reason });
      notifyExit();
    },
  };
}

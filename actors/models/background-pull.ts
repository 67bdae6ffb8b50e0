// Downloads models in a process that goes on when the command that began it has ended.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { moduleUrl } from '../../runtime/process/program.ts';
import type { PullProgress } from './contract.ts';

/** Of the first model that did not come. */
export interface PullFailure {
  readonly code: string;
  readonly message: string;
}

export interface BackgroundPull {
  /** Null when every model is there, else what went wrong. Pending for ever once it is left. */
  readonly ended: Promise<PullFailure | null>;
  /** It goes on alone. */
  leave(): void;
  /** Ends it. */
  stop(): void;
}

/** What the process tells. */
export type PullMessage = { readonly progress: PullProgress } | { readonly failure: PullFailure | null };

export interface PullOrder {
  readonly modelsDir: string;
  /** Where relative addresses start from. */
  readonly server: string;
  readonly keys: readonly string[];
}

export function pullInBackground(
  order: PullOrder,
  progress: (progress: PullProgress) => void,
): BackgroundPull {
  const program = fileURLToPath(moduleUrl('./pull-process', import.meta.url));
  const child = fork(program, [JSON.stringify(order)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    windowsHide: true,
  });
  const ended = Promise.withResolvers<PullFailure | null>();
  child.on('message', (message: PullMessage) => {
    if ('progress' in message) progress(message.progress);
    else ended.resolve(message.failure);
  });
  const failed = (message: string) => ended.resolve({ code: '', message });
  child.on('error', ({ message }) => failed(message));
  child.on('exit', (code, signal) => failed(`the download ended with ${signal ?? code}`));
  const leave = () => {
    child.removeAllListeners();
    child.on('error', () => {});
    if (child.connected) child.disconnect();
    child.unref();
  };
  return {
    ended: ended.promise,
    leave,
    stop: () => {
      leave();
      child.kill();
    },
  };
}

// Downloads models in a process that goes on when the command that began it has ended.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { moduleUrl } from '../../runtime/process/program.ts';
import type { PullFailure, PullStand } from './contract.ts';
import type { DeviceChoice } from './device.ts';

export interface BackgroundPull {
  /** The models that did not come; pending for ever once it is left. */
  readonly ended: Promise<readonly PullFailure[]>;
  /** It goes on alone. */
  leave(): void;
  stop(): void;
}

export type PullMessage = { readonly stand: PullStand } | { readonly failures: readonly PullFailure[] };

export interface PullOrder {
  readonly modelsDir: string;
  /** Where relative addresses start from. */
  readonly server: string;
  readonly keys: readonly string[];
  /** Where the models are tested; left out for nowhere. */
  readonly device?: DeviceChoice;
}

export function pullInBackground(order: PullOrder, progress: (stand: PullStand) => void): BackgroundPull {
  const program = fileURLToPath(moduleUrl('./pull-process', import.meta.url));
  const child = fork(program, [JSON.stringify(order)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    windowsHide: true,
    // npm takes a proxy from the environment by itself; this makes Node do the same.
    env: { ...process.env, NODE_USE_ENV_PROXY: process.env['NODE_USE_ENV_PROXY'] ?? '1' },
  });
  const ended = Promise.withResolvers<readonly PullFailure[]>();
  child.on('message', (message: PullMessage) => {
    if ('stand' in message) progress(message.stand);
    else ended.resolve(message.failures);
  });
  const failed = (message: string) =>
    ended.resolve(order.keys.map((key) => ({ key, code: 'DOWNLOAD_FAILED', message })));
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

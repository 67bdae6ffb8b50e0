// Processes that a bench starts and talks to.
import { type ChildProcess, fork } from 'node:child_process';

/** `file`: beside this one. */
export function startChild(file: string, ...given: string[]): ChildProcess {
  return fork(new URL(file, import.meta.url), given);
}

/** The next message. Rejects when the process ends instead, so that nobody waits for ever. */
export async function messageOf<T>(child: ChildProcess): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const ended = (code: number | null) => reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}`));
  child.once('message', resolve).once('exit', ended);
  try {
    return await promise;
  } finally {
    child.off('message', resolve).off('exit', ended);
  }
}

/** Sends a message; answers the one that follows. */
export function ask<T>(child: ChildProcess, message: object): Promise<T> {
  const answer = messageOf<T>(child);
  child.send(message);
  return answer;
}

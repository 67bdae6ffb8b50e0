// Whether a watched folder can be reached: asked without stopping the thread, and not for ever, because a
// share whose server is gone may never answer.
import type { BigIntStats } from 'node:fs';
import type { Clock } from '../../runtime/clock.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { reasonOf } from '../../runtime/files/error-code.ts';
import { watcherErrors } from './contract.ts';
import type { Disk } from './disk.ts';

interface Asked {
  readonly answer: Promise<BigIntStats>;
  /** Nobody waits for it any more. */
  isLate: boolean;
}

export class Reach {
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #limitMs: number;
  /** One for each folder, however many ask: each that hangs keeps a thread of the process. */
  readonly #asked = new Map<string, Asked>();

  constructor(disk: Disk, clock: Clock, limitMs: number) {
    this.#disk = disk;
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Throws FOLDER_AWAY, at once while an earlier question hangs, and CANCELLED. */
  async of(folder: string, signal: AbortSignal): Promise<BigIntStats> {
    if (signal.aborted) throw engineErrors.CANCELLED();
    const request = this.#asked.get(folder) ?? this.#ask(folder);
    if (request.isLate) throw folderAway(folder, 'it does not answer');
    const given = Promise.withResolvers<never>();
    const cancelTimer = this.#clock.after(this.#limitMs, () => {
      request.isLate = true;
      given.reject(folderAway(folder, `it does not answer within ${this.#limitMs} ms`));
    });
    const cancel = () => given.reject(engineErrors.CANCELLED());
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answer = request.answer.catch((error) => {
        throw folderAway(folder, error);
      });
      const stat = await Promise.race([answer, given.promise]);
      if (stat.isDirectory()) return stat;
      throw folderAway(folder, 'it is not a folder');
    } finally {
      cancelTimer();
      signal.removeEventListener('abort', cancel);
    }
  }

  #ask(folder: string): Asked {
    const answer = this.#disk.reach(folder).finally(() => this.#asked.delete(folder));
    // Nobody may be waiting for it.
    answer.catch(() => {});
    const request = { answer, isLate: false };
    this.#asked.set(folder, request);
    return request;
  }
}

export function folderAway(folder: string, reason: unknown) {
  return watcherErrors.FOLDER_AWAY(`${folder}: ${reasonOf(reason)}`, { folder }, reason);
}

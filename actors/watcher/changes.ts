// In which watched folders something changed. A folder that is away is tried again, and one that cannot be
// listened to is left to the polls: nothing of it ends the feed.
import { realpath } from 'node:fs/promises';
import type { Turn } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import { codeOf } from '../../runtime/files/error-code.ts';
import type { Log } from '../../runtime/log.ts';
import { Condition } from '../../runtime/sync/condition.ts';
import { type Conflation, conflate } from '../../runtime/sync/conflate.ts';
import type { Reach } from './reach.ts';
import { identityOf } from './walk.ts';

/** Listens until it is closed. `failed`: something of it cannot be listened to. */
export type Listen = (
  folder: string,
  heard: { tell(): void; failed(error: unknown): void },
) => { close(): Promise<void> };

export interface ChangeTiming {
  /** Between two looks whether a folder is there. */
  readonly againMs: number;
  /** A folder that changes all the time is told so often. */
  readonly atMostEveryMs: number;
}

export interface ChangeParts extends ChangeTiming {
  readonly clock: Clock;
  readonly reach: Reach;
  readonly log: Log;
  readonly listen: Listen;
}

interface ListenedFolder {
  readonly id: string;
  readonly folder_path: string;
}

/** How long the end waits for what hangs on a share that is gone. */
const closeMs = 1000;

/** Ids; until the turn ends. */
export async function* changesOf(
  folders: readonly ListenedFolder[],
  turn: Pick<Turn, 'signal' | 'alive' | 'throwIfCancelled'>,
  parts: ChangeParts,
): AsyncGenerator<{ id: string }> {
  const changed = new Set<string>();
  const condition = new Condition();
  const conflation = conflate<string, string>(parts.clock, parts.atMostEveryMs, (id) => {
    changed.add(id);
    condition.notifyAll();
  });
  const ended = new AbortController();
  const end = () => ended.abort();
  turn.signal.addEventListener('abort', end, { once: true });
  const ears = folders.map((folder) => new Ear(folder, conflation, parts));
  const listening = ears.map((ear) => ear.run(ended.signal, () => turn.alive()));
  try {
    for (;;) {
      turn.throwIfCancelled();
      const [id] = changed;
      if (id === undefined) {
        await condition.wait(turn.signal);
        continue;
      }
      changed.delete(id);
      yield { id };
    }
  } finally {
    ended.abort();
    turn.signal.removeEventListener('abort', end);
    await Promise.all(listening);
    // Its timer.
    conflation.flush();
  }
}

/** Listens to one folder whenever it is there. */
class Ear {
  readonly #folder: ListenedFolder;
  readonly #conflation: Conflation<string, string>;
  readonly #parts: ChangeParts;
  #listening: { identity: string; close(): Promise<void> } | null = null;
  /** Codes of errors that were logged. */
  readonly #logged = new Set<string>();

  constructor(folder: ListenedFolder, conflation: Conflation<string, string>, parts: ChangeParts) {
    this.#folder = folder;
    this.#conflation = conflation;
    this.#parts = parts;
  }

  /** Until the signal aborts. Never rejects. `alive`: called with every look. */
  async run(signal: AbortSignal, alive: () => void): Promise<void> {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      alive();
      await this.#look(signal, isFirst);
      await pause(this.#parts.clock, this.#parts.againMs, signal);
    }
    await this.#close();
  }

  /** Begins to listen to a folder that is there, and ends it for one that is away or was replaced. */
  async #look(signal: AbortSignal, isFirst: boolean): Promise<void> {
    const identity = await this.#identity(signal);
    if (signal.aborted || identity === (this.#listening?.identity ?? null)) return;
    await this.#close();
    if (identity !== null) await this.#begin(identity, signal);
    if (!isFirst) this.#tell();
  }

  /** Null for a folder that is away. */
  async #identity(signal: AbortSignal): Promise<string | null> {
    try {
      return identityOf(await this.#parts.reach.of(this.#folder.folder_path, signal));
    } catch {
      // Polls tell why.
      return null;
    }
  }

  async #begin(identity: string, signal: AbortSignal): Promise<void> {
    try {
      // Links are not followed, and the folder itself may be one.
      const folder = await realpath(this.#folder.folder_path);
      if (signal.aborted) return;
      const heard = { tell: () => this.#tell(), failed: (error: unknown) => this.#failed(error) };
      const { close } = this.#parts.listen(folder, heard);
      this.#listening = { identity, close };
    } catch (error) {
      this.#failed(error);
    }
  }

  #tell(): void {
    this.#conflation.put(this.#folder.id, this.#folder.id);
  }

  #failed(error: unknown): void {
    const code = codeOf(error);
    if (this.#logged.has(code)) return;
    this.#logged.add(code);
    const folder = this.#folder.folder_path;
    this.#parts.log.warn('changes of a watched folder are found by polls only', { folder, error });
  }

  async #close(): Promise<void> {
    const listening = this.#listening;
    this.#listening = null;
    if (!listening) return;
    const closed = new AbortController();
    const close = listening.close().catch((error: unknown) => this.#failed(error));
    void close.finally(() => closed.abort());
    // What hangs on a share that is gone ends by itself, or never.
    await pause(this.#parts.clock, closeMs, closed.signal);
  }
}

/** Also ends when the signal aborts. */
function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    cancel();
    signal.removeEventListener('abort', end);
    resolve();
  };
  const cancel = clock.after(ms, end);
  signal.addEventListener('abort', end, { once: true });
  return promise;
}

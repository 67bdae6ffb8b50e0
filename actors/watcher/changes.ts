// In which watched folders something changed. It only shortens the wait for the next poll, so what the system
// does not tell is no loss: links are not followed, and no file is listened to by itself.
import { realpath } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { watch } from 'chokidar';
import type { Turn } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import { codeOf } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import { Condition } from '../../runtime/sync/locks.ts';
import { conflate } from '../../runtime/sync/queue.ts';
import { isMediaName } from '../decoder/media-names.ts';
import { isWatchedFile, isWatchedFolder } from './exclusions.ts';

export interface Listener {
  change(): void;
  /** Something cannot be listened to. */
  fault(error: unknown): void;
}

/** Listens until it is closed. */
export type Listen = (folder: string, listener: Listener) => { close(): Promise<void> };

export interface ChangeParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly listen: Listen;
  /** A folder that changes all the time is told so often. */
  readonly everyMs: number;
}

/** Between two signs of life. */
const ALIVE_MS = 30_000;

export const listen: Listen = (folder, { change, fault }) => {
  const root = resolve(folder);
  const watcher = watch(folder, {
    ignoreInitial: true,
    followSymlinks: false,
    atomic: false,
    ignored: (path, stats) => {
      const name = basename(path);
      const isLeftOut = isMediaName(name) || !isWatchedFolder(name) || stats?.isFile() === true;
      return isLeftOut && resolve(path) !== root;
    },
  });
  watcher.on('error', (error) => fault(error));
  watcher.on('addDir', change);
  watcher.on('unlinkDir', change);
  // Files are told here only: null where the system does not say which.
  watcher.on('raw', (_, path: string | null) => {
    if (path === null || isWatchedFile(basename(path))) change();
  });
  return { close: () => watcher.close() };
};

/** Ids, until the turn ends. */
export async function* changesOf(
  folders: readonly { readonly id: string; readonly folder_path: string }[],
  turn: Pick<Turn, 'signal' | 'throwIfCancelled'>,
  { clock, log, listen, everyMs }: ChangeParts,
): AsyncGenerator<{ id: string }> {
  const changed = new Set<string>();
  const condition = new Condition();
  const conflation = conflate<string, string>(clock, everyMs, (id) => {
    changed.add(id);
    condition.notifyAll();
  });
  const codes = new Set<string>();
  const fault = (folder: string, error: unknown) => {
    if (codes.has(codeOf(error))) return;
    codes.add(codeOf(error));
    log.warn('changes of a watched folder are found by polls only', { folder, error });
  };
  const listening = folders.map(async ({ id, folder_path: folder }) => {
    try {
      const listener = {
        change: () => conflation.put(id, id),
        fault: (error: unknown) => fault(folder, error),
      };
      // Links are not followed, and the folder itself may be one.
      const path = await realpath(folder);
      return turn.signal.aborted ? null : listen(path, listener);
    } catch (error) {
      fault(folder, error);
      return null;
    }
  });
  try {
    for (;;) {
      turn.throwIfCancelled();
      const [id] = changed;
      if (id === undefined) {
        const cancel = clock.after(ALIVE_MS, () => condition.notifyAll());
        await condition.wait(turn.signal);
        cancel();
      } else {
        changed.delete(id);
        yield { id };
      }
    }
  } finally {
    conflation.flush();
    // Nobody waits for what hangs on a share that is gone.
    for (const one of listening) void one.then((open) => open?.close()).catch(() => {});
  }
}

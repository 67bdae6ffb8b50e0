// The watch folders of an engine, by its settings and the clock of the system.
import { randomUUID } from 'node:crypto';
import { folders, type SettingValues } from '../../../settings.ts';
import type { WatchFolders } from './contract.ts';
import { createWatchFolders, type WatchFolderParts } from './service.ts';

/**
 * Films of one task for each decoder, so that none of them runs dry, and at most: other folders, and tasks
 * that wait for their turn, wait for the whole task. Small files share a task in larger numbers, because a
 * task of its own costs more than a still.
 */
const FILMS_EACH = 4;
const MOST_FILMS = 64;
const MOST_FILES = 200;
const MOST_BYTES = 2 ** 30;

/** `decoders`: 0 for an engine that only searches; it watches nothing. */
export function openWatchFolders(
  values: SettingValues,
  decoders: number,
  parts: Omit<WatchFolderParts, 'homes' | 'batch' | 'interval' | 'resumes' | 'now' | 'newId'>,
): WatchFolders {
  const { home, cache } = folders(values);
  return createWatchFolders({
    ...parts,
    homes: { home, cache },
    batch: {
      few: Math.max(1, Math.min(MOST_FILMS, FILMS_EACH * decoders)),
      most: MOST_FILES,
      bytes: MOST_BYTES,
    },
    interval: values.watch_interval_seconds * 1000,
    resumes: values.watch_resume,
    now: () => Date.now() / 1000,
    newId: randomUUID,
  });
}

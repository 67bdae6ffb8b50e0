// The watch folders of an engine, by its settings and the clock of the system.
import { randomUUID } from 'node:crypto';
import { folders, type SettingValues } from '../../settings.ts';
import type { WatchFolders } from './contract.ts';
import { createWatchFolders, type WatchFolderParts } from './service.ts';

/** Files of one task for each decoder, so that none of them runs dry, and at most: a person's task waits for none of them. */
const FILES_EACH = 4;
const MOST_FILES = 64;

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
    batch: Math.max(1, Math.min(MOST_FILES, FILES_EACH * decoders)),
    interval: values.watch_interval_seconds * 1000,
    resumes: values.watch_resume,
    now: () => Date.now() / 1000,
    newId: randomUUID,
  });
}

// Listens to a folder and the folders below it, as the system tells of changes. It only shortens the wait for
// the next poll, so what it does not hear is no loss: links are not followed, and no file is listened to by
// itself.
import { basename, resolve } from 'node:path';
import { watch } from 'chokidar';
import { isMediaName } from '../decoder/media-names.ts';
import type { Listen } from './changes.ts';
import { isWatchedFile, isWatchedFolder } from './names.ts';

export const listen: Listen = (folder, { tell, failed }) => {
  const root = resolve(folder);
  const watcher = watch(folder, {
    ignoreInitial: true,
    followSymlinks: false,
    atomic: false,
    ignored: (path, stats) => {
      const name = basename(path);
      const isLeft = isMediaName(name) || !isWatchedFolder(name) || stats?.isFile() === true;
      return isLeft && resolve(path) !== root;
    },
  });
  watcher.on('error', (error) => failed(error));
  watcher.on('addDir', tell);
  watcher.on('unlinkDir', tell);
  // Files are told here only: null where the system does not say which.
  watcher.on('raw', (_, path: string | null) => {
    if (path === null || isWatchedFile(basename(path))) tell();
  });
  return { close: () => watcher.close() };
};

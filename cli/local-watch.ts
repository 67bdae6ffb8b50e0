// The watch folders of an engine in this process.
import type { Engine } from '../actors/engine.ts';
import type { WatchBackend } from './backend.ts';

export function localWatch(engine: Engine, signal: AbortSignal): WatchBackend {
  const folders = () => engine.watchFolders;
  return {
    list: () => folders().list(),
    add: (folder) => folders().add(folder, signal),
    change: (id, changes) => folders().change(id, changes, signal),
    remove: (id) => folders().remove(id),
    start: () => folders().start(),
    stop: () => folders().stop(),
  };
}

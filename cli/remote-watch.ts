// The watch folders of a running service, asked over its API.
import type { Client } from '../http/client/client.ts';
import type { WatchBackend } from './backend.ts';
import type { Explained } from './remote-people.ts';

export function remoteWatch(client: Client, explained: Explained, signal: AbortSignal): WatchBackend {
  // Asked once: that another process watches is told at once, not waited for.
  const call = { signal };
  return {
    list: explained(() => client.listWatchFolders({}, call)),
    add: explained(async (folder) => (await client.addWatchFolder(folder, call)).watch_folder),
    change: explained(async (id, changes) => {
      return (await client.changeWatchFolder({ ...changes, id }, call)).watch_folder;
    }),
    remove: explained(async (id) => void (await client.removeWatchFolder({ id }, call))),
    start: explained(async () => (await client.startWatching({}, call)).service_status),
    stop: explained(async () => (await client.stopWatching({}, call)).service_status),
  };
}

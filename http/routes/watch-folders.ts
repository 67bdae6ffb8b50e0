// Watch folders: what is watched and how, and the service that watches them.
import { Type } from 'typebox';
import { ignoredFilters } from '../../actors/search/notes/contract.ts';
import {
  NewWatchFolder,
  WatchFolder,
  WatchFolderChanges,
  WatchFolderList,
  type WatchFolders,
  WatchStatus,
  watchErrors,
} from '../../actors/watcher/folders/contract.ts';
import { AbsolutePath } from '../../runtime/paths.ts';
import { described, field, Message, shown } from '../../runtime/schema.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Watch folders';

const Id = Type.Object({
  id: described(Type.String({ minLength: 1, maxLength: 200 }), 'Id of the watch folder.'),
});
const Saved = Type.Object({
  message: Message,
  watch_folder: field('The watch folder as it is now stored.', WatchFolder),
});
const Told = Type.Object({
  message: Message,
  service_status: field('Status of the watch-folder service.', WatchStatus),
});

const refusals =
  'Returns 400 with the field in `message` if a folder does not exist or cannot be used for an ' +
  'analysis, if face analysis has no `cluster_job_name`, or if a filter, a glob or the language is not ' +
  'valid. Returns 409 if the folder is already being watched with the same analysis folder.';
const stored = 'The configuration is stored and remains in effect after a restart.';

export const listWatchFolders = route({
  method: 'GET',
  path: '/api/v1/watch-folders',
  id: 'listWatchFolders',
  tag,
  summary: 'List the watch folders and the status of the service',
  description: 'The list includes folders added from the command line with the same home folder.',
  answers: { 200: WatchFolderList },
  handle: async (_, { watchFolders }) => reply(200, await watchFolders.list()),
});

export const addWatchFolder = route({
  method: 'POST',
  path: '/api/v1/watch-folders',
  id: 'addWatchFolder',
  tag,
  summary: 'Add a watch folder',
  description:
    'Analyses media in the folder and its subfolders once they are complete, both existing and new ones. ' +
    'An enabled folder does not start the watch-folder service; a running service starts watching it. ' +
    'A file is complete if its size and time are the same in two listings a few seconds apart, it is not ' +
    'empty, and it opens. Hidden names, names that programs give to incomplete files (`.part`, ' +
    '`.crdownload`, `.tmp`), analysis folders and system folders are ignored. Content is analysed once, even ' +
    'if it is renamed, moved or copied. A file that fails is not tried again until it changes; a temporary ' +
    'reason, such as a full disk, is tried again later. Watched folders can be nested. ' +
    `${stored} ${refusals}`,
  body: NewWatchFolder,
  answers: { 200: Saved, 409: ErrorBody },
  handle: async ({ body, signal }, { watchFolders }) => {
    const watch_folder = await watchFolders.add(body, signal);
    return reply(200, { message: savedText('Watch folder added', watch_folder), watch_folder });
  },
});

export const changeWatchFolder = route({
  method: 'PUT',
  path: '/api/v1/watch-folders/{id}',
  id: 'changeWatchFolder',
  tag,
  summary: 'Change a watch folder',
  description:
    'Omitted fields stay unchanged. `null` clears `cache_dir` (which restores the default analysis ' +
    'folder), `cluster_job_name`, `channels` and `metadata_filter_request`; in other fields it is the ' +
    'same as omitting them. `folder_path` cannot be changed: any other path than the current one returns ' +
    '400. Files in progress are finished with the previous settings; then the folder is scanned again. ' +
    `${refusals}`,
  params: Id,
  body: Type.Object({
    ...WatchFolderChanges.properties,
    enabled: shown(WatchFolderChanges.properties.enabled, false),
    folder_path: Type.Optional(
      described(AbsolutePath, 'Absolute path of the folder. It must be the current one.'),
    ),
  }),
  answers: { 200: Saved, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ params, body, signal }, { watchFolders }) => {
    const { folder_path, ...changes } = body;
    if (folder_path !== undefined) await expectSamePath(watchFolders, params.id, folder_path);
    const watch_folder = await watchFolders.change(params.id, changes, signal);
    return reply(200, { message: savedText('Watch folder changed', watch_folder), watch_folder });
  },
});

function savedText(what: string, { metadata_filter_request }: WatchFolder): string {
  const ignored = ignoredFilters(metadata_filter_request?.filters);
  return ignored ? `${what}. ${ignored.text}` : what;
}

/** A folder that is not known is told by what follows. */
async function expectSamePath(watchFolders: WatchFolders, id: string, given: string): Promise<void> {
  const field = 'folder_path';
  const { watch_folders } = await watchFolders.list();
  const folder = watch_folders.find((candidate) => candidate.id === id);
  if (folder === undefined || folder.folder_path === given) return;
  const what = `${field} cannot be changed, it is ${folder.folder_path}: add a watch folder for ${given}`;
  throw watchErrors.INVALID_WATCH_FOLDER(what, { field });
}

export const removeWatchFolder = route({
  method: 'DELETE',
  path: '/api/v1/watch-folders/{id}',
  id: 'removeWatchFolder',
  tag,
  summary: 'Remove a watch folder',
  description:
    'Stops watching the folder. Its analysis is kept, and the footage is not changed. Files in progress ' +
    'are finished.',
  params: Id,
  answers: { 200: Told, 404: ErrorBody },
  handle: async ({ params }, { watchFolders }) => {
    await watchFolders.remove(params.id);
    const message = 'Watch folder removed; its analysis is kept';
    return reply(200, { message, service_status: await watchFolders.status() });
  },
});

export const startWatching = route({
  method: 'POST',
  path: '/api/v1/watch-folders/service/start',
  id: 'startWatching',
  tag,
  summary: 'Start the watch-folder service',
  description:
    'Watches the enabled folders with the stored configuration, now and after a restart, until the ' +
    'service is stopped. Nothing changes if it is already running. Returns 409 while another process ' +
    'with the same home folder is watching them.',
  answers: { 200: Told, 409: ErrorBody },
  handle: async (_, { watchFolders }) => {
    const service_status = await watchFolders.start();
    return reply(200, { message: 'The watch-folder service is running', service_status });
  },
});

export const stopWatching = route({
  method: 'POST',
  path: '/api/v1/watch-folders/service/stop',
  id: 'stopWatching',
  tag,
  summary: 'Stop the watch-folder service',
  description:
    'Returns immediately. The state is `stopping` until the files in progress are finished, and then ' +
    '`stopped`; poll GET /watch-folders/service/status. Nothing changes if the service is not running.',
  answers: { 200: Told, 409: ErrorBody },
  handle: async (_, { watchFolders }) => {
    const service_status = await watchFolders.stop();
    const message =
      service_status.state === 'stopped'
        ? 'The watch-folder service is stopped'
        : 'The watch-folder service will stop when the files in progress are finished';
    return reply(200, { message, service_status });
  },
});

export const watchStatus = route({
  method: 'GET',
  path: '/api/v1/watch-folders/service/status',
  id: 'watchStatus',
  tag,
  summary: 'Get the status of the watch-folder service',
  description:
    '`task_id` is the task that is analysing files of a watch folder. Its progress is available as ' +
    'events, like that of every task.',
  answers: { 200: WatchStatus },
  handle: async (_, { watchFolders }) => reply(200, await watchFolders.status()),
});

export const watchFolderRoutes: readonly Route[] = [
  listWatchFolders,
  addWatchFolder,
  changeWatchFolder,
  removeWatchFolder,
  startWatching,
  stopWatching,
  watchStatus,
];

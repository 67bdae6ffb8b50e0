// Watch folders: what is watched and how, and the service that watches them.
import { type Static, type TObject, Type } from 'typebox';
import {
  NewWatchFolder,
  WatchFolder,
  WatchFolderChanges,
  WatchFolderList,
  type WatchFolders,
  WatchStatus,
  watchErrors,
} from '../../actors/watch-folders/contract.ts';
import { described, shown } from '../../runtime/schema.ts';
import { AbsolutePath, absolute } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Watch folders';

const Id = Type.Object({
  id: described(Type.String({ minLength: 1, maxLength: 200 }), 'Id of the watch folder.'),
});
const Saved = Type.Object({ message: Type.String(), watch_folder: WatchFolder });
const Told = Type.Object({ message: Type.String(), service_status: WatchStatus });

/** Only what the schema declares: a body may hold anything else, such as the license key. */
function declared<S extends TObject>({ properties }: S, body: Static<S>): Static<S> {
  const fields = Object.entries(body as object).filter(([name]) => Object.hasOwn(properties, name));
  return Object.fromEntries(fields) as Static<S>;
}

/** The analysis folder in its plain form, where one is named. Throws PATH_NOT_ABSOLUTE. */
function plain<B extends { readonly cache_dir?: string | null }>(body: B): B {
  return typeof body.cache_dir === 'string'
    ? { ...body, cache_dir: absolute('cache_dir', body.cache_dir) }
    : body;
}

const refusals =
  '400 naming the field when a folder is not there or cannot hold an analysis, when face analysis has no ' +
  '`cluster_job_name`, and when a filter, a glob or the language does not fit. 409 when the folder is watched already ' +
  'with the same analysis folder.';
const stored = 'It is stored, and survives a restart.';

export const listWatchFolders = route({
  method: 'GET',
  path: '/api/v1/watch-folders',
  id: 'listWatchFolders',
  tag,
  summary: 'The watch folders, and how the service that watches them stands',
  description: 'Folders that were added from the command line with the same home folder are among them.',
  answers: { 200: WatchFolderList },
  handle: async (_, { watchFolders }) => reply(200, await watchFolders.list()),
});

export const addWatchFolder = route({
  method: 'POST',
  path: '/api/v1/watch-folders',
  id: 'addWatchFolder',
  tag,
  summary: 'Adds a watch folder',
  description:
    'Media in it, and in folders below it, are analysed when they are complete: those that are there, and those that come. ' +
    'An enabled folder does not start the watch-folder service; one that runs takes the folder up. ' +
    `${stored} ${refusals}`,
  body: NewWatchFolder,
  answers: { 200: Saved, 409: ErrorBody },
  handle: async ({ body, signal }, { watchFolders }) => {
    const folder_path = absolute('folder_path', body.folder_path);
    const folder = plain({ ...declared(NewWatchFolder, body), folder_path });
    const watch_folder = await watchFolders.add(folder, signal);
    return reply(200, { message: 'Watch folder added', watch_folder });
  },
});

export const changeWatchFolder = route({
  method: 'PUT',
  path: '/api/v1/watch-folders/{id}',
  id: 'changeWatchFolder',
  tag,
  summary: 'Changes a watch folder',
  description:
    'What is left out stays as it is. `null` clears `cache_dir`, which is the default analysis folder then, ' +
    '`cluster_job_name`, `channels` and `metadata_filter_request`; in other fields it is the same as leaving them out. ' +
    '`folder_path` cannot be changed: 400 unless it is the path the folder has. Files that are worked on are finished as ' +
    `before; then the folder is gone through again. ${refusals}`,
  params: Id,
  body: Type.Object({
    ...WatchFolderChanges.properties,
    enabled: shown(WatchFolderChanges.properties.enabled, false),
    folder_path: Type.Optional(described(AbsolutePath, 'Absolute path; the one the folder has.')),
  }),
  answers: { 200: Saved, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ params, body, signal }, { watchFolders }) => {
    if (body.folder_path !== undefined) await expectSamePath(watchFolders, params.id, body.folder_path);
    const changes = plain(declared(WatchFolderChanges, body));
    const watch_folder = await watchFolders.change(params.id, changes, signal);
    return reply(200, { message: 'Watch folder changed', watch_folder });
  },
});

/** A folder that is not known is told by what follows. */
async function expectSamePath(watchFolders: WatchFolders, id: string, path: string): Promise<void> {
  const field = 'folder_path';
  const given = absolute(field, path);
  const { watch_folders } = await watchFolders.list();
  const known = watch_folders.find((one) => one.id === id);
  if (known === undefined || known.folder_path === given) return;
  const what = `${field} cannot be changed, it is ${known.folder_path}: add a watch folder for ${given}`;
  throw watchErrors.INVALID_WATCH_FOLDER(what, { field });
}

export const removeWatchFolder = route({
  method: 'DELETE',
  path: '/api/v1/watch-folders/{id}',
  id: 'removeWatchFolder',
  tag,
  summary: 'Removes a watch folder',
  description:
    'It is not watched any more. What was analysed stays, and nothing of the footage is touched. Files that are worked on ' +
    'are finished.',
  params: Id,
  answers: { 200: Told, 404: ErrorBody },
  handle: async ({ params }, { watchFolders }) => {
    await watchFolders.remove(params.id);
    const message = 'Watch folder removed; what was analysed stays';
    return reply(200, { message, service_status: await watchFolders.status() });
  },
});

export const startWatching = route({
  method: 'POST',
  path: '/api/v1/watch-folders/service/start',
  id: 'startWatching',
  tag,
  summary: 'Starts the watch-folder service',
  description:
    'Watches the folders that are enabled, with the configuration that is stored, now and after a restart, until it is ' +
    'stopped. Nothing changes when it runs already. 409 while another process with the same home folder watches them.',
  answers: { 200: Told, 409: ErrorBody },
  handle: async (_, { watchFolders }) => {
    const service_status = await watchFolders.start();
    return reply(200, { message: 'The watch-folder service runs', service_status });
  },
});

export const stopWatching = route({
  method: 'POST',
  path: '/api/v1/watch-folders/service/stop',
  id: 'stopWatching',
  tag,
  summary: 'Stops the watch-folder service',
  description:
    'Answers at once: `stopping` while files that are worked on are finished, `stopped` afterwards, which GET ' +
    '/watch-folders/service/status tells. Nothing changes when it does not run.',
  answers: { 200: Told, 409: ErrorBody },
  handle: async (_, { watchFolders }) => {
    const service_status = await watchFolders.stop();
    const message =
      service_status.state === 'stopped'
        ? 'The watch-folder service is stopped'
        : 'The watch-folder service stops when the files that are worked on are finished';
    return reply(200, { message, service_status });
  },
});

export const watchStatus = route({
  method: 'GET',
  path: '/api/v1/watch-folders/service/status',
  id: 'watchStatus',
  tag,
  summary: 'How the watch-folder service stands',
  description:
    'The task that works on files of a watch folder is told by `task_id`; its progress comes as the events of that room, as ' +
    'that of every task.',
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

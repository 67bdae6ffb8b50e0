// The library as a whole: what is analysed, what it takes on the disk, what is forgotten, and footage that
// moves.
import { Type } from 'typebox';
import { CacheDir } from '../../actors/index/store/contract.ts';
import {
  DiskAnswer,
  ForgetAnswer,
  ForgetRequest,
  LibraryPage,
  MoveAnswer,
  MoveRequest,
  PageRequest,
  PruneAnswer,
  PruneRequest,
} from '../../actors/library/contract.ts';
import { FolderPage, FolderRequest } from '../../actors/library/listing/contract.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Library';

const writing =
  'The footage itself is not changed. Returns 409 while a task is working on one of these files, in ' +
  'which case nothing is changed. Returns 503 with the process in `message` while another process is ' +
  'writing to the folder.';

export const listLibrary = route({
  method: 'POST',
  path: '/api/v1/library/list',
  id: 'listLibrary',
  tag,
  summary: 'List the media in an analysis folder, page by page',
  description:
    'Returns every file that the folder knows, sorted by path: which models analysed its pictures, ' +
    'whether it has a transcript, and since when. Files that were only inspected have neither. A copy ' +
    'has its own entry with the same `hash_str`. Returns 503 if the folder does not exist.',
  body: PageRequest,
  answers: { 200: LibraryPage },
  handle: async ({ body, signal }, { library }) => reply(200, await library.list(body, signal)),
});

export const listMedia = route({
  method: 'POST',
  path: '/api/v1/media/list',
  id: 'listMedia',
  tag,
  summary: 'List a folder on the disk with the analysis of its media',
  description:
    'Returns the folders, then the media in the folder, page by page and in natural order (`take 2` ' +
    'before `take 10`). Without `folder`, it returns the roots: the folders that contain known media, ' +
    'and the home folder of the user who runs the service. Files are not opened, but recognized by path, ' +
    'size and time. Hidden names and system folders are omitted. Returns 404 if the folder does not ' +
    'exist, and 400 if it cannot be listed. An analysis folder that does not exist yet counts as empty.',
  body: FolderRequest,
  answers: { 200: FolderPage, 404: ErrorBody },
  handle: async ({ body, signal }, { library }) => reply(200, await library.folder(body, signal)),
});

export const forgetMedia = route({
  method: 'POST',
  path: '/api/v1/library/forget',
  id: 'forgetMedia',
  tag,
  summary: 'Delete the analysis of media',
  description:
    'Deletes all stored data of their content: vectors, previews, transcripts, names of speakers, and ' +
    'every known path, including those of copies. Searches no longer find it. The disk space of ' +
    'vectors and previews is freed immediately, and that of faces with the next compaction. Returns 404 if none of the ' +
    `paths is known. ${writing}`,
  body: ForgetRequest,
  answers: { 200: ForgetAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { library }) => reply(200, await library.forget(body, signal)),
});

export const pruneLibrary = route({
  method: 'POST',
  path: '/api/v1/library/prune',
  id: 'pruneLibrary',
  tag,
  summary: 'Forget media whose files no longer exist',
  description:
    'A file counts as gone if it is missing although its volume is mounted. Files on volumes that are ' +
    'not mounted are kept, and `skipped` says why. If the same content exists at another known path, the ' +
    'analysis is kept and only the missing path is removed. Files that a task is working on are kept. ' +
    `${writing}`,
  body: PruneRequest,
  answers: { 200: PruneAnswer, 409: ErrorBody },
  handle: async ({ body, signal }, { library }) => reply(200, await library.prune(body, signal)),
});

export const libraryDisk = route({
  method: 'POST',
  path: '/api/v1/library/disk',
  id: 'libraryDisk',
  tag,
  summary: 'Get the disk usage of an analysis folder and the models',
  body: Type.Object({ cache_dir: CacheDir }),
  answers: { 200: DiskAnswer },
  handle: async ({ body, signal }, { library }) => reply(200, await library.disk(body.cache_dir, signal)),
});

export const moveMedia = route({
  method: 'POST',
  path: '/api/v1/library/move',
  id: 'moveMedia',
  tag,
  summary: 'Update the paths of moved footage',
  description:
    'Replaces the folder `from` by `to` in every known path. The files must already be at the new paths; ' +
    'returns 400 if none of them is. Paths whose files still exist at the old place are not changed. An ' +
    'interrupted move is completed by the same request. Returns 404 if nothing in `from` is known. ' +
    `${writing}`,
  body: MoveRequest,
  answers: { 200: MoveAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { library }) => reply(200, await library.move(body, signal)),
});

export const libraryRoutes: readonly Route[] = [
  listLibrary,
  listMedia,
  forgetMedia,
  pruneLibrary,
  libraryDisk,
  moveMedia,
];

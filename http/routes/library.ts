// The library as a whole: what is analysed, what it takes on the disk, what is forgotten, and footage that moves.
import { Type } from 'typebox';
import {
  DiskAnswer,
  ForgetAnswer,
  LibraryPage,
  MoveAnswer,
  PruneAnswer,
} from '../../actors/library/contract.ts';
import { FolderPage } from '../../actors/library/listing/contract.ts';
import { defaulted, described, shown } from '../../runtime/schema.ts';
import { AbsolutePath, absolute, allAbsolute, CacheDir } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Library';

const DryRun = defaulted(
  described(Type.Boolean(), 'Answers what would be done, and changes nothing.'),
  false,
);

const writing =
  'Nothing of the footage itself is touched. 409 while a task works on one of these files, and then nothing is changed; ' +
  '503 naming the process while another one writes the folder.';

export const listLibrary = route({
  method: 'POST',
  path: '/api/v1/library/list',
  id: 'listLibrary',
  tag,
  summary: 'What an analysis folder holds, a page at a time',
  description:
    'Every file the folder knows, in the order of paths: by which models its pictures are analysed, whether it has a ' +
    'transcript, and since when. A file that was only looked at has neither. A copy is an entry of its own with the same ' +
    '`hash_str`. 503 when the folder is not there.',
  body: Type.Object({
    cache_dir: CacheDir,
    under: Type.Optional(
      shown(
        described(AbsolutePath, 'Only what lies in this folder of footage, or the file at this path.'),
        '/media',
      ),
    ),
    offset: defaulted(described(Type.Integer({ minimum: 0 }), 'Media to leave out.'), 0),
    limit: defaulted(
      described(Type.Integer({ minimum: 0, maximum: 10_000 }), 'Media to answer, at most.'),
      1000,
    ),
  }),
  answers: { 200: LibraryPage },
  handle: async ({ body, signal }, { library }) => {
    const { offset, limit } = body;
    const cache_dir = absolute('cache_dir', body.cache_dir);
    const under = body.under === undefined ? null : absolute('under', body.under);
    return reply(200, await library.list({ cache_dir, under, offset, limit }, signal));
  },
});

export const listMedia = route({
  method: 'POST',
  path: '/api/v1/media/list',
  id: 'listMedia',
  tag,
  summary: 'A folder of the disk, with what is analysed of the media in it',
  description:
    'Its folders, then its media, a page at a time over both, in natural order: `take 2` before `take 10`. Without `folder` ' +
    'the roots: the folders in which known media lie, and the home folder of whoever runs the service. Nothing is read of the files: they are ' +
    'known by path, size and time. Hidden names, and folders of the system, are left out. 404 when the folder is not ' +
    'there, 400 when it cannot be listed. An analysis folder that does not exist yet knows nothing.',
  body: Type.Object({
    cache_dir: CacheDir,
    folder: Type.Optional(described(AbsolutePath, 'The folder to look into.')),
    offset: defaulted(described(Type.Integer({ minimum: 0 }), 'Folders and files to leave out.'), 0),
    limit: defaulted(
      described(Type.Integer({ minimum: 0, maximum: 10_000 }), 'Folders and files to answer, at most.'),
      1000,
    ),
  }),
  answers: { 200: FolderPage, 404: ErrorBody },
  handle: async ({ body, signal }, { library }) => {
    const { offset, limit } = body;
    const cache_dir = absolute('cache_dir', body.cache_dir);
    const folder = body.folder === undefined ? null : absolute('folder', body.folder);
    return reply(200, await library.folder({ cache_dir, folder, offset, limit }, signal));
  },
});

export const forgetMedia = route({
  method: 'POST',
  path: '/api/v1/library/forget',
  id: 'forgetMedia',
  tag,
  summary: 'Removes the analysis of media',
  description:
    'All that is stored of their content, whatever made it: vectors, previews, transcripts, names of speakers, and every ' +
    'path it is known by, those of copies too. It disappears from searches at once. The space of previews is freed at once, that of vectors ' +
    `with the next compaction. 404 when none of the paths is known. ${writing}`,
  body: Type.Object({
    cache_dir: CacheDir,
    media_paths: described(
      Type.Array(AbsolutePath, { minItems: 1, maxItems: 10_000 }),
      'Files, or folders for everything in them. They need not be there any more.',
    ),
    dry_run: DryRun,
  }),
  answers: { 200: ForgetAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { library }) => {
    const cache_dir = absolute('cache_dir', body.cache_dir);
    const media_paths = allAbsolute('media_paths', body.media_paths);
    return reply(200, await library.forget({ cache_dir, media_paths, dry_run: body.dry_run }, signal));
  },
});

export const pruneLibrary = route({
  method: 'POST',
  path: '/api/v1/library/prune',
  id: 'pruneLibrary',
  tag,
  summary: 'Forgets media whose files are gone',
  description:
    'A file is gone when it is missing and its volume is there. Files on a volume that is not mounted ' +
    'are kept, and `skipped` says why. Where the same content lies at another known path, the analysis is kept and only the missing path is removed. ' +
    `Files that a task works on are left alone. ${writing}`,
  body: Type.Object({ cache_dir: CacheDir, dry_run: DryRun }),
  answers: { 200: PruneAnswer, 409: ErrorBody },
  handle: async ({ body, signal }, { library }) => {
    const cache_dir = absolute('cache_dir', body.cache_dir);
    return reply(200, await library.prune({ cache_dir, dry_run: body.dry_run }, signal));
  },
});

export const libraryDisk = route({
  method: 'POST',
  path: '/api/v1/library/disk',
  id: 'libraryDisk',
  tag,
  summary: 'What an analysis folder and the models take on the disk',
  body: Type.Object({ cache_dir: CacheDir }),
  answers: { 200: DiskAnswer },
  handle: async ({ body, signal }, { library }) =>
    reply(200, await library.disk(absolute('cache_dir', body.cache_dir), signal)),
});

export const moveMedia = route({
  method: 'POST',
  path: '/api/v1/library/move',
  id: 'moveMedia',
  tag,
  summary: 'Follows footage that has moved',
  description:
    'Gives every known path in `from` its new name in `to`. The files have to lie there already: 400 when none does. A path ' +
    'whose file still lies at its old place stays. A move that was interrupted is completed by the same request. 404 when nothing ' +
    `in \`from\` is known. ${writing}`,
  body: Type.Object({
    cache_dir: CacheDir,
    from: described(AbsolutePath, 'Folder in which the footage lay, or one file.'),
    to: described(AbsolutePath, 'Where it lies now.'),
    dry_run: DryRun,
  }),
  answers: { 200: MoveAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { library }) => {
    const cache_dir = absolute('cache_dir', body.cache_dir);
    const [from, to] = [absolute('from', body.from), absolute('to', body.to)];
    return reply(200, await library.move({ cache_dir, from, to, dry_run: body.dry_run }, signal));
  },
});

export const libraryRoutes: readonly Route[] = [
  listLibrary,
  listMedia,
  forgetMedia,
  pruneLibrary,
  libraryDisk,
  moveMedia,
];

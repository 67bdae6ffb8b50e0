// A folder of the disk as a page of it is answered: its folders, and its media with what is analysed of them.
import { type Static, Type } from 'typebox';
import { AbsolutePath } from '../../../runtime/paths.ts';
import { defaulted, described, nullable, oneOf } from '../../../runtime/schema.ts';
import { CacheDir, FilePath } from '../../index/store/contract.ts';

const Count = Type.Integer({ minimum: 0 });

export const Failure = Type.Object({
  code: described(Type.String(), 'Code of the error.'),
  message: described(Type.String(), 'What went wrong, with details.'),
  task_id: described(
    nullable(Type.String()),
    'Id of the task in which the work failed; null if the file itself cannot be accessed.',
  ),
});
export type Failure = Static<typeof Failure>;

export const ListedFile = Type.Object({
  media_path: FilePath,
  name: described(Type.String(), 'Its last part.'),
  kind: described(
    oneOf('video', 'audio', 'image'),
    'Kind of the media, derived from its name until the file has been analysed.',
  ),
  size_bytes: described(nullable(Type.Integer()), 'Size in bytes; null if the file cannot be accessed.'),
  modified_at: described(
    nullable(Type.Number()),
    'Time of the last change, as a Unix time in seconds; null if `size_bytes` is null.',
  ),
  hash_str: described(
    nullable(Type.String()),
    'Content hash; null if no file with this path, size and time is known.',
  ),
  visual: described(Type.Array(Type.String()), 'Visual models that have analysed its pictures.'),
  transcript: described(nullable(Type.String()), 'Speech model of its transcript, or `subtitles`.'),
  faces: described(Type.Boolean(), 'Whether the file has been searched for faces.'),
  summaries: described(Count, 'Number of stored summaries.'),
  failure: described(
    nullable(Failure),
    'The last failure, unless the file has been analysed since. Only failures in tasks that are still ' +
      'recorded are known.',
  ),
});
export type ListedFile = Static<typeof ListedFile>;

export const FolderPage = Type.Object({
  folder: described(nullable(Type.String()), 'Path of the folder; null for the roots.'),
  real_path: described(
    nullable(Type.String()),
    'Path of the folder with symbolic links resolved; null for the roots.',
  ),
  parent: described(nullable(Type.String()), 'Path of the parent folder; null at the top and for the roots.'),
  folders: described(
    Type.Array(
      Type.Object({
        path: FilePath,
        name: described(Type.String(), 'Name of the folder; for a root, its path.'),
        analysed: described(Count, 'Number of analysed files in this folder and its subfolders.'),
      }),
    ),
    'Folders of this page, in natural order.',
  ),
  files: described(
    Type.Array(ListedFile),
    'Media of this page, in natural order, after the folders. Hidden files and files whose names are not ' +
      'those of media are omitted.',
  ),
  total: described(Count, 'Total number of folders and files on all pages.'),
  offset: described(Count, 'Number of folders and files before this page.'),
  limit: described(Count, 'Maximum number of folders and files on a page.'),
});
export type FolderPage = Static<typeof FolderPage>;

export const FolderRequest = Type.Object({
  cache_dir: CacheDir,
  folder: Type.Optional(described(AbsolutePath, 'The folder to list.')),
  offset: defaulted(described(Type.Integer({ minimum: 0 }), 'Number of folders and files to skip.'), 0),
  limit: defaulted(
    described(Type.Integer({ minimum: 0, maximum: 10_000 }), 'Maximum number of folders and files.'),
    1000,
  ),
});
export type FolderRequest = Static<typeof FolderRequest>;

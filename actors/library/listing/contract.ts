// A folder of the disk as a page of it is answered: its folders, and its media with what is analysed of them.
import { type Static, Type } from 'typebox';
import { described, nullable, oneOf } from '../../../runtime/schema.ts';

const Count = Type.Integer({ minimum: 0 });

export const Failure = Type.Object({
  code: described(Type.String(), 'Code of the error.'),
  message: described(Type.String(), 'Why, with what it is about.'),
  task_id: described(
    nullable(Type.String()),
    'The task in which the work failed; null where the file itself cannot be looked at.',
  ),
});
export type Failure = Static<typeof Failure>;

export const ListedFile = Type.Object({
  media_path: Type.String(),
  name: described(Type.String(), 'Its last part.'),
  kind: described(oneOf('video', 'audio', 'image'), 'By its name, until somebody has looked into it.'),
  size_bytes: described(nullable(Type.Integer()), 'Null where the file cannot be looked at.'),
  modified_at: described(nullable(Type.Number()), 'In seconds since 1970; null with `size_bytes`.'),
  hash_str: described(
    nullable(Type.String()),
    'Content hash; null where the file, by path, size and time, is not known.',
  ),
  visual: described(Type.Array(Type.String()), 'Visual models by which its pictures are analysed.'),
  transcript: described(nullable(Type.String()), 'The speech model of its transcript, or `subtitles`.'),
  faces: described(Type.Boolean(), 'Faces were looked for.'),
  summaries: described(Count, 'Summaries that are stored of it.'),
  failure: described(
    nullable(Failure),
    'What failed last, unless it was analysed since; of the work of tasks that are still recorded.',
  ),
});
export type ListedFile = Static<typeof ListedFile>;

export const FolderPage = Type.Object({
  folder: described(nullable(Type.String()), 'The folder; null for the roots.'),
  real_path: described(
    nullable(Type.String()),
    'The folder without links: folders of one `real_path` are one; null for the roots.',
  ),
  parent: described(nullable(Type.String()), 'The folder above it; null at the top, and for the roots.'),
  folders: described(
    Type.Array(
      Type.Object({
        path: Type.String(),
        name: described(Type.String(), 'Its last part; of a root its path.'),
        analysed: described(Count, 'Analysed files that lie in it and in folders below it.'),
      }),
    ),
    'Those of this page, in natural order.',
  ),
  files: described(
    Type.Array(ListedFile),
    'Media of this page, in natural order, after the folders. Hidden ones and what is no media by its name are left out.',
  ),
  total: described(Count, 'Folders and files there are, on all pages.'),
  offset: described(Count, 'Of these, before this page.'),
  limit: described(Count, 'On a page, at most.'),
});
export type FolderPage = Static<typeof FolderPage>;

export interface FolderRequest {
  readonly cache_dir: string;
  /** Absolute; null for the roots. */
  readonly folder: string | null;
  readonly offset: number;
  readonly limit: number;
}

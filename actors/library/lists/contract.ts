// Lists of moments: ranges of media in an order, kept by the service until somebody makes something of them.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../../runtime/errors.ts';
import { AbsolutePath } from '../../../runtime/paths.ts';
import { described, field } from '../../../runtime/schema.ts';

export const listErrors = errorTable({
  LIST_UNKNOWN: { meaning: 'List not found', status: 404 },
  LIST_CHANGED: { meaning: 'The list has been changed since it was read', status: 409 },
  LIST_INVALID: { meaning: 'The list is not valid', status: 400 },
  LISTS_FULL: { meaning: 'There are too many lists', status: 409 },
  LIST_DAMAGED: { meaning: 'The file of the list cannot be read', status: 500 },
  LIST_TOO_NEW: { meaning: 'The file of the list was written by a newer version', status: 503 },
  LISTS_UNWRITABLE: { meaning: 'Lists cannot be written', status: 507 },
});

/** Lists of a home folder, items of a list, and bytes of its file. */
export const mostLists = 1000;
export const mostListItems = 10_000;
export const mostListBytes = 16 * 2 ** 20;

/** The latest second that a moment may name, as for a timeline. */
const mostSeconds = 1_000_000;
const Seconds = Type.Number({ minimum: 0, maximum: mostSeconds });

const moment = {
  media_path: described(
    AbsolutePath,
    'Absolute path on the machine of the service. The file does not have to exist.',
  ),
  hash_str: Type.Optional(
    described(
      Type.String({ pattern: '^[0-9a-f][0-9a-f-]{0,99}$' }),
      'Content hash, as returned by /media/metadata; omitted if unknown.',
    ),
  ),
  start_seconds: described(Seconds, 'In point, in seconds from the beginning of the file.'),
  end_seconds: described(Seconds, 'Out point, after the start.'),
  name: Type.Optional(described(Type.String({ minLength: 1, maxLength: 1000 }), 'Name of the moment.')),
  note: Type.Optional(described(Type.String({ maxLength: 10_000 }), 'Note about the moment.')),
};
const ItemId = Type.String({ pattern: '^[0-9A-Za-z-]{1,64}$' });

export const ListItem = Type.Object({
  item_id: described(ItemId, 'Id of the item, which does not change as long as the item is in the list.'),
  ...moment,
});
export type ListItem = Static<typeof ListItem>;

export const GivenItem = Type.Object({
  item_id: Type.Optional(
    described(ItemId, 'Id of an existing item of the list. If omitted, the item gets a new id.'),
  ),
  ...moment,
});
export type GivenItem = Static<typeof GivenItem>;

export const ListName = described(
  Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  'Name of the list. Several lists can have the same name.',
);
export const ListVersion = described(
  Type.Integer({ minimum: 1 }),
  'Version of the list: 1 for a new list, and increased by 1 with every change.',
);
const UpdatedAt = described(Type.Number(), 'When the list was last changed, as a Unix time in seconds.');
const ListId = Type.String();

export const MomentList = Type.Object({
  list_id: field('Id of the list.', ListId),
  name: ListName,
  version: ListVersion,
  updated_at: UpdatedAt,
  items: described(Type.Array(ListItem), 'Items in the order of the list.'),
});
export type MomentList = Static<typeof MomentList>;

export const ListOverview = Type.Object({
  lists: described(
    Type.Array(
      Type.Object({
        list_id: field('Id of the list.', ListId),
        name: field('Name of the list.', Type.String()),
        version: ListVersion,
        items: described(Type.Integer({ minimum: 0 }), 'Number of items in the list.'),
        updated_at: UpdatedAt,
      }),
    ),
    'Lists sorted by last change, latest first.',
  ),
  unreadable: described(
    Type.Array(
      Type.Object({
        list_id: field('Id of the list.', ListId),
        reason: described(Type.String(), 'What is wrong, with the path of the file.'),
      }),
    ),
    'Lists whose files are damaged or were written by a newer version. These files are not changed.',
  ),
});
export type ListOverview = Static<typeof ListOverview>;

export interface NewList {
  readonly name: string;
  /** Paths are absolute. */
  readonly items: readonly GivenItem[];
}

export interface ListChanges {
  readonly version: number;
  /** Fields left out stay unchanged. */
  readonly name?: string | undefined;
  readonly items?: readonly GivenItem[] | undefined;
}

/**
 * The lists of a home folder, for this engine and all others that share it. Everywhere LIST_DAMAGED and
 * LIST_TOO_NEW naming the file, which stays as it is; LISTS_UNWRITABLE. What is changed is *flushed* when
 * answered.
 */
export interface MomentLists {
  list(signal: AbortSignal): Promise<ListOverview>;
  /** LIST_UNKNOWN. */
  get(listId: string, signal: AbortSignal): Promise<MomentList>;
  /** LIST_INVALID naming the field, LISTS_FULL. */
  make(list: NewList, signal: AbortSignal): Promise<MomentList>;
  /** LIST_UNKNOWN; LIST_CHANGED, with the stored `version` among its details; LIST_INVALID. */
  change(listId: string, changes: ListChanges, signal: AbortSignal): Promise<MomentList>;
  /** LIST_UNKNOWN. */
  remove(listId: string, signal: AbortSignal): Promise<void>;
}

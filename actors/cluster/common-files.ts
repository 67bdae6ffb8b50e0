// Which files of the home folder are common to all nodes, and what becomes of one that was changed on a node
// and in the database. Pure.
import { posix } from 'node:path';

interface Kind {
  /** Folder within the home folder. */
  readonly folder: string;
  readonly file: RegExp;
  /** Only the owner can read it. */
  readonly isPrivate: boolean;
  /** Paths in it are by where roots were first. */
  readonly byOrigin?: boolean;
  /** Removed everywhere when it goes from the folder of a node; otherwise it comes back there. */
  readonly endsAnywhere?: boolean;
  /** False for what stays on its machine. */
  isShared?(value: Fields): boolean;
  /** One text of two; null where they contradict each other. `isFirst`: the node was never in the cluster. */
  joined(local: Fields, common: Fields, isFirst: boolean): Fields | null;
}

type Fields = Readonly<Record<string, unknown>>;

const kinds: readonly Kind[] = [
  {
    folder: 'licenses',
    file: /^[0-9a-f]{12}\.json$/,
    isPrivate: true,
    // Nothing changes of a key but that it is revoked.
    joined: (local, common) => (local['revoked_at'] === null ? common : local),
  },
  {
    folder: 'sessions',
    file: /^[0-9a-f]{24}\.json$/,
    isPrivate: true,
    endsAnywhere: true,
    // The owner of one home folder is not that of another one.
    isShared: ({ sealed }) => sealed !== null,
    joined: (local, common) =>
      Number(local['last_used_at']) > Number(common['last_used_at']) ? local : common,
  },
  {
    folder: 'lists',
    file: /^[0-9a-f-]{36}\.json$/,
    isPrivate: false,
    byOrigin: true,
    joined: () => null,
  },
  { folder: 'searches', file: /^searches\.json$/, isPrivate: true, joined: united('records', 'search_id') },
  {
    folder: 'searches',
    file: /^[0-9a-f-]{36}-hits\.json$/,
    isPrivate: true,
    endsAnywhere: true,
    joined: bothHits,
  },
  { folder: 'webhooks', file: /^webhooks\.json$/, isPrivate: true, joined: united('records', 'webhook_id') },
  {
    folder: 'watch-folders',
    file: /^folders\.json$/,
    isPrivate: false,
    byOrigin: true,
    joined: united('watch_folders', 'id'),
  },
  // Files of the node that currently watches.
  {
    folder: 'watch-folders',
    file: /^status\.json$/,
    isPrivate: false,
    byOrigin: true,
    joined: (_, common) => common,
  },
];

/** One machine found hits, and people have seen some on another one. */
function bothHits(local: Fields, common: Fields): Fields {
  const hits = (value: Fields) => value['hits'] as readonly Fields[];
  const commonIds = new Set(hits(common).map((hit) => hit['hit_id']));
  const more = hits(local).filter((hit) => !commonIds.has(hit['hit_id']));
  const seenCount = Math.max(Number(local['seen']), Number(common['seen']));
  const total = Number(common['total']) + more.length;
  return {
    ...common,
    total,
    seen: Math.min(seenCount, total),
    hits: [...hits(common), ...more],
  };
}

/** Adds the records of a machine that is new to the cluster behind the existing ones. */
function united(list: string, id: string): Kind['joined'] {
  const of = (value: Fields) => value[list] as readonly Fields[];
  return (local, common, isFirst) => {
    if (!isFirst) return null;
    const commonIds = new Set(of(common).map((item) => item[id]));
    return { ...common, [list]: [...of(common), ...of(local).filter((item) => !commonIds.has(item[id]))] };
  };
}

export const commonFolders: readonly string[] = [...new Set(kinds.map(({ folder }) => folder))];

/** `name`: the path in the home folder, with `/`. Undefined for what is not common. */
export function kindOf(name: string): Kind | undefined {
  const [folder, file] = [posix.dirname(name), posix.basename(name)];
  return kinds.find((kind) => kind.folder === folder && kind.file.test(file));
}

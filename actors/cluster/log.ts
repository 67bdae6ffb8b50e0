// The log of changes of a library: every node applies the same ones in the same order.

import type { WorkResult } from '../analysis/contract.ts';
import type { Amounts } from '../analysis/progress.ts';
import type { TaskCounts, TaskError, TaskSnapshot } from '../analysis/tasks/contract.ts';
import type { Write } from '../index/replica/contract.ts';
import { clusterErrors } from './contract.ts';
import {
  expectSupported,
  madeSql,
  type ReplicaPosition,
  type Sql,
  standsSql,
  supported,
} from './database.ts';
import type { Sealed } from './exchange.ts';

/** How a task stands after a change. */
export interface TaskStanding {
  readonly counts: TaskCounts;
  readonly amounts: Readonly<Record<string, Amounts>>;
  /** Null while it runs. */
  readonly end: {
    readonly state: 'completed' | 'cancelled' | 'failed';
    readonly error: TaskError | null;
  } | null;
}

export type ChangeBody =
  /** Accepted, and its jobs are queued. */
  | { readonly kind: 'task'; readonly first: TaskSnapshot }
  /** Files have their results; `sealed`: what was found, null where that is nothing new. */
  | {
      readonly kind: 'results';
      readonly task_id: string;
      readonly job: string;
      readonly results: readonly WorkResult[];
      readonly sealed: Sealed | null;
      readonly standing: TaskStanding;
    }
  /** An imported library, which every replica is joined with; what is analysed there stays as it is. */
  | { readonly kind: 'library'; readonly sealed: Sealed }
  /** A message that writes into the library; `id`: by which who sent it knows the answer. */
  | { readonly kind: 'write'; readonly id: string; readonly write: Write };

export interface ClusterChange {
  readonly seq: number;
  /** Milliseconds since 1970, by the clock of the database. */
  readonly at_ms: number;
  readonly body: ChangeBody;
}

/** Notices of changes, with the number of the last one. */
export const changeChannel = 'framehound_change';

interface LibraryRow {
  readonly id: string;
  readonly seq: string;
}

/** The library of the cluster, and the number of its last change. */
export async function readLibrary(sql: Sql): Promise<{ readonly id: string; readonly seq: number }> {
  const [row] = await sql.query<LibraryRow>('select id, seq from framehound.library');
  return { id: row!.id, seq: Number(row!.seq) };
}

/**
 * For the rest of the transaction nobody else adds a change. To be called before other rows are locked.
 * Answers the number of the last one.
 */
export async function lockLibrary(sql: Sql, library: string): Promise<number> {
  const [row] = await sql.query<LibraryRow>(
    'select id, seq from framehound.library where id = $1 for update',
    [library],
  );
  return Number(row!.seq);
}

/** `node`: the one that adds a change. */
export interface Adding {
  readonly library: string;
  readonly node: string;
}

/** Answers its number. */
export function addChange(sql: Sql, adding: Adding, body: ChangeBody): Promise<number> {
  return addChanges(sql, adding, [JSON.stringify(body)]);
}

/** The same for several, each as JSON. Their numbers follow each other; answers the last one. */
export async function addChanges(
  sql: Sql,
  { library, node }: Adding,
  bodies: readonly string[],
): Promise<number> {
  // One statement, which locks the library as well: a transaction of it alone takes one round trip.
  const [row] = await sql.query<{ last: string }>(
    `with numbered as (
        update framehound.library set seq = seq + $3::bigint
          where id = $1::uuid and (select number from framehound.version) <= ${supported} returning seq
      ), added as (
        insert into framehound.change (library, seq, node, body)
          select $1::uuid, numbered.seq - $3::bigint + at, $2::uuid, body
            from numbered, jsonb_array_elements($4::jsonb) with ordinality as b(body, at)
      )
      select seq as last, pg_notify($5, seq::text) from numbered`,
    [library, node, bodies.length, `[${bodies.join(',')}]`, changeChannel],
  );
  if (row === undefined) {
    // Another program has made newer tables meanwhile, and may read the log differently.
    const [tables] = await sql.query<{ number: number }>('select number from framehound.version');
    expectSupported(tables!.number);
  }
  return Number(row!.last);
}

export interface LogPage {
  /** Changes up to this one are not in it any more. */
  readonly cut: number;
  /** The last one. */
  readonly last: number;
  /** False for a replica that has changes which are in no log: see `standsSql`. */
  readonly stands: boolean;
  /** Version of the tables: those who write it may be newer than who reads it. */
  readonly tables: number;
  readonly changes: readonly ClusterChange[];
}

/** Row of a page. A log that ends before the page has one without a change. */
interface PageRow {
  readonly cut: string;
  readonly last: string;
  readonly stands: boolean;
  readonly tables: number;
  readonly seq: string | null;
  readonly at_ms: number;
  readonly body: ChangeBody;
}

/** Changes behind `after`, at most `limit` of them. */
export async function changesAfter(
  sql: Sql,
  library: string,
  after: ReplicaPosition,
  limit: number,
): Promise<LogPage> {
  const rows = await sql.query<PageRow>(
    `select l.cut, l.seq as last, ${standsSql('$2', '$4')} as stands,
        (select number from framehound.version) as tables, c.seq, ${madeSql('c')} as at_ms, c.body
      from framehound.library l
      left join lateral (select * from framehound.change where library = l.id and seq > $2
        order by seq limit $3) as c on true
      where l.id = $1 order by c.seq`,
    [library, after.seq, limit, after.at_ms],
  );
  const changes = rows.flatMap(({ seq, at_ms, body }) =>
    seq === null ? [] : [{ seq: Number(seq), at_ms, body }],
  );
  // Between the two halves of a restore there is no library.
  if (rows[0] === undefined) throw clusterErrors.DATABASE_AWAY('The database has no library');
  const { cut, last, stands, tables } = rows[0];
  return { cut: Number(cut), last: Number(last), stands, tables, changes };
}

export async function lastChange(sql: Sql, library: string): Promise<number> {
  const [row] = await sql.query<LibraryRow>('select seq from framehound.library where id = $1', [library]);
  return Number(row?.seq ?? 0);
}

/** A content and where it was seen; by an empty path one that is forgotten. */
export interface ContentAt {
  readonly hash: string;
  readonly path: string;
}

/** Within a transaction that has locked the library: these contents are spoken of by change `seq`. */
export async function noteContents(
  sql: Sql,
  library: string,
  contents: readonly ContentAt[],
  seq: number,
): Promise<void> {
  // A content that a job has by several paths is one row.
  const rows = [...new Map(contents.map((content) => [content.hash, content])).values()];
  if (rows.length === 0) return;
  await sql.query(
    `insert into framehound.content (library, hash, path, seq)
      select $1::uuid, hash, path, $2::bigint from jsonb_to_recordset($3) as c(hash text, path text)
      on conflict (library, hash) do update set path = excluded.path, seq = excluded.seq`,
    [library, seq, JSON.stringify(rows)],
  );
}

/**
 * True if a change behind `since` names one of these contents by another path. The two files may differ,
 * because nobody has compared them; or the content was forgotten.
 */
export async function isOvertaken(
  sql: Sql,
  library: string,
  contents: readonly ContentAt[],
  since: number,
): Promise<boolean> {
  const [row] = await sql.query(
    `select 1 from framehound.content c
      join jsonb_to_recordset($3) as o(hash text, path text) on o.hash = c.hash
      where c.library = $1 and c.seq > $2
        and c.path not in (select path from jsonb_to_recordset($3) as p(hash text, path text) where p.hash = c.hash)
      limit 1`,
    [library, since, JSON.stringify(contents)],
  );
  return row !== undefined;
}

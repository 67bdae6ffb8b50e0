// Snapshots: replicas in the shared folder, from which a new machine starts. One node at a time makes one
// when the log has grown, and the log is cut behind what the older of two and every living node have.
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';
import { codeOf } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import { Alarm } from './alarm.ts';
import { livingSeconds } from './contract.ts';
import { type Database, madeSql, type ReplicaPosition, type Sql, standsSql } from './database.ts';
import { type ClusterExchange, openPlace, type Sealed } from './exchange.ts';
import { lockLibrary } from './log.ts';

/** In the shared folder. */
const folderOfAll = 'snapshots';
const placeOf = (id: string) => `${folderOfAll}/${id}`;

/** ms between two looks, and between two signs of life of whoever makes one. */
const LOOK_EVERY = 60_000;
const KEEP_EVERY = 10_000;
/** Seconds without one after which nobody makes it any more. */
const LOST_AFTER = 60;
/** Changes that are cut together. */
const TOGETHER = 500;
/** Snapshots that are kept: while the newest one cannot be read, the one before can. */
const KEPT = 2;

/**
 * True if another snapshot is due. They become rarer as the log grows, so the total cost of copying is a
 * multiple of the library.
 */
export function isDue(last: number, newest: number, least: number): boolean {
  return last - newest >= Math.max(least, newest / 4);
}

export interface ReplicaSnapshot {
  readonly id: string;
  /** A change that it has at least. */
  readonly seq: number;
  readonly sealed: Sealed;
}

export interface SnapshotParts {
  readonly database: Database;
  readonly exchange: Pick<ClusterExchange, 'sealWhole' | 'drop' | 'shared'>;
  readonly library: string;
  readonly nodeId: string;
  /** The replica. */
  readonly cacheDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Where the replica stands. */
  position(): ReplicaPosition;
  /** Changes that the log has grown by at least before another one is made. */
  readonly least: number;
}

export class Snapshots {
  readonly #parts: SnapshotParts;
  readonly #stop = new AbortController();
  #over: Promise<void> = Promise.resolve();

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#over = this.#run();
  }

  /** Abandons the snapshot in progress. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts;
    const alarm = new Alarm(clock);
    const { signal } = this.#stop;
    // At first the replica may be far behind.
    await alarm.wait(LOOK_EVERY, signal);
    const once = async () => {
      await this.look();
      return false;
    };
    const complain = (reason: string) => log.warn('no snapshot of the library can be made', { reason });
    await alarm.repeat(LOOK_EVERY, signal, once, complain);
  }

  /** Makes one if it is due, and cuts the log where it can be. */
  async look(): Promise<void> {
    const id = await this.#claim();
    if (id !== null) await this.#make(id);
    await this.#cut();
  }

  /** Null when none is due, or somebody makes one. */
  async #claim(): Promise<string | null> {
    const { database, library, nodeId, least } = this.#parts;
    const { seq, at_ms } = this.#parts.position();
    return database.transact(async (sql) => {
      const last = await lockLibrary(sql, library);
      const [row] = await sql.query<{ newest: string | null; made: boolean; unfit: boolean }>(
        `select max(seq) filter (where not damaged) as newest,
          coalesce(bool_or(digest is null and seen > clock_timestamp() - interval '${LOST_AFTER} seconds'), false)
            as made,
          exists (select 1 from framehound.node where id = $2 and missed > 0)
            or not (select ${standsSql('$3', '$4')} from framehound.library l where l.id = $1) as unfit
          from framehound.snapshot where library = $1`,
        [library, nodeId, seq, at_ms],
      );
      // No node should start from a snapshot of an incomplete replica, or of one of another log.
      if (row!.made || row!.unfit || !isDue(last, Number(row!.newest ?? 0), least)) return null;
      await sql.query('delete from framehound.snapshot where library = $1 and digest is null', [library]);
      const id = randomUUID();
      await sql.query('insert into framehound.snapshot (id, library, node) values ($1, $2, $3)', [
        ...[id, library, nodeId],
      ]);
      return id;
    });
  }

  async #make(id: string): Promise<void> {
    const { database, exchange, cacheDir, log } = this.#parts;
    // Changes applied meanwhile may be in it, too.
    const { seq } = this.#parts.position();
    const lost = new AbortController();
    const endKeeping = this.#keep(id, lost);
    try {
      const signal = AbortSignal.any([this.#stop.signal, lost.signal]);
      const { digest } = await exchange.sealWhole(placeOf(id), cacheDir, signal);
      const rows = await database.query(
        'update framehound.snapshot set seq = $2, digest = $3 where id = $1 and digest is null returning id',
        [id, seq, digest],
      );
      if (rows.length > 0) log.info('a snapshot of the library was made', { change: seq });
    } catch (error) {
      await database.query('delete from framehound.snapshot where id = $1 and digest is null', [id]);
      throw error;
    } finally {
      endKeeping();
      await this.#tidy();
    }
  }

  /** Signs of life, until the answer is called. */
  #keep(id: string, lost: AbortController): () => void {
    const { database, clock } = this.#parts;
    let isOver = false;
    let disarm = () => {};
    const beat = () => {
      disarm = clock.after(KEEP_EVERY, async () => {
        const rows = await database
          .query('update framehound.snapshot set seen = clock_timestamp() where id = $1 returning id', [id])
          // While the database is away nobody else can begin one either.
          .catch(() => [id]);
        if (rows.length === 0) lost.abort();
        else if (!isOver) beat();
      });
    };
    beat();
    return () => {
      isOver = true;
      disarm();
    };
  }

  /** Removes snapshots that are not kept, and what is left of those that nobody ended. */
  async #tidy(): Promise<void> {
    const { database, exchange, library } = this.#parts;
    const there = await namesIn(join(exchange.shared, folderOfAll));
    await database.query(
      `delete from framehound.snapshot where library = $1 and digest is not null
        and id not in (select id from framehound.snapshot where library = $1 and digest is not null
          and not damaged order by seq desc limit ${KEPT})`,
      [library],
    );
    const rows = await database.query<{ id: string }>('select id from framehound.snapshot');
    const snapshotIds = new Set(rows.map(({ id }) => id));
    for (const name of there) if (!snapshotIds.has(name)) await exchange.drop(placeOf(name));
    // Folders of jobs that were cancelled after a worker had been stopped.
    const openNames = await namesIn(join(exchange.shared, openPlace('')));
    const jobs = await database.query<{ id: string }>('select id from framehound.job where not ended');
    const waiting = new Set(jobs.map((job) => job.id));
    for (const name of openNames) if (!waiting.has(name.slice(0, 36))) await exchange.drop(openPlace(name));
  }

  /** Cuts changes that the older snapshot and every living node have. */
  async #cut(): Promise<void> {
    const { database, library } = this.#parts;
    const { signal } = this.#stop;
    await database.query(
      `update framehound.library l set cut = to_cut, cut_at = (
          select ${madeSql('h')} from framehound.change h where h.library = l.id and h.seq = to_cut
        ) from (
          select least(
            (select seq from framehound.snapshot where library = $1 and digest is not null and not damaged
              order by seq desc offset ${KEPT - 1} limit 1),
            (select min(applied) from framehound.node
              where seen > clock_timestamp() - interval '${livingSeconds} seconds')
          ) as to_cut,
          (select count(*) from framehound.snapshot where library = $1 and digest is not null and not damaged)
            as whole
        ) as c where id = $1 and whole >= ${KEPT} and to_cut > cut`,
      [library],
    );
    while (!signal.aborted && (await this.#cutSome())) {
      // Until nothing is left.
    }
  }

  /** Results go first: a change that is left behind is cut again. */
  async #cutSome(): Promise<boolean> {
    const { database, exchange, library } = this.#parts;
    const rows = await database.query<{ seq: string; place: string | null }>(
      `select c.seq, c.body #>> '{sealed,place}' as place from framehound.change c
        join framehound.library l on l.id = c.library
        where l.id = $1 and c.seq <= l.cut order by c.seq limit ${TOGETHER}`,
      [library],
    );
    const last = rows.at(-1);
    if (last === undefined) return false;
    for (const { place } of rows) if (place !== null) await exchange.drop(place);
    await database.query('delete from framehound.change where library = $1 and seq <= $2', [
      library,
      last.seq,
    ]);
    return true;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown): string[] => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
}

/** Usable snapshots, the newest first. */
export async function listSnapshots(sql: Sql, library: string): Promise<ReplicaSnapshot[]> {
  const rows = await sql.query<{ id: string; seq: string; digest: string }>(
    `select s.id, s.seq, s.digest from framehound.snapshot s join framehound.library l on l.id = s.library
      where l.id = $1 and s.digest is not null and not s.damaged and s.seq >= l.cut order by s.seq desc`,
    [library],
  );
  return rows.map(({ id, seq, digest }) => {
    return { id, seq: Number(seq), sealed: { place: placeOf(id), digest } };
  });
}

/** Nobody takes it any more, and another one is made. */
export async function refuseSnapshot(sql: Sql, { id }: ReplicaSnapshot): Promise<void> {
  await sql.query('update framehound.snapshot set damaged = true where id = $1', [id]);
}

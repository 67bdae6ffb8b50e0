// The database of a cluster, and the only importer of `pg` and `pg-boss`. It may go away at any time and come
// back; then what waits for it goes on.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { Clock } from '../../runtime/clock.ts';
import { EngineError } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import { redactText } from '../../runtime/redact.ts';
import { clusterErrors } from './contract.ts';

/** Statements, in a transaction or by themselves. */
export interface Sql {
  query<T extends object>(text: string, values?: readonly unknown[]): Promise<T[]>;
}

/** A job that this engine has; `retryCount` says by which attempt. */
export interface TakenJob {
  readonly id: string;
  readonly retryCount: number;
  /** Its id before it was given up, where it was. */
  readonly data: { readonly job: string };
}

/** Resources of a worker for a job; `roots`: those that it can read. */
export interface WorkerMeans extends ReplicaPosition {
  readonly library: string;
  readonly roots: readonly string[];
}

/** Changes that a worker may be behind. */
const BEHIND = 32;

/**
 * The change that a worker has before it takes a job, as a column of a library. What was there when the
 * newest task was asked for is not analysed again, and for the last results of others it need not wait.
 */
export const neededSql = `greatest(asked, seq - ${BEHIND})`;

/** Where a replica stands: the last change that it has, and when that was made; 0 where nobody knows. */
export interface ReplicaPosition {
  readonly seq: number;
  readonly at_ms: number;
}

/**
 * Condition that a replica stands in the log of a library `l`. A replica of a database that was restored
 * meanwhile has changes that are in no log. `seq`, `at_ms`: SQL.
 */
export const standsSql = (seq: string, at_ms: string) =>
  `(${seq}::bigint <= l.seq and (${seq}::bigint = 0 or ${at_ms}::float8 = 0
    or (l.cut = ${seq}::bigint and coalesce(l.cut_at, ${at_ms}::float8) = ${at_ms}::float8)
    or exists (select 1 from framehound.change h where h.library = l.id and h.seq = ${seq}::bigint
      and ${madeSql('h')} = ${at_ms}::float8)))`;

/** When a change was made, milliseconds since 1970. */
export const madeSql = (change: string) => `floor(extract(epoch from ${change}.at) * 1000)::float8`;

export interface Waiting {
  /** See `neededSql`. */
  readonly needed: number;
  readonly jobs: boolean;
  /** Jobs that were given up. */
  readonly dead: boolean;
}

/** Names of the queues: files to analyse, and those that were given up. */
export const [fileQueue, deadQueue] = ['file', 'file-dead'];

const jobSchema = 'framehound_jobs';
/** Notices of jobs that a worker can take. */
export const jobChannel = 'framehound_job';
/** ms. */
const CONNECT_WITHIN = 5_000;
const AGAIN_AFTER = 1_000;
/** ms that a statement may take. */
const STATEMENT_WITHIN = 30_000;
/** Id of the lock under which the tables are created. */
const migrationLock = 7_205_759;

/** Classes of SQLSTATE that say that the server cannot be reached now. */
const passing = /^(08|53|57)/;

/** Messages of the driver about a connection that failed or ended. */
const cut = /terminated|timeout|timed out|closed the connection|not queryable|calling end/i;

/** Without a password in what the driver says. Errors of neither server nor connection stay as they are. */
function faultOf(error: unknown): unknown {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const isOfServer = /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);
  const what = redactText(message === '' ? code : message);
  if (isOfServer && !passing.test(code))
    return clusterErrors.DATABASE_REFUSED(`The database answered: ${what}`, { code }, error);
  if (/client password must be/.test(message))
    return clusterErrors.DATABASE_REFUSED('The database asks for a password, and none is given', {}, error);
  const isAway = isOfServer || /^E[A-Z_]{3,}$/.test(code) || cut.test(message);
  if (!isAway) return error;
  return clusterErrors.DATABASE_AWAY(`The database of the cluster cannot be reached: ${what}`, {}, error);
}

const migrations = join(import.meta.dirname, 'migrations');

/** Files that create the tables, in order; their number is the version of the tables. */
const tableFiles = readdirSync(migrations)
  .filter((name) => name.endsWith('.sql'))
  .sort();

/** Version of the tables that this program knows. */
export const supported = tableFiles.length;

/** CLUSTER_TOO_NEW for tables that a newer version has made. */
export function expectSupported(version: number): void {
  if (version <= supported) return;
  throw clusterErrors.CLUSTER_TOO_NEW(
    `The tables of the cluster have version ${version}, but this program supports ${supported}: update framehound on this machine`,
  );
}

export class Database implements Sql {
  readonly #pool: pg.Pool;
  #boss: PgBoss;
  readonly #log: Log | null;
  readonly #clock: Clock;
  #ready: Promise<void> | null = null;
  #away: string | null = null;
  /** Error of CLUSTER_TOO_NEW while the tables are newer than this program. */
  #tooNew: EngineError | null = null;
  #closed = false;
  readonly #listeners: Listener[] = [];
  #listening: pg.PoolClient | null = null;
  #endListening = () => {};

  /** `log`: null for whoever tells people what it throws. */
  constructor(url: string, clock: Clock, log: Log | null = null) {
    this.#log = log;
    this.#clock = clock;
    this.#pool = new pg.Pool({
      connectionString: url,
      max: 8,
      application_name: 'framehound',
      connectionTimeoutMillis: CONNECT_WITHIN,
      statement_timeout: STATEMENT_WITHIN,
      query_timeout: STATEMENT_WITHIN + CONNECT_WITHIN,
      keepAlive: true,
    });
    // Without a listener of each client the end of the server would end this process.
    const ignore = () => {};
    this.#pool.on('error', ignore);
    this.#pool.on('connect', (client) => void client.on('error', ignore));
    this.#boss = this.#newBoss();
  }

  #newBoss(): PgBoss {
    const executeSql = async (text: string, values: unknown[] = []) => this.#execute(text, values);
    const boss = new PgBoss({
      db: { executeSql },
      schema: jobSchema,
      schedule: false,
      superviseIntervalSeconds: 2,
      monitorIntervalSeconds: 2,
      reindex: false,
    });
    boss.on('error', (error) => this.#log?.debug('a step of the job queue failed', { error }));
    return boss;
  }

  /** Why it cannot be reached, as far as is known; null while it can. */
  get away(): string | null {
    return this.#away;
  }

  /** Why nothing is asked of it; null while the tables are not newer than this program. */
  get tooNew(): string | null {
    return this.#tooNew?.message ?? null;
  }

  /**
   * Throws CLUSTER_TOO_NEW for tables that a newer version has made, and from now on at once for whatever is
   * asked, until they are found older again.
   */
  expectSupported(tables: number): void {
    try {
      expectSupported(tables);
      this.#tooNew = null;
    } catch (error) {
      this.#tooNew = error as EngineError;
      throw error;
    }
  }

  async #execute(text: string, values: readonly unknown[]): Promise<{ rows: unknown[] }> {
    const result = (await this.#pool.query(text, [...values])) as pg.QueryResult | pg.QueryResult[];
    // The driver returns a list for several statements.
    return Array.isArray(result) ? { rows: result.flatMap(({ rows }) => rows) } : result;
  }

  /**
   * Connects, and makes what is missing of tables and queues. DATABASE_AWAY, CLUSTER_TOO_NEW,
   * DATABASE_REFUSED.
   */
  async ready(): Promise<void> {
    await this.#opened();
    if (this.#tooNew !== null) throw this.#tooNew;
  }

  #opened(): Promise<void> {
    this.#ready ??= this.#told(() =>
      this.#inTransaction(async (client) => {
        // Engines that start together make nothing twice.
        await client.query('select pg_advisory_xact_lock($1)', [migrationLock]);
        await this.#migrate();
        await this.#openQueues();
      }),
    ).catch((error: unknown) => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  async #openQueues(): Promise<void> {
    // One whose start failed cannot be started again.
    const boss = this.#newBoss();
    try {
      await boss.start();
      await boss.createQueue(deadQueue);
      await boss.createQueue(fileQueue, {
        heartbeatSeconds: 10,
        expireInSeconds: 24 * 3600 - 1,
        retryLimit: 5,
        deadLetter: deadQueue,
        retentionSeconds: 365 * 24 * 3600,
      });
    } catch (error) {
      await boss.stop({ graceful: false, close: false }).catch(() => {});
      throw error;
    }
    this.#boss = boss;
  }

  async #migrate(): Promise<void> {
    await this.#inTransaction(async (client) => {
      await client.query('create schema if not exists framehound');
      await client.query('create table if not exists framehound.version (number integer not null)');
      const { rows } = await client.query<{ number: number }>('select number from framehound.version');
      const version = rows[0]?.number ?? 0;
      expectSupported(version);
      for (const name of tableFiles.slice(version))
        await client.query(readFileSync(join(migrations, name), 'utf8'));
      if (version === 0) await client.query('insert into framehound.version values (0)');
      await client.query('update framehound.version set number = $1', [supported]);
    });
  }

  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      const done = await work();
      if (this.#away !== null) this.#log?.info('the database of the cluster can be reached again');
      this.#away = null;
      return done;
    } catch (error) {
      // An error of the work itself is no fault of the database.
      if (error instanceof EngineError) throw error;
      const fault = faultOf(error);
      if (clusterErrors.DATABASE_AWAY.is(fault)) {
        const { message } = fault as Error;
        if (this.#away === null && !this.#closed) this.#log?.warn(message);
        this.#away = message;
      }
      throw fault;
    }
  }

  /** Asks the server, whatever tables it has. */
  async probe<T extends object>(text: string): Promise<T> {
    return this.#told(async () => (await this.#execute(text, [])).rows[0] as T);
  }

  async query<T extends object>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    await this.ready();
    return this.anyVersion.query<T>(text, values);
  }

  /** For questions that every version of the tables answers. */
  readonly anyVersion: Sql = {
    query: async <T extends object>(text: string, values: readonly unknown[] = []) => {
      await this.#opened();
      return this.#told(async () => (await this.#execute(text, values)).rows as T[]);
    },
  };

  /** DATABASE_AWAY also where nobody knows whether it took place. */
  async transact<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    await this.ready();
    return this.#told(() =>
      this.#inTransaction((client) =>
        work({
          query: async <R extends object>(text: string, values: readonly unknown[] = []) =>
            (await client.query(text, [...values])).rows as R[],
        }),
      ),
    );
  }

  async #inTransaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let isSound = false;
    try {
      await client.query('begin');
      const done = await work(client);
      await client.query('commit');
      isSound = true;
      return done;
    } catch (error) {
      isSound = await client.query('rollback').then(
        () => true,
        () => false,
      );
      throw error;
    } finally {
      client.release(!isSound);
    }
  }

  // Jobs.

  async addJobs(
    sql: Sql,
    task: string,
    jobs: readonly { readonly id: string; readonly priority: number }[],
  ): Promise<void> {
    const all = jobs.map(({ id, priority }) => ({ id, priority, data: { job: id }, group: { id: task } }));
    await this.#boss.insert(fileQueue, all, { db: adapted(sql) });
    await sql.query('select pg_notify($1, $2)', [jobChannel, '']);
  }

  /** That of the job that was taken last, or else of the next one. */
  async takenPriority(sql: Sql): Promise<number> {
    const [row] = await sql.query<{ priority: number }>(
      `select coalesce(
        (select min(priority) from ${jobSchema}.job
          where name = $1 and state = 'active' and group_id is not null),
        (select max(priority) from ${jobSchema}.job where name = $1 and state < 'active' and not blocked),
        0) as priority`,
      [fileQueue],
    );
    return row!.priority;
  }

  /**
   * Says whether anything waits, and which change a worker has to have for that. A worker without work asks
   * it again and again.
   */
  async waiting(library: string): Promise<Waiting> {
    const waits = (name: string) =>
      `exists (select 1 from ${jobSchema}.job where name = ${name} and state < 'active' and not blocked
        and start_after <= ${jobSchema}.job_now())`;
    const [row] = await this.query<Waiting>(
      `select (${neededSql})::float8 as needed, ${waits('$2')} as jobs, ${waits('$3')} as dead
        from framehound.library where id = $1`,
      [library, fileQueue, deadQueue],
    );
    return row!;
  }

  /**
   * Null when none waits that this worker can do. One statement: between a look at what a job needs and the
   * taking of it another task may be asked for, whose jobs need more.
   */
  async takeJob({ library, seq, at_ms, roots }: WorkerMeans): Promise<TakenJob | null> {
    const [job] = await this.query<TakenJob>(
      `with next as (
          select j.id from ${jobSchema}.job j join framehound.job f on f.id = j.id
            where j.name = $1 and j.state < 'active' and not j.blocked
              and j.start_after <= ${jobSchema}.job_now()
              and exists (select 1 from framehound.library l
                where l.id = $2 and $3::bigint >= ${neededSql} and ${standsSql('$3', '$5')})
              and f.roots <@ $4 and (select number from framehound.version) <= ${supported}
            order by j.priority desc, j.created_on limit 1 for update of j skip locked
        )
        update ${jobSchema}.job j set state = 'active', started_on = ${jobSchema}.job_now(),
            heartbeat_on = ${jobSchema}.job_now(),
            retry_count = case when started_on is null then retry_count else retry_count + 1 end
          from next where j.name = $1 and j.id = next.id
          returning j.id, j.data, j.retry_count as "retryCount"`,
      [fileQueue, library, seq, roots, at_ms],
    );
    return job ?? null;
  }

  /** Null when none was given up. */
  async takeDeadJob(): Promise<TakenJob | null> {
    await this.ready();
    const [job] = await this.#told(() => this.#boss.fetch<TakenJob['data']>(deadQueue));
    return job ?? null;
  }

  /** A sign of life; false when another engine has the job by now, or nobody any more. */
  async keepJob({ id, retryCount }: TakenJob): Promise<boolean> {
    return affected(await this.#told(() => this.#boss.touch(fileQueue, { id, retryCount })));
  }

  /** False as in `keepJob`; nothing was changed then. */
  async endJob(sql: Sql, queue: string, { id, retryCount }: TakenJob): Promise<boolean> {
    return affected(await this.#boss.complete(queue, { id, retryCount }, null, { db: adapted(sql) }));
  }

  /** Another engine takes it. */
  async giveBackJob({ id, retryCount }: TakenJob, reason: string): Promise<void> {
    await this.#told(() => this.#boss.fail(fileQueue, { id, retryCount }, { reason }));
  }

  /**
   * Another engine takes it, and the attempt does not count: it was ended on purpose. It keeps its number, so
   * a late commit of it is none.
   */
  async returnJob({ id, retryCount }: TakenJob): Promise<void> {
    await this.query(
      `update ${jobSchema}.job set state = 'retry', retry_limit = retry_limit + 1
        where name = $1 and id = $2 and state = 'active' and retry_count = $3`,
      [fileQueue, id, retryCount],
    );
    await this.query('select pg_notify($1, $2)', [jobChannel, '']);
  }

  async cancelJobs(sql: Sql, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#boss.cancel(fileQueue, [...ids], { db: adapted(sql) });
  }

  async queueCounts(): Promise<{ queued: number; active: number; failed: number }> {
    const [row] = await this.query<{ queued: number; active: number; failed: number }>(
      `select count(*) filter (where name = $1 and state < 'active')::int as queued,
        count(*) filter (where name = $1 and state = 'active')::int as active,
        count(*) filter (where name = $2)::int as failed
        from ${jobSchema}.job`,
      [fileQueue, deadQueue],
    );
    return row!;
  }

  // Notices.

  /**
   * Calls `onNotice` for each notice, and once with an empty text whenever it listens anew: some may have
   * been missed. One connection listens to all channels, since a server has few.
   */
  listen(channel: string, onNotice: (text: string) => void): void {
    const listener = { channel, onNotice };
    this.#listeners.push(listener);
    if (this.#listening !== null) void begin(this.#listening, listener).catch(() => {});
    else if (this.#listeners.length === 1) void this.#listen();
  }

  async #listen(): Promise<void> {
    let lost = () => {
      if (!this.#closed) this.#endListening = this.#clock.after(AGAIN_AFTER, () => void this.#listen());
    };
    const again = lost;
    try {
      await this.ready();
      const client = await this.#pool.connect();
      // Closing waits until every connection is returned.
      if (this.#closed) return client.release(true);
      this.#listening = client;
      this.#endListening = () => {
        if (this.#listening === client) client.release(true);
        this.#listening = null;
      };
      lost = () => {
        if (this.#listening !== client) return;
        this.#endListening();
        again();
      };
      client.once('end', lost);
      client.once('error', lost);
      client.on('notification', ({ channel, payload = '' }) => {
        for (const listener of this.#listeners) if (listener.channel === channel) listener.onNotice(payload);
      });
      for (const listener of this.#listeners) await begin(client, listener);
    } catch {
      // The next query reports the reason.
      lost();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#endListening();
    await this.#ready?.catch(() => {});
    if (this.#ready !== null) await this.#boss.stop({ graceful: false, close: false }).catch(() => {});
    await this.#pool.end();
  }
}

interface Listener {
  readonly channel: string;
  readonly onNotice: (text: string) => void;
}

async function begin(client: pg.PoolClient, { channel, onNotice }: Listener): Promise<void> {
  await client.query(`listen ${channel}`);
  onNotice('');
}

function affected(response: unknown): boolean {
  return (response as { affected: number }).affected === 1;
}

/** Connection in the form that pg-boss takes. */
function adapted(sql: Sql) {
  return {
    executeSql: async (text: string, values: unknown[] = []) => ({ rows: await sql.query(text, values) }),
  };
}

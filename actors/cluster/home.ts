// The files of the home folder that all nodes have in common: rows of the database, of which each node has a
// copy in its own home folder, where everybody reads them. What is changed through `change` is in the
// database before it is here; what another process writes into the folder is brought to the database as it
// is noticed.
import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Static, Type } from 'typebox';
import type { Clock } from '../../runtime/clock.ts';
import { codeOf, engineErrors, reasonOf } from '../../runtime/errors.ts';
import { privateFile, replaceFile } from '../../runtime/files/atomic-write.ts';
import type { FileEdits } from '../../runtime/files/home-files.ts';
import { markOf, readJsonNow } from '../../runtime/files/json-file.ts';
import type { LockOptions } from '../../runtime/files/lock.ts';
import { rmSync } from '../../runtime/files/names.ts';
import type { Log } from '../../runtime/log.ts';
import { Mutex } from '../../runtime/sync/locks.ts';
import { Alarm } from './alarm.ts';
import { commonFolders, kindOf } from './common-files.ts';
import { type CommonHome, clusterErrors } from './contract.ts';
import type { Database, Sql } from './database.ts';
import type { HomePlaces } from './places.ts';

const homeChannel = 'framehound_home';
/** ms between two looks at the folders, and at the database without a notice. */
const SCAN_EVERY = 250;
const LOOK_EVERY = 1_000;
/** A folder that was changed so recently may change again under the same time stamp, ms. */
const COARSEST_TICK = 2_500;

const State = Type.Object({
  version: Type.Literal(1),
  library: Type.String(),
  /** SHA-256 of the text in the database that the file of a name was made of, or has become. */
  digests: Type.Record(Type.String(), Type.String()),
});

export interface HomeParts {
  readonly database: Database;
  readonly library: string;
  /** The home folder. */
  readonly home: string;
  readonly places: HomePlaces;
  readonly clock: Clock;
  readonly log: Log;
}

/** A file as it is here; the text is as the database has it, null for what is not JSON. */
interface Here {
  readonly mark: string;
  readonly digest: string | null;
}

interface Row {
  readonly name: string;
  readonly seq: string;
  readonly digest: string | null;
}

interface Body {
  readonly name: string;
  readonly digest: string | null;
  readonly body: string | null;
}

export class Home implements CommonHome {
  readonly #parts: HomeParts;
  readonly #stop = new AbortController();
  readonly #alarm: Alarm;
  readonly #turn = new Mutex();
  readonly #listeners = new Set<(names: readonly string[]) => void>();
  /** Text from which each file here was made, by name. */
  readonly #digests: Map<string, string>;
  readonly #here = new Map<string, Here>();
  readonly #folders = new Map<string, string>();
  /** The last change that was looked at. */
  #seq = 0;
  /** How often notices may have been missed, and after which of these times all files were compared. */
  #missed = 1;
  #compared = 0;
  /** The roots by which the paths in files here were put. */
  #placed: number;
  #lookAt = 0;
  #restUntil = 0;
  #over: Promise<void> = Promise.resolve();

  constructor(parts: HomeParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock);
    this.#placed = parts.places.version;
    const state = readJsonNow(State, this.#statePath);
    const isOurs = state?.library === parts.library;
    this.#digests = new Map(isOurs ? Object.entries(state.digests) : []);
  }

  /** Resolves when what is there is here, if the database can be reached. */
  async begin(): Promise<void> {
    const { database, log } = this.#parts;
    await this.#turn
      .run(() => this.#exchange())
      .catch((error: unknown) => {
        if (!clusterErrors.DATABASE_AWAY.is(error)) throw error;
      });
    database.listen(homeChannel, (text) => {
      // After an absence a removal may have been missed.
      if (text === '') this.#missed++;
      this.#lookAt = this.#restUntil = 0;
      this.#alarm.ring();
    });
    const complain = (error: string) =>
      log.error('what machines have in common cannot be brought here', { error });
    this.#over = this.#alarm.repeat(SCAN_EVERY, this.#stop.signal, () => this.#round(), complain);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }

  onChange(listener: (names: readonly string[]) => void): () => void {
    this.#listeners.add(listener);
    if (this.#digests.size > 0) listener([...this.#digests.keys()]);
    return () => void this.#listeners.delete(listener);
  }

  async change<T>(_: string, { signal }: LockOptions, edit: (files: FileEdits) => T): Promise<T> {
    return this.#turn.run(async () => {
      if (signal?.aborted) throw engineErrors.CANCELLED();
      const texts = new Map<string, string | null>();
      const collected: FileEdits = {
        replace: (path, text) => void texts.set(this.#nameOf(path), text),
        remove: (path) => void texts.set(this.#nameOf(path), null),
      };
      const outcome = await this.#transact(async (sql) => {
        const answer = edit(collected);
        const bodies = [...texts].map(([name, text]) => ({ name, body: text && this.#shared(name, text) }));
        return { answer, bodies: await this.#write(sql, bodies) };
      });
      this.#bring(outcome.bodies);
      return outcome.answer;
    });
  }

  async #round(): Promise<boolean | null> {
    const { clock, places } = this.#parts;
    if (places.version !== this.#placed) this.#placeAgain();
    const now = clock.now();
    if (now < this.#restUntil) return null;
    const isDue = now >= this.#lookAt;
    if (!isDue && this.#changedHere().length === 0) return null;
    this.#restUntil = now + LOOK_EVERY;
    await this.#turn.run(() => this.#exchange());
    this.#restUntil = 0;
    this.#lookAt = now + LOOK_EVERY;
    return false;
  }

  /** Roots are elsewhere, or others. */
  #placeAgain(): void {
    this.#placed = this.#parts.places.version;
    for (const [name] of this.#here) {
      const text = this.#text(name);
      if (text !== null && this.#own(name, text) !== readFileSync(this.#path(name), 'utf8'))
        this.#put(name, text);
    }
  }

  /** Brings what is new there, then what is new here. */
  async #exchange(): Promise<void> {
    if (this.#changedHere().length === 0) return this.#pull(this.#parts.database);
    const written = await this.#transact(async (sql) => {
      const bodies = this.#changedHere().map((name) => ({ name, body: this.#text(name) }));
      return this.#write(sql, bodies);
    });
    for (const { name, digest } of written) this.#note(name, digest);
    this.#saved(written.map(({ name }) => name));
  }

  /** With everything that is there, and nobody else changes anything meanwhile. */
  #transact<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const { database, library } = this.#parts;
    return database.transact(async (sql) => {
      const [row] = await sql.query<{ tables: number }>(
        `select (select number from framehound.version) as tables
          from framehound.home_change where library = $1 for update`,
        [library],
      );
      database.expectSupported(row!.tables);
      await this.#pull(sql);
      return work(sql);
    });
  }

  async #pull(sql: Sql): Promise<void> {
    const { library } = this.#parts;
    const missed = this.#missed;
    const isWhole = missed !== this.#compared;
    const rows = await sql.query<Row>(
      'select name, seq, digest from framehound.home where library = $1 and seq > $2 order by seq',
      [library, isWhole ? -1 : this.#seq],
    );
    const missingNames = isWhole ? this.#compare(rows) : [];
    const changedRows = rows.filter(({ name, digest }) => digest !== (this.#digests.get(name) ?? null));
    const bodies: Body[] = [];
    // A list may be large.
    for (let at = 0; at < changedRows.length; at += 20) {
      const names = changedRows.slice(at, at + 20).map(({ name }) => name);
      bodies.push(
        ...(await sql.query<Body>(
          'select name, digest, body from framehound.home where library = $1 and name = any($2)',
          [library, names],
        )),
      );
    }
    this.#bring([...missingNames.map((name) => ({ name, digest: null, body: null })), ...bodies]);
    this.#seq = Number(rows.at(-1)?.seq ?? this.#seq);
    this.#compared = missed;
  }

  /** With all rows: answers names of which the database does not even tell that they were removed. */
  #compare(rows: readonly Row[]): string[] {
    for (const folder of commonFolders) this.#scan(folder);
    const there = new Set(rows.map(({ name }) => name));
    const missingNames: string[] = [];
    for (const name of this.#digests.keys()) {
      if (kindOf(name)?.endsAnywhere === true) {
        if (!there.has(name)) missingNames.push(name);
        // A file removed here is restored, and one that is in no older copy of the database is offered.
      } else if (!this.#here.has(name) || !there.has(name)) this.#digests.delete(name);
    }
    return missingNames;
  }

  /** Within a transaction that has locked the changes. */
  async #write(sql: Sql, bodies: readonly Pick<Body, 'name' | 'body'>[]): Promise<Body[]> {
    const { library } = this.#parts;
    const written = bodies.map(({ name, body }) => ({ name, body, digest: body && digestOf(body) }));
    for (const { name, digest, body } of written) {
      await sql.query(
        `with changed as (
            update framehound.home_change set seq = seq + 1 where library = $1 returning seq
          )
          insert into framehound.home (library, name, seq, digest, body)
            select $1, $2, seq, $3, $4 from changed
            on conflict (library, name) do update set seq = excluded.seq, digest = excluded.digest,
              body = excluded.body, at = clock_timestamp()`,
        [library, name, digest, body],
      );
    }
    if (written.length > 0) {
      await sql.query(
        `delete from framehound.home
          where library = $1 and body is null and name like 'sessions/%'
            and at < clock_timestamp() - interval '7 days'`,
        [library],
      );
      await sql.query('select pg_notify($1, $2)', [homeChannel, 'changed']);
    }
    return written;
  }

  /** Into the files of this machine. */
  #bring(bodies: readonly Body[]): void {
    if (bodies.length === 0) return;
    try {
      const changed = bodies.filter((body) => this.#bringOne(body));
      this.#saved(changed.map(({ name }) => name));
    } catch (error) {
      // It is brought again later.
      this.#missed++;
      const what = `${this.#parts.home} cannot be written (${codeOf(error) || reasonOf(error)})`;
      throw clusterErrors.HOME_UNWRITABLE(what, {}, error);
    }
  }

  /** Returns true if the file has changed. */
  #bringOne({ name, digest, body }: Body): boolean {
    // A kind of a newer version is ignored.
    if (kindOf(name) === undefined) return false;
    const here = this.#look(name);
    if ((here?.digest ?? null) === digest && here?.digest !== null) {
      this.#note(name, digest);
      return false;
    }
    const before = this.#digests.get(name);
    const isOwn = here !== undefined && (here.digest === null || here.digest !== before);
    const text = isOwn ? this.#joined(name, body, before === undefined) : body;
    this.#put(name, text);
    this.#note(name, digest);
    return true;
  }

  /** Merges the changed file here with the text of the database. */
  #joined(name: string, body: string | null, isFirst: boolean): string | null {
    const localText = this.#text(name);
    const { joined, endsAnywhere = false } = kindOf(name)!;
    if (endsAnywhere && body === null) return null;
    if (localText !== null && body !== null) {
      const both = joined(JSON.parse(localText), JSON.parse(body), isFirst);
      if (both !== null) return JSON.stringify(both);
    }
    const { home, log } = this.#parts;
    const path = join(home, 'cluster', 'set-aside', `${Date.now()}-${name.replaceAll('/', '-')}`);
    replaceFile(path, readFileSync(this.#path(name)), privateFile);
    log.warn('a file was changed here and in the cluster: that of the cluster counts', { name, copy: path });
    return body;
  }

  #put(name: string, text: string | null): void {
    const path = this.#path(name);
    const { isPrivate } = kindOf(name)!;
    if (text === null) rmSync(path, { force: true });
    else {
      replaceFile(path, this.#own(name, text), isPrivate ? privateFile : { flush: true, folderMode: 0o777 });
    }
    this.#look(name);
  }

  #note(name: string, digest: string | null): void {
    if (digest === null) this.#digests.delete(name);
    else this.#digests.set(name, digest);
  }

  #saved(changed: readonly string[]): void {
    const { library } = this.#parts;
    const state: Static<typeof State> = { version: 1, library, digests: Object.fromEntries(this.#digests) };
    replaceFile(this.#statePath, JSON.stringify(state), { ...privateFile, flush: false });
    if (changed.length > 0) for (const listener of this.#listeners) listener(changed);
  }

  /** Names of files that another process has changed here. */
  #changedHere(): string[] {
    for (const folder of commonFolders) this.#scan(folder);
    const changed = [...this.#here].flatMap(([name, { digest }]) =>
      digest !== null && digest !== this.#digests.get(name) ? [name] : [],
    );
    const ended = [...this.#digests.keys()].filter(
      (name) => !this.#here.has(name) && kindOf(name)?.endsAnywhere === true,
    );
    return [...changed, ...ended];
  }

  #scan(folder: string): void {
    const path = join(this.#parts.home, folder);
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    const isFresh = stats !== undefined && Math.abs(Date.now() - Number(stats.mtimeMs)) < COARSEST_TICK;
    const mark = isFresh ? '' : `${stats?.ino}-${stats?.mtimeNs}`;
    if (!isFresh && this.#folders.get(folder) === mark) return;
    this.#folders.set(folder, mark);
    const names = stats === undefined ? [] : readdirSync(path).map((file) => `${folder}/${file}`);
    const there = new Set(names.filter((name) => kindOf(name) !== undefined));
    for (const name of there) this.#look(name);
    for (const name of this.#here.keys())
      if (name.startsWith(`${folder}/`) && !there.has(name)) this.#here.delete(name);
  }

  /** Undefined when it is not there, or stays on its machine. */
  #look(name: string): Here | undefined {
    const mark = markOf(this.#path(name));
    const before = this.#here.get(name);
    if (mark !== '' && before?.mark === mark) return before;
    this.#here.delete(name);
    if (mark === '') return undefined;
    const text = this.#text(name);
    if (text !== null && kindOf(name)?.isShared?.(JSON.parse(text)) === false) return undefined;
    const here = { mark, digest: text && digestOf(text) };
    this.#here.set(name, here);
    return here;
  }

  /** Text in the form of the database; null for a missing file and for one that is no JSON. */
  #text(name: string): string | null {
    try {
      return this.#shared(name, readFileSync(this.#path(name), 'utf8'));
    } catch (error) {
      if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  #own(name: string, text: string): string {
    return `${JSON.stringify(this.#parts.places.own(JSON.parse(text), kindOf(name)?.byOrigin))}\n`;
  }

  #shared(name: string, text: string): string {
    return JSON.stringify(this.#parts.places.shared(JSON.parse(text), kindOf(name)?.byOrigin));
  }

  #path(name: string): string {
    return join(this.#parts.home, ...name.split('/'));
  }

  #nameOf(path: string): string {
    return relative(this.#parts.home, path).split(sep).join('/');
  }

  get #statePath(): string {
    return join(this.#parts.home, 'cluster', 'home.json');
  }
}

function digestOf(text: string): string {
  return hash('sha256', text, 'hex');
}

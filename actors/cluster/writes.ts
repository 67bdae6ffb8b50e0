// Changes of the library by people: each is a message of the log, which every replica passes to its index,
// and the answer is that of the replica of this machine.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';
import { type ErrorFields, engineErrors, fromFields } from '../../runtime/errors.ts';
import { comparablePath } from '../../runtime/paths.ts';
import { redirected } from '../../runtime/redirected.ts';
import type { Ref } from '../../runtime/ref.ts';
import type { indexContract } from '../index/contract.ts';
import { type ReplicaAnswer, type Write, writeNames } from '../index/replica/contract.ts';
import { storeErrors } from '../index/store/contract.ts';
import { clusterErrors } from './contract.ts';
import type { Database, Sql } from './database.ts';
import { addChange, addChanges, type ChangeBody, lockLibrary, noteContents } from './log.ts';
import type { RootPaths } from './places.ts';
import { packed } from './written.ts';

type Index = Ref<typeof indexContract>;

/** ms that the replica may take; of work that people do not wait for. */
const WITHIN = 60_000;
export const workWithin = 15 * 60_000;

const names: ReadonlySet<string> = new Set(writeNames);

export interface WriteParts {
  readonly database: Database;
  readonly places: RootPaths;
  readonly index: Index;
  readonly library: string;
  readonly nodeId: string;
  /** The replica. */
  readonly cacheDir: string;
  readonly clock: Clock;
}

export class ClusterWrites {
  readonly #parts: WriteParts;
  /** Callbacks of changes that the replica does not have yet, by id. */
  readonly #waiting = new Map<string, (written: ReplicaAnswer) => void>();

  /** Changes that come while others are recorded are recorded together next. */
  readonly #together = new Together((bodies) => this.#addAll(bodies));

  constructor(parts: WriteParts) {
    this.#parts = parts;
  }

  /** The index, where messages that write into the replica are changes of the log. */
  index(): Index {
    const { index, cacheDir } = this.#parts;
    const replica = comparablePath(cacheDir);
    return redirected(index, (name, request, options) => {
      const { cache_dir = '', ...fields } = request as { readonly cache_dir?: string };
      if (!names.has(name) || comparablePath(cache_dir) !== replica) return index.ask(name, request, options);
      return this.send([{ name, request: fields }], options?.signal) as never;
    });
  }

  /** The answer of this replica. Throws what it refused, REPLICA_LATE, CANCELLED, DATABASE_AWAY. */
  async send(write: Write, signal?: AbortSignal, within = WITHIN): Promise<unknown> {
    const { database, places, clock } = this.#parts;
    const id = randomUUID();
    const over = Promise.withResolvers<ReplicaAnswer>();
    const abort = () => over.reject(engineErrors.CANCELLED());
    this.#waiting.set(id, over.resolve);
    const disarm = clock.after(within, () => over.reject(clusterErrors.REPLICA_LATE()));
    signal?.addEventListener('abort', abort, { once: true });
    // Whatever the database says is thrown where it is awaited.
    over.promise.catch(() => {});
    try {
      if (signal?.aborted) throw engineErrors.CANCELLED();
      const paths = await this.#pathsOf(write, signal);
      const { worked, shared } = places.shared({ worked: paths, shared: packed(write) });
      const body: ChangeBody = { kind: 'write', id, write: shared };
      const forgottenHashes = forgottenBy(shared);
      if (worked.length + forgottenHashes.length > 0)
        await database.transact((sql) => this.#add(sql, body, worked, forgottenHashes));
      else await this.#together.add(JSON.stringify(body));
      const { answer, refusal } = await over.promise;
      if (refusal !== null) throw fromFields(refusal as ErrorFields);
      return answer;
    } finally {
      this.#waiting.delete(id);
      disarm();
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Files that no worker may have meanwhile. */
  async #pathsOf(write: Write, signal: AbortSignal | undefined): Promise<readonly string[]> {
    const { name, request } = write[0]!;
    if (name === 'move_paths')
      return (request['moves'] as { readonly from: string }[]).map(({ from }) => from);
    if (name !== 'remove_media') return [];
    const { index, cacheDir: cache_dir } = this.#parts;
    const hashes = request['hashes'] as string[];
    const { contents } = await index.ask('places', { cache_dir, hashes, paths: [] }, { signal });
    return contents.flatMap(({ paths }) => paths);
  }

  async #add(
    sql: Sql,
    body: ChangeBody,
    worked: readonly string[],
    forgottenHashes: readonly string[],
  ): Promise<void> {
    const { library, nodeId: node } = this.#parts;
    await lockLibrary(sql, library);
    if (worked.length > 0) await this.#expectIdle(sql, worked);
    const seq = await addChange(sql, { library, node }, body);
    const contents = forgottenHashes.map((hash) => ({ hash, path: '' }));
    await noteContents(sql, library, contents, seq);
  }

  async #addAll(bodies: readonly string[]): Promise<void> {
    const { database, library, nodeId: node } = this.#parts;
    await addChanges(database, { library, node }, bodies);
  }

  /** Throws MEDIA_IN_WORK. */
  async #expectIdle(sql: Sql, worked: readonly string[]): Promise<void> {
    const [job] = await sql.query<{ paths: string[] }>(
      'select paths from framehound.job where not ended and paths ?| $1 limit 1',
      [worked],
    );
    const path = job?.paths.find((candidate) => worked.includes(candidate));
    if (path === undefined) return;
    const localPath = this.#parts.places.own(path);
    throw storeErrors.MEDIA_IN_WORK(
      `${localPath} is part of a running task; cancel the task or wait for it to end`,
      { path: localPath },
    );
  }

  /** The replica has a write. */
  told(id: string, written: ReplicaAnswer): void {
    this.#waiting.get(id)?.(written);
  }
}

/** Contents that go with it. */
export function forgottenBy([first]: Write): string[] {
  return first?.name === 'remove_media' ? (first.request['hashes'] as string[]) : [];
}

// Requests that arrive during a round are done together by the next one.

/** Limits of one round: requests, and letters of all texts but the first. */
const [MOST, LONGEST] = [256, 1 << 20];

interface Waiting {
  readonly text: string;
  readonly over: PromiseWithResolvers<void>;
}

export class Together {
  readonly #work: (texts: readonly string[]) => Promise<void>;
  readonly #waiting: Waiting[] = [];
  #isAtWork = false;

  constructor(work: (texts: readonly string[]) => Promise<void>) {
    this.#work = work;
  }

  /** Resolves when it is done. */
  add(text: string): Promise<void> {
    const over = Promise.withResolvers<void>();
    this.#waiting.push({ text, over });
    void this.#run();
    return over.promise;
  }

  async #run(): Promise<void> {
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    while (this.#waiting.length > 0) {
      const round = this.#next();
      await this.#do(round).catch(async (error: unknown) => {
        // One that the database does not take keeps no other one out.
        const isOfOne = round.length > 1 && clusterErrors.DATABASE_REFUSED.is(error);
        if (!isOfOne) for (const { over } of round) over.reject(error);
        else for (const request of round) await this.#do([request]).catch(request.over.reject);
      });
    }
    this.#isAtWork = false;
  }

  async #do(round: readonly Waiting[]): Promise<void> {
    await this.#work(round.map(({ text }) => text));
    for (const { over } of round) over.resolve();
  }

  #next(): Waiting[] {
    let letters = 0;
    const end = this.#waiting.findIndex(({ text }, at) => {
      letters += text.length;
      return at > 0 && (at >= MOST || letters > LONGEST);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }
}

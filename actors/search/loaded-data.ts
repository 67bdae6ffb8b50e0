// State of one kind of analysis data that is loaded for searches. A newer load supersedes one in progress,
// and the next search reloads what the index lost in a restart.
import { resolve } from 'node:path';
import { type EngineError, engineErrors } from '../../runtime/errors.ts';
import { realFolder } from '../../runtime/files/folder.ts';
import type { AskOptions, Ref } from '../../runtime/ref.ts';
import type { indexContract } from '../index/contract.ts';
import type { PeopleLoadReport } from '../index/people/contract.ts';
import { storeErrors } from '../index/store/contract.ts';
import type { TranscriptLoadReport } from '../index/transcripts/contract.ts';
import { contextErrors } from './contract.ts';

/** Names what is loaded: a folder, and what else one kind of data belongs to. */
export interface LoadKey {
  readonly cache_dir: string;
}

export interface LoadedReport {
  /** Hashes whose stored data is damaged. */
  readonly unreadable: readonly string[];
}

/** One kind of data: how it is loaded, and what its errors say. */
export interface DataKind<K extends LoadKey, R extends LoadedReport> {
  same(a: K, b: K): boolean;
  /** Loads everything. `throwIfSuperseded` is called between its steps. */
  load(key: K, throwIfSuperseded: () => void, signal: AbortSignal | undefined): Promise<R>;
  /**
   * Throws STORE_UNAVAILABLE and its like when the folder cannot be read, also when it is not there and
   * `wasThere`.
   */
  open(key: K, wasThere: boolean, signal: AbortSignal | undefined): Promise<unknown>;
  /** CONTEXT_CHANGED. */
  superseded(key: K): EngineError;
  /** NOT_LOADED. */
  notLoaded(key: K): EngineError;
}

export class LoadedData<K extends LoadKey, R extends LoadedReport> {
  readonly #kind: DataKind<K, R>;
  #current: K | null = null;
  /** Key that is being loaded, if it differs from the loaded one. */
  #target: K | null = null;
  /** Counts what came and went; a load of an earlier epoch is superseded. */
  #epoch = 0;
  #damaged: readonly string[] = [];
  /** State of an earlier engine while it is reloaded. */
  #restoring: { readonly key: K; readonly done: Promise<void> } | null = null;
  readonly #changed: () => void;

  /** `changed`: what is loaded is another folder, or nothing any more. */
  constructor(kind: DataKind<K, R>, changed: () => void = () => {}) {
    this.#kind = kind;
    this.#changed = changed;
  }

  get isRestoring(): boolean {
    return this.#restoring !== null;
  }

  /**
   * Loads again what an engine before this one had, once `ready` resolves, unless something else is asked for
   * first. What asks for it meanwhile waits.
   */
  async restore(given: K, ready: Promise<unknown>): Promise<void> {
    const key = this.#real(given);
    const work = ready.then(async () => {
      await this.#kind.open(key, true, undefined);
      if (this.newest !== null) throw this.#kind.superseded(key);
      return this.load(key);
    });
    const done = work.then(
      () => {},
      () => {},
    );
    this.#restoring = { key, done };
    try {
      await work;
    } finally {
      this.#restoring = null;
    }
  }

  /** The same, whatever is being restored. */
  async restored(signal?: AbortSignal): Promise<void> {
    if (this.#restoring !== null) await abortable(this.#restoring.done, signal);
  }

  /** Resolves when what is being restored is there or cannot be; at once when `given` is something else. */
  async settled(given: K, signal?: AbortSignal): Promise<void> {
    const restoring = this.#restoring;
    if (restoring === null || !this.#isSame(restoring.key, this.#real(given))) return;
    await abortable(restoring.done, signal);
  }

  get current(): K | null {
    return this.#current;
  }

  /** The latest requested key: the one being loaded, else the loaded one. */
  get newest(): K | null {
    return this.#target ?? this.#current;
  }

  /** Hashes that could not be read when they were loaded. */
  get damaged(): readonly string[] {
    return this.#damaged;
  }

  /**
   * Everything of a folder; what is loaded of another one gives way. CONTEXT_CHANGED when a newer load
   * supersedes it.
   */
  async load(given: K, signal?: AbortSignal): Promise<R> {
    const key = this.#real(given);
    if (!this.#isSame(this.newest, key)) {
      this.#epoch++;
      this.#target = key;
    }
    const throwIfSuperseded = this.#epochCheck(key);
    const epoch = this.#epoch;
    try {
      const report = await this.#kind.load(key, throwIfSuperseded, signal);
      throwIfSuperseded();
      const isNews = !this.#isSame(this.#current, key);
      this.#current = key;
      this.#damaged = report.unreadable;
      if (isNews) this.#changed();
      return report;
    } finally {
      // After a failure what was loaded before stays; if the index let go of it, the next search loads it
      // again.
      if (epoch === this.#epoch) this.#target = null;
    }
  }

  /** Adds some media to what is loaded by `work`. CONTEXT_CHANGED when a newer load supersedes it. */
  async add(given: K, work: (key: K, throwIfSuperseded: () => void) => Promise<R>): Promise<R> {
    const key = this.#real(given);
    const throwIfSuperseded = this.#epochCheck(key);
    const report = await work(key, throwIfSuperseded);
    throwIfSuperseded();
    this.#damaged = [...new Set([...this.#damaged, ...report.unreadable])];
    return report;
  }

  /** Nothing is loaded any more; a load that is under way is superseded. */
  clear(): void {
    this.#epoch++;
    const wasLoaded = this.#current !== null;
    this.#current = null;
    this.#target = null;
    this.#damaged = [];
    if (wasLoaded) this.#changed();
  }

  isNewest(given: K): boolean {
    return this.#isSame(this.newest, this.#real(given));
  }

  isLoaded(given: K): boolean {
    return this.#isSame(this.#current, this.#real(given));
  }

  /**
   * Throws NOT_LOADED when something else is loaded, or nothing; what keeps the folder from being read goes
   * before.
   */
  async require(given: K, signal?: AbortSignal): Promise<void> {
    if (this.isLoaded(given)) return;
    await this.#kind.open(given, false, signal);
    throw this.#kind.notLoaded(given);
  }

  /**
   * Runs `work` on what is loaded, loading it again once when the index lost it. NOT_LOADED when something
   * else is.
   */
  async within<T>(given: K, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.settled(given, signal);
    await this.require(given, signal);
    try {
      return await work();
    } catch (error) {
      // When a newer load has taken its place, loading it again would undo that.
      const superseded = () => !this.isLoaded(given) || !this.isNewest(given);
      if (!storeErrors.NOT_LOADED.is(error) || superseded()) throw error;
      await this.#kind.open(given, true, signal);
      if (superseded()) throw error;
      await this.load(given, signal);
      return work();
    }
  }

  /**
   * Key with the real name of the folder, however it was given. The loaded key has it already, which saves an
   * access to the disk.
   */
  #real(given: K): K {
    const path = resolve(given.cache_dir);
    const isHeld = this.#current?.cache_dir === path || this.#target?.cache_dir === path;
    return { ...given, cache_dir: isHeld ? path : realFolder(path) };
  }

  #isSame(currentKey: K | null, key: K): boolean {
    return currentKey !== null && this.#kind.same(currentKey, key);
  }

  #epochCheck(key: K): () => void {
    const epoch = this.#epoch;
    return () => {
      if (epoch !== this.#epoch) throw this.#kind.superseded(key);
    };
  }
}

/** Throws CANCELLED when `signal` aborts first. */
async function abortable(done: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return done;
  const { promise, resolve: abort } = Promise.withResolvers<void>();
  const listener = () => abort();
  signal.addEventListener('abort', listener, { once: true });
  if (signal.aborted) abort();
  await Promise.race([done, promise]);
  signal.removeEventListener('abort', listener);
  if (signal.aborted) throw engineErrors.CANCELLED();
}

// Sends the message of a load until it is done; searches come in between.

interface Step {
  readonly done: boolean;
  readonly load: number;
}

/** Answers the last step. `throwIfSuperseded` is asked after each of them. */
export async function loadInSteps<S extends Step>(
  step: (load: number | null) => Promise<S>,
  throwIfSuperseded: () => void,
): Promise<S> {
  for (let load: number | null = null; ; ) {
    const answer: S = await step(load);
    throwIfSuperseded();
    if (answer.done) return answer;
    load = answer.load;
  }
}

// How search asks the actors: in the `now` lane, ahead of an ingest.

export function now(signal: AbortSignal | undefined): AskOptions {
  return { lane: 'now', signal };
}

/** Sends a question until the stored data is in memory; other questions come in between. */
export async function untilDone<A extends { readonly done: boolean }>(ask: () => Promise<A>): Promise<A> {
  for (;;) {
    const answer = await ask();
    if (answer.done) return answer;
  }
}

// The people that are loaded for searching: the face clusterings of one folder.

export type PeopleData = LoadedData<LoadKey, PeopleLoadReport>;

export function createPeopleData(index: Ref<typeof indexContract>, changed?: () => void): PeopleData {
  const load = (request: LoadRequest, call: AskOptions) => index.ask('load_people', request, call);
  const words = { what: 'people', path: '/analysis-data/load', field: 'people_filter' };
  return new LoadedData(folderData(index, load, words), changed);
}

// The transcripts that are loaded for searching: of one folder, apart from its pictures.

export type TranscriptData = LoadedData<LoadKey, TranscriptLoadReport>;

export function createTranscriptData(index: Ref<typeof indexContract>, changed?: () => void): TranscriptData {
  const load = (request: LoadRequest, call: AskOptions) => index.ask('load_transcripts', request, call);
  const words = {
    what: 'transcriptions',
    path: '/analysis-data/load-transcriptions',
    field: 'cache_dir',
  };
  return new LoadedData(folderData(index, load, words), changed);
}

interface LoadRequest extends LoadKey {
  readonly load: number | null;
}

/** Data of one folder, loaded in steps so that searches come in between. `words`: of what its errors say. */
function folderData<R extends LoadedReport & Step>(
  index: Ref<typeof indexContract>,
  step: (request: LoadRequest, call: AskOptions) => Promise<R>,
  { what, path, field }: { readonly what: string; readonly path: string; readonly field: string },
): DataKind<LoadKey, R> {
  return {
    same: (a, b) => a.cache_dir === b.cache_dir,
    load: ({ cache_dir }, throwIfSuperseded, signal) =>
      loadInSteps((load) => step({ cache_dir, load }, now(signal)), throwIfSuperseded),
    open: ({ cache_dir }, was_there, signal) => index.ask('open', { cache_dir, was_there }, now(signal)),
    superseded: ({ cache_dir }) =>
      contextErrors.CONTEXT_CHANGED(`${cache_dir}: the ${what} of another folder are being loaded`),
    notLoaded: ({ cache_dir }) =>
      storeErrors.NOT_LOADED(`The ${what} of ${cache_dir} are not loaded; load them first (POST ${path})`, {
        field,
      }),
  };
}

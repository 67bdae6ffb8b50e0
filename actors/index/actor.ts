// The index in its thread: the only writer of analysis folders, and the vectors that searches run over.
import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { type ActorEnv, actor, type Handlers, Sent, type Turn } from '../../runtime/actor.ts';
import type { Request } from '../../runtime/contract.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { indexContract } from './contract.ts';
import type { FacetReport } from './facets/contract.ts';
import { type CheckedFilter, checkFilters } from './facets/filter.ts';
import { facets } from './facets/list.ts';
import { facetReport } from './facets/report.ts';
import { FacetTables } from './facets/tables.ts';
import { Folders } from './folders.ts';
import { storeErrors } from './store/contract.ts';
import type { Stage } from './store/stage.ts';
import type { Store } from './store/store.ts';
import type { WriterOptions } from './store/writer.ts';
import { type Opened, transcriptHandlers } from './transcripts/handlers.ts';
import { TranscriptIndex } from './transcripts/transcripts.ts';
import type { FrameScope } from './visual/catalog.ts';
import type { LoadReport } from './visual/contract.ts';
import { wantedStages } from './visual/load.ts';
import { Loaded } from './visual/loaded.ts';
import { search } from './visual/search.ts';
import { maxQueries } from './visual/segment.ts';

type Contract = typeof indexContract;

/** All optional; tests make segments and packs small and hand in a disk that fills up. */
export interface IndexSettings extends WriterOptions {
  readonly segmentBytes?: number;
  /** The number before the first stage. */
  readonly firstStage?: number;
}

/** As a client of a search calls them. */
const filtersField = 'metadata_filter_request.filters';

class Index implements Opened {
  readonly #env: ActorEnv<IndexSettings | undefined>;
  readonly #folders: Folders;
  readonly #stages = new Map<number, { store: Store; stage: Stage }>();
  /** Every life of the actor counts from elsewhere, so that a number of an earlier life names no stage of this one. */
  #lastStage: number;
  #loaded: Loaded | null = null;
  readonly #tables: FacetTables;
  readonly transcripts: TranscriptIndex;

  constructor(env: ActorEnv<IndexSettings | undefined>) {
    this.#env = env;
    this.#lastStage = env.settings?.firstStage ?? randomInt(2 ** 40);
    const warn: WriterOptions['warn'] = (message, fields) => env.log.warn(message, fields);
    this.#tables = new FacetTables(env.log);
    this.transcripts = new TranscriptIndex(env.log);
    this.#folders = new Folders({ warn, ...env.settings });
  }

  /** Runs `use` on the store of a folder; a store that failed is opened anew by the next call. */
  async with<T>(folder: string, use: (store: Store) => T): Promise<T> {
    const store = await this.#folders.store(folder);
    try {
      return use(store);
    } catch (error) {
      const stale = [storeErrors.STORE_READ_ONLY, storeErrors.STORE_DAMAGED, storeErrors.STORE_UNAVAILABLE];
      if (stale.some((one) => one.is(error))) {
        this.#tables.forget(store);
        await this.#folders.forget(store);
      }
      throw error;
    }
  }

  begin(request: Request<Contract, 'begin'>) {
    return this.with(request.cache_dir, (store) => {
      const opened = store.begin(request.hash_str, request.model_key, request.dimensions);
      for (const [number, { store: of, stage: left }] of this.#stages) {
        const same = left.hash === request.hash_str && left.modelKey === request.model_key;
        if (of === store && same) this.#stages.delete(number);
      }
      const stage = ++this.#lastStage;
      this.#stages.set(stage, { store, stage: opened });
      return { stage };
    });
  }

  stage(number: number): { store: Store; stage: Stage } {
    const open = this.#stages.get(number);
    if (open === undefined) throw storeErrors.STAGE_LOST(`stage: ${number} is not open`);
    return open;
  }

  commit(request: Request<Contract, 'commit'>, turn: Turn) {
    const { store, stage } = this.stage(request.stage);
    this.#stages.delete(request.stage);
    return { vectors: store.commit(stage, request.media, () => turn.cancelled()) };
  }

  abort(number: number) {
    const open = this.#stages.get(number);
    this.#stages.delete(number);
    open?.store.abort(open.stage);
    return {};
  }

  load(request: Request<Contract, 'load'>, turn: Turn): Promise<LoadReport> {
    return this.with(request.cache_dir, (store) => {
      store.requireFolder();
      const { model_key, hashes } = request;
      const wanted = wantedStages(store, model_key, hashes);
      const pause = () => turn.throwIfCancelled();
      const target = this.#targetOf(store, model_key);
      try {
        target.add(store, wanted.visuals, wanted.unreadable, pause);
      } catch (error) {
        if (target !== this.#loaded) target.close();
        throw error;
      }
      this.#use(target);
      if (target.isFragmented) this.#renew(store, target, pause);
      return (this.#loaded as Loaded).report(wanted.missing, wanted.unreadable);
    });
  }

  /** What a load adds to: what is loaded, or something new when the folder, the model or its dimensions are others. */
  #targetOf(store: Store, modelKey: string): Loaded {
    const dimensions = store.model(modelKey)?.dimensions ?? 1;
    const now = this.#loaded;
    const same =
      now !== null &&
      now.folder === store.folder &&
      now.modelKey === modelKey &&
      now.dimensions === dimensions;
    if (same) return now;
    // What was loaded before goes first: both at once may not fit into memory.
    this.drop();
    return new Loaded(store.folder, modelKey, dimensions, this.#env.log, this.#env.settings?.segmentBytes);
  }

  #renew(store: Store, fragmented: Loaded, pause: () => void): void {
    const hashes = fragmented.catalog.hashes();
    const fresh = new Loaded(
      fragmented.folder,
      fragmented.modelKey,
      fragmented.dimensions,
      this.#env.log,
      this.#env.settings?.segmentBytes,
    );
    fresh.add(store, wantedStages(store, fragmented.modelKey, hashes).visuals, new Set(), pause);
    this.#use(fresh);
  }

  #use(loaded: Loaded): void {
    if (this.#loaded !== loaded) this.drop();
    this.#loaded = loaded;
  }

  drop(): void {
    this.#loaded?.close();
    this.#loaded = null;
  }

  #loadedOf(folder: string, modelKey: string): Loaded {
    const loaded = this.#loaded;
    if (loaded === null || loaded.folder !== resolve(folder) || loaded.modelKey !== modelKey) {
      throw storeErrors.NOT_LOADED(`The analysis in ${folder} by ${modelKey} is not loaded`, {
        folder,
        model: modelKey,
      });
    }
    return loaded;
  }

  async search(request: Request<Contract, 'search'>, turn: Turn) {
    const loaded = this.#loadedOf(request.cache_dir, request.model_key);
    const pause = () => turn.throwIfCancelled();
    const { text, picture, exclude, text_weight: textWeight } = request;
    if (text === null && picture === null)
      throw engineErrors.INVALID_MESSAGE('text and picture are both missing');
    const filters = checkFilters(facets, request.scope.filters, filtersField);
    if (loaded.catalog.vectors === 0) return { matches: [], searched: 0 };
    const checked = (name: string, vector: Float32Array | null) =>
      vector === null ? null : (checkedVectors(name, vector, loaded.dimensions, 1)[0] as Float32Array);
    const wanted = {
      text: checked('text', text),
      picture: checked('picture', picture),
      textWeight,
      exclude: exclude === null ? [] : checkedVectors('exclude', exclude, loaded.dimensions, maxQueries - 1),
    };
    const scope = await this.#filtered(request, filters, loaded, pause);
    return search(loaded.searched(pause), wanted, scope, request.max_results);
  }

  /** The scope without what its filters keep out. */
  async #filtered(
    { cache_dir, scope }: Request<Contract, 'search'>,
    filters: readonly CheckedFilter[],
    loaded: Loaded,
    pause: () => void,
  ): Promise<FrameScope> {
    if (filters.length === 0) return scope;
    const passes = await this.with(cache_dir, (store) => this.passing(store, filters, pause));
    return { ranges: scope.ranges, hashes: (scope.hashes ?? loaded.catalog.hashes()).filter(passes) };
  }

  /** Which media pass all filters. */
  passing(store: Store, filters: readonly CheckedFilter[], pause: () => void): (hash: string) => boolean {
    return this.#tables.of(store, pause).passing(filters);
  }

  resolve({ cache_dir, model_key, names, filters }: Request<Contract, 'resolve'>) {
    checkFilters(facets, filters, filtersField);
    const { get } =
      model_key === null ? this.transcripts.of(cache_dir) : this.#loadedOf(cache_dir, model_key).catalog;
    return this.with(cache_dir, (store) => {
      const hashes = names.map((name) => store.hashOf(name));
      return { hashes, loaded: hashes.map((hash) => hash !== null && get(hash) !== undefined) };
    });
  }

  facets({ cache_dir, scope, filters }: Request<Contract, 'facets'>, turn: Turn): Promise<FacetReport> {
    const pause = () => turn.throwIfCancelled();
    return this.with(cache_dir, (store) => {
      store.requireFolder();
      const model = scope.mode === 'global' ? scope.model_key : null;
      const visual = model === null ? [] : this.#loadedOf(cache_dir, model).catalog.hashes();
      const spoken = scope.mode === 'global' && scope.transcripts;
      const speech = spoken ? this.transcripts.of(cache_dir).hashes() : [];
      return facetReport(this.#tables.of(store, pause), scope, { visual, speech }, filters, pause);
    });
  }

  previews(request: Request<Contract, 'previews'>) {
    return this.with(request.cache_dir, (store) => {
      store.requireFolder();
      const previews = request.frames.map((): Uint8Array<ArrayBuffer> | null => null);
      const unreadable: string[] = [];
      for (const [hash, entries] of Map.groupBy(request.frames.entries(), ([, frame]) => frame.hash_str)) {
        try {
          const found = store.previews(
            hash,
            entries.map(([, frame]) => frame.frame_index),
          );
          for (const [i, [at]] of entries.entries()) previews[at] = found[i] ?? null;
        } catch (error) {
          if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
          this.#env.log.warn('Previews cannot be read', { hash, reason: error.message });
          unreadable.push(hash);
        }
      }
      const transfer = previews.flatMap((preview) => (preview === null ? [] : [preview.buffer]));
      return new Sent({ previews, unreadable }, { transfer });
    });
  }

  async close(): Promise<void> {
    this.drop();
    this.transcripts.drop();
    this.#stages.clear();
    await this.#folders.close();
  }
}

/** `vectors`: k×d. Throws WRONG_DIMENSIONS or INVALID_MESSAGE naming the field. */
function checkedVectors(
  name: string,
  vectors: Float32Array,
  dimensions: number,
  most: number,
): Float32Array[] {
  const count = vectors.length / dimensions;
  if (!Number.isInteger(count) || count === 0 || (most === 1 && count !== 1)) {
    throw storeErrors.WRONG_DIMENSIONS(
      `${name}: ${vectors.length} numbers do not fit the ${dimensions} dimensions of the loaded model`,
    );
  }
  if (count > most)
    throw engineErrors.INVALID_MESSAGE(`${name}: ${count} vectors, at most ${most} are possible`);
  if (!vectors.every(Number.isFinite))
    throw engineErrors.INVALID_MESSAGE(`${name} holds a value that is not a number`);
  return Array.from({ length: count }, (_, i) => vectors.subarray(i * dimensions, (i + 1) * dimensions));
}

function handlersOf(index: Index): Handlers<Contract> {
  return {
    known: ({ cache_dir, path, ...mark }) => index.with(cache_dir, (store) => store.known(path, mark)),
    remember: ({ cache_dir, media }) =>
      index.with(cache_dir, (store) => {
        store.remember(media);
        return {};
      }),
    stored: ({ cache_dir, model_key, hashes }) =>
      index.with(cache_dir, (store) => ({ stored: store.stored(model_key, hashes) })),
    ...transcriptHandlers(index),
    find: ({ cache_dir, paths, hashes }) =>
      index.with(cache_dir, (store) => ({
        by_path: paths.map((path) => store.byPath(path)),
        by_hash: hashes.map((hash) => store.byHash(hash)),
      })),
    held: ({ cache_dir, hash_str }) => index.with(cache_dir, (store) => store.held(hash_str)),
    open: ({ cache_dir }) =>
      index.with(cache_dir, (store) => {
        store.requireFolder();
        store.check();
        return {};
      }),
    media: ({ cache_dir }) =>
      index.with(cache_dir, (store) => {
        store.requireFolder();
        return { media: store.media() };
      }),
    begin: (request) => index.begin(request),
    append: ({ stage: number, frames, vectors, previews }) => {
      const { store, stage } = index.stage(number);
      store.append(stage, frames, vectors, previews);
      return {};
    },
    commit: (request, turn) => index.commit(request, turn),
    abort: ({ stage }) => index.abort(stage),
    load: (request, turn) => index.load(request, turn),
    drop: () => {
      index.drop();
      return {};
    },
    resolve: (request) => index.resolve(request),
    facets: (request, turn) => index.facets(request, turn),
    search: (request, turn) => index.search(request, turn),
    vector: ({ cache_dir, model_key, hash_str, frame_index }) =>
      index.with(cache_dir, (store) => ({ vector: store.vector(model_key, hash_str, frame_index) })),
    previews: (request) => index.previews(request),
  };
}

export const definition = actor<Contract, IndexSettings | undefined>({
  contract: indexContract,
  create: (env) => {
    const index = new Index(env);
    return { handlers: handlersOf(index), close: () => index.close() };
  },
});

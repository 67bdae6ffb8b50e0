// The visual analysis data that is loaded for searching: of one folder by one model.
import { EngineError } from '../../../runtime/errors.ts';
import type { Ref } from '../../../runtime/ref.ts';
import type { indexContract } from '../../index/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';
import type { LoadReport } from '../../index/visual/contract.ts';
import { olderKeys } from '../../models/other-keys.ts';
import { contextErrors, type SearchContext } from '../contract.ts';
import { type DataKind, LoadedData, loadInSteps, now } from '../loaded-data.ts';
import { type LocationParts, renamedFiles } from '../media/location.ts';

/** Media whose vectors are of an older version of the model alone, so that nothing of them is found. */
export interface Outdated {
  /** Some of them. */
  readonly hashes: readonly string[];
  readonly count: number;
}
const none: Outdated = { hashes: [], count: 0 };
const NAMED = 5;

export class VisualData extends LoadedData<SearchContext, LoadReport> {
  readonly #location: LocationParts;
  #outdated: Outdated = none;

  constructor(location: LocationParts, changed?: () => void) {
    const { index } = location;
    const kind: DataKind<SearchContext, LoadReport> = {
      same: (a, b) => a.cache_dir === b.cache_dir && a.model_key === b.model_key,
      load: async (context, throwIfSuperseded, signal) => {
        const report = await loadVectors(index, { ...context, hashes: null }, throwIfSuperseded, signal);
        await this.#noteOutdated(context, throwIfSuperseded, signal);
        return report;
      },
      open: ({ cache_dir }, was_there, signal) => index.ask('open', { cache_dir, was_there }, now(signal)),
      superseded: ({ cache_dir }) =>
        contextErrors.CONTEXT_CHANGED(`${cache_dir}: ${contextErrors.CONTEXT_CHANGED.meaning}`),
      notLoaded: ({ cache_dir, model_key }) =>
        storeErrors.NOT_LOADED(
          `The analysis data of ${cache_dir} is not loaded for ${model_key}; load it first (POST /analysis-data/load)`,
          { field: 'cache_dir' },
        ),
    };
    super(kind, changed);
    this.#location = location;
  }

  /** Outdated state of the folder at the last load. */
  get outdated(): Outdated {
    return this.#outdated;
  }

  /**
   * Adds some media to what is loaded; with nothing loaded, loads the folder. CONTEXT_MISMATCH when something
   * else is.
   */
  async loadMedia(context: SearchContext, hashes: string[], signal?: AbortSignal): Promise<LoadReport> {
    if (this.newest !== null && !this.isNewest(context)) {
      const [loadedContext, requestedContext] = [this.newest, context].map(
        (entry) => `${entry.cache_dir} by ${entry.model_key}`,
      );
      throw contextErrors.CONTEXT_MISMATCH(`${loadedContext} is loaded, not ${requestedContext}`, {
        field: 'cache_dir',
      });
    }
    if (!this.isLoaded(context)) return this.load(context, signal);
    return this.add(context, async (of, throwIfSuperseded) => {
      const report = await loadVectors(this.#location.index, { ...of, hashes }, throwIfSuperseded, signal);
      await this.#noteOutdated(of, throwIfSuperseded, signal);
      return report;
    });
  }

  /** Another folder may be loaded by the time the index answers. */
  async #noteOutdated(
    context: SearchContext,
    throwIfSuperseded: () => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const outdated = await findOutdated(this.#location.index, context, signal);
    throwIfSuperseded();
    this.#outdated = outdated;
  }

  /** The same by path; `missing` names the paths that are not analysed. */
  async loadPaths(
    context: SearchContext,
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<LoadReport> {
    const request = { cache_dir: context.cache_dir, paths: [...paths], hashes: [] };
    const { by_path } = await this.#location.index.ask('find', request, now(signal));
    const hashOf = new Map(
      by_path.flatMap((record) => (record ? [[record.path, record.identity.hash_str]] : [])),
    );
    const unknown = paths.filter((path) => !hashOf.has(path));
    const renamed = await renamedFiles(this.#location, context.cache_dir, unknown, now(signal));
    for (const [path, hash] of renamed) hashOf.set(path, hash);
    const knownHashes = [...new Set(paths.flatMap((path) => hashOf.get(path) ?? []))];
    const report = await this.loadMedia(context, knownHashes, signal);
    const without = new Set(report.missing);
    const missing = paths.filter((path) => without.has(hashOf.get(path) ?? '') || !hashOf.has(path));
    return { ...report, missing };
  }

  /** Forgets what is loaded; a load that is under way then ends in CONTEXT_CHANGED. */
  async drop(): Promise<void> {
    this.clear();
    await this.#location.index.ask('drop', {}, now(undefined)).catch((error: unknown) => {
      // An index that ended holds nothing any more, and one that is too busy lets go of it at the next load.
      if (!(error instanceof EngineError && error.retryable)) throw error;
    });
  }
}

async function findOutdated(
  index: Ref<typeof indexContract>,
  { cache_dir, model_key }: SearchContext,
  signal: AbortSignal | undefined,
): Promise<Outdated> {
  const older = olderKeys(model_key);
  if (older.length === 0) return none;
  return index.ask('outdated', { cache_dir, model_key, older, most: NAMED }, now(signal));
}

async function loadVectors(
  index: Ref<typeof indexContract>,
  request: SearchContext & { hashes: string[] | null },
  throwIfSuperseded: () => void,
  signal: AbortSignal | undefined,
): Promise<LoadReport> {
  const step = (load: number | null) => index.ask('load', { ...request, load }, now(signal));
  const { done: _done, load: _load, ...report } = await loadInSteps(step, throwIfSuperseded);
  return report;
}

// What is loaded for searching: one analysis folder by one visual model. Keeps the rules of who may add to it, and brings
// it back when the index began anew.
import { resolve } from 'node:path';
import { EngineError } from '../../../runtime/errors.ts';
import type { Ref } from '../../../runtime/ref.ts';
import type { indexContract } from '../../index/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';
import type { LoadReport } from '../../index/visual/contract.ts';
import { contextErrors, type SearchContext } from '../contract.ts';

export interface Contexts {
  readonly current: SearchContext | null;
  /** Hashes that could not be read when the folder was loaded. */
  readonly damaged: readonly string[];
  /** Everything of a folder. What is loaded of another folder or model gives way. CONTEXT_CHANGED when one of the two
   * was changed meanwhile. */
  load(wanted: SearchContext, signal?: AbortSignal): Promise<LoadReport>;
  /** Adds some media to what is loaded; with nothing loaded, loads the folder. CONTEXT_MISMATCH when something else is. */
  loadMedia(wanted: SearchContext, hashes: string[], signal?: AbortSignal): Promise<LoadReport>;
  /** Forgets what is loaded; a load that is under way then ends in CONTEXT_CHANGED. */
  drop(): Promise<void>;
  /** Throws NOT_LOADED when something else is loaded, or nothing. */
  require(wanted: SearchContext): void;
  /** Runs `work` on what is loaded, loading it again once when the index lost it. NOT_LOADED when it is not this. */
  within<T>(wanted: SearchContext, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createContexts(index: Ref<typeof indexContract>): Contexts {
  let current: SearchContext | null = null;
  /** What is being loaded, when it is not what is loaded. */
  let target: SearchContext | null = null;
  /** Changes with every folder or model that comes or goes. */
  let epoch = 0;
  let damaged: readonly string[] = [];

  const ask = (wanted: SearchContext, hashes: string[] | null, signal: AbortSignal | undefined) =>
    index.ask('load', { ...wanted, hashes }, { lane: 'now', signal });
  const replace = async (wanted: SearchContext, signal: AbortSignal | undefined) => {
    if (!same(current, wanted) && !same(target, wanted)) {
      epoch++;
      target = wanted;
    }
    const mine = epoch;
    // When this fails, what was loaded before stays; should the index have let go of it, the next search brings it back.
    const report = await ask(wanted, null, signal).catch((error: unknown) => {
      if (mine === epoch) target = null;
      throw error;
    });
    if (mine !== epoch) {
      throw contextErrors.CONTEXT_CHANGED(`${wanted.cache_dir}: ${contextErrors.CONTEXT_CHANGED.meaning}`);
    }
    target = null;
    current = wanted;
    damaged = report.unreadable;
    return report;
  };
  const need = (wanted: SearchContext) => {
    if (same(current, withWholePath(wanted))) return;
    throw storeErrors.NOT_LOADED(
      `The analysis data of ${wanted.cache_dir} is not loaded for ${wanted.model_key}; load it first (POST /analysis-data/load)`,
      { field: 'cache_dir' },
    );
  };
  return {
    get current() {
      return current;
    },
    get damaged() {
      return damaged;
    },
    load: (wanted, signal) => replace(withWholePath(wanted), signal),
    loadMedia: async (given, hashes, signal) => {
      const wanted = withWholePath(given);
      const held = target ?? current;
      if (held && !same(held, wanted)) {
        const what = `${held.cache_dir} by ${held.model_key} is loaded, not ${wanted.cache_dir} by ${wanted.model_key}`;
        throw contextErrors.CONTEXT_MISMATCH(what, { field: 'cache_dir' });
      }
      if (!same(current, wanted)) return replace(wanted, signal);
      const mine = epoch;
      const report = await ask(wanted, hashes, signal);
      if (mine !== epoch) throw contextErrors.CONTEXT_CHANGED();
      damaged = [...new Set([...damaged, ...report.unreadable])];
      return report;
    },
    drop: async () => {
      epoch++;
      current = null;
      target = null;
      damaged = [];
      await index.ask('drop', {}, { lane: 'now' }).catch((error: unknown) => {
        // An index that ended holds nothing any more, and one that is too busy lets go of it at the next load.
        if (!(error instanceof EngineError && error.retryable)) throw error;
      });
    },
    require: need,
    within: async (given, work, signal) => {
      const wanted = withWholePath(given);
      need(wanted);
      try {
        return await work();
      } catch (error) {
        // What another folder or model has pushed out is not brought back over it: the newer wish holds.
        const pushedOut = !same(current, wanted) || (target !== null && !same(target, wanted));
        if (!storeErrors.NOT_LOADED.is(error) || pushedOut) throw error;
        await replace(wanted, signal);
        return work();
      }
    },
  };
}

function withWholePath({ cache_dir, model_key }: SearchContext): SearchContext {
  return { cache_dir: resolve(cache_dir), model_key };
}

function same(a: SearchContext | null, b: SearchContext): boolean {
  return a !== null && a.cache_dir === b.cache_dir && a.model_key === b.model_key;
}

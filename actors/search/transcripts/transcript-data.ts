// Which folder's transcripts are loaded for searching, apart from its pictures. A load goes on a part at a time, so that
// searches come in between; when the index began anew, it is done again.
import { resolve } from 'node:path';
import type { Ref } from '../../../runtime/ref.ts';
import type { indexContract } from '../../index/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';
import type { TranscriptLoadReport } from '../../index/transcripts/contract.ts';
import { contextErrors } from '../contract.ts';

export interface SpokenContext {
  /** The folder; null when nothing is loaded. */
  readonly current: string | null;
  /** Hashes that could not be read when the folder was loaded. */
  readonly damaged: readonly string[];
  /** Everything of a folder; what is loaded of another one gives way. CONTEXT_CHANGED when another was asked for meanwhile. */
  load(cacheDir: string, signal?: AbortSignal): Promise<TranscriptLoadReport>;
  /** Runs `work` on what is loaded, loading it again once when the index lost it. NOT_LOADED when it is not this folder. */
  within<T>(cacheDir: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createSpokenContext(index: Ref<typeof indexContract>): SpokenContext {
  let current: string | null = null;
  /** What is being loaded, when it is not what is loaded. */
  let target: string | null = null;
  /** Changes with every other folder that is asked for. */
  let epoch = 0;
  let damaged: readonly string[] = [];

  const steps = async (cache_dir: string, mine: number, signal: AbortSignal | undefined) => {
    for (;;) {
      const report = await index.ask('load_transcripts', { cache_dir }, { lane: 'now', signal });
      if (mine !== epoch) {
        throw contextErrors.CONTEXT_CHANGED(
          `${cache_dir}: the transcriptions of another folder are being loaded`,
        );
      }
      if (report.done) return report;
    }
  };
  const load = async (folder: string, signal: AbortSignal | undefined) => {
    if (folder !== (target ?? current)) {
      epoch++;
      target = folder;
    }
    const mine = epoch;
    const report = await steps(folder, mine, signal).catch((error: unknown) => {
      if (mine === epoch) target = null;
      throw error;
    });
    target = null;
    current = folder;
    damaged = report.unreadable;
    return report;
  };
  return {
    get current() {
      return current;
    },
    get damaged() {
      return damaged;
    },
    load: (cacheDir, signal) => load(resolve(cacheDir), signal),
    within: async (cacheDir, work, signal) => {
      const folder = resolve(cacheDir);
      if (current !== folder) {
        throw storeErrors.NOT_LOADED(
          `The transcriptions of ${cacheDir} are not loaded; load them first (POST /analysis-data/load-transcriptions)`,
          { field: 'cache_dir' },
        );
      }
      try {
        return await work();
      } catch (error) {
        // What another folder has pushed out is not brought back over it: the newer wish holds.
        const pushedOut = current !== folder || (target !== null && target !== folder);
        if (!storeErrors.NOT_LOADED.is(error) || pushedOut) throw error;
        await load(folder, signal);
        return work();
      }
    },
  };
}

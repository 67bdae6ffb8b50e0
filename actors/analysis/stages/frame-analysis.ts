// Common code of stages that look at every grid frame of a file with a model of their own, and store one
// record for each file.
import type { Log } from '../../../runtime/log.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { mediaErrors } from '../../decoder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import type { FoundItems, ResultType } from '../../index/results/contract.ts';
import { modelErrors } from '../../models/contract.ts';
import { expectUnchanged } from '../media/survey.ts';
import type { WorkItem } from './kind.ts';
import type { FileWork, ResultFacts, StageRun } from './stage.ts';

/** Frames in a span: some four seconds of work, which a crash costs at most. */
export const spanFrames = 20;

/** The model that looks, in its actor. */
export interface FrameAnalysisModel<M> {
  load(signal: AbortSignal): Promise<M>;
  unload(): Promise<unknown>;
}

/** Stored result of a file. */
export interface StoredLook {
  readonly model_key: string;
  /** Number of results. */
  readonly count: number;
  readonly from_previews: boolean;
}

/** Loads the model for a task; it is freed where the task is cancelled meanwhile. */
export async function loadedFor<M>(model: FrameAnalysisModel<M>, signal: AbortSignal): Promise<M> {
  return model.load(signal).catch(async (error) => {
    // The actor may have loaded it by now all the same.
    if (signal.aborted) await model.unload().catch(() => {});
    throw error;
  });
}

export interface FrameAnalysisParts<M> {
  /** The loaded model. */
  readonly model: M;
  readonly actor: FrameAnalysisModel<M>;
  readonly index: Ref<typeof indexContract>;
  readonly cache_dir: string;
  readonly type: ResultType;
  /** Signal of the task. */
  readonly signal: AbortSignal;
  factsOf(count: number, missing_frames: number, fromPreviews: boolean): ResultFacts;
}

export interface FrameAnalysis {
  /** Common part of such runs. */
  readonly run: Pick<StageRun, 'modelOf' | 'applies' | 'isStored' | 'storedFacts' | 'close'>;
  /** Asks the actor; one that came back after a crash has no model yet. */
  askModel<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /**
   * `looked`: frames in all; `count`: items that are shown as found. It is not cancelled: what is finished
   * stays.
   */
  commit(
    file: FileWork<WorkItem>,
    counts: { readonly looked: number; readonly count: number },
    items: FoundItems,
  ): Promise<ResultFacts>;
}

export function frameAnalysis<M extends { readonly model_key: string }>(
  log: Log,
  { model, actor, index, cache_dir, type, signal, factsOf }: FrameAnalysisParts<M>,
): FrameAnalysis {
  const { model_key } = model;
  const storedOf = async (hash: string): Promise<StoredLook | null> => {
    const query = { cache_dir, type, hashes: [hash] };
    return (await index.ask('results_stored', query, { signal })).stored[0] ?? null;
  };
  /** Stored results of files analysed before, by content. */
  const storedLooks = new Map<string, StoredLook>();
  return {
    run: {
      modelOf: () => model_key,
      applies: ({ probe }) => probe.grid_frames > 0,
      // Results from previews stand until the file is back.
      isStored: async ({ identity: { hash_str } }, _, isGone) => {
        const look = await storedOf(hash_str);
        if (look?.model_key !== model_key || (look.from_previews && !isGone)) return false;
        storedLooks.set(hash_str, look);
        return true;
      },
      storedFacts: ({ identity }) => {
        const { count = 0, from_previews = false } = storedLooks.get(identity.hash_str) ?? {};
        return factsOf(count, 0, from_previews);
      },
      // The model is used by nobody else; what it takes is given back.
      close: async () => {
        const failed = (error: unknown) => log.warn('a model cannot be freed', { model: model_key, error });
        await actor.unload().catch(failed);
      },
    },
    askModel: (ask, signal) =>
      ask().catch(async (error: unknown) => {
        if (!modelErrors.MODEL_NOT_LOADED.is(error)) throw error;
        await actor.load(signal);
        return ask();
      }),
    commit: async ({ media, previews }, { looked, count }, items) => {
      const { path, probe } = media;
      if (looked === 0 && probe.grid_frames > 0) {
        throw mediaErrors.DECODE_FAILED(`${path}: none of its pictures can be decoded`, { path });
      }
      const from_previews = previews !== null;
      if (!from_previews) await expectUnchanged(media);
      await index.ask('store_result', { cache_dir, media, model_key, from_previews, found: items });
      return factsOf(count, Math.max(0, probe.grid_frames - looked), from_previews);
    },
  };
}

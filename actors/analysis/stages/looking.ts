// What stages share that look at every grid frame of a file with a model of their own, and store one record for each file.
import { mediaErrors } from '../../decoder/contract.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import { modelErrors } from '../../models/contract.ts';
import { expectUnchanged } from '../media/survey.ts';
import type { Item } from './kind.ts';
import type { Facts, FileWork, StageSession, Underway } from './stage.ts';
import type { TaskContext } from './task-context.ts';

/** Frames in a span: two minutes of footage. */
export const spanFrames = 120;

/** The model that looks, in its actor. */
export interface LookingModel<M> {
  load(signal: AbortSignal): Promise<M>;
  unload(): Promise<unknown>;
}

/** What is stored of a file. */
export interface StoredLook {
  readonly model_key: string;
  /** Of what was found. */
  readonly count: number;
  readonly from_previews: boolean;
}

/** Loads the model for a task; it is freed where the task is cancelled meanwhile. */
export async function loadedFor<M>(model: LookingModel<M>, signal: AbortSignal): Promise<M> {
  return model.load(signal).catch(async (error) => {
    // The actor may have loaded it by now all the same.
    if (signal.aborted) await model.unload().catch(() => {});
    throw error;
  });
}

export abstract class LookingSession<M extends { readonly model_key: string }> implements StageSession {
  protected readonly task: TaskContext;
  protected readonly model: M;
  readonly #looking: LookingModel<M>;
  /** Of files that were looked at before, by content. */
  readonly #stored = new Map<string, StoredLook>();

  constructor(task: TaskContext, looking: LookingModel<M>, model: M) {
    this.task = task;
    this.#looking = looking;
    this.model = model;
  }

  abstract work(file: FileWork<Item>): Promise<Underway>;
  /** What the store has of this content; null where nobody looked. */
  protected abstract stored(hash: string): Promise<StoredLook | null>;
  protected abstract factsOf(count: number, missing_frames: number, fromPreviews: boolean): Facts;

  modelOf(): string {
    return this.model.model_key;
  }

  applies({ probe }: MediaRecord): boolean {
    return probe.grid_frames > 0;
  }

  /** What was found in previews stands until the file is there again. */
  async isStored({ identity: { hash_str } }: MediaRecord, _: Item, isGone: boolean): Promise<boolean> {
    const found = await this.stored(hash_str);
    if (found?.model_key !== this.modelOf() || (found.from_previews && !isGone)) return false;
    this.#stored.set(hash_str, found);
    return true;
  }

  storedFacts({ identity }: MediaRecord): Facts {
    const { count = 0, from_previews = false } = this.#stored.get(identity.hash_str) ?? {};
    return this.factsOf(count, 0, from_previews);
  }

  /** Asks the actor; one that came back after a crash has no model yet. */
  protected async asked<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!modelErrors.MODEL_NOT_LOADED.is(error)) throw error;
      await this.#looking.load(signal);
      return await ask();
    }
  }

  /** `looked`: frames in all. `store` is not cancelled: a commit that was begun is finished, and what is finished stays. */
  protected async commit(
    { media, previews }: FileWork<Item>,
    { looked, count }: { readonly looked: number; readonly count: number },
    store: (from_previews: boolean) => Promise<unknown>,
  ): Promise<Facts> {
    const { path, probe } = media;
    if (looked === 0 && probe.grid_frames > 0) {
      throw mediaErrors.DECODE_FAILED(`${path}: none of its pictures can be decoded`, { path });
    }
    const fromPreviews = previews !== null;
    if (!fromPreviews) await expectUnchanged(media);
    await store(fromPreviews);
    return this.factsOf(count, Math.max(0, probe.grid_frames - looked), fromPreviews);
  }

  /** The model is used by nobody else; what it takes is given back. */
  async close(): Promise<void> {
    await this.#looking.unload().catch((error) => {
      this.task.parts.log.warn('a model cannot be freed', { model: this.modelOf(), error });
    });
  }
}

// The visual model of the service: which one is in use, and switching to another.

import { errorTable } from '../../../runtime/errors.ts';
import type { VisualModel } from '../../embedder/contract.ts';
import type { ModelState } from '../../models/contract.ts';

export const visualModelErrors = errorTable({
  MODELS_LOADING: { meaning: 'Models are still loading', status: 503, retryable: true },
  NO_VISUAL_MODEL: { meaning: 'No visual model is loaded', status: 503 },
});

/** Loads that ended so far. `ready` counts those that fell back too. */
interface LoadCounts {
  readonly ready: number;
  readonly failed: number;
  /** Spent on all of them. */
  readonly seconds: number;
}

export interface VisualModels {
  /** Current state, without a message to the actor. */
  readonly state: ModelState;
  readonly loads: LoadCounts;
  /** Key of the model in use. Throws MODELS_LOADING or NO_VISUAL_MODEL. */
  active(): string;
  /** The key of today of a model that was recorded under one from before; every other key as it is. */
  current(key: string): string;
  /**
   * Brings a model into use, or the default one when it cannot be opened (`state.fallback_from` says so). One
   * that is in use already answers at once. Rejects with MODELS_LOADING while another one loads, with
   * MODEL_UNKNOWN and its like when there is none with that key, and with what kept it from opening; what was
   * in use then stays where it can.
   */
  load(key: string): Promise<ModelState>;
  /**
   * The model in use, opened again by an actor that began anew. Only the side that is asked for: pictures may
   * be in the middle of a batch, and texts do not wait for it.
   */
  open(what: 'texts' | 'pictures', signal?: AbortSignal): Promise<VisualModel>;
  /**
   * The model an analysis runs on, ready for pictures: waits for the load of another one to end, loads this
   * one if it is not in use, and opens it again in an embedder that began anew. Its `model_key` is that of
   * the default model when that had to take its place. Rejects as `load` does, and with CANCELLED when the
   * signal is aborted.
   */
  use(key: string, signal?: AbortSignal): Promise<VisualModel>;
}

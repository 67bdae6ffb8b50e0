// Owns the visual model: nobody else loads or switches it. Pictures and texts run in two actors, so that a
// question never waits behind a batch; both always hold the same model.

import type { Clock } from '../../../runtime/clock.ts';
import { EngineError, engineErrors, toFields } from '../../../runtime/errors.ts';
import type { Ref } from '../../../runtime/ref.ts';
import type { embedderContract, VisualModel } from '../../embedder/contract.ts';
import { type ModelState, noModel } from '../../models/contract.ts';
import { currentKey } from '../../models/other-keys.ts';
import { type VisualModels, visualModelErrors } from './contract.ts';

type Embedder = Ref<typeof embedderContract>;

export interface VisualModelParts {
  readonly pictureEmbedder: Embedder;
  readonly textEmbedder: Embedder;
  /** False for a model that is opened for pictures when the first one is there. */
  opensPictures(key: string): boolean;
  readonly clock: Clock;
  /** Called when another model has come into use: what is loaded of the one before means nothing to it. */
  changed(): Promise<void>;
}

export class OwnedModels implements VisualModels {
  readonly #parts: VisualModelParts;
  readonly loads = { ready: 0, failed: 0, seconds: 0 };
  #state = noModel;
  #loading: { readonly key: string; readonly done: Promise<ModelState> } | null = null;

  constructor(parts: VisualModelParts) {
    this.#parts = parts;
  }

  get state(): ModelState {
    return this.#state;
  }

  active(): string {
    const { model_key, is_loading, requested_model_key, error } = this.#state;
    if (model_key !== null) return model_key;
    if (is_loading) {
      throw visualModelErrors.MODELS_LOADING(`The visual model "${requested_model_key}" is loading`);
    }
    throw visualModelErrors.NO_VISUAL_MODEL(error ?? 'No visual model was requested');
  }

  current(key: string): string {
    return currentKey(key);
  }

  async load(requestedKey: string): Promise<ModelState> {
    const key = currentKey(requestedKey);
    if (this.#loading?.key === key) return this.#loading.done;
    if (this.#loading) {
      throw visualModelErrors.MODELS_LOADING(`The visual model "${this.#loading.key}" is still loading`);
    }
    if (this.#state.model_key === key) return this.#state;
    this.#loading = { key, done: this.#counted(key) };
    try {
      return await this.#loading.done;
    } finally {
      this.#loading = null;
    }
  }

  async open(what: 'texts' | 'pictures', signal?: AbortSignal): Promise<VisualModel> {
    const { textEmbedder, pictureEmbedder } = this.#parts;
    const embedder = what === 'texts' ? textEmbedder : pictureEmbedder;
    return embedder.ask('load', { model_key: this.active() }, { lane: 'now', signal });
  }

  async use(requestedKey: string, signal?: AbortSignal): Promise<VisualModel> {
    const key = currentKey(requestedKey);
    if (signal?.aborted) throw engineErrors.CANCELLED();
    while (this.#loading !== null && this.#loading.key !== key) {
      // The error of that load is handled by its own caller.
      const ended = this.#loading.done.catch(() => {});
      await untilAborted(ended, signal);
    }
    await untilAborted(this.load(key), signal);
    return this.open('pictures', signal);
  }

  async #counted(key: string): Promise<ModelState> {
    const { clock } = this.#parts;
    const began = clock.now();
    let end: 'ready' | 'failed' = 'failed';
    try {
      const opened = await this.#change(key);
      end = 'ready';
      return opened;
    } finally {
      this.loads[end]++;
      this.loads.seconds += (clock.now() - began) / 1000;
    }
  }

  async #change(key: string): Promise<ModelState> {
    const { changed } = this.#parts;
    const before = this.#state;
    this.#state = { ...noModel, is_loading: true, requested_model_key: key, load_status: 'loading' };
    try {
      const { model_key, state: opened } = await openBoth(this.#parts, key);
      if (model_key !== before.model_key) await changed();
      const fallback_from = model_key === key ? null : key;
      this.#state = { ...opened, requested_model_key: key, fallback_from };
      return this.#state;
    } catch (error) {
      const { message } = toFields(error);
      // A key that names no model changed nothing; a model that did not open has taken the place of the one
      // before.
      const isStillOpen = before.model_key !== null && (await stillOpen(this.#parts, before.model_key));
      // Before anything else can fail: a model that loads for ever could never be asked for again.
      this.#state = isStillOpen
        ? before
        : { ...noModel, requested_model_key: key, load_status: 'failed', error: message };
      if (!isStillOpen && before.model_key !== null) await changed();
      throw error;
    }
  }
}

type Embedders = Pick<VisualModelParts, 'pictureEmbedder' | 'textEmbedder'>;

/** One key in both actors: what only one of them can open, neither keeps. */
async function openBoth(
  { pictureEmbedder, textEmbedder, opensPictures }: VisualModelParts,
  key: string,
): Promise<VisualModel> {
  if (pictureEmbedder.phase === 'idle' && !opensPictures(key))
    return textEmbedder.ask('load', { model_key: key }, { lane: 'now' });
  const pictures = await pictureEmbedder.ask('load', { model_key: key }, { lane: 'now' });
  const texts = await textEmbedder.ask('load', { model_key: pictures.model_key }, { lane: 'now' });
  if (texts.model_key === pictures.model_key) return pictures;
  const again = await pictureEmbedder.ask('load', { model_key: texts.model_key }, { lane: 'now' });
  return { ...again, state: { ...again.state, error: texts.state.error } };
}

async function stillOpen({ pictureEmbedder, textEmbedder }: Embedders, key: string): Promise<boolean> {
  const embedder = pictureEmbedder.phase === 'idle' ? textEmbedder : pictureEmbedder;
  try {
    return (await embedder.ask('state', {}, { lane: 'now' })).model_key === key;
  } catch (error) {
    // An actor that does not answer holds no model that could be used.
    if (error instanceof EngineError) return false;
    throw error;
  }
}

/**
 * Rejects with CANCELLED as soon as the signal is aborted; the work itself goes on, others wait for it too.
 */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(engineErrors.CANCELLED());
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

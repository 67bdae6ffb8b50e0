// The visual model of the service: which one is in use, and switching to another. Pictures of an ingest and texts of a
// search run in two actors, so that a question never waits behind a batch; both always hold the same model.
import type { Clock } from '../../../runtime/clock.ts';
import { EngineError, toFields } from '../../../runtime/errors.ts';
import type { Ref } from '../../../runtime/ref.ts';
import {
  type embedderContract,
  type ModelState,
  noModel,
  type VisualModel,
} from '../../embedder/contract.ts';
import { type VisualModels, visualModelErrors } from './contract.ts';

type Embedder = Ref<typeof embedderContract>;

export interface VisualModelParts {
  /** Turns pictures into vectors. */
  readonly pictureEmbedder: Embedder;
  /** Turns texts into vectors. */
  readonly textEmbedder: Embedder;
  readonly clock: Clock;
  /** Called when another model has come into use: what is loaded of the one before means nothing to it. */
  changed(): Promise<void>;
}

export function createVisualModels({
  pictureEmbedder,
  textEmbedder,
  clock,
  changed,
}: VisualModelParts): VisualModels {
  let state = noModel;
  const loads = { ready: 0, failed: 0, seconds: 0 };
  let loading: { readonly key: string; readonly done: Promise<ModelState> } | null = null;

  const change = async (key: string): Promise<ModelState> => {
    const before = state;
    state = { ...noModel, is_loading: true, requested_model_key: key, load_status: 'loading' };
    try {
      const { model_key, state: opened } = await openBoth(pictureEmbedder, textEmbedder, key);
      if (model_key !== before.model_key) await changed();
      state = {
        ...opened,
        requested_model_key: key,
        fallback_from: model_key === key ? null : key,
      };
      return state;
    } catch (error) {
      const { message } = toFields(error);
      // A key that names no model changed nothing; a model that did not open has taken the place of the one before.
      const kept = before.model_key !== null && (await stillOpen(pictureEmbedder, before.model_key));
      // Before anything else can fail: a model that loads for ever could never be asked for again.
      state = kept ? before : { ...noModel, requested_model_key: key, load_status: 'failed', error: message };
      if (!kept && before.model_key !== null) await changed();
      throw error;
    }
  };
  const counted = async (key: string): Promise<ModelState> => {
    const began = clock.now();
    let end: 'ready' | 'failed' = 'failed';
    try {
      const opened = await change(key);
      end = 'ready';
      return opened;
    } finally {
      loads[end]++;
      loads.seconds += (clock.now() - began) / 1000;
    }
  };
  const active = () => {
    if (state.model_key !== null) return state.model_key;
    if (state.is_loading) {
      throw visualModelErrors.MODELS_LOADING(`The visual model "${state.requested_model_key}" is loading`);
    }
    throw visualModelErrors.NO_VISUAL_MODEL(state.error ?? 'No visual model was asked for');
  };
  return {
    get state() {
      return state;
    },
    loads,
    active,
    load: async (key) => {
      if (loading?.key === key) return loading.done;
      if (loading) {
        throw visualModelErrors.MODELS_LOADING(`The visual model "${loading.key}" is still loading`);
      }
      if (state.model_key === key) return state;
      loading = { key, done: counted(key) };
      try {
        return await loading.done;
      } finally {
        loading = null;
      }
    },
    open: async (what, signal) => {
      const model_key = active();
      return (what === 'words' ? textEmbedder : pictureEmbedder).ask(
        'load',
        { model_key },
        { lane: 'now', signal },
      );
    },
  };
}

/** One key in both actors: what only one of them can open, neither keeps. */
async function openBoth(
  pictureEmbedder: Embedder,
  textEmbedder: Embedder,
  key: string,
): Promise<VisualModel> {
  const pictures = await pictureEmbedder.ask('load', { model_key: key }, { lane: 'now' });
  const texts = await textEmbedder.ask('load', { model_key: pictures.model_key }, { lane: 'now' });
  if (texts.model_key === pictures.model_key) return pictures;
  const again = await pictureEmbedder.ask('load', { model_key: texts.model_key }, { lane: 'now' });
  return { ...again, state: { ...again.state, error: texts.state.error } };
}

async function stillOpen(pictureEmbedder: Embedder, key: string): Promise<boolean> {
  try {
    return (await pictureEmbedder.ask('state', {}, { lane: 'now' })).model_key === key;
  } catch (error) {
    // An actor that does not answer holds no model that could be used.
    if (error instanceof EngineError) return false;
    throw error;
  }
}

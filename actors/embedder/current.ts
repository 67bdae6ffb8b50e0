// The model in use: at most one is open, loading is shared, and what runs on a model ends before it is freed.
// Pictures of an ingest and texts of a search take turns run by run, so a search waits for one batch, not for a film.
import type { Log } from '../../runtime/log.ts';
import { modelErrors, type VisualRow } from '../models/contract.ts';
import type { ModelState, VisualModel } from './contract.ts';
import type { VisualFamily } from './family.ts';

export interface Opened {
  readonly row: VisualRow;
  readonly family: VisualFamily;
}

export interface CurrentModel {
  /** Answers at once when the model is in use; asked twice while it loads, loads once. See embedderContract.load. */
  load(key: string): Promise<VisualModel>;
  state(): ModelState;
  /** One run on the model with that key, alone. Throws MODEL_NOT_LOADED. */
  run<T>(key: string, work: (opened: Opened) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface CurrentOptions {
  readonly defaultModel: string;
  /** The row of a key whose files are there. Throws MODEL_UNKNOWN, MODEL_NOT_DOWNLOADED and their like. */
  find(key: string): Promise<VisualRow>;
  open(row: VisualRow): Promise<VisualFamily>;
  readonly log: Log;
}

const nothing: ModelState = {
  model_key: null,
  is_loading: false,
  requested_model_key: null,
  load_status: 'unavailable',
  fallback_from: null,
  error: null,
  device: null,
};

export function currentModel(options: CurrentOptions): CurrentModel {
  const { log, defaultModel } = options;
  let state: ModelState = nothing;
  let opened: Opened | null = null;
  let loading: { key: string; done: Promise<VisualModel> } | null = null;
  /** Everything that touches the open model waits for what was begun before it. */
  let last: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
  const free = async () => {
    const before = opened;
    opened = null;
    await before?.family.close();
  };
  const use = (row: VisualRow, family: VisualFamily, failed: { key: string; error: string } | null) => {
    opened = { row, family };
    state = {
      model_key: row.key,
      is_loading: false,
      requested_model_key: failed?.key ?? row.key,
      load_status: 'ready',
      fallback_from: failed?.key ?? null,
      error: failed?.error ?? null,
      device: family.device,
    };
    log.info('visual model in use', { model: row.key, device: family.device });
    return answer(opened, state);
  };

  const change = async (row: VisualRow): Promise<VisualModel> => {
    await free();
    state = { ...nothing, is_loading: true, requested_model_key: row.key, load_status: 'loading' };
    try {
      return use(row, await options.open(row), null);
    } catch (cause) {
      const error = cause instanceof Error ? cause.message : String(cause);
      log.error('visual model cannot be loaded', { model: row.key, error: cause });
      if (row.key !== defaultModel) {
        const fallback = await openDefault();
        if (fallback) return use(fallback.row, fallback.family, { key: row.key, error });
      }
      state = { ...state, is_loading: false, load_status: 'failed', error };
      throw cause;
    }
  };
  const openDefault = async (): Promise<Opened | null> => {
    try {
      const row = await options.find(defaultModel);
      return { row, family: await options.open(row) };
    } catch (error) {
      log.error('the default visual model cannot be loaded either', { model: defaultModel, error });
      return null;
    }
  };
  const begin = (key: string): Promise<VisualModel> => {
    const done = options.find(key).then((row) => alone(() => change(row)));
    const mine = { key, done };
    loading = mine;
    const end = () => {
      if (loading === mine) loading = null;
    };
    done.then(end, end);
    return done;
  };

  return {
    load: async (key) => {
      while (loading) {
        if (loading.key === key) return loading.done;
        await loading.done.catch(() => {});
      }
      return opened?.row.key === key ? answer(opened, state) : begin(key);
    },
    state: () => state,
    run: (key, work) =>
      alone(async () => {
        if (opened?.row.key === key) return work(opened);
        const now = opened ? `"${opened.row.key}" is` : 'no model is';
        throw modelErrors.MODEL_NOT_LOADED(`"${key}" was asked for, ${now} loaded`, { key });
      }),
    close: () => alone(free),
  };
}

function answer({ row, family }: Opened, state: ModelState): VisualModel {
  const { shape, batch } = row.visual;
  return { model_key: row.key, dimensions: family.dimensions, shape, batch, state };
}

// The model in use: at most one is open, loading is shared, and what runs on a model ends before it is freed.
// Pictures of an ingest pass run by run and texts of a search first, so a search waits for one batch, not for a film.
import { engineErrors } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import { modelErrors, type VisualRow } from '../models/contract.ts';
import { type ModelState, noModel, type VisualModel } from './contract.ts';
import type { Proceed, VisualFamily } from './family.ts';
import { Turnstile } from './turnstile.ts';

export interface Opened {
  readonly row: VisualRow;
  readonly family: VisualFamily;
}

export interface CurrentOptions {
  /** Opened in place of a model that cannot be opened. */
  readonly defaultModel: string;
  /** The row of a key whose files are there. Throws MODEL_UNKNOWN, MODEL_NOT_DOWNLOADED and their like. */
  find(key: string): Promise<VisualRow>;
  open(row: VisualRow, proceed: Proceed): Promise<VisualFamily>;
  readonly log: Log;
}

interface Loading {
  readonly key: string;
  readonly done: Promise<VisualModel>;
}

export class CurrentModel {
  readonly #options: CurrentOptions;
  #state: ModelState = noModel;
  #opened: Opened | null = null;
  #loading: Loading | null = null;
  /** Everything that touches the open model passes here. */
  readonly #turnstile = new Turnstile();

  constructor(options: CurrentOptions) {
    this.#options = options;
  }

  get state(): ModelState {
    return this.#state;
  }

  /**
   * Answers at once when the model is in use; asked twice while it loads, loads once. See embedderContract.load. What
   * `proceed` throws ends the loading and frees what was opened.
   */
  async load(key: string, proceed: Proceed): Promise<VisualModel> {
    while (this.#loading) {
      const { key: other, done } = this.#loading;
      try {
        const model = await done;
        if (other === key) return model;
      } catch (error) {
        // How the other load ends is told to who asked for it; if that one gave up, this one goes on.
        if (other === key && !engineErrors.CANCELLED.is(error)) throw error;
        await proceed();
      }
    }
    if (this.#opened?.row.key === key) return answer(this.#opened, this.#state);
    const loading: Loading = { key, done: this.#begin(key, proceed) };
    this.#loading = loading;
    try {
      return await loading.done;
    } finally {
      this.#loading = null;
    }
  }

  /** One run on the model with that key, alone. Throws MODEL_NOT_LOADED. */
  run<T>(key: string, work: (opened: Opened) => Promise<T>, urgent = false): Promise<T> {
    return this.#turnstile.pass(async () => {
      const opened = this.#opened;
      if (opened?.row.key === key) return work(opened);
      const now = opened ? `"${opened.row.key}" is` : 'no model is';
      throw modelErrors.MODEL_NOT_LOADED(`"${key}" was asked for, ${now} loaded`, { key });
    }, urgent);
  }

  close(): Promise<void> {
    return this.#turnstile.pass(() => this.#free());
  }

  async #begin(key: string, proceed: Proceed): Promise<VisualModel> {
    const row = await this.#options.find(key);
    return this.#turnstile.pass(() => this.#change(row, proceed));
  }

  async #change(row: VisualRow, proceed: Proceed): Promise<VisualModel> {
    await proceed();
    // Freed first: two large models at once may not fit into memory.
    await this.#free();
    this.#state = { ...noModel, is_loading: true, requested_model_key: row.key, load_status: 'loading' };
    try {
      return await this.#openOrDefault(row, proceed);
    } catch (cause) {
      const gaveUp = engineErrors.CANCELLED.is(cause);
      const failed = {
        ...this.#state,
        is_loading: false,
        load_status: 'failed',
        error: text(cause),
      } as const;
      this.#state = gaveUp ? noModel : failed;
      throw cause;
    }
  }

  async #openOrDefault(row: VisualRow, proceed: Proceed): Promise<VisualModel> {
    try {
      return this.#use({ row, family: await this.#options.open(row, proceed) }, null);
    } catch (cause) {
      if (engineErrors.CANCELLED.is(cause)) throw cause;
      this.#options.log.error('visual model cannot be loaded', { model: row.key, error: cause });
      const fallback = row.key === this.#options.defaultModel ? null : await this.#openDefault(proceed);
      if (fallback) return this.#use(fallback, { key: row.key, error: text(cause) });
      throw cause;
    }
  }

  /** Null when it cannot be opened; that is logged, and the first failure is the one the caller is told. */
  async #openDefault(proceed: Proceed): Promise<Opened | null> {
    const { defaultModel, find, open, log } = this.#options;
    try {
      const row = await find(defaultModel);
      return { row, family: await open(row, proceed) };
    } catch (error) {
      if (engineErrors.CANCELLED.is(error)) throw error;
      log.error('the default visual model cannot be loaded either', { model: defaultModel, error });
      return null;
    }
  }

  #use(opened: Opened, failed: { key: string; error: string } | null): VisualModel {
    const { row, family } = opened;
    this.#opened = opened;
    this.#state = {
      model_key: row.key,
      is_loading: false,
      requested_model_key: failed?.key ?? row.key,
      load_status: 'ready',
      fallback_from: failed?.key ?? null,
      error: failed?.error ?? null,
      device: family.device,
    };
    this.#options.log.info('visual model in use', { model: row.key, device: family.device });
    return answer(opened, this.#state);
  }

  async #free(): Promise<void> {
    const before = this.#opened;
    this.#opened = null;
    await before?.family.close();
  }
}

const text = (error: unknown) => (error instanceof Error ? error.message : String(error));

function answer({ row, family }: Opened, state: ModelState): VisualModel {
  const { shape, batch } = row.visual;
  return { model_key: row.key, dimensions: family.dimensions, shape, batch, state };
}

// The model an actor uses: at most one is open, concurrent loads of one model share the work, and runs end
// before the model is freed. Each run takes the mutex by itself, urgent ones first, so a search waits for one
// batch, not for a film.

import { engineErrors } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import type { Checkpoint } from '../../runtime/sync/checkpoint.ts';
import { Mutex } from '../../runtime/sync/locks.ts';
import { type ModelState, modelErrors, noModel } from './contract.ts';
import { type RunsOn, refusalText } from './device.ts';

/** Key of a model; a row of the registry has more. */
interface Keyed {
  readonly key: string;
}

export interface Openable {
  /** Where most of the work runs. */
  readonly runsOn: RunsOn;
  /** Called once, when nothing runs. */
  close(): Promise<void>;
}

export interface OpenedModel<R extends Keyed, F extends Openable> {
  readonly row: R;
  readonly family: F;
}

/** The model in use, and the state right after it was loaded. */
export interface Loaded<R extends Keyed, F extends Openable> extends OpenedModel<R, F> {
  readonly state: ModelState;
}

/** `C`: checkpoints of loads, which may carry more than a plain one. */
interface CurrentOptions<R extends Keyed, F extends Openable, C extends Checkpoint = Checkpoint> {
  /** For the log: `visual`, `speech`, … */
  readonly kind: string;
  /** Opened instead of a model that cannot be opened; null for none. */
  readonly defaultModel: string | null;
  /** The row of a key whose files are there. Throws MODEL_UNKNOWN, MODEL_NOT_DOWNLOADED and their like. */
  find(key: string): Promise<R>;
  open(row: R, checkpoint: C): Promise<F>;
  readonly log: Log;
}

interface Loading<R extends Keyed, F extends Openable> {
  readonly key: string;
  readonly done: Promise<Loaded<R, F>>;
}

export class CurrentModel<R extends Keyed, F extends Openable, C extends Checkpoint = Checkpoint> {
  readonly #options: CurrentOptions<R, F, C>;
  #state: ModelState = noModel;
  #opened: OpenedModel<R, F> | null = null;
  #loading: Loading<R, F> | null = null;
  /** Held by everything that touches the open model. */
  readonly #mutex = new Mutex();

  constructor(options: CurrentOptions<R, F, C>) {
    this.#options = options;
  }

  get state(): ModelState {
    return this.#state;
  }

  /**
   * Answers at once when the model is in use; asked twice while it loads, loads once. What
   * `checkpoint` throws ends the loading and frees what was opened.
   */
  async load(key: string, checkpoint: C): Promise<Loaded<R, F>> {
    while (this.#loading) {
      const { key: loadingKey, done } = this.#loading;
      try {
        const model = await done;
        if (loadingKey === key) return model;
      } catch (error) {
        // Its failure is the answer for the same key; a cancelled load is begun again for this caller.
        if (loadingKey === key && !engineErrors.CANCELLED.is(error)) throw error;
        await checkpoint();
      }
    }
    if (this.#opened?.row.key === key) return { ...this.#opened, state: this.#state };
    const loading: Loading<R, F> = { key, done: this.#begin(key, checkpoint) };
    this.#loading = loading;
    try {
      return await loading.done;
    } finally {
      this.#loading = null;
    }
  }

  /** The model with that key, to be asked what it is, not to be run. Throws MODEL_NOT_LOADED. */
  using(key: string): OpenedModel<R, F> {
    const opened = this.#opened;
    if (opened?.row.key === key) return opened;
    const now = opened ? `"${opened.row.key}" is` : 'no model is';
    throw modelErrors.MODEL_NOT_LOADED(`"${key}" was requested, but ${now} loaded`, { key });
  }

  /** One run on the model with that key, alone. Throws MODEL_NOT_LOADED. */
  run<T>(key: string, work: (opened: OpenedModel<R, F>) => Promise<T>, urgent = false): Promise<T> {
    return this.#mutex.run(async () => work(this.using(key)), { urgent });
  }

  /** Frees the model, after what runs on it; nothing is in use then. */
  unload(): Promise<void> {
    return this.#mutex.run(async () => {
      await this.#free();
      this.#state = noModel;
    });
  }

  close(): Promise<void> {
    return this.#mutex.run(() => this.#free());
  }

  async #begin(key: string, checkpoint: C): Promise<Loaded<R, F>> {
    const row = await this.#options.find(key);
    return this.#mutex.run(() => this.#change(row, checkpoint));
  }

  async #change(row: R, checkpoint: C): Promise<Loaded<R, F>> {
    await checkpoint();
    // Freed first: two large models at once may not fit into memory.
    await this.#free();
    this.#state = { ...noModel, is_loading: true, requested_model_key: row.key, load_status: 'loading' };
    try {
      return await this.#openOrDefault(row, checkpoint);
    } catch (cause) {
      const cancelled = engineErrors.CANCELLED.is(cause);
      const failed = {
        ...this.#state,
        is_loading: false,
        load_status: 'failed',
        error: text(cause),
      } as const;
      this.#state = cancelled ? noModel : failed;
      throw cause;
    }
  }

  async #openOrDefault(row: R, checkpoint: C): Promise<Loaded<R, F>> {
    try {
      return this.#use({ row, family: await this.#options.open(row, checkpoint) }, null);
    } catch (cause) {
      if (engineErrors.CANCELLED.is(cause)) throw cause;
      const { defaultModel, kind, log } = this.#options;
      const another = defaultModel !== null && defaultModel !== row.key;
      const fallback = another ? await this.#openDefault(defaultModel, checkpoint) : null;
      // Without another model in its place the caller reports the error.
      if (!fallback) throw cause;
      log.error(`${kind} model cannot be loaded`, { model: row.key, used: defaultModel, error: cause });
      return this.#use(fallback, { key: row.key, error: text(cause) });
    }
  }

  /** Null when it cannot be opened; that is logged, and the first failure is the one the caller is told. */
  async #openDefault(defaultModel: string, checkpoint: C): Promise<OpenedModel<R, F> | null> {
    const { kind, find, open, log } = this.#options;
    try {
      const row = await find(defaultModel);
      return { row, family: await open(row, checkpoint) };
    } catch (error) {
      if (engineErrors.CANCELLED.is(error)) throw error;
      log.error(`the default ${kind} model cannot be loaded either`, { model: defaultModel, error });
      return null;
    }
  }

  #use(opened: OpenedModel<R, F>, failed: { key: string; error: string } | null): Loaded<R, F> {
    const { row, family } = opened;
    this.#opened = opened;
    this.#state = {
      model_key: row.key,
      is_loading: false,
      requested_model_key: failed?.key ?? row.key,
      load_status: 'ready',
      fallback_from: failed?.key ?? null,
      error: failed?.error ?? null,
      ...deviceState(family.runsOn),
    };
    const { device } = family.runsOn;
    this.#options.log.info(`${this.#options.kind} model in use`, { model: row.key, device });
    return { ...opened, state: this.#state };
  }

  async #free(): Promise<void> {
    const before = this.#opened;
    this.#opened = null;
    await before?.family.close();
  }
}

/** Device fields of a model's state. */
export function deviceState({ device, refused }: RunsOn): Pick<ModelState, 'device' | 'device_reason'> {
  return { device, device_reason: refusalText(refused) };
}

const text = (error: unknown) => (error instanceof Error ? error.message : String(error));

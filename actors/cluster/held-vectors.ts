// The part of the library whose vectors this engine has in memory, as other nodes ask for it. It is loaded
// when the engine starts, and again when somebody asks and it is gone.
import type { Clock } from '../../runtime/clock.ts';
import type { Request } from '../../runtime/contract.ts';
import { engineErrors } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import type { Ref } from '../../runtime/ref.ts';
import type { indexContract } from '../index/contract.ts';
import { storeErrors } from '../index/store/contract.ts';
import type { Hold, LoadReport } from '../index/visual/contract.ts';
import { Alarm } from './alarm.ts';
import { clusterErrors, holdText } from './contract.ts';
import type { Follower } from './follower.ts';
import type { PartMessage } from './part-message.ts';

type Contract = typeof indexContract;

/** ms that a question waits for the vectors to be there. */
const LOADED_WITHIN = 3_000;
/** Until it is looked again whether there is a model. */
const LOOK_EVERY = 1_000;

export interface HeldParts {
  readonly index: Ref<Contract>;
  /** The replica. */
  readonly cacheDir: string;
  readonly hold: Hold;
  readonly follower: Pick<Follower, 'until'>;
  /** Key of the visual model in use. MODELS_LOADING, NO_VISUAL_MODEL. */
  model(): string;
  readonly clock: Clock;
  readonly log: Log;
}

type Wanted = Pick<Request<Contract, 'load'>, 'model_key' | 'hashes'>;

export class HeldVectors {
  readonly #parts: HeldParts;
  readonly #stop = new AbortController();
  /** Everything that is stored, while it is being loaded. */
  #whole: Promise<LoadReport> | null = null;
  #over: Promise<void> = Promise.resolve();

  constructor(parts: HeldParts) {
    this.#parts = parts;
  }

  /** Errors: OTHER_PART, NOT_LOADED while the vectors come into memory, those of the index. */
  async answer(
    { hold, name, lane = 'now', applied, request }: PartMessage,
    asked: AbortSignal,
  ): Promise<unknown> {
    const own = holdText(this.#parts.hold);
    if (holdText(hold) !== own)
      throw clusterErrors.OTHER_PART(`this node holds ${own}, not ${holdText(hold)}`);
    const signal = AbortSignal.any([asked, this.#stop.signal]);
    if (name === 'load') {
      this.#expectInUse(request.model_key);
      await this.#parts.follower.until(applied, signal);
      return waited(this.#loadSome(request as Wanted), signal, engineErrors.CANCELLED());
    }
    const { index, cacheDir: cache_dir } = this.#parts;
    const ask = () => index.ask(name, { ...request, cache_dir } as never, { lane, signal });
    try {
      return await ask();
    } catch (error) {
      if (!storeErrors.NOT_LOADED.is(error)) throw error;
      await this.#loaded(request.model_key, error, signal);
      return ask();
    }
  }

  /** Loads them as soon as it is known which model is used. */
  begin(): void {
    const { clock, log, model } = this.#parts;
    const done = new AbortController();
    const load = async () => {
      await this.#loadWhole(model());
      done.abort();
      return false;
    };
    const complain = (error: string) => log.debug('the vectors of this part are not loaded yet', { error });
    const until = AbortSignal.any([done.signal, this.#stop.signal]);
    this.#over = new Alarm(clock).repeat(LOOK_EVERY, until, load, complain);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }

  /** Throws the error that says that they are not there when that takes too long. */
  async #loaded(modelKey: string, error: unknown, signal: AbortSignal): Promise<void> {
    this.#expectInUse(modelKey);
    const either = AbortSignal.any([signal, AbortSignal.timeout(LOADED_WITHIN)]);
    await waited(this.#loadWhole(modelKey), either, error as Error);
  }

  /** What this engine searches would give way to the vectors of another model. */
  #expectInUse(modelKey: string): void {
    const inUse = this.#parts.model();
    if (modelKey !== inUse)
      throw storeErrors.NOT_LOADED(`this node uses the model ${inUse}, not ${modelKey}`);
  }

  /** Goes on when whoever asked has left: the next question needs them, too. */
  async #loadSome(wanted: Wanted): Promise<LoadReport> {
    if (wanted.hashes !== null) return this.#load(wanted, this.#stop.signal);
    // One that runs may not know what was stored since it began.
    await this.#whole?.catch(() => {});
    return this.#loadWhole(wanted.model_key);
  }

  #loadWhole(model_key: string): Promise<LoadReport> {
    this.#whole ??= this.#load({ model_key, hashes: null }, this.#stop.signal).finally(() => {
      this.#whole = null;
    });
    return this.#whole;
  }

  async #load({ model_key, hashes }: Wanted, signal: AbortSignal): Promise<LoadReport> {
    const { index, cacheDir: cache_dir, hold } = this.#parts;
    const step = (load: number | null) =>
      index.ask('load', { cache_dir, model_key, hashes, load, hold }, { lane: 'now', signal });
    let answer = await step(null);
    while (!answer.done) answer = await step(answer.load);
    const { done: _done, load: _load, ...report } = answer;
    return report;
  }
}

/** What becomes of `work`; the error when the signal is aborted before that. */
async function waited<T>(work: Promise<T>, signal: AbortSignal, error: Error): Promise<T> {
  const late = Promise.withResolvers<never>();
  const end = () => late.reject(error);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return Promise.race([work, late.promise]).finally(() => signal.removeEventListener('abort', end));
}

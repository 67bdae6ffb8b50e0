// The engine's side of the guardian: receives the request to stop, sends heartbeats from its event loop, asks
// for a restart. Without a guardian (`--no-guardian`, tests) the same interface works on signals alone.
import type { Clock } from '../clock.ts';

/** From the engine to its guardian. A heartbeat says that the event loop is not blocked. */
export type EngineMessage =
  | { readonly type: 'heartbeat' }
  | { readonly type: 'ready' }
  | { readonly type: 'keep'; readonly name: string; readonly value: string }
  | { readonly type: 'restart'; readonly reason: string };

/** From the guardian to its engine. */
export interface GuardianMessage {
  readonly type: 'stop';
  readonly reason: string;
}

/** How often the guardian has restarted the engine; set only where there is a guardian. */
export const RESTARTS_VARIABLE = 'FRAMEHOUND_ENGINE_RESTARTS';
/**
 * Environment variable with the values that earlier engines saved with the guardian: a JSON object of
 * `SavedValue` by name.
 */
export const KEPT_VARIABLE = 'FRAMEHOUND_ENGINE_KEPT';
/** Largest JSON of all that is kept, characters: some systems hold no more than 32,767 in an environment. */
export const MOST_KEPT = 24_000;
export interface SavedValue {
  readonly value: string;
  /** From its message to the start of this process, by a clock that cannot be set; ms. */
  readonly ageMs: number;
}
/** Set for an engine that follows another one, to `PreviousEngine` as JSON. */
export const PREVIOUS_VARIABLE = 'FRAMEHOUND_PREVIOUS_ENGINE';
export const HEARTBEAT_MS = 1_000;
/** From the request to stop to SIGKILL, ms: a service is gone 10 s after it was told. */
export const STOP_LIMIT_MS = 9_500;

/** How the engine before this one ended. */
export interface PreviousEngine {
  readonly pid: number;
  /** `SIGKILL`, `exit code 1`, and the reason where the guardian knows it. */
  readonly how: string;
}

/** The part of `process` that is needed to talk to a guardian. */
interface EngineProcess {
  readonly pid: number;
  readonly env: Record<string, string | undefined>;
  readonly connected?: boolean;
  readonly channel?: { unref(): void } | null | undefined;
  send?(message: EngineMessage, done: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: GuardianMessage) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
  off(event: 'message' | 'disconnect', listener: (message: GuardianMessage) => void): unknown;
  kill(pid: number, signal: 'SIGKILL'): unknown;
}

interface GuardianClientOptions {
  /** Aborted by the signals of this process (ctrl-C reaches engine and guardian alike; once is enough). */
  readonly stop: AbortSignal;
  readonly clock: Clock;
  readonly process?: EngineProcess;
  readonly stopLimitMs?: number;
}

/**
 * How an engine is watched:
 *
 * ```ts
 * endOnFault(context.log, context.flushLog);
 * const client = new GuardianClient({ stop: context.signal, clock });
 * const engine = await startEngine(…, { onFatal: (actor) => client.requestRestart(`${actor} is stuck`) });
 * // listen …
 * client.ready(); await aborted(client.signal); // stop admitting, then finish, flush and close: all within
 * client.stopLimitMs client.close(); return client.restartRequested ? engineExit.restart :
 * engineExit.stopped;
 * ```
 *
 * To be attached before the slow part of a start: the guardian counts the seconds without a heartbeat from
 * the first one. An engine that cannot start for a reason that will not go away by itself (the port is taken)
 * returns `engineExit.cannotStart`, one that was called wrongly `engineExit.usage`; both are not restarted.
 */
export class GuardianClient {
  /**
   * Aborted once, when the engine is to stop: it was asked to, its guardian has ended, or it asked for a
   * restart.
   */
  readonly signal: AbortSignal;
  /** Engine processes before this one; 0 without a guardian. */
  readonly restarts: number;
  /** How the engine process before this one ended; null for the first one, and where there is no guardian. */
  readonly previous: PreviousEngine | null;
  /**
   * An engine still running this long after `signal` is killed, by itself or by the guardian, unless closed;
   * ms.
   */
  readonly stopLimitMs: number;
  readonly #process: EngineProcess;
  readonly #wasGuarded: boolean;
  readonly #values: ReadonlyMap<string, SavedValue>;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  #restartRequested = false;
  #closed = false;
  #cancelHeartbeat = () => {};
  #cancelKill = () => {};

  constructor(options: GuardianClientOptions) {
    const engineProcess = options.process ?? (process as unknown as EngineProcess);
    const restarts = engineProcess.env[RESTARTS_VARIABLE];
    // Programs that the engine starts have no guardian.
    delete engineProcess.env[RESTARTS_VARIABLE];
    this.#values = new Map(Object.entries(parseKept(engineProcess.env[KEPT_VARIABLE])));
    delete engineProcess.env[KEPT_VARIABLE];
    this.previous = parsePrevious(engineProcess.env[PREVIOUS_VARIABLE]);
    delete engineProcess.env[PREVIOUS_VARIABLE];
    this.#process = engineProcess;
    this.#clock = options.clock;
    this.signal = AbortSignal.any([options.stop, this.#stop.signal]);
    this.#wasGuarded = restarts !== undefined && engineProcess.send !== undefined;
    this.restarts = Number(restarts ?? 0);
    this.stopLimitMs = options.stopLimitMs ?? STOP_LIMIT_MS;
    if (this.signal.aborted) this.#killAfterLimit();
    else this.signal.addEventListener('abort', this.#killAfterLimit, { once: true });
    if (this.#wasGuarded) this.#connect();
  }

  /** False from the end of the guardian on. */
  get guarded(): boolean {
    return this.#wasGuarded && this.#process.connected === true;
  }

  /** True after `requestRestart`. */
  get restartRequested(): boolean {
    return this.#restartRequested;
  }

  /**
   * Hands a text to the one engine process that comes after this one, in place of what had the same name
   * before. It is in no file, and readable by this account alone. Nothing is kept without a guardian, nor
   * above `MOST_KEPT` in all.
   */
  keep(name: string, value: string): void {
    this.#send({ type: 'keep', name, value });
  }

  /** The last value that the engine process before this one saved under a name. */
  kept(name: string): SavedValue | undefined {
    return this.#values.get(name);
  }

  /** Says that the engine answers now. */
  ready(): void {
    this.#send({ type: 'ready' });
  }

  /**
   * Asks for a new process and aborts `signal`. The engine stops as far as it can; if a thread hangs in
   * native code, the process is killed after `stopLimitMs`. Without a guardian no new one is started.
   */
  requestRestart(reason: string): void {
    if (this.#restartRequested) return;
    this.#restartRequested = true;
    this.#send({ type: 'restart', reason });
    this.#stop.abort(new Error(reason));
  }

  /** Ends the heartbeats and lets the process end by itself. */
  close(): void {
    this.#closed = true;
    this.#cancelHeartbeat();
    this.#cancelKill();
    this.#process.off('message', this.#onMessage);
    this.#process.off('disconnect', this.#onDisconnect);
  }

  #connect(): void {
    const engineProcess = this.#process;
    engineProcess.on('message', this.#onMessage);
    engineProcess.on('disconnect', this.#onDisconnect);
    // The channel alone does not keep the process running.
    engineProcess.channel?.unref();
    if (engineProcess.connected) this.#sendHeartbeat();
    else this.#onDisconnect();
  }

  #send(message: EngineMessage, done: () => void = () => {}): void {
    // A failed message is ignored: the end of the guardian is noticed by the disconnect.
    if (this.guarded) this.#process.send?.(message, done);
  }

  /**
   * Waits until the last one was taken: a guardian that was suspended finds one heartbeat, not a thousand.
   */
  readonly #sendHeartbeat = (): void => {
    this.#send({ type: 'heartbeat' }, () => {
      if (!this.#closed) this.#cancelHeartbeat = this.#clock.after(HEARTBEAT_MS, this.#sendHeartbeat);
    });
  };

  /** An engine whose threads do not end kills itself: any softer way aborts inside native code. */
  readonly #killAfterLimit = (): void => {
    const engineProcess = this.#process;
    this.#cancelKill = this.#clock.after(this.stopLimitMs, () =>
      engineProcess.kill(engineProcess.pid, 'SIGKILL'),
    );
  };

  readonly #onMessage = (message: GuardianMessage): void => {
    if (message?.type === 'stop') this.#stop.abort(new Error(message.reason));
  };

  readonly #onDisconnect = (): void => {
    this.#stop.abort(new Error('the guardian has ended'));
  };
}

function parseKept(text: string | undefined): Record<string, SavedValue> {
  return text === undefined ? {} : (JSON.parse(text) as Record<string, SavedValue>);
}

function parsePrevious(text: string | undefined): PreviousEngine | null {
  if (!text) return null;
  try {
    const { pid, how } = JSON.parse(text) as Record<string, unknown>;
    return Number.isInteger(pid) && typeof how === 'string' ? { pid: pid as number, how } : null;
  } catch {
    return null; // Set by somebody else: nothing is known.
  }
}

// The engine's side of the guardian: hears that it is to stop, shows that its event loop turns, asks for a new process.
// Without a guardian (`--no-guardian`, tests) the same interface stands on signals alone.
import type { Clock } from '../clock.ts';

/** From the engine to its guardian. A beat says that the event loop turns. */
export type WardMessage =
  | { readonly type: 'beat' }
  | { readonly type: 'ready' }
  | { readonly type: 'renew'; readonly reason: string };

/** From the guardian to its engine. */
export interface GuardianMessage {
  readonly type: 'stop';
  readonly reason: string;
}

/** How often the guardian restarted the engine before this life; also the sign that there is a guardian. */
export const RESTARTS_VARIABLE = 'FRAMEHOUND_ENGINE_RESTARTS';
export const BEAT_MS = 1_000;
/** From the request to stop to SIGKILL, ms: a service is gone 10 s after it was told. */
export const STOP_LIMIT_MS = 9_500;

/**
 * How an engine is watched:
 *
 * ```ts
 * endOnFault(context.log, context.flushLog);
 * const client = attachToGuardian({ stop: context.signal, clock });
 * const engine = await startEngine(…, { onFatal: (actor) => client.renew(`${actor} is stuck`) });
 * // listen …
 * client.ready();
 * await aborted(client.signal);      // stop admitting, then finish, flush and close: all within client.stopLimitMs
 * client.close();
 * return client.renewing ? engineExit.renew : engineExit.stopped;
 * ```
 *
 * To be attached before the slow part of a start: the guardian counts seconds without a beat from the first one.
 * An engine that cannot start for a reason that will not go away by itself (the port is taken) returns
 * `engineExit.cannotStart`, one that was called wrongly `engineExit.usage`; both are not restarted.
 */
export interface GuardianClient {
  /** Aborted once, when the engine is to stop: it was asked to, its guardian has gone, or it asked for a new process. */
  readonly signal: AbortSignal;
  readonly guarded: boolean;
  /** Lives of the engine before this one; 0 without a guardian. */
  readonly restarts: number;
  /** An engine that lives longer than this after `signal` is killed, by itself or by the guardian, unless closed; ms. */
  readonly stopLimitMs: number;
  /** True after `renew`. */
  readonly renewing: boolean;
  /** Says that the engine answers now. */
  ready(): void;
  /**
   * Asks for a new process and aborts `signal`. The engine stops as far as it can; what hangs in native code is killed
   * after `stopLimitMs`. Without a guardian nobody starts a new one.
   */
  renew(reason: string): void;
  /** Ends the beats and lets the process end by itself. */
  close(): void;
}

/** The part of `process` that talks to a guardian. */
export interface WardProcess {
  readonly pid: number;
  readonly env: Record<string, string | undefined>;
  readonly connected?: boolean;
  readonly channel?: { unref(): void } | null | undefined;
  send?(message: WardMessage, done: (error: Error | null) => void): boolean;
  on(event: 'message', heard: (message: GuardianMessage) => void): unknown;
  on(event: 'disconnect', heard: () => void): unknown;
  off(event: 'message' | 'disconnect', heard: (message: GuardianMessage) => void): unknown;
  kill(pid: number, signal: 'SIGKILL'): unknown;
}

export interface GuardianClientOptions {
  /** Aborted by the signals of this process (ctrl-C reaches engine and guardian alike; once is enough). */
  readonly stop: AbortSignal;
  readonly clock: Clock;
  readonly process?: WardProcess;
  readonly stopLimitMs?: number;
}

export function attachToGuardian(options: GuardianClientOptions): GuardianClient {
  const { clock, stop } = options;
  const own = options.process ?? (process as unknown as WardProcess);
  const stopLimitMs = options.stopLimitMs ?? STOP_LIMIT_MS;
  const lives = own.env[RESTARTS_VARIABLE];
  // Programs that the engine starts are not guarded.
  delete own.env[RESTARTS_VARIABLE];
  const guarded = lives !== undefined && own.send !== undefined;
  const asked = new AbortController();
  const signal = AbortSignal.any([stop, asked.signal]);
  let renewing = false;
  let closed = false;
  let forgetBeat = () => {};
  let forgetEnd = () => {};

  const send = (message: WardMessage, done: () => void = () => {}): void => {
    // A guardian that has just gone is noticed by the disconnect, not by a failed message.
    if (guarded && own.connected) own.send?.(message, done);
  };
  /** The next beat waits for the last one to be taken: a guardian that is held up hears one, not a thousand. */
  const beat = (): void =>
    send({ type: 'beat' }, () => {
      if (!closed) forgetBeat = clock.after(BEAT_MS, beat);
    });
  /** An engine whose threads do not end ends itself: any softer way aborts inside native code. */
  const endAfterLimit = (): void => {
    forgetEnd = clock.after(stopLimitMs, () => own.kill(own.pid, 'SIGKILL'));
  };
  const heard = (message: GuardianMessage): void => {
    if (message?.type === 'stop') asked.abort(new Error(message.reason));
  };
  const alone = (): void => asked.abort(new Error('the guardian has gone'));

  if (signal.aborted) endAfterLimit();
  else signal.addEventListener('abort', endAfterLimit, { once: true });
  if (guarded) {
    own.on('message', heard);
    own.on('disconnect', alone);
    // Listening to the guardian is no reason to go on living.
    own.channel?.unref();
    if (own.connected) beat();
    else alone();
  }
  return {
    signal,
    guarded,
    restarts: Number(lives ?? 0),
    stopLimitMs,
    get renewing() {
      return renewing;
    },
    ready: () => send({ type: 'ready' }),
    renew: (reason) => {
      if (renewing) return;
      renewing = true;
      send({ type: 'renew', reason });
      asked.abort(new Error(reason));
    },
    close: () => {
      closed = true;
      forgetBeat();
      forgetEnd();
      own.off('message', heard);
      own.off('disconnect', alone);
    },
  };
}

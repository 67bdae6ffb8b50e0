// A small process that runs the engine as its child: restarts it when it crashes or hangs, passes on the
// request to stop, and ends with the engine's exit code. It loads no native code, so nothing of the engine
// can crash it.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { type EngineEnd, enginePolicy, engineVerdict, type RestartPolicy } from '../restart.ts';
import {
  type EngineMessage,
  type GuardianMessage,
  HEARTBEAT_MS,
  KEPT_VARIABLE,
  MOST_KEPT,
  PREVIOUS_VARIABLE,
  type PreviousEngine,
  RESTARTS_VARIABLE,
  type SavedValue,
  STOP_LIMIT_MS,
} from './guardian-client.ts';

interface GuardianLimits {
  /** An engine that sends no heartbeat for this long hangs, ms. */
  readonly silentMs: number;
  /** From the request to stop to SIGKILL, ms. */
  readonly stopMs: number;
  /**
   * A ctrl-C this long after the first request to stop kills the engine, ms. An earlier one is the first one
   * again: it reaches the whole process group.
   */
  readonly forceAfterMs: number;
  /** How often the age of the last heartbeat is checked, ms. */
  readonly checkMs: number;
}

const defaultLimits: GuardianLimits = {
  silentMs: 30_000,
  stopMs: STOP_LIMIT_MS,
  forceAfterMs: 500,
  checkMs: HEARTBEAT_MS,
};

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type StopSignal = (typeof stopSignals)[number];

/** Where the signals of this process come from; `process` itself. */
interface SignalSource {
  on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
  off(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
}

interface GuardianOptions {
  /** The program of the engine and its arguments; see `engineCommand`. */
  readonly command: readonly [string, ...string[]];
  readonly clock: Clock;
  readonly log: Log;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signals?: SignalSource;
  /** Another way to ask for a stop. */
  readonly stop?: AbortSignal;
  readonly policy?: RestartPolicy;
  readonly limits?: Partial<GuardianLimits>;
}

/** This very command once more, as the engine: the same Node, script and arguments, and `--no-guardian`. */
export function engineCommand(): [string, ...string[]] {
  return [process.execPath, ...process.execArgv, ...process.argv.slice(1), '--no-guardian'];
}

/** Resolves to the exit code when no engine runs any more and none will be started: see `engineVerdict`. */
export async function guard(options: GuardianOptions): Promise<number> {
  const { clock, log } = options;
  const stop = createStop(options);
  // Between two engines nothing else keeps this process running.
  const alive = setInterval(() => {}, 2 ** 30);
  const crashes: number[] = [];
  const savedValues = createKept(clock, log);
  let previous: PreviousEngine | null = null;
  try {
    for (let restarts = 0; ; restarts++) {
      if (stop.isRequested) return 0;
      const began = clock.now();
      const end = await runEngine(options, { restarts, previous, savedValues }, stop);
      previous = previousOf(end);
      if (!end.isRequested) crashes.push(clock.now());
      const next = engineVerdict(end, crashes, clock.now(), options.policy ?? enginePolicy);
      const uptime_ms = Math.round(clock.now() - began);
      const facts = { code: end.code, signal: end.signal, why: end.why, uptime_ms };
      if (next.do === 'end') {
        // An engine that cannot start has said why itself.
        const expected = next.code === 0 || (!end.isRequested && next.code !== 1);
        log[expected ? 'info' : 'error']('engine ended', { ...facts, reason: next.reason });
        return stop.forced ? 130 : next.code;
      }
      log.error('engine ended, another is started', { ...facts, after_ms: next.afterMs });
      await pause(clock, next.afterMs, stop);
    }
  } finally {
    stop.close();
    clearInterval(alive);
  }
}

/** The request to stop, however it comes, and the second one that forces it. */
interface Stop {
  readonly isRequested: boolean;
  readonly forced: boolean;
  readonly reason: string;
  /** Replaced for each engine process. */
  onAsked: () => void;
  onForced: () => void;
  close(): void;
}

function createStop({ clock, limits, signals = process, stop: also }: GuardianOptions): Stop {
  const forceAfterMs = limits?.forceAfterMs ?? defaultLimits.forceAfterMs;
  let firstAt: number | undefined;
  const ask = (reason: string): void => {
    if (firstAt !== undefined) return;
    firstAt = clock.now();
    Object.assign(stop, { isRequested: true, reason });
    stop.onAsked();
  };
  const onSignal = (signal: StopSignal): void => {
    const again = firstAt !== undefined && clock.now() - firstAt >= forceAfterMs;
    if (!again) ask(signal);
    else if (signal === 'SIGINT') {
      Object.assign(stop, { forced: true });
      stop.onForced();
    }
  };
  // The abort may come from a signal: its own handler gives the better reason, so it goes first.
  const onAbort = () => queueMicrotask(() => ask('asked to stop'));
  const stop: Stop = {
    isRequested: false,
    forced: false,
    reason: '',
    onAsked: () => {},
    onForced: () => {},
    close: () => {
      for (const signal of stopSignals) signals.off(signal, onSignal);
      also?.removeEventListener('abort', onAbort);
    },
  };
  for (const signal of stopSignals) signals.on(signal, onSignal);
  also?.addEventListener('abort', onAbort, { once: true });
  if (also?.aborted) ask('asked to stop');
  return stop;
}

interface End extends EngineEnd {
  /** The reason, where the guardian knows it; else empty. */
  readonly why: string;
  /** Undefined when it did not start. */
  readonly pid: number | undefined;
}

function previousOf({ pid, code, signal, why }: End): PreviousEngine | null {
  const how = signal ?? `exit code ${code}`;
  return pid === undefined ? null : { pid, how: why ? `${how}: ${why}` : how };
}

/** Facts about earlier engine processes, passed to the next one. */
interface Earlier {
  readonly savedValues: KeptValues;
  readonly restarts: number;
  readonly previous: PreviousEngine | null;
}

function spawnEngine(
  { command, env }: GuardianOptions,
  { restarts, previous, savedValues }: Earlier,
): ChildProcess {
  const [program, ...args] = command;
  return spawn(program, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      ...(env ?? process.env),
      [RESTARTS_VARIABLE]: String(restarts),
      [PREVIOUS_VARIABLE]: previous ? JSON.stringify(previous) : '',
      ...savedValues.env(),
    },
    windowsHide: true,
  });
}

/** One engine process, from its start to its end. */
function runEngine(options: GuardianOptions, earlier: Earlier, stop: Stop): Promise<End> {
  const { clock, log } = options;
  const { restarts, savedValues } = earlier;
  const limits = { ...defaultLimits, ...options.limits };
  const began = clock.now();
  const child = spawnEngine(options, earlier);
  const { pid } = child;
  let why = '';
  let cancelLimit = () => {};
  const kill = (reason: string): void => {
    why = reason;
    log.error('engine is killed', { pid, why });
    child.kill('SIGKILL');
  };
  /** The engine ends by itself within the limit, or is killed. */
  const limitEnd = (): void => {
    cancelLimit();
    cancelLimit = clock.after(limits.stopMs, () => kill(`it did not stop within ${limits.stopMs} ms`));
  };
  const heartbeats = watchHeartbeats(clock, limits, () =>
    kill(`it showed no sign of life for ${limits.silentMs} ms`),
  );
  stop.onAsked = () => {
    log.info('engine is asked to stop', { pid, reason: stop.reason });
    ask(child, stop.reason);
    limitEnd();
  };
  stop.onForced = () => kill('asked to stop at once');
  child.on('message', (message: EngineMessage) => {
    heartbeats.received();
    if (message.type === 'ready')
      log.info('engine is ready', { pid, restarts, start_ms: Math.round(clock.now() - began) });
    if (message.type === 'keep') savedValues.put(message.name, message.value);
    if (message.type !== 'restart') return;
    why = message.reason;
    log.error('engine asks for a restart', { pid, why });
    limitEnd();
  });
  const ended = Promise.withResolvers<End>();
  child.on('error', (error) => {
    // Only a start that failed is an end; a signal or a message that did not arrive is followed by one.
    if (child.pid === undefined)
      ended.resolve({ pid, code: null, signal: null, isRequested: stop.isRequested, why: error.message });
  });
  child.on('exit', (code, signal) =>
    ended.resolve({ pid, code, signal, isRequested: stop.isRequested, why }),
  );
  if (pid !== undefined) log.info('engine started', { pid, restarts });
  return ended.promise.finally(() => {
    heartbeats.end();
    cancelLimit();
    stop.onAsked = () => {};
    stop.onForced = () => {};
  });
}

/** Values that one engine process passes to the next. */
interface KeptValues {
  put(name: string, value: string): void;
  env(): Record<string, string>;
}

function createKept(clock: Clock, log: Log): KeptValues {
  const values = new Map<string, { readonly value: string; readonly at: number }>();
  const written = (): string => {
    const aged = ({ value, at }: { value: string; at: number }): SavedValue => ({
      value,
      ageMs: clock.now() - at,
    });
    return JSON.stringify(Object.fromEntries([...values].map(([name, value]) => [name, aged(value)])));
  };
  return {
    put: (name, value) => {
      values.set(name, { value, at: clock.now() });
      const { length } = written();
      if (length <= MOST_KEPT) return;
      // An older value would be taken for the last one.
      values.delete(name);
      log.warn('too much to be kept for the next engine', { name, length, most: MOST_KEPT });
    },
    // Handed on once: an engine that ends in what it was given must not give it to the next one.
    env: () => {
      const all = written();
      values.clear();
      return { [KEPT_VARIABLE]: all };
    },
  };
}

/** Asks the child to stop by a message, or by a signal if it has closed its channel. */
function ask(child: ChildProcess, reason: string): void {
  const message: GuardianMessage = { type: 'stop', reason };
  if (!child.connected) child.kill('SIGTERM');
  else
    child.send(message, (error) => {
      if (error) child.kill('SIGTERM');
    });
}

/** Counts checks, not time: after a computer was suspended the engine gets the same number of them. */
function watchHeartbeats(clock: Clock, { checkMs, silentMs }: GuardianLimits, onSilent: () => void) {
  let missed = 0;
  let cancel = () => {};
  const check = (): void => {
    missed++;
    if (missed * checkMs >= silentMs) onSilent();
    else cancel = clock.after(checkMs, check);
  };
  cancel = clock.after(checkMs, check);
  return {
    received: () => {
      missed = 0;
    },
    end: () => cancel(),
  };
}

function pause(clock: Clock, ms: number, stop: Stop): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    stop.onAsked = () => {
      cancel();
      resolve();
    };
  });
}

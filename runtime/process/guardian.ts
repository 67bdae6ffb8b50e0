// A small process that runs the engine as its child: starts it again when it crashes or hangs, hands on the request to
// stop, and ends with the engine's exit code. It holds nothing that a crash of native code could take with it.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { type EngineEnd, enginePolicy, engineVerdict, type RestartPolicy } from '../restart.ts';
import {
  BEAT_MS,
  type GuardianMessage,
  RESTARTS_VARIABLE,
  STOP_LIMIT_MS,
  type WardMessage,
} from './guardian-client.ts';

export interface GuardianLimits {
  /** An engine that sends no beat for so long hangs, ms. */
  readonly silentMs: number;
  /** From the request to stop to SIGKILL, ms. */
  readonly stopMs: number;
  /** A ctrl-C this long after the first request to stop means "at once"; a nearer one is the same one, handed on. */
  readonly hurryAfterMs: number;
  /** How often beats are looked for, ms. */
  readonly lookMs: number;
}

const defaultLimits: GuardianLimits = {
  silentMs: 30_000,
  stopMs: STOP_LIMIT_MS,
  hurryAfterMs: 500,
  lookMs: BEAT_MS,
};

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type StopSignal = (typeof stopSignals)[number];

/** Where the signals of this process come from; `process` itself. */
export interface SignalSource {
  on(signal: StopSignal, heard: (signal: StopSignal) => void): unknown;
  off(signal: StopSignal, heard: (signal: StopSignal) => void): unknown;
}

export interface GuardianOptions {
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
  // Between two lives nothing else keeps this process.
  const alive = setInterval(() => {}, 2 ** 30);
  const crashes: number[] = [];
  try {
    for (let restarts = 0; ; restarts++) {
      if (stop.asked) return 0;
      const began = clock.now();
      const end = await live(options, restarts, stop);
      if (!end.asked) crashes.push(clock.now());
      const next = engineVerdict(end, crashes, clock.now(), options.policy ?? enginePolicy);
      const lived_ms = Math.round(clock.now() - began);
      const facts = { code: end.code, signal: end.signal, why: end.why, lived_ms };
      if (next.do === 'end') {
        // An engine that cannot start has said why itself.
        const expected = next.code === 0 || (!end.asked && next.code !== 1);
        log[expected ? 'info' : 'error']('engine ended', { ...facts, reason: next.reason });
        return stop.hurried ? 130 : next.code;
      }
      log.error('engine ended, another is started', { ...facts, after_ms: next.afterMs });
      await pause(clock, next.afterMs, stop);
    }
  } finally {
    stop.close();
    clearInterval(alive);
  }
}

/** The request to stop, however it comes, and the second one that hurries. */
interface Stop {
  readonly asked: boolean;
  readonly hurried: boolean;
  readonly reason: string;
  /** Replaced by each life of the engine. */
  onAsked: () => void;
  onHurried: () => void;
  close(): void;
}

function createStop({ clock, limits, signals = process, stop: also }: GuardianOptions): Stop {
  const hurryAfterMs = limits?.hurryAfterMs ?? defaultLimits.hurryAfterMs;
  let firstAt: number | undefined;
  const ask = (reason: string): void => {
    if (firstAt !== undefined) return;
    firstAt = clock.now();
    Object.assign(stop, { asked: true, reason });
    stop.onAsked();
  };
  const heard = (signal: StopSignal): void => {
    const again = firstAt !== undefined && clock.now() - firstAt >= hurryAfterMs;
    if (!again) ask(signal);
    else if (signal === 'SIGINT') {
      Object.assign(stop, { hurried: true });
      stop.onHurried();
    }
  };
  // A signal may be what aborted it; who knows its name speaks first.
  const aborted = () => queueMicrotask(() => ask('asked to stop'));
  const stop: Stop = {
    asked: false,
    hurried: false,
    reason: '',
    onAsked: () => {},
    onHurried: () => {},
    close: () => {
      for (const signal of stopSignals) signals.off(signal, heard);
      also?.removeEventListener('abort', aborted);
    },
  };
  for (const signal of stopSignals) signals.on(signal, heard);
  also?.addEventListener('abort', aborted, { once: true });
  if (also?.aborted) ask('asked to stop');
  return stop;
}

interface End extends EngineEnd {
  /** What the guardian knows beyond code and signal; empty when nothing. */
  readonly why: string;
}

/** One life of the engine, from its start to its end. */
function live(options: GuardianOptions, restarts: number, stop: Stop): Promise<End> {
  const { command, clock, log } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const [program, ...args] = command;
  const began = clock.now();
  const child = spawn(program, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...(options.env ?? process.env), [RESTARTS_VARIABLE]: String(restarts) },
    windowsHide: true,
  });
  const { pid } = child;
  let why = '';
  let forgetLimit = () => {};
  const kill = (reason: string): void => {
    why = reason;
    log.error('engine is killed', { pid, why });
    child.kill('SIGKILL');
  };
  /** The engine ends by itself within the limit, or is ended. */
  const limitEnd = (): void => {
    forgetLimit();
    forgetLimit = clock.after(limits.stopMs, () => kill(`it did not stop within ${limits.stopMs} ms`));
  };
  const silence = watchSilence(clock, limits, () =>
    kill(`it showed no sign of life for ${limits.silentMs} ms`),
  );
  stop.onAsked = () => {
    log.info('engine is asked to stop', { pid, reason: stop.reason });
    ask(child, stop.reason);
    limitEnd();
  };
  stop.onHurried = () => kill('asked to stop at once');
  child.on('message', (message: WardMessage) => {
    silence.broken();
    if (message.type === 'ready')
      log.info('engine is ready', { pid, restarts, start_ms: Math.round(clock.now() - began) });
    if (message.type !== 'renew') return;
    why = message.reason;
    log.error('engine asks for a new process', { pid, why });
    limitEnd();
  });
  const ended = Promise.withResolvers<End>();
  child.on('error', (error) => {
    // Only a start that failed is an end; a signal or a message that did not arrive is followed by one.
    if (child.pid === undefined)
      ended.resolve({ code: null, signal: null, asked: stop.asked, why: error.message });
  });
  child.on('exit', (code, signal) => ended.resolve({ code, signal, asked: stop.asked, why }));
  if (pid !== undefined) log.info('engine started', { pid, restarts });
  return ended.promise.finally(() => {
    silence.end();
    forgetLimit();
    stop.onAsked = () => {};
    stop.onHurried = () => {};
  });
}

/** By message; a child that has closed its channel is told by signal. */
function ask(child: ChildProcess, reason: string): void {
  const message: GuardianMessage = { type: 'stop', reason };
  if (!child.connected) child.kill('SIGTERM');
  else
    child.send(message, (error) => {
      if (error) child.kill('SIGTERM');
    });
}

/** Counts looks, not time, so that a computer that slept is no reason to kill. */
function watchSilence(clock: Clock, { lookMs, silentMs }: GuardianLimits, onSilent: () => void) {
  let silent = 0;
  let forget = () => {};
  const look = (): void => {
    silent++;
    if (silent * lookMs >= silentMs) onSilent();
    else forget = clock.after(lookMs, look);
  };
  forget = clock.after(lookMs, look);
  return {
    broken: () => {
      silent = 0;
    },
    end: () => forget(),
  };
}

function pause(clock: Clock, ms: number, stop: Stop): Promise<void> {
  return new Promise((resolve) => {
    const forget = clock.after(ms, resolve);
    stop.onAsked = () => {
      forget();
      resolve();
    };
  });
}

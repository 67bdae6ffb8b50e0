// Pure decisions after an actor or the whole engine has crashed. Restarts are one-for-one: the crash of an
// actor does not affect the others.

export interface RestartPolicy {
  /** Crashes allowed inside the window; one more and the actor is given up. */
  readonly most: number;
  readonly windowMs: number;
  /** Delay before the first restart; doubles with each crash inside the window. */
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
}

export const defaultPolicy: RestartPolicy = {
  most: 5,
  windowMs: 60_000,
  firstDelayMs: 50,
  longestDelayMs: 5_000,
};

type Verdict =
  | { readonly do: 'restart'; readonly afterMs: number }
  | { readonly do: 'give-up'; readonly reason: string };

/** `crashes`: times of all crashes so far in ms, the latest included. */
export function verdict(
  crashes: readonly number[],
  now: number,
  policy: RestartPolicy = defaultPolicy,
): Verdict {
  const recent = crashes.filter((at) => now - at < policy.windowMs).length;
  if (recent > policy.most) {
    return { do: 'give-up', reason: `${recent} crashes within ${policy.windowMs / 1000} s` };
  }
  const delay = policy.firstDelayMs * 2 ** Math.max(0, recent - 1);
  return { do: 'restart', afterMs: Math.min(delay, policy.longestDelayMs) };
}

/** Longest wait before another start, and the most times the usual limit that a start may take. */
const lateStart = { firstDelayMs: 5_000, longestDelayMs: 300_000, mostLimits: 8 };

/**
 * The next start of an actor that did not start within its limit, `late` times in a row: a busy machine needs
 * more time, and one that recovers is not left without the actor.
 */
export function lateStartVerdict(late: number, limitMs: number): { afterMs: number; limitMs: number } {
  const { firstDelayMs, longestDelayMs, mostLimits } = lateStart;
  const afterMs = Math.min(firstDelayMs * 2 ** (late - 1), longestDelayMs);
  return { afterMs, limitMs: limitMs * Math.min(2 ** late, mostLimits) };
}

/** A thread that got stuck so long ago, ms, says nothing about this one. */
const STUCK_WINDOW_MS = 30 * 60_000;

/**
 * A stuck actor is replaced; when its replacement gets stuck too within half an hour, only a new process
 * helps. `stuck`: times in ms, the latest included.
 */
export function stuckVerdict(stuck: readonly number[], now: number): 'replace' | 'restart-engine' {
  return stuck.filter((at) => now - at < STUCK_WINDOW_MS).length <= 1 ? 'replace' : 'restart-engine';
}

/** Exit codes by which an engine tells its guardian what to do; Node itself uses 1 to 14. */
export const engineExit = {
  stopped: 0,
  /** The command line or a setting is wrong: another start would end the same way. */
  usage: 2,
  /** The port is taken, the address is not of this machine: another start would end the same way. */
  cannotStart: 69,
  /** Only a new process helps; see `GuardianClient.requestRestart`. */
  restart: 75,
  cancelled: 130,
} as const;

/**
 * The first restart is immediate; an engine that crashes repeatedly within two minutes waits longer each
 * time.
 */
export const enginePolicy: RestartPolicy = {
  most: 8,
  windowMs: 120_000,
  firstDelayMs: 50,
  longestDelayMs: 5_000,
};

export interface EngineEnd {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** It had been asked to stop. */
  readonly isRequested: boolean;
}

type EngineVerdict =
  | { readonly do: 'restart'; readonly afterMs: number }
  /** `code`: the guardian's own exit code. */
  | { readonly do: 'end'; readonly code: number; readonly reason: string };

/** Signals by which a person or a service manager stops a program; others are faults. */
const stopSignals: readonly string[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGBREAK'];

const final: readonly (number | null)[] = [
  engineExit.stopped,
  engineExit.usage,
  engineExit.cannotStart,
  engineExit.cancelled,
];

/** `crashes`: times in ms of the ends that were not asked for, this one included if it was not. */
export function engineVerdict(
  { code, signal, isRequested }: EngineEnd,
  crashes: readonly number[],
  now: number,
  policy: RestartPolicy = enginePolicy,
): EngineVerdict {
  // A signal to the whole process group ends an engine that has no handler for it yet: that is a normal stop.
  const clean = code === engineExit.restart || (signal !== null && stopSignals.includes(signal));
  if (isRequested) return { do: 'end', code: clean ? 0 : (code ?? 1), reason: 'it was asked to stop' };
  if (code !== null && final.includes(code)) {
    return {
      do: 'end',
      code,
      reason: code === 0 ? 'it ended by itself' : 'it would end the same way again',
    };
  }
  const next = verdict(crashes, now, policy);
  return next.do === 'restart' ? next : { do: 'end', code: 1, reason: next.reason };
}

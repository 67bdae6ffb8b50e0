// What to do after an actor crashed, as a pure verdict over the times of its crashes. One-for-one: an actor that
// crashes says nothing about the others.

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

export type Verdict =
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

/** A stuck actor is replaced once; when its replacement gets stuck too, only a new process helps. */
export function stuckVerdict(stuckBefore: number): 'replace' | 'restart-engine' {
  return stuckBefore === 0 ? 'replace' : 'restart-engine';
}

// Decides whether a request may pass, by the validation of its license key on this machine or by a license
// server. The texts of a refusal are part of the API.

export type AccessDecision =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly status: 401 | 403;
      readonly body: Readonly<{ error: string; message: string }> | Readonly<{ policy_error: string }>;
    };

export type KeyValidation =
  /** `until`: Unix ms at which the key expires; Infinity when it does not. */
  | { readonly kind: 'valid'; readonly tier: string; readonly message: string; readonly until: number }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'policy'; readonly message: string }
  /** The license server could not be asked; an earlier validation holds until it is too old. */
  | { readonly kind: 'outage'; readonly message: string };

export const granted: AccessDecision = { ok: true };

export const noKey: AccessDecision = {
  ok: false,
  status: 401,
  body: {
    error: 'Authentication required',
    message: 'Provide license_key in the request body or the X-License-Key header',
  },
};

/** Clients tell an invalid key from a valid one that is not Pro by this message. */
const MESSAGE_OF_VALID = 'OK';
const LONGEST_MESSAGE = 500;

export function decisionOf(validation: KeyValidation): AccessDecision {
  if (validation.kind === 'valid' && isPro(validation.tier)) return granted;
  if (validation.kind === 'policy') {
    const policy_error = words(validation.message) || 'The policy of this organization denies the request';
    return { ok: false, status: 403, body: { policy_error } };
  }
  return refusal(messageOf(validation));
}

export function refusal(message: string): AccessDecision {
  return { ok: false, status: 403, body: { error: 'Pro license required', message } };
}

export function isPro(tier: string): boolean {
  return tier.trim().toLowerCase() === 'pro';
}

function messageOf({ kind, message }: KeyValidation): string {
  const said = words(message);
  if (kind === 'valid') return said || MESSAGE_OF_VALID;
  return said === '' || said.toUpperCase() === MESSAGE_OF_VALID ? 'The license key is not valid' : said;
}

function words(message: string): string {
  return message.trim().slice(0, LONGEST_MESSAGE);
}

// How old something is by two clocks: one stands still while the machine sleeps, the other can be set.

/** ms: by a clock that only goes forward, and Unix time. */
export interface DecisionTime {
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * True while both clocks say that less than `ms` have passed, and the wall clock was not set back by
 * `setBackMs` or more.
 */
export function isWithin(since: DecisionTime, ms: number, now: DecisionTime, setBackMs: number): boolean {
  const wall = now.wall - since.wall;
  return now.monotonic - since.monotonic < ms && wall < ms && wall > -setBackMs;
}

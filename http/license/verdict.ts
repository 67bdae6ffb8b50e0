// What is said to a request about its license key. Who knows keys (this machine, a license server) makes a finding; the
// finding becomes a verdict here, in the words of the API. Pure.

export type Verdict =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly status: 401 | 403;
      readonly body: Readonly<{ error: string; message: string }> | Readonly<{ policy_error: string }>;
    };

export type Finding =
  /** A key that is in force. `until`: Unix ms after which it is not, Infinity when it does not end. */
  | { readonly kind: 'valid'; readonly tier: string; readonly message: string; readonly until: number }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'policy'; readonly message: string }
  /** Nobody could be asked; what was found before still holds for its time. */
  | { readonly kind: 'outage'; readonly message: string };

export const granted: Verdict = { ok: true };

export const noKey: Verdict = {
  ok: false,
  status: 401,
  body: {
    error: 'Authentication required',
    message: 'Provide license_key in the request body or the X-License-Key header',
  },
};

/** A client tells a wrong key from one that is right and not Pro by the message: only the second reads `OK`. */
const MESSAGE_OF_VALID = 'OK';
const LONGEST_MESSAGE = 500;

export function verdictOf(finding: Finding): Verdict {
  if (finding.kind === 'valid' && isPro(finding.tier)) return granted;
  if (finding.kind === 'policy') {
    const policy_error = words(finding.message) || 'The policy of this organisation denies the request';
    return { ok: false, status: 403, body: { policy_error } };
  }
  return refusal(messageOf(finding));
}

export function refusal(message: string): Verdict {
  return { ok: false, status: 403, body: { error: 'Pro license required', message } };
}

export function isPro(tier: string): boolean {
  return tier.trim().toLowerCase() === 'pro';
}

function messageOf({ kind, message }: Finding): string {
  const said = words(message);
  if (kind === 'valid') return said || MESSAGE_OF_VALID;
  return said === '' || said.toUpperCase() === MESSAGE_OF_VALID ? 'The license key is not valid' : said;
}

function words(message: string): string {
  return message.trim().slice(0, LONGEST_MESSAGE);
}

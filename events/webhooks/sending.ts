// One try of a delivery: signed, to an address that is allowed, in bounded time, and without following
// redirects.
import { createHmac } from 'node:crypto';
import { isLoopback } from '../../runtime/origin.ts';

/** How long a receiver may take, and how much of its answer is read. */
const MOST_MS = 10_000;
const MOST_ANSWER_BYTES = 64 * 1024;

export interface DeliveryOutcome {
  readonly status: number | null;
  readonly error: string | null;
}

/** Why this address may not be called; null when it may. `hosts`: names, or names with a port. */
export function addressFault(text: string, hosts: readonly string[]): string | null {
  if (!URL.canParse(text)) return 'is not an address';
  // A parser leaves them out without a word.
  if (/[\p{Cc}\s]/u.test(text)) return 'must not contain spaces, line breaks or control characters';
  const { protocol, hostname, host, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return 'must begin with http:// or https://';
  if (username !== '' || password !== '') return 'must not contain a user name or a password';
  const isListed = hosts.some((allowed) => [host, hostname].includes(allowed.toLowerCase()));
  if (isListed || isLoopback(hostname.replace(/^\[|\]$/g, ''))) return null;
  return `names a host that is not this machine and not in the setting webhook_hosts: ${host}`;
}

/** The header `webhook-signature` of Standard Webhooks. `time`: Unix seconds. */
export function signatureOf(secret: string, id: string, time: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`;
}

interface Attempt {
  readonly url: string;
  readonly id: string;
  readonly secret: string;
  readonly body: string;
  /** Unix seconds, whole. */
  readonly time: number;
}

/** Rejects only when `signal` is aborted. */
export async function send(
  { url, id, secret, body, time }: Attempt,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'framehound',
        'webhook-id': id,
        'webhook-timestamp': String(time),
        'webhook-signature': signatureOf(secret, id, time, body),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]),
    });
    await readSome(answer);
    const { status } = answer;
    if (answer.ok) return { status, error: null };
    const isRedirect = status >= 300 && status < 400;
    return { status, error: isRedirect ? 'redirects are not followed' : `answered with status ${status}` };
  } catch (error) {
    signal.throwIfAborted();
    const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
    const what = name === 'TimeoutError' ? `no answer within ${MOST_MS / 1000} seconds` : message;
    return { status: null, error: cause?.code ?? cause?.message ?? what };
  }
}

/** To the end of a short answer, so that the receiver sees it taken; the rest of a long one is refused. */
async function readSome({ body }: Response): Promise<void> {
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > MOST_ANSWER_BYTES) return;
  }
}

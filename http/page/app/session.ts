// Signing in: a one-time ticket is swapped for a token, or a license key is pasted. Either is kept by the
// page and sent as a header; no cookie is set. What the service calls shared is kept for all tabs of this
// browser at this origin, all else for this tab alone.

import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, messageOf, ServiceError } from './api.ts';
import { get, type Session, update, useStore } from './store.ts';
import { signIn } from './words/shell.ts';
import { t } from './words.ts';

const KEPT = 'framehound.session';

/** Session of this tab before a reload, else that of the other tabs of this browser. */
export function keptSession(): Session | null {
  return sessionIn(sessionStorage) ?? sessionIn(localStorage);
}

function sessionIn(storage: Storage): Session | null {
  try {
    const { kind, token } = JSON.parse(storage.getItem(KEPT) ?? 'null') as Partial<Session>;
    const isSession = (kind === 'ticket' || kind === 'key') && typeof token === 'string';
    return isSession ? { kind, token, shared: storage === localStorage } : null;
  } catch {
    return null;
  }
}

function enter(session: Session): void {
  const { kind, token, shared } = session;
  if (shared) sessionStorage.removeItem(KEPT);
  (shared ? localStorage : sessionStorage).setItem(KEPT, JSON.stringify({ kind, token }));
  update({ session, signInReason: null, refusal: null });
}

/** Forgets what does not open the service any more. Call it when the store has no session. */
export function forgetSession({ token, shared }: Session): void {
  if (!shared) sessionStorage.removeItem(KEPT);
  // Another tab may have signed in anew.
  else if (sessionIn(localStorage)?.token === token) localStorage.removeItem(KEPT);
}

/** Signs this tab in and out with the other tabs of this browser, unless it has a session of its own. */
export function followTabs(): void {
  addEventListener('storage', ({ storageArea, key }) => {
    if (storageArea !== localStorage || (key !== KEPT && key !== null)) return;
    const { session } = get();
    const storedSession = sessionIn(localStorage);
    if (session?.shared === false || session?.token === storedSession?.token) return;
    update({ session: storedSession, signInReason: null, refusal: null });
  });
}

/** False when the ticket is wrong, used or too old: a person is asked for another. */
export async function enterByTicket(ticket: string): Promise<boolean> {
  try {
    const { token, shared } = await call<{ token: string; shared: boolean }>(
      'POST /api/v1/sessions',
      { ticket },
      { token: '' },
    );
    enter({ kind: 'ticket', token, shared });
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // An old address with a used ticket does not end the session of a person who is signed in. A service that
    // is away has not refused the ticket.
    const isRefused = error.status === 400 || error.status === 401;
    if (isRefused && get().session === null) update({ signInReason: 'ticket' });
    return false;
  }
}

/** False when the service refuses the key. Throws when it does not answer. */
export async function enterByKey(key: string): Promise<boolean> {
  // Such a text cannot be sent as a header.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    update({ signInReason: 'key', refusal: null });
    return false;
  }
  try {
    await call('GET /api/v1/models/loaded', {}, { token: key });
    enter({ kind: 'key', token: key, shared: false });
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError) || (error.status !== 401 && !error.isOfLicense)) throw error;
    update({ signInReason: 'key', refusal: error.message });
    return false;
  }
}

export async function leave(): Promise<void> {
  const { session } = get();
  if (session?.kind === 'ticket')
    await call('DELETE /api/v1/sessions', {}, { token: session.token }).catch(() => {});
  update({ session: null, signInReason: null, refusal: null });
}

// View for people who are not signed in.

const reasons = { ended: signIn.ended, ticket: signIn.ticket, key: signIn.refused } as const;

export function SignIn() {
  const reason = useStore((state) => state.signInReason);
  const refusal = useStore((state) => state.refusal);
  const [problem, setProblem] = useState<string | null>(null);
  const [isEntering, setEntering] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    const key = field.current!.value.trim();
    if (key === '') return;
    setEntering(true);
    setProblem(null);
    try {
      await enterByKey(key);
    } catch (error) {
      setProblem(messageOf(error));
    }
    setEntering(false);
  };
  const why = reason && [t(reasons[reason]), ...(refusal === null ? [] : [refusal])].join(' ');
  const said = problem ?? why;
  return html`<main class="sign-in">
    <form onSubmit=${onSubmit}>
      <h1>framehound</h1>
      <p>${t(signIn.how)}</p>
      <pre tabindex="0">npx framehound open</pre>
      <label>${t(signIn.key)}
        <input ref=${field} type="password" autocomplete="off" spellcheck=${false}
          aria-describedby="sign-in-note" aria-invalid=${reason === 'key'} />
      </label>
      <p id="sign-in-note" class="quiet">${t(signIn.kept)}</p>
      <p class="problem" role="alert">${said}</p>
      <button class="primary" disabled=${isEntering}>${t(isEntering ? signIn.entering : signIn.enter)}</button>
    </form>
  </main>`;
}

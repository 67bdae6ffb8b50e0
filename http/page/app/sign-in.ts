// What a person sees who is not signed in.
import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from './api.ts';
import { enterByKey } from './session.ts';
import { useStore } from './store.ts';
import { signIn } from './words/shell.ts';
import { t } from './words.ts';

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
      <pre tabindex="0">framehound open</pre>
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

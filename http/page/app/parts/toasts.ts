// The short messages at the edge of the page.
import { html } from 'htm/preact';
import { useStore } from '../store.ts';
import { closeToast } from '../toasts.ts';
import { shell } from '../words/shell.ts';
import { t } from '../words.ts';
import { Icon } from './icon.ts';

export function Toasts() {
  const toasts = useStore((state) => state.toasts);
  return html`<div class="toasts" role="status" aria-live="polite">${toasts.map(
    ({ id, kind, text, action }) => html`<div key=${id} class=${`toast ${kind}`}>
      <p class="grow">${text}</p>
      ${
        action &&
        html`<button onClick=${() => {
          closeToast(id);
          action.run();
        }}>${action.label}</button>`
      }
      <button class="quiet icon-only" aria-label=${t(shell.close)} onClick=${() => closeToast(id)}><${Icon} name="close" /></button>
    </div>`,
  )}</div>`;
}

// Short messages that go by themselves; one of an error stays until it is closed.

import { html } from 'htm/preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { messageOf } from './api.ts';
import { Icon } from './parts.ts';
import { type RouteTo, routeHash } from './route.ts';
import { type Toast, update, useStore } from './store.ts';
import { shell } from './words/shell.ts';
import { t } from './words.ts';

const SHOWN_MS = 5000;
let last = 0;

export function toast(
  text: string,
  { kind = 'info', action }: Partial<Pick<Toast, 'kind' | 'action'>> = {},
): void {
  const id = ++last;
  update(({ toasts }) => ({ toasts: [...toasts.slice(-3), { id, kind, text, ...(action && { action }) }] }));
  if (kind === 'info') setTimeout(() => closeToast(id), SHOWN_MS);
}

function closeToast(id: number): void {
  update(({ toasts }) => ({ toasts: toasts.filter((message) => message.id !== id) }));
}

// The short messages at the edge of the page.

export function Toasts() {
  const toasts = useStore((state) => state.toasts);
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // Above a dialog, whose shade would darken what is told of it.
    const isAbove = toasts.length > 0 && document.querySelector('dialog[open]') !== null;
    element.current!.popover = null;
    if (!isAbove) return;
    element.current!.popover = 'manual';
    element.current!.showPopover();
  }, [toasts]);
  return html`<div ref=${element} class="toasts" role="status" aria-live="polite">${toasts.map(
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

// Text for other programs.

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(t(shell.copied, { text }));
  } catch {
    // Without the right to the clipboard it can at least be read.
    toast(text);
  }
}

/** Copies the address of what is shown, or of what `to` names when it is pressed. */
export function CopyLink({ to }: { to?(): RouteTo }) {
  const copy = () => void copyText(new URL(to ? routeHash(to()) : location.hash, location.href).href);
  return html`<button class="icon-only" title=${t(shell.copyLink)} aria-label=${t(shell.copyLink)} onClick=${copy}>
    <${Icon} name="link" /></button>`;
}

// Does what a person asked for, and says why when it did not work.

/** True when it worked. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    toast(messageOf(error), { kind: 'error' });
    return false;
  }
}

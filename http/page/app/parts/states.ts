// What stands where there is nothing to show: nothing yet, nothing found, or an error.
import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { messageOf } from '../api.ts';
import { shell } from '../words/shell.ts';
import { t } from '../words.ts';
import { Icon, type IconName } from './icon.ts';

export interface EmptyProps {
  readonly title: string;
  readonly icon?: IconName;
  readonly children?: ComponentChildren;
}

export function Empty({ title, icon, children }: EmptyProps) {
  return html`<div class="empty">${icon && html`<${Icon} name=${icon} />`}<h2>${title}</h2>${children}</div>`;
}

export function Loading({ label = t(shell.loading) }: { readonly label?: string }) {
  return html`<div class="empty" role="status"><div class="spinner"></div><p>${label}</p></div>`;
}

export interface FailedProps {
  readonly error: unknown;
  readonly title?: string;
  again?(): void;
}

export function Failed({ error, again, title = t(shell.failed) }: FailedProps) {
  return html`<div class="empty" role="alert"><${Icon} name="warning" /><h2>${title}</h2>
    <p class="quiet">${messageOf(error)}</p>
    ${again && html`<button onClick=${again}>${t(shell.again)}</button>`}
  </div>`;
}

// A dialog over the page. The browser keeps the focus in it, closes it by Escape and gives the focus back.
import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { shell } from '../words/shell.ts';
import { t } from '../words.ts';
import { Icon } from './icon.ts';

export interface DialogProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  onClose(): void;
}

/** Shown as long as it is drawn. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  const onCancel = (event: Event) => {
    event.preventDefault();
    onClose();
  };
  const onClick = (event: MouseEvent) => {
    // Beside it: on what lies behind.
    if (event.target === element.current) onClose();
  };
  return html`<dialog ref=${element} class="dialog" aria-label=${title} onCancel=${onCancel} onClick=${onClick}>
    <div class="dialog-inside">
      <header class="row"><h2 class="grow">${title}</h2>
        <button class="quiet icon-only" aria-label=${t(shell.close)} onClick=${onClose}><${Icon} name="close" /></button>
      </header>
      ${children}
    </div>
  </dialog>`;
}

// Parts that views are made of: icons, what stands where there is nothing, dialogs, dropped files, downloads.
import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from './api.ts';
import { shell } from './words/shell.ts';
import { t } from './words.ts';

// Icons of 16 by 16, drawn with one line width. They say nothing alone: a label stands beside or on the
// button.

const paths = {
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.3 10.3 14 14',
  library: 'M1.5 4.5v8h13v-6.5h-6.5l-1.5-1.5z',
  people:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M11 3a2.3 2.3 0 0 1 0 4.3M12.3 10c1.4.6 2.2 1.9 2.2 3.5',
  summaries: 'M2 3h12M5 8h9M5 13h9M2 8h.5M2 13h.5',
  lists: 'M1.5 6h13l-1.5 7.5h-10zM5 6l2-4M11 6 9 2',
  settings: 'M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M10 2.8v3.4M6 9.8v3.4',
  keys: 'M1.5 4h13v8h-13zM4 7h.5M7 7h.5M10 7h.5M12 7h.2M5 9.8h6',
  close: 'm3.5 3.5 9 9M12.5 3.5l-9 9',
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  plus: 'M8 3v10M3 8h10',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  picture: 'M1.5 3h13v10h-13zM1.5 11l4-4 3.5 3.5 2-2 3.5 3.5M11 6.2h.2',
  filter: 'M2 3.5h12L9.5 9v4l-3-1.5V9z',
  play: 'M4.5 2.8v10.4L13 8z',
  pause: 'M4.5 3v10M11.5 3v10',
  frameBack: 'M10.5 3v10L5 8zM3 3v10',
  frameOn: 'M5.5 3v10L11 8zM13 3v10',
  earlier: 'M8 3v10L3 8zM13.5 3v10l-5-5z',
  later: 'M8 3v10l5-5zM2.5 3v10l5-5z',
  like: 'M3 3h4v4h-4zM9 3h4v4h-4zM3 9h4v4h-4zM11 9v4M9 11h4',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.8v.2',
  speech: 'M2 3h12v8H8l-3 2.5V11H2z',
  text: 'M2 2.5h12v11H2zM5 5.5h6M8 5.5v5',
  tag: 'M2 2.5h5.5l6.5 6.5-5 5L2.5 7.5ZM5 5.5h.01',
  person: 'M8 8a2.8 2.8 0 1 0 0-5.5 2.8 2.8 0 0 0 0 5.5ZM2.8 14c0-2.8 2.3-4.3 5.2-4.3s5.2 1.5 5.2 4.3',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6Z',
  link: 'M6.5 9.5 9.5 6.5M7.5 4.5 9 3a2.8 2.8 0 0 1 4 4l-1.5 1.5M8.5 11.5 7 13a2.8 2.8 0 0 1-4-4l1.5-1.5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  volume: 'M2 6h3l4-3.5v11L5 10H2zM11.5 5.5a3.5 3.5 0 0 1 0 5M13 3.5a6 6 0 0 1 0 9',
  muted: 'M2 6h3l4-3.5v11L5 10H2zM11.5 6l3 4M14.5 6l-3 4',
  fullScreen: 'M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4',
  save: 'M8 2v7.5M4.5 6.5 8 10l3.5-3.5M2.5 11v2.5h11V11',
  bell: 'M3 11.5h10c-1.2-1-1.5-2-1.5-4.5a3.5 3.5 0 0 0-7 0c0 2.5-.3 3.5-1.5 4.5ZM6.5 13.8h3M8 2v1.3',
  clock: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM8 4.5V8l2.5 1.5',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${paths[name]} /></svg>`;
}

// Placeholders: empty, nothing found, or an error.

interface EmptyProps {
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

interface FailedProps {
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

// A dialog over the page. The browser keeps the focus in it, closes it by Escape and gives the focus back.

interface DialogProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  onClose(): void;
}

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

// Files that are dragged over a view.

/** `handlers` go onto the element; `take` is told what was dropped. */
export function useFileDrop(take: (dropped: DataTransfer) => void) {
  const [isOver, setOver] = useState(false);
  const filesOf = ({ dataTransfer }: DragEvent) =>
    dataTransfer?.types.includes('Files') ? dataTransfer : null;
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!filesOf(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        const page = event.currentTarget as HTMLElement;
        if (!page.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        const dropped = filesOf(event);
        if (!dropped) return;
        event.preventDefault();
        setOver(false);
        take(dropped);
      },
    },
  };
}

// Hands a document to the browser as a download.

export function download(name: string, content: string | Blob | Uint8Array<ArrayBuffer>, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

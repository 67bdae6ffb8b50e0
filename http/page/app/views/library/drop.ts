// What is dragged onto the list. A browser tells no path of a file, so a person is told how to copy it; a path as text is
// taken.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.ts';
import { useFileDrop } from '../../parts/drop.ts';
import { library } from '../../words/library.ts';
import { t } from '../../words.ts';
import { type PathAction, PathField } from './path-bar.ts';

export function useDrop() {
  const [dropped, setDropped] = useState<string | null>(null);
  const drop = useFileDrop(({ files }) => setDropped(files[0]?.name ?? ''));
  return { ...drop, dropped, close: () => setDropped(null) };
}

export interface DropDialogProps {
  readonly name: string;
  close(): void;
  start(doing: PathAction): void;
}

export function DropDialog({ name, close, start }: DropDialogProps) {
  return html`<${Dialog} title=${t(library.dropped, { name })} onClose=${close}>
    <p>${t(library.droppedWhy)}</p>
    <${PathField} isFocused start=${start} done=${close} />
    <ul class="quiet-list">${[library.droppedWindows, library.droppedMac, library.droppedLinux].map((words) => html`<li>${t(words)}</li>`)}</ul>
  <//>`;
}

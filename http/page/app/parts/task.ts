// A task that a view has started: how far it is, and a button that ends it. Told once when it is over.
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import { api, messageOf } from '../api.ts';
import { useStore } from '../store.ts';
import { toast } from '../toasts.ts';
import { shell } from '../words/shell.ts';
import { t } from '../words.ts';
import { followEnd, type TaskEnd } from './task-end.ts';
import { waitingText } from './task-words.ts';

export interface TaskProgressProps {
  readonly task_id: string;
  readonly label: string;
  onEnd(end: TaskEnd): void;
}

export function TaskProgress({ task_id, label, onEnd }: TaskProgressProps) {
  const task = useStore(({ tasks }) => tasks.find((one) => one.task_id === task_id) ?? null);
  const waiting = useStore(({ tasks }) => waitingText(tasks, task_id));
  const ending = useRef(onEnd);
  ending.current = onEnd;
  useEffect(() => followEnd(task_id, (end) => ending.current(end)), [task_id]);
  const cancel = () =>
    api.cancelTask({ task_id }).catch((error) => toast(messageOf(error), { kind: 'error' }));
  return html`<span class="row" role="status"><span>${waiting ?? label}</span>
    ${waiting === null && html`<progress max="100" value=${task?.progress ?? 0} aria-label=${label}></progress>`}
    <button onClick=${cancel}>${t(shell.cancel)}</button></span>`;
}

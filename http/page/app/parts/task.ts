// A task that a view has started: how far it is, and a button that ends it. Told once when it is over.
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import { api, messageOf } from '../api.ts';
import { onProgress, readTasks } from '../live.ts';
import { useStore } from '../store.ts';
import { toast } from '../toasts.ts';
import { shell } from '../words/shell.ts';
import { t } from '../words.ts';
import { waitingText } from './task-words.ts';

export interface TaskProgressProps {
  readonly task_id: string;
  readonly label: string;
  /** `error` null: it did all it was asked for, or was cancelled. */
  onEnd(error: string | null): void;
}

export function TaskProgress({ task_id, label, onEnd }: TaskProgressProps) {
  const task = useStore(({ tasks }) => tasks.find((one) => one.task_id === task_id) ?? null);
  const waiting = useStore(({ tasks }) => waitingText(tasks, task_id));
  const ending = useRef({ onEnd, isOver: false });
  ending.current.onEnd = onEnd;
  useEffect(() => {
    let problem: string | null = null;
    const over = (error: string | null) => {
      if (ending.current.isOver) return;
      ending.current.isOver = true;
      ending.current.onEnd(error);
    };
    const end = onProgress((event) => {
      if (event.task_id !== task_id) return;
      problem = event.error ?? event.summary_error ?? problem;
      // Several kinds of work of one task end one by one.
      if (event.done) void look();
    });
    const look = async () => {
      const { ended } = await api.getTask({ task_id });
      if (ended !== null) over(problem);
    };
    // One that is over before anybody listened says nothing any more.
    readTasks()
      .then(look)
      .catch(() => {});
    return end;
  }, [task_id]);
  const cancel = () =>
    api.cancelTask({ task_id }).catch((error) => toast(messageOf(error), { kind: 'error' }));
  return html`<span class="row" role="status"><span>${waiting ?? label}</span>
    ${waiting === null && html`<progress max="100" value=${task?.progress ?? 0} aria-label=${label}></progress>`}
    <button onClick=${cancel}>${t(shell.cancel)}</button></span>`;
}

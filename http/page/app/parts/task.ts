// A task that a view has started: how far it is, and a button that ends it. Told once when it is over.
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, api, messageOf } from '../api.ts';
import { onProgress, readTasks } from '../live.ts';
import { get, subscribe, useStore } from '../store.ts';
import { toast } from '../toasts.ts';
import { shell } from '../words/shell.ts';
import { tasks as words } from '../words/tasks.ts';
import { t } from '../words.ts';
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

// How a task ended that a view waits for. Events tell it soonest; whoever missed them, because the view was
// closed or the service was away, reads it from the record.

export interface TaskEnd {
  /** Null: it did all it was asked for, or was cancelled. */
  readonly error: string | null;
  readonly isCancelled: boolean;
}

/** `report` is called once, when the task is over. Answers the function that ends the waiting. */
export function followEnd(task_id: string, report: (end: TaskEnd) => void): () => void {
  let problem: string | null = null;
  let isOver = false;
  let isAsking = false;
  const unlisten = onProgress((event) => {
    if (event.task_id === task_id) problem = event.error ?? event.summary_error ?? problem;
  });
  const end = (how: TaskEnd) => {
    if (!isOver) report(how);
    isOver = true;
  };
  const look = async () => {
    const { tasks, service, session } = get();
    if (isOver || isAsking || session === null) return;
    // A task that runs or waits is in the list; a service that is away is not asked, and tells when it is
    // back.
    if (service === 'away' || tasks.some((one) => one.task_id === task_id)) return;
    isAsking = true;
    try {
      const { ended, state, error } = await api.getTask({ task_id, limit: 0 });
      const why = problem ?? error?.message ?? (state === 'interrupted' ? t(words.interrupted) : null);
      if (ended !== null) end({ error: why, isCancelled: state === 'cancelled' });
    } catch (error) {
      // Anything else may pass: the list is read every few seconds, and then it is looked for again.
      if (error instanceof ApiError && error.status === 404)
        end({ error: error.message, isCancelled: false });
    }
    isAsking = false;
  };
  const unsubscribe = subscribe(() => void look());
  readTasks()
    .catch(() => {})
    .then(look);
  return () => {
    isOver = true;
    unlisten();
    unsubscribe();
  };
}

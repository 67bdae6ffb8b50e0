// What is said where a file cannot be played: a version for browsers can be made by the service, as a task.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api, messageOf } from '../../api.ts';
import { TaskProgress } from '../../parts/task.ts';
import type { TaskEnd } from '../../parts/task-end.ts';
import { get } from '../../store.ts';
import { player } from '../../words/player.ts';
import { t } from '../../words.ts';
import type { Medium } from './media.ts';

interface BrowserVersionProps {
  readonly medium: Medium;
  /** The file is not where it was: nothing can be made of it. */
  readonly isGone: boolean;
  ready(): void;
}

export function BrowserVersion({ medium: { hash_str }, isGone, ready }: BrowserVersionProps) {
  const [task_id, setTask] = useState<string | null>(null);
  const [problem, setProblem] = useState('');
  const make = async () => {
    setProblem('');
    try {
      const answer = await api.makeProxy({ cache_dir: get().folder.cache_dir!, hash_str });
      if ('task_id' in answer && answer.task_id) setTask(answer.task_id);
      else ready();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const ended = ({ error, isCancelled }: TaskEnd) => {
    setTask(null);
    if (error !== null) setProblem(error);
    else if (!isCancelled) ready();
  };
  if (isGone) return html`<p class="stand-in" role="status">${t(player.gone)}</p>`;
  return html`<div class="stand-in row wrap">
    <p class="grow" role="status">${t(player.unplayable)}</p>
    ${problem !== '' && html`<p class="problem" role="alert">${problem}</p>`}
    ${
      task_id !== null
        ? html`<${TaskProgress} task_id=${task_id} label=${t(player.making)} onEnd=${ended} />`
        : html`<button onClick=${make}>${t(player.make)}</button>`
    }
  </div>`;
}

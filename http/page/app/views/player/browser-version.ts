// What is said where a file cannot be played: a version for browsers can be made by the service, as a task.
import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { api, messageOf } from '../../api.ts';
import { followTask, onProgress } from '../../live.ts';
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

type Making =
  | { readonly state: 'idle' }
  | { readonly state: 'making'; readonly task_id: string; readonly progress: number }
  | { readonly state: 'failed'; readonly text: string };

export function BrowserVersion({ medium: { hash_str }, isGone, ready }: BrowserVersionProps) {
  const [making, setMaking] = useState<Making>({ state: 'idle' });
  const task_id = making.state === 'making' ? making.task_id : null;
  useEffect(() => {
    if (task_id === null) return;
    const stop = onProgress((event) => {
      if (event.task_id !== task_id) return;
      if (!event.done) setMaking({ state: 'making', task_id, progress: Number(event.progress) || 0 });
      else if (event.error) setMaking({ state: 'failed', text: event.error });
      else if (event.cancelled || event.interrupted) setMaking({ state: 'idle' });
      else ready();
    });
    followTask(task_id);
    return stop;
  }, [task_id]);
  const make = async () => {
    try {
      const answer = await api.makeProxy({ cache_dir: get().folder.cache_dir!, hash_str });
      if ('task_id' in answer && answer.task_id) {
        setMaking({ state: 'making', task_id: answer.task_id, progress: 0 });
      } else ready();
    } catch (error) {
      setMaking({ state: 'failed', text: messageOf(error) });
    }
  };
  if (isGone) return html`<p class="stand-in" role="status">${t(player.gone)}</p>`;
  return html`<div class="stand-in row wrap" role="status">
    <p class="grow">${t(player.unplayable)}</p>
    ${making.state === 'failed' && html`<p class="problem">${making.text}</p>`}
    ${
      making.state === 'making'
        ? html`<progress max="100" value=${making.progress} aria-label=${t(player.making)}></progress>
            <span class="figures">${Math.floor(making.progress)} %</span>`
        : html`<button onClick=${make}>${t(player.make)}</button>`
    }
  </div>`;
}

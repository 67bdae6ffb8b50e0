// Clusters again: how strictly, and how far it is.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api, messageOf } from '../../api.ts';
import { Dialog } from '../../parts/dialog.ts';
import { TaskProgress } from '../../parts/task.ts';
import type { TaskEnd } from '../../parts/task-end.ts';
import { get } from '../../store.ts';
import { toast } from '../../toasts.ts';
import { people } from '../../words/people.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { changed, type Job, slice } from './state.ts';

export function Recluster({ job }: { readonly job: Job }) {
  const [asks, setAsks] = useState(false);
  const task_id = slice.use((state) => state.task_id);
  const onEnd = ({ error, isCancelled }: TaskEnd) => {
    slice.update({ task_id: null });
    changed();
    if (error !== null) toast(error, { kind: 'error' });
    else if (!isCancelled) toast(t(people.grouped));
  };
  if (task_id !== null)
    return html`<${TaskProgress} key=${task_id} task_id=${task_id} label=${t(people.grouping)} onEnd=${onEnd} />`;
  return html`<button onClick=${() => setAsks(true)}>${t(people.recluster)}</button>
    ${asks && html`<${Question} job=${job} close=${() => setAsks(false)} />`}`;
}

function Question({ job, close }: { readonly job: Job; close(): void }) {
  const [isAutomatic, setAutomatic] = useState(false);
  const [eps, setEps] = useState(job.eps);
  const [least, setLeast] = useState(job.min_samples);
  const [problem, setProblem] = useState('');
  const start = async (event: Event) => {
    event.preventDefault();
    try {
      const cache_dir = get().folder.cache_dir!;
      const asked = { eps, min_samples: least, auto_detect_params: isAutomatic };
      const { task_id } = await api.recluster({ cache_dir, cluster_job_name: job.name, ...asked });
      slice.update({ task_id, chosen: [] });
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const numberOf = (event: Event) => (event.target as HTMLInputElement).valueAsNumber;
  return html`<${Dialog} title=${t(people.recluster)} onClose=${close}>
    <form class="column" onSubmit=${start}>
      <p class="quiet">${t(people.reclusterHow)}</p>
      <label><input type="checkbox" checked=${isAutomatic} onChange=${() => setAutomatic(!isAutomatic)} />${t(people.automatic)}</label>
      <label>${t(people.distance)}<input type="number" required min="0" max="2" step="0.01" disabled=${isAutomatic} value=${eps} onInput=${(event: Event) => setEps(numberOf(event))} /></label>
      <label>${t(people.least)}<input type="number" required min="1" step="1" value=${least} onInput=${(event: Event) => setLeast(numberOf(event))} /></label>
      <p class="problem" role="alert">${problem}</p>
      <div class="row"><button class="primary" type="submit">${t(people.start)}</button>
        <button type="button" onClick=${close}>${t(shell.cancel)}</button></div>
    </form>
  <//>`;
}

// The files of a task that failed, each with the reason; read when a person wants to see them.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { Failed, Loading } from '../../parts/states.ts';
import { tasks as words } from '../../words/tasks.ts';
import { t } from '../../words.ts';
import { reasonOf } from './rows.ts';

const PAGE = 1000;
const SHOWN = 200;

export interface TaskFailuresProps {
  readonly task_id: string;
  /** Of those that failed, and of all results. */
  readonly count: number;
  readonly total: number;
}

export function TaskFailures({ task_id, count, total }: TaskFailuresProps) {
  const [isOpen, setOpen] = useState(false);
  return html`<details class="failures" onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
    <summary>${t(words.what)} (${count})</summary>
    ${isOpen && html`<${List} task_id=${task_id} count=${count} total=${total} />`}
  </details>`;
}

function List({ task_id, count, total }: TaskFailuresProps) {
  const asked = useAsk((signal) => failuresOf({ task_id, count, total }, signal), [task_id, count]);
  if (asked.value === null)
    return asked.state === 'failed'
      ? html`<${Failed} error=${asked.error} again=${asked.again} />`
      : html`<${Loading} />`;
  const rest = count - asked.value.length;
  return html`<ul>${asked.value.map(({ path, error }) => html`<li><span class="whole-path">${path}</span><p class="problem">${reasonOf(error?.message ?? '', path)}</p></li>`)}
    ${rest > 0 && html`<li class="quiet">${t(words.moreFailures, { n: rest })}</li>`}</ul>`;
}

/** Results come in the order in which they ended: they are gone through until enough that failed are found. */
async function failuresOf({ task_id, count, total }: TaskFailuresProps, signal: AbortSignal) {
  const wanted = Math.min(count, SHOWN);
  const found: Awaited<ReturnType<typeof api.getTask>>['results'] = [];
  for (let offset = 0; offset < Math.max(total, 1) && found.length < wanted; offset += PAGE) {
    const { results } = await api.getTask({ task_id, offset, limit: PAGE }, { signal });
    found.push(...results.filter(({ outcome }) => outcome === 'failed'));
    if (results.length === 0) break;
  }
  return found.slice(0, wanted);
}

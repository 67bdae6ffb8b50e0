// The header: where one can go, how many moments lie in the basket, and how far the tasks are.
import { html } from 'htm/preact';
import { routeHash, type ViewName } from '../route.ts';
import { type Task, update, useStore } from '../store.ts';
import { clock, nameOf } from '../times.ts';
import { shell } from '../words/shell.ts';
import { t } from '../words.ts';
import { Icon } from './icon.ts';

const tabs = ['search', 'library', 'people', 'summaries', 'lists', 'settings'] as const satisfies ViewName[];

export function Header({ view }: { readonly view: ViewName }) {
  const basket = useStore((state) => state.basket.length);
  return html`<header class="head">
    <nav aria-label=${t(shell.views)}>${tabs.map((name) => {
      const count = name === 'lists' && basket > 0;
      return html`<a href=${routeHash({ view: name, argument: '' })} aria-current=${view === name ? 'page' : undefined}>
        <${Icon} name=${name} /><span class="tab-label">${t(shell[name])}</span>
        ${count && html`<span class="count"><span aria-hidden="true">${basket}</span><span class="unseen">${t(shell.inBasket, { n: basket })}</span></span>`}
      </a>`;
    })}</nav>
    <${Tasks} />
    <a class="to-docs" href="/docs" title=${t(shell.interface)}>API<span class="unseen">: ${t(shell.interface)}</span></a>
    <button class="quiet icon-only" aria-label=${t(shell.keys)} title="?" onClick=${() => update({ showsKeys: true })}>
      <${Icon} name="keys" />
    </button>
  </header>`;
}

function Tasks() {
  const tasks = useStore((state) => state.tasks);
  // Those that wait their turn come to nothing yet.
  const first = tasks.find(({ state }) => state !== 'queued') ?? tasks[0];
  if (!first) return html`<div class="tasks"></div>`;
  const progress = tasks.reduce((sum, one) => sum + one.progress, 0) / tasks.length;
  const label = t(shell.task, { n: tasks.length });
  return html`<div class="tasks"><a href=${routeHash({ view: 'library', argument: 'tasks' })} title=${titleOf(first)}>
    <span>${label}</span>
    <progress max="100" value=${progress} aria-label=${label}></progress>
    <span class="figures">${Math.floor(progress)} %${first.remaining_seconds !== null && ` · ${clock(first.remaining_seconds)}`}</span>
  </a></div>`;
}

function titleOf({ path, files, files_done: n }: Task): string {
  return t(shell.taskFile, { path: nameOf(path ?? ''), files, n });
}

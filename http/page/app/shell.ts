// The frame around the views: header, the view that the address names, messages.
import { html } from 'htm/preact';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { lookForService } from './api.ts';
import { KeysDialog, useKeys } from './keys.ts';
import { goBackTo, placeOfView, type View } from './navigation.ts';
import { Empty, Icon, Loading } from './parts.ts';
import { type PageRoute, routeHash, type ViewName } from './route.ts';
import { useNewHits } from './searches.ts';
import { leave, SignIn } from './session.ts';
import { type Task, update, useStore } from './store.ts';
import { clock, nameOf } from './times.ts';
import { copyText, Toasts } from './toasts.ts';
import { SetUpDialog } from './views/settings/set-up.ts';
import { shell } from './words/shell.ts';
import { t } from './words.ts';

// The header: where one can go, how many moments lie in the basket and how many hits are new, and how far the
// tasks are.

const tabs = ['search', 'library', 'people', 'summaries', 'lists', 'settings'] as const satisfies ViewName[];

function Header({ view }: { readonly view: ViewName }) {
  const basket = useStore((state) => state.basket.length);
  const newHits = useNewHits();
  const places = useStore((state) => state.places);
  return html`<header class="head">
    <nav aria-label=${t(shell.views)}>${tabs.map((name) => {
      const count = name === 'lists' ? basket : name === 'search' ? newHits : 0;
      const countLabel = t(name === 'lists' ? shell.inBasket : shell.newHits, { n: count });
      return html`<a href=${placeOfView(places, name)} aria-current=${view === name ? 'page' : undefined}>
        <${Icon} name=${name} /><span class="tab-label">${t(shell[name])}</span>
        ${count > 0 && html`<span class="count"><span aria-hidden="true">${count}</span><span class="unseen">${countLabel}</span></span>`}
      </a>`;
    })}</nav>
    <${Tasks} />
    <a class="to-docs" href="/docs">API</a>
    <button class="quiet icon-only" aria-label=${t(shell.keys)} title="?" onClick=${() => update({ showsKeys: true })}>
      <${Icon} name="keys" />
    </button>
  </header>`;
}

function Tasks() {
  const tasks = useStore((state) => state.tasks);
  // Queued tasks have no progress yet.
  const first = tasks.find(({ state }) => state !== 'queued') ?? tasks[0];
  if (!first) return html`<div class="tasks"></div>`;
  const progress = tasks.reduce((sum, task) => sum + task.progress, 0) / tasks.length;
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

export function Page() {
  const language = useStore((state) => state.language);
  const isIn = useStore((state) => state.session !== null);
  // Another language: everything is drawn anew.
  return html`<${isIn ? Inside : SignIn} key=${language} />${isIn && html`<${Refused} />`}<${Away} /><${Toasts} />`;
}

function Inside() {
  const showsKeys = useStore((state) => state.showsKeys);
  const showsSetUp = useStore((state) => state.showsSetUp);
  const { view, argument, params } = useStore((state) => state.route);
  useKeys({ keys: () => update({ showsKeys: true }), search: () => goBackTo('search') });
  return html`<a class="skip" href="#content" onClick=${skip}>${t(shell.skip)}</a>
    <${Header} view=${view} />
    <${CurrentView} key=${view} view=${view} argument=${argument} params=${params} />
    ${showsKeys && html`<${KeysDialog} />`}${showsSetUp && html`<${SetUpDialog} />`}`;
}

/** Done by hand, because the part after the # is the view. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

function CurrentView({ view: name, ...place }: PageRoute) {
  const [loadedView, setLoadedView] = useState<View | null>(null);
  const [error, setError] = useState<unknown>(null);
  const load = () => {
    loaders[name]().then(
      ({ view }) => setLoadedView(view),
      (error: unknown) => {
        setError(error);
        void lookForService();
      },
    );
  };
  const returns = useStore((state) => state.returns);
  useEffect(load, [name]);
  // A browser keeps that a module could not be loaded: only a new start of the page asks for it again.
  useEffect(() => {
    if (error !== null) location.reload();
  }, [returns]);
  useEffect(() => {
    document.title = loadedView ? `${t(loadedView.title)} – framehound` : 'framehound';
  }, [loadedView]);
  const Render = loadedView?.render as ComponentType<Omit<PageRoute, 'view'>> | undefined;
  return html`<main id="content" tabindex="-1" class=${`view view-${name}`}>
    ${Render ? html`<${Render} ...${place} />` : error ? html`<${NotLoaded} />` : html`<${Loading} />`}
  </main>`;
}

/** The browser's own message names a module, which says nothing to a person. */
function NotLoaded() {
  const isAway = useStore((state) => state.service === 'away');
  if (isAway) return html`<${Empty} title=${t(shell.viewAway)} />`;
  return html`<${Empty} icon="warning" title=${t(shell.viewFailed)}>
    <button onClick=${() => location.reload()}>${t(shell.again)}</button><//>`;
}

const USUAL_PORT = '6699';

/** `open` starts one in the background, at the usual port. */
const startCommand = (port: string) =>
  port === USUAL_PORT ? 'npx framehound open' : `npx framehound serve --port ${port}`;

/** A page cannot start a service: it says how a person can, and goes on by itself. */
function Away() {
  const isAway = useStore((state) => state.service === 'away');
  const command = startCommand(location.port);
  return html`<div class="notice" role="status">${
    isAway &&
    html`<p>${t(shell.away)}</p><details><summary>${t(shell.startAgain)}</summary>
      <p>${t(shell.startAgainHow)}</p>
      <div class="row wrap"><pre tabindex="0">${command}</pre><button onClick=${() => void copyText(command)}>${t(shell.copyCommand)}</button></div></details>`
  }</div>`;
}

/** Keeps the current view: the error may be temporary, or the user may enter another key. */
function Refused() {
  const refusal = useStore((state) => state.refusal);
  const again = () => update(({ returns }) => ({ returns: returns + 1 }));
  return html`<div class="notice" role="alert">${
    refusal !== null &&
    html`<p>${t(shell.refused, { why: refusal })} <button onClick=${again}>${t(shell.again)}</button>
      <button onClick=${() => void leave()}>${t(shell.otherKey)}</button></p>`
  }</div>`;
}

// Where each view is found. One is loaded when it is first shown.

const loaders: Readonly<Record<ViewName, () => Promise<{ readonly view: View }>>> = {
  search: () => import('./views/search/view.ts'),
  player: () => import('./views/player/view.ts'),
  library: () => import('./views/library/view.ts'),
  people: () => import('./views/people/view.ts'),
  summaries: () => import('./views/summaries/view.ts'),
  lists: () => import('./views/lists/view.ts'),
  settings: () => import('./views/settings/view.ts'),
};

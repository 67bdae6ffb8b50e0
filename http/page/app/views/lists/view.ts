// The view of the basket: which list it is, its moments, and what they are exported as.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { attempt } from '../../attempt.ts';
import { basketList, newList, openList, removeList, renameList } from '../../basket-list.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Empty, Loading } from '../../parts/states.ts';
import { useStore } from '../../store.ts';
import { clock } from '../../times.ts';
import type { View } from '../../view.ts';
import { lists } from '../../words/lists.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { Export } from './export.ts';
import { Items } from './items.ts';

export const view: View = { title: shell.lists, render: Basket };

type Asking = 'make' | 'rename' | 'remove';

function Basket() {
  const basket = useStore((state) => state.basket);
  const { list_id, name, state, error, all } = basketList.use((slice) => slice);
  const [asking, setAsking] = useState<Asking | null>(null);
  if (state === 'unknown') return html`<${Loading} />`;
  const seconds = basket.reduce((sum, one) => sum + one.end_seconds - one.start_seconds, 0);
  const told = {
    saving: t(lists.saving),
    saved: t(lists.saved),
    failed: t(lists.unsaved, { error: error ?? '' }),
  };
  const choose = (event: Event) => attempt(() => openList((event.target as HTMLSelectElement).value));
  return html`<div class="basket sheet column">
    <h1 class="unseen">${t(shell.lists)}</h1>
    <header class="row wrap">
      <label>${t(lists.list)}<select value=${list_id ?? ''} onChange=${choose}>
        ${list_id === null && html`<option value="">${t(lists.unsavedList)}</option>`}
        ${all.map((one) => html`<option value=${one.list_id}>${t(lists.entry, { name: one.name, items: one.items })}</option>`)}
      </select></label>
      <button onClick=${() => setAsking('make')}>${t(lists.make)}</button>
      <button disabled=${list_id === null} onClick=${() => setAsking('rename')}>${t(lists.rename)}</button>
      <button disabled=${list_id === null} onClick=${() => setAsking('remove')}>${t(lists.remove)}</button>
      <p class=${state === 'failed' ? 'problem grow' : 'quiet grow'} role="status">${told[state]}</p>
      <p class="figures">${t(lists.total, { n: basket.length, time: clock(seconds, { decimals: 1 }) })}</p>
    </header>
    ${
      basket.length === 0
        ? html`<${Empty} icon="lists" title=${t(lists.empty)}><p class="quiet">${t(lists.emptyHow)}</p><//>`
        : html`<${Export} items=${basket} name=${name || t(lists.defaultName)} /><${Items} items=${basket} />`
    }
    ${asking === 'remove' && html`<${Remove} name=${name} close=${() => setAsking(null)} />`}
    ${asking !== null && asking !== 'remove' && html`<${Naming} asking=${asking} name=${asking === 'rename' ? name : ''} close=${() => setAsking(null)} />`}
  </div>`;
}

interface NamingProps {
  readonly asking: 'make' | 'rename';
  readonly name: string;
  close(): void;
}

function Naming({ asking, name: before, close }: NamingProps) {
  const [name, setName] = useState(before);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await attempt(() => (asking === 'make' ? newList(name) : renameList(name)))) close();
  };
  return html`<${Dialog} title=${t(lists[asking])} onClose=${close}>
    <form class="column" onSubmit=${submit}>
      <label class="column">${t(lists.name)}
        <input autofocus required maxlength="200" pattern=".*\\S.*" value=${name} onInput=${(event: Event) => setName((event.target as HTMLInputElement).value)} />
      </label>
      <div class="row"><button class="primary" type="submit">${t(lists.save)}</button>
        <button type="button" onClick=${close}>${t(shell.cancel)}</button></div>
    </form>
  <//>`;
}

function Remove({ name, close }: { readonly name: string; close(): void }) {
  const remove = async () => {
    if (await attempt(removeList)) close();
  };
  return html`<${Dialog} title=${t(lists.remove)} onClose=${close}>
    <div class="column"><p>${t(lists.removeSure, { name })}</p>
      <div class="row"><button class="primary" onClick=${remove}>${t(lists.remove)}</button>
        <button autofocus onClick=${close}>${t(shell.cancel)}</button></div>
    </div>
  <//>`;
}

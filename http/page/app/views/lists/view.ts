// The view of the basket: which list it is, its moments, and what they are exported as.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { attempt } from '../../attempt.ts';
import type { BasketItem } from '../../basket-item.ts';
import { basketList, newList, openList, removeList, renameList } from '../../basket-list.ts';
import { go } from '../../navigation.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Icon } from '../../parts/icon.ts';
import { Empty, Loading } from '../../parts/states.ts';
import { usePicture } from '../../pictures.ts';
import { momentArgument } from '../../route.ts';
import { get, update, useStore } from '../../store.ts';
import { clock, nameOf, secondsOf } from '../../times.ts';
import { toast } from '../../toasts.ts';
import type { View } from '../../view.ts';
import { lists } from '../../words/lists.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { Export, moved } from './export.ts';

export const view: View = { title: shell.lists, render: Basket };

type Asking = 'make' | 'rename' | 'remove';

function Basket() {
  const basket = useStore((state) => state.basket);
  const { list_id, name, state, error, all } = basketList.use((slice) => slice);
  const [asking, setAsking] = useState<Asking | null>(null);
  if (state === 'unknown') return html`<${Loading} />`;
  const seconds = basket.reduce((sum, one) => sum + one.end_seconds - one.start_seconds, 0);
  const result = {
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
      <p class=${state === 'failed' ? 'problem grow' : 'quiet grow'} role="status">${result[state]}</p>
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

// The moments of the basket: their pictures, in and out points that can be set, and their order, by mouse or
// by keyboard.

function Items({ items }: { readonly items: readonly BasketItem[] }) {
  /** What is dragged, and what it would stand before. */
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const drop = () => {
    if (drag) update({ basket: moved(items, drag.from, drag.to) });
    setDrag(null);
  };
  return html`<ol class="items" onDragOver=${(event: Event) => event.preventDefault()} onDrop=${drop}>${items.map(
    (item, at) =>
      html`<li key=${item.item_id} draggable=${true} class=${drag?.to === at ? 'target' : ''}
        onDragStart=${() => setDrag({ from: at, to: at })} onDragEnd=${() => setDrag(null)}
        onDragEnter=${() => setDrag((before) => before && { ...before, to: at })}>
        <${Item} item=${item} at=${at} count=${items.length} />
      </li>`,
  )}</ol>`;
}

interface ItemProps {
  readonly item: BasketItem;
  readonly at: number;
  readonly count: number;
}

function Item({ item, at, count }: ItemProps) {
  const { media_path, start_seconds, end_seconds, hash_str, item_id } = item;
  const picture = usePicture(media_path, start_seconds, 160);
  const name = item.name ?? nameOf(media_path);
  const move = (to: number) => update({ basket: moved(get().basket, at, to) });
  const open = () => go('player', momentArgument({ hash_str, seconds: start_seconds }));
  const change = (changed: (one: BasketItem) => BasketItem) =>
    update(({ basket }) => ({ basket: basket.map((one) => (one.item_id === item_id ? changed(one) : one)) }));
  const rename = (event: Event) => change((one) => renamed(one, (event.target as HTMLInputElement).value));
  return html`
    <button class="picture" aria-label=${t(lists.open, { name })} disabled=${hash_str === ''} onClick=${open}>
      ${picture ? html`<img src=${picture} alt="" draggable=${false} />` : html`<${Icon} name="play" />`}
    </button>
    <div class="column grow">
      <input class="name" aria-label=${t(lists.title, { n: at + 1 })} maxlength="1000" placeholder=${nameOf(media_path)} value=${item.name ?? ''}
        onChange=${rename} />
      <p class="cut quiet" title=${media_path}>${media_path}</p>
    </div>
    <div class="row times">
      <${Time} label=${t(lists.start, { name })} seconds=${start_seconds} fits=${(value: number) => value < end_seconds} set=${(value: number) => change((one) => ({ ...one, start_seconds: value }))} />
      <span aria-hidden="true">–</span>
      <${Time} label=${t(lists.end, { name })} seconds=${end_seconds} fits=${(value: number) => value > start_seconds} set=${(value: number) => change((one) => ({ ...one, end_seconds: value }))} />
      <span class="figures quiet">${clock(end_seconds - start_seconds, { decimals: 1 })}</span>
    </div>
    <div class="row">
      <button class="icon-only quiet" disabled=${at === 0} aria-label=${t(lists.earlier, { name })} onClick=${() => move(at - 1)}><${Icon} name="up" /></button>
      <button class="icon-only quiet" disabled=${at === count - 1} aria-label=${t(lists.later, { name })} onClick=${() => move(at + 2)}><${Icon} name="down" /></button>
      <button class="icon-only quiet" aria-label=${t(lists.takeOut, { name })} onClick=${() => takeOut(item, at, name)}><${Icon} name="close" /></button>
    </div>`;
}

/** Without a name it is called as its file. */
function renamed({ name: _, ...item }: BasketItem, text: string): BasketItem {
  const name = text.trim();
  return name === '' ? item : { ...item, name };
}

function takeOut(item: BasketItem, at: number, name: string): void {
  update(({ basket }) => ({ basket: basket.filter((one) => one !== item) }));
  const run = () => update(({ basket }) => ({ basket: [...basket.slice(0, at), item, ...basket.slice(at)] }));
  toast(t(lists.takenOut, { name }), { action: { label: t(lists.undo), run } });
}

interface TimeProps {
  readonly label: string;
  readonly seconds: number;
  fits(seconds: number): boolean;
  set(seconds: number): void;
}

function Time({ label, seconds, fits, set }: TimeProps) {
  const [isBad, setBad] = useState(false);
  const onChange = (event: Event) => {
    const value = secondsOf((event.target as HTMLInputElement).value);
    const isGood = value !== null && fits(value);
    setBad(!isGood);
    if (isGood) set(value);
  };
  return html`<input class="time" aria-label=${label} aria-invalid=${isBad} title=${isBad ? t(lists.badTime) : label}
    value=${clock(seconds, { decimals: 1 })} onChange=${onChange} />`;
}

// The moments of the basket: their pictures, in and out points that can be set, and their order, by mouse or by keyboard.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import type { BasketItem } from '../../basket-item.ts';
import { go } from '../../navigation.ts';
import { Icon } from '../../parts/icon.ts';
import { usePicture } from '../../pictures.ts';
import { momentArgument } from '../../route.ts';
import { get, update } from '../../store.ts';
import { clock, nameOf, secondsOf } from '../../times.ts';
import { toast } from '../../toasts.ts';
import { lists } from '../../words/lists.ts';
import { t } from '../../words.ts';
import { moved } from './order.ts';

export function Items({ items }: { readonly items: readonly BasketItem[] }) {
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

// The view of the basket: which list it is, its moments, and what they are exported as.
import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { api, messageOf, useAsk } from '../../api.ts';
import { basketList, newList, openList, removeList, renameList } from '../../basket.ts';
import { go, placeOfView, type View } from '../../navigation.ts';
import { Dialog, download, Empty, Icon, Loading } from '../../parts.ts';
import { typedPath, userFolders } from '../../paths.ts';
import { usePicture } from '../../pictures.ts';
import { momentArgument } from '../../route.ts';
import { type BasketItem, get, update, useStore } from '../../store.ts';
import { readTasks } from '../../tasks.ts';
import { clock, nameOf, secondsOf } from '../../times.ts';
import { attempt, CopyLink, toast } from '../../toasts.ts';
import { lists } from '../../words/lists.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { picturedSeconds } from '../player/frames.ts';

// Products of the basket: a timeline to download, clips, or text to paste elsewhere.

const timelines = ['xmeml', 'fcpxml', 'edl', 'otio'] as const;
type Timeline = (typeof timelines)[number];
const formats = [...timelines, 'clips', 'text'] as const;
type Format = (typeof formats)[number];

const suffixes: Readonly<Record<Timeline, string>> = {
  xmeml: 'xml',
  fcpxml: 'fcpxml',
  edl: 'edl',
  otio: 'otio',
};
const KEPT_FORMAT = 'framehound.export';
const KEPT_FOLDER = 'framehound.clips';

interface ExportProps {
  readonly items: readonly BasketItem[];
  readonly name: string;
}

export function Export({ items, name }: ExportProps) {
  const storedFormat = localStorage.getItem(KEPT_FORMAT) as Format | null;
  const [format, setFormat] = useState<Format>(
    storedFormat !== null && formats.includes(storedFormat) ? storedFormat : 'xmeml',
  );
  /** Null until a person types one: the one of the last time, or the usual one. */
  const [typed, setTyped] = useState(localStorage.getItem(KEPT_FOLDER));
  const cache_dir = useStore((state) => state.folder.cache_dir);
  const isAsked = format === 'clips' && typed === null && cache_dir !== null;
  const usual = useAsk(isAsked ? () => userFolders(cache_dir) : null, [isAsked, cache_dir]);
  const folder = typed ?? usual.value?.export_folder ?? '';
  const [isBusy, setBusy] = useState(false);
  const [notice, setNotice] = useState<{
    readonly isProblem: boolean;
    readonly texts: readonly string[];
  } | null>(null);
  const choose = (event: Event) => {
    const chosen = (event.target as HTMLSelectElement).value as Format;
    localStorage.setItem(KEPT_FORMAT, chosen);
    setFormat(chosen);
    setNotice(null);
  };
  const make = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setNotice(null);
    try {
      setNotice({ isProblem: false, texts: await made(format, items, name, folder) });
    } catch (error) {
      setNotice({ isProblem: true, texts: [`${t(lists.exportFailed)}: ${messageOf(error)}`] });
    } finally {
      setBusy(false);
    }
  };
  const words = format === 'clips' ? lists.cut : format === 'text' ? lists.copy : lists.download;
  return html`<form class="export row wrap" onSubmit=${make}>
    <label>${t(lists.exportAs)}<select value=${format} onChange=${choose}>
      ${formats.map((choice) => html`<option value=${choice}>${t(lists[choice])}</option>`)}
    </select></label>
    ${
      format === 'clips' &&
      html`<input class="grow" required aria-label=${t(lists.folder)} placeholder=${t(lists.folder)} value=${folder}
        onInput=${(event: Event) => setTyped((event.target as HTMLInputElement).value)} />`
    }
    <button class="primary" type="submit" disabled=${isBusy}>${t(words)}</button>
    <div role="status">${notice?.texts.map((text) => html`<p class=${notice.isProblem ? 'problem' : 'quiet'}>${text}</p>`)}</div>
  </form>`;
}

/** Makes the file and returns remarks for the user. */
async function made(
  format: Format,
  items: readonly BasketItem[],
  name: string,
  folder: string,
): Promise<readonly string[]> {
  if (format === 'text') {
    await navigator.clipboard.writeText(textOf(items));
    return [t(lists.copied)];
  }
  if (format === 'clips') {
    const { clips, stills } = clipsOf(items);
    if (clips.length === 0) throw new Error(t(lists.onlyStills));
    const output_dir = await typedPath(folder, get().folder.cache_dir!);
    if (output_dir === null) throw new Error(t(lists.badFolder));
    await api.exportClips({ output_dir, create_folders: true, clips, mode: 'smart', task: true });
    localStorage.setItem(KEPT_FOLDER, output_dir);
    void readTasks().catch(() => {});
    const leftOut = stills > 0 ? [t(lists.stillsLeftOut, { n: stills })] : [];
    return [t(lists.started, { n: clips.length, folder: output_dir }), ...leftOut];
  }
  const { cache_dir } = get().folder;
  const answer = await api.exportTimeline({
    format,
    sequence_name: name,
    items: timelineItems(items),
    ...(cache_dir !== null && { cache_dir }),
  });
  const file = `${name.replace(/[^\p{L}\p{N} ._-]/gu, '_')}.${suffixes[format]}`;
  download(file, answer.content ?? '', answer.mime_type);
  toast(t(lists.done, { name: file }));
  return answer.warnings ?? [];
}

// The order of a list, and its moments as lines of text.

/** The one at `from` stands before the one that is at `to` now; at the end when there is none. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const item = items[from];
  if (item === undefined) return [...items];
  const remaining = items.filter((_, at) => at !== from);
  const place = Math.max(0, Math.min(to > from ? to - 1 : to, remaining.length));
  return [...remaining.slice(0, place), item, ...remaining.slice(place)];
}

interface Part {
  readonly media_path: string;
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly name?: string;
}

/** A line each: path, in, out, `HH:MM:SS.mmm`, and the name, with tabs between them. */
export function textOf(items: readonly Part[]): string {
  return items
    .map(({ media_path, start_seconds, end_seconds, name = '' }) =>
      [media_path, exact(start_seconds), exact(end_seconds), name].map(plain).join('\t').trimEnd(),
    )
    .join('\n');
}

function exact(seconds: number): string {
  const thousandths = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const whole = thousandths / 1000;
  const clock = `${two(whole / 3600)}:${two((whole / 60) % 60)}:${two(whole % 60)}`;
  return `${clock}.${String(thousandths % 1000).padStart(3, '0')}`;
}

/** Names may hold anything; a line and a column stay one. */
function plain(text: string): string {
  return text.replace(/[\t\n\r]/g, ' ');
}

/** Stills by file name. Other files without pictures are noticed when they are cut. */
const stillName = /\.(jpe?g|jpe|png|webp|tiff?|gif|avif|hei[cf]|bmp|jp2)$/i;

/** Clips are cut from films and sound; `stills`: how many items are none. */
export function clipsOf(items: readonly Part[]) {
  const lasting = items.filter(({ media_path }) => !stillName.test(media_path));
  const clips = lasting.map(({ media_path, start_seconds, end_seconds }) => {
    return { media_path, start_seconds, end_seconds };
  });
  return { clips, stills: items.length - lasting.length };
}

/** Items of a timeline: of each what its file has of picture and sound, one after the other. */
export function timelineItems(items: readonly Part[]) {
  return items.map(({ media_path, start_seconds, end_seconds, name }) => ({
    media_path,
    source_start_seconds: start_seconds,
    source_end_seconds: end_seconds,
    track: 'both' as const,
    ...(name ? { name } : {}),
  }));
}

/** One that shows nothing of what lies before the part. */
function shownSecond(start: number, end: number): number {
  const [first, last] = picturedSeconds(start, end);
  return first > last ? (start + end) / 2 : first;
}

export const view: View = { title: shell.lists, render: Basket };

type Asking = 'make' | 'rename' | 'remove';

function Basket({ argument }: { readonly argument: string }) {
  const basket = useStore((state) => state.basket);
  const { list_id, name, state, error, all } = basketList.use((slice) => slice);
  const [asking, setAsking] = useState<Asking | null>(null);
  const seconds = basket.reduce((sum, item) => sum + item.end_seconds - item.start_seconds, 0);
  const result = {
    saving: t(lists.saving),
    saved: t(lists.saved),
    failed: t(lists.unsaved, { error: error ?? '' }),
  };
  useEffect(() => {
    if (argument !== '' && state !== 'unknown' && argument !== basketList.get().list_id)
      void attempt(() => openList(argument));
  }, [argument, state === 'unknown']);
  if (state === 'unknown') return html`<${Loading} />`;
  const choose = (event: Event) => go('lists', (event.target as HTMLSelectElement).value);
  return html`<div class="basket sheet column">
    <h1 class="unseen">${t(shell.lists)}</h1>
    <header class="row wrap">
      <label>${t(lists.list)}<select value=${list_id ?? ''} onChange=${choose}>
        ${list_id === null && html`<option value="">${t(lists.unsavedList)}</option>`}
        ${all.map((list) => html`<option value=${list.list_id}>${t(lists.entry, { name: list.name, items: list.items })}</option>`)}
      </select></label>
      <button onClick=${() => setAsking('make')}>${t(lists.make)}</button>
      <button disabled=${list_id === null} onClick=${() => setAsking('rename')}>${t(lists.rename)}</button>
      <button disabled=${list_id === null} onClick=${() => setAsking('remove')}>${t(lists.remove)}</button>
      ${list_id !== null && html`<${CopyLink} to=${() => ({ view: 'lists', argument: list_id })} />`}
      <p class=${state === 'failed' ? 'problem grow' : 'quiet grow'} role="status">${result[state]}</p>
      <p class="figures">${t(lists.total, { n: basket.length, time: clock(seconds, { decimals: 1 }) })}</p>
    </header>
    ${
      basket.length === 0
        ? html`<${Empty} icon="lists" title=${t(lists.empty)}><p class="quiet">${t(lists.emptyHow)}</p>
            <a class="button" href=${placeOfView(get().places, 'search')}>${t(shell.search)}</a><//>`
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
    if (!(await attempt(() => (asking === 'make' ? newList(name) : renameList(name))))) return;
    close();
    go('lists', basketList.get().list_id ?? '');
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
    if (!(await attempt(removeList))) return;
    close();
    go('lists', basketList.get().list_id ?? '');
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
  /** Index of the dragged item, and of the item it would stand before. */
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
  const picture = usePicture(media_path, shownSecond(start_seconds, end_seconds), 160);
  const name = item.name ?? nameOf(media_path);
  const move = (to: number) => update({ basket: moved(get().basket, at, to) });
  const open = () => go('player', momentArgument({ hash_str, seconds: start_seconds }));
  const change = (changed: (item: BasketItem) => BasketItem) =>
    update(({ basket }) => ({
      basket: basket.map((entry) => (entry.item_id === item_id ? changed(entry) : entry)),
    }));
  const rename = (event: Event) =>
    change((entry) => renamed(entry, (event.target as HTMLInputElement).value));
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
      <${Time} label=${t(lists.start, { name })} seconds=${start_seconds} fits=${(value: number) => value < end_seconds} set=${(value: number) => change((entry) => ({ ...entry, start_seconds: value }))} />
      <span aria-hidden="true">–</span>
      <${Time} label=${t(lists.end, { name })} seconds=${end_seconds} fits=${(value: number) => value > start_seconds} set=${(value: number) => change((entry) => ({ ...entry, end_seconds: value }))} />
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
  update(({ basket }) => ({ basket: basket.filter((entry) => entry !== item) }));
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

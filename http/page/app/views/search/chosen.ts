// Actions on chosen matches, and the matches left out because they look like chosen ones.

import { html } from 'htm/preact';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Moment } from '../../../../../actors/search/moments/contract.ts';
import { api, messageOf, useAsk } from '../../api.ts';
import { addToBasket, basketList, readLists, stillPart } from '../../basket.ts';
import { Dialog, Icon } from '../../parts.ts';
import { type BasketItem, useStore } from '../../store.ts';
import { attempt, toast } from '../../toasts.ts';
import { lists } from '../../words/lists.ts';
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import { change, isWeakReason, type MatchReason, type ScenePart, search } from './state.ts';

export function itemOf(moment: Moment) {
  const { hash_str, media_path, kind } = moment;
  return { hash_str, media_path, ...(kind === 'image' ? stillPart : foundRange(moment)) };
}

interface ChosenProps {
  readonly moments: readonly Moment[];
}

/** Below the matches, while some are chosen. */
export function Chosen({ moments }: ChosenProps) {
  const chosen = search.use((state) => state.chosen);
  const [Shown, setShown] = useState<ComponentType<{ close(): void }> | null>(null);
  const chosenMoments = moments.filter(({ moment_id }) => chosen.has(moment_id));
  if (chosenMoments.length === 0) return null;
  const close = () => setShown(null);
  const show = (load: () => Promise<ComponentType<{ close(): void }>>) => () =>
    void attempt(async () => {
      const loaded = await load();
      setShown(() => loaded);
    });
  const unlike = () => {
    const { query } = search.get();
    const places = chosenMoments.map(({ hash_str, time_seconds: seconds }) => ({ hash_str, seconds }));
    change({ unlike: [...query.unlike, ...places] });
  };
  return html`<div class="chosen-bar row wrap" role="toolbar" aria-label=${t(searchWords.chosen, { n: chosenMoments.length })}>
    <strong role="status">${t(searchWords.chosen, { n: chosenMoments.length })}</strong>
    <button class="primary" onClick=${() => putAllAside(chosenMoments)}><${Icon} name="plus" />${t(searchWords.basket)}</button>
    <${ToList} moments=${chosenMoments} />
    <button onClick=${show(() => exportOf(chosenMoments))}>${t(searchWords.exportThese)}</button>
    <button onClick=${unlike}>${t(searchWords.unlike)}</button>
    <button onClick=${show(() => forgetOf(chosenMoments))}>${t(searchWords.forget)}</button>
    <button class="quiet" onClick=${() => search.update({ chosen: new Set() })}>${t(searchWords.clear)}</button>
    ${Shown && html`<${Shown} close=${close} />`}
  </div>`;
}

export function putAllAside(moments: readonly Moment[]): void {
  addToBasket(moments.map(itemOf));
}

async function exportOf(moments: readonly Moment[]) {
  const { Export } = await import('../lists/view.ts');
  const items = moments.map((moment): BasketItem => ({ item_id: moment.moment_id, ...itemOf(moment) }));
  return ({ close }: { close(): void }) =>
    html`<${Dialog} title=${t(lists.exportAs)} onClose=${close}><${Export} items=${items} name=${t(lists.defaultName)} /><//>`;
}

async function forgetOf(moments: readonly Moment[]) {
  const { ForgetDialog } = await import('../library/files.ts');
  const paths = [...new Set(moments.map(({ media_path }) => media_path))];
  const rows = paths.map((path) => ({ path }));
  return ({ close }: { close(): void }) => html`<${ForgetDialog} rows=${rows} close=${close} />`;
}

const NEW = 'new';

function ToList({ moments }: ChosenProps) {
  const { all, list_id } = basketList.use((state) => state);
  const put = async (event: Event) => {
    const select = event.target as HTMLSelectElement;
    const id = select.value;
    select.value = '';
    const items = moments.map((moment) => ({ item_id: crypto.randomUUID(), ...itemOf(moment) }));
    await attempt(async () => {
      const { list } =
        id === NEW ? await api.makeList({ name: t(searchWords.newList), items }) : await added(id, items);
      toast(t(searchWords.inList, { name: list.name }));
      await readLists();
    });
  };
  return html`<select aria-label=${t(searchWords.toList)} onChange=${put}>
    <option value="">${t(searchWords.toList)}</option>
    ${all.filter((list) => list.list_id !== list_id).map((list) => html`<option value=${list.list_id}>${list.name}</option>`)}
    <option value=${NEW}>${t(searchWords.newList)}</option></select>`;
}

async function added(list_id: string, items: readonly BasketItem[]) {
  const { list } = await api.getList({ list_id });
  return api.changeList({ list_id, version: list.version, items: [...list.items, ...items] });
}

// Moments like those that matches should not look like, as the search itself finds them.

const MOST_ALIKE = 1000;

/** Probably similar moments, the given ones among them. */
export function useAlike(): readonly ScenePart[] {
  const unlike = search.use(({ query }) => query.unlike);
  const cache_dir = useStore(({ folder }) => (folder.state === 'ready' ? folder.cache_dir : null));
  const ask = async (signal: AbortSignal) => {
    const parts: ScenePart[] = [];
    for (const { hash_str, seconds } of unlike) {
      const like = { hash_str, time_seconds: seconds };
      const request = { cache_dir: cache_dir!, search_all: true, like, kinds: ['seen' as const] };
      const { moments } = await api.searchMoments(
        { ...request, explain: true, min_band: 'likely', limit: MOST_ALIKE },
        { signal },
      );
      parts.push(...moments, { hash_str, start_seconds: seconds, end_seconds: seconds });
    }
    return parts;
  };
  const isAsked = cache_dir !== null && unlike.length > 0;
  const { value, state, error } = useAsk(isAsked ? ask : null, [cache_dir, unlike]);
  useEffect(() => {
    if (state === 'failed') toast(messageOf(error), { kind: 'error' });
  }, [state]);
  return (isAsked ? value : null) ?? none;
}

const none: readonly ScenePart[] = [];

/** Without what shares a moment with one of the parts. */
export function without(moments: readonly Moment[], parts: readonly ScenePart[]): readonly Moment[] {
  if (parts.length === 0) return moments;
  const byMedium = Map.groupBy(parts, ({ hash_str }) => hash_str);
  return moments.filter(({ hash_str, start_seconds: start, end_seconds: end }) => {
    const itsParts = byMedium.get(hash_str) ?? [];
    return !itsParts.some((part) => part.start_seconds <= end && start <= part.end_seconds);
  });
}

// Range of a match for the basket: the part that was found, not the whole shot around it.

type Range = Omit<ScenePart, 'hash_str'>;

/** Visual matches are known to the second; this much before and after is added, within the shot. */
const HANDLE_SECONDS = 2;

/**
 * The sentence that was said, else the time in which the thing, person or line of text is visible; the whole
 * moment where only its picture was found.
 */
export function foundRange(moment: Moment): Range {
  const { kind, reasons, start_seconds, end_seconds } = moment;
  const sure = reasons.filter((reason) => !isWeakReason(reason));
  const evidence = sure.length > 0 ? sure : reasons;
  const said = evidence.filter((reason) => reason.kind === 'said');
  if (said.length > 0) return around(said);
  const ranges = evidence.flatMap(visibleRanges);
  if (kind !== 'video' || ranges.length === 0) return { start_seconds, end_seconds };
  const visible = around(ranges);
  return {
    start_seconds: Math.max(start_seconds, visible.start_seconds - HANDLE_SECONDS),
    end_seconds: Math.min(end_seconds, visible.end_seconds + HANDLE_SECONDS),
  };
}

function visibleRanges(reason: MatchReason): readonly Range[] {
  if (reason.kind === 'written') return [reason];
  if (reason.kind === 'person') {
    const { start_seconds, end_seconds } = reason;
    return start_seconds === undefined || end_seconds === undefined ? [] : [{ start_seconds, end_seconds }];
  }
  if (reason.kind !== 'seen') return [];
  const parts = reason.explanation?.parts ?? [];
  return parts.flatMap((part) => (part.part === 'things' ? (part.boxes ?? []) : []));
}

function around(ranges: readonly Range[]): Range {
  return {
    start_seconds: Math.min(...ranges.map((range) => range.start_seconds)),
    end_seconds: Math.max(...ranges.map((range) => range.end_seconds)),
  };
}

// The search box: words with what is offered while a person types, a picture beside them, which kinds of
// matches, and the switch of the filters.

import { html } from 'htm/preact';
import { useRef, useState } from 'preact/hooks';
import type { Facet } from '../../../../../actors/index/facets/contract.ts';
import type { MomentKind } from '../../../../../actors/search/moments/contract.ts';
import { api, useAsk } from '../../api.ts';
import { go } from '../../navigation.ts';
import { Icon, type IconName } from '../../parts.ts';
import { usePicture } from '../../pictures.ts';
import { routeHash } from '../../route.ts';
import { useNewHits } from '../../searches.ts';
import { useStore } from '../../store.ts';
import { clock } from '../../times.ts';
import { toast } from '../../toasts.ts';
import { savedWords, searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import { work } from '../../work.ts';
import { earlier, pictureName, settle } from './address.ts';
import { labelOf, optionLabel, peopleOf, withOption } from './filters.ts';
import {
  change,
  countOf,
  isByPicture,
  isSelected,
  kindIcons,
  kinds,
  type PersonChoice,
  type QueryPicture,
  search,
} from './state.ts';

interface BoxProps {
  readonly field: { readonly current: HTMLInputElement | null };
  /** Down from the box: to the matches. */
  toMatches(): void;
}

export function Box({ field, toMatches }: BoxProps) {
  const { text, picture } = search.use((state) => state.query);
  const showsFilters = search.use((state) => state.showsFilters);
  const filters = search.use(({ query }) => query.filters.length + query.people.length);
  const offered = useOffered(field, text, toMatches);
  const onPaste = (event: ClipboardEvent) => {
    const file = pictureIn(event.clipboardData);
    if (!file) return;
    event.preventDefault();
    void searchByPicture(file);
  };
  return html`<div class="search-line" role="search">
    <div class="search-box">
      ${offered.all.length > 0 && html`<${SuggestionList} id="suggestions" all=${offered.all} active=${offered.active} take=${offered.take} />`}
      <${Icon} name="search" />
      ${picture && html`<${PictureChip} picture=${picture} />`}
      <input ref=${field} type="search" class="grow" aria-label=${t(searchWords.box)} placeholder=${t(searchWords.hint)} autocomplete="off"
        spellcheck=${false} maxlength="2000" value=${text} aria-autocomplete="list" aria-controls=${offered.all.length > 0 ? 'suggestions' : undefined}
        aria-activedescendant=${offered.active >= 0 ? optionId(offered.active) : undefined} ...${offered.handlers} onPaste=${onPaste} />
      <${ChoosePicture} />
    </div>
    <${Kinds} />
    <button aria-pressed=${showsFilters} aria-expanded=${showsFilters} onClick=${() => search.update({ showsFilters: !showsFilters })}>
      <${Icon} name="filter" /><span class="tab-label">${t(searchWords.filters)}</span>
      ${filters > 0 && html` <span class="count">${filters}</span><span class="unseen">${t(searchWords.inForce)}</span>`}
    </button>
    <${ToSaved} />
  </div>`;
}

function ToSaved() {
  const n = useNewHits();
  return html`<a class="button" href=${routeHash({ view: 'search', argument: 'saved' })} title=${t(savedWords.title)}>
    <${Icon} name="bell" /><span class="tab-label">${t(savedWords.title)}</span>
    ${n > 0 && html`<span class="count">${n}</span><span class="unseen">${t(savedWords.fresh, { n })}</span>`}
  </a>`;
}

/** Suggestions below the box: arrows go through them and Escape puts them away, until something is typed. */
function useOffered(field: BoxProps['field'], text: string, toMatches: () => void) {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const all = useSuggestions(text, isOpen);
  const close = () => {
    setOpen(false);
    setActive(-1);
  };
  const take = (suggestion: Suggestion) => {
    close();
    suggestion.take();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || !boxKeys.includes(event.key)) return;
    event.preventDefault();
    const step = event.key === 'ArrowDown' ? 1 : -1;
    if (event.key.startsWith('Arrow')) {
      if (all.length > 0) setActive(((active + 2 + step + all.length) % (all.length + 1)) - 1);
      else if (step === 1 && text === '' && !isOpen && earlier().length > 0) setOpen(true);
      else if (step === 1) toMatches();
      return;
    }
    const chosen = all[active];
    if (event.key === 'Enter' && chosen) return take(chosen);
    if (event.key === 'Enter') {
      settle();
      toMatches();
    } else if (all.length === 0 && text === '') field.current?.blur();
    else if (all.length === 0) change({ text: '' });
    close();
  };
  const onInput = (event: Event) => {
    change({ text: (event.target as HTMLInputElement).value });
    setOpen(true);
    setActive(-1);
  };
  return { all, active, take, handlers: { onInput, onKeyDown, onBlur: close } };
}

const boxKeys = ['ArrowDown', 'ArrowUp', 'Enter', 'Escape'];

function ChoosePicture() {
  const input = useRef<HTMLInputElement>(null);
  const onChange = () => {
    const [file] = input.current!.files ?? [];
    if (file) void searchByPicture(file);
    input.current!.value = '';
  };
  return html`<button class="quiet icon-only" aria-label=${t(searchWords.picture)} title=${t(searchWords.picture)} onClick=${() => input.current!.click()}>
      <${Icon} name="picture" /></button>
    <input ref=${input} type="file" accept="image/*" hidden onChange=${onChange} />`;
}

function PictureChip({ picture }: { readonly picture: QueryPicture }) {
  const isOwn = picture.kind === 'own';
  const path = isOwn ? '' : picture.kind === 'like' ? picture.media_path : picture.path;
  const seconds = isOwn ? null : picture.seconds;
  const like = usePicture(path, seconds ?? 0);
  const name = pictureName(picture);
  const label =
    seconds === null
      ? t(searchWords.ownPicture, { name })
      : t(searchWords.likeThis, { name, time: clock(seconds) });
  const src = isOwn ? `data:image/*;base64,${picture.data}` : like;
  // The library need not have a file that the service reads.
  return html`<span class="picture-chip" title=${label}>
    ${src ? html`<img src=${src} alt=${label} />` : picture.kind === 'file' && html`<span class="cut">${name}</span>`}
    <button class="quiet icon-only" aria-label=${t(searchWords.removePicture)} onClick=${() => change({ picture: null })}><${Icon} name="close" /></button>
  </span>`;
}

/** Number in the notation of the language. */
const number = ['{n}', '{n}'] as const;

function Kinds() {
  const chosen = search.use(({ query }) => query.kinds);
  const isSelection = search.use(({ query }) => isSelected(query));
  const byPicture = search.use(({ query }) => isByPicture(query));
  const answer = search.use((state) => (isSelection ? null : state.answer));
  const showsWeaker = search.use((state) => state.showsWeaker);
  const toggle = (kind: MomentKind) => () => {
    const next = kinds.filter((candidate) =>
      candidate === kind ? !chosen.includes(candidate) : chosen.includes(candidate),
    );
    // Without any kind nothing would be found, so the other kinds are selected.
    change({ kinds: next.length > 0 ? next : kinds.filter((candidate) => candidate !== kind) });
  };
  return html`<div class="kinds" role="group" aria-label=${t(searchWords.kinds)}>${kinds.map((kind) => {
    const isOn = chosen.includes(kind);
    return html`<button class=${`kind ${kind}`} aria-pressed=${isOn} disabled=${isSelection} onClick=${toggle(kind)}>
      <${Icon} name=${kindIcons[kind]} /><span class="kind-label">${t(searchWords[kind])}</span>
      ${answer && isOn && html`<span class="figure">${t(number, { n: showsWeaker ? answer.counts[kind] : countOf(answer, kind, byPicture) })}</span>`}
    </button>`;
  })}</div>`;
}

// A picture of a person's own, dropped in, pasted or chosen.

export function pictureIn(data: DataTransfer | null): File | null {
  return [...(data?.files ?? [])].find(({ type }) => type.startsWith('image/')) ?? null;
}

export async function searchByPicture(file: File): Promise<void> {
  try {
    const data = await work().readPicture(file);
    change({ picture: { kind: 'own', name: file.name || t(searchWords.picture), data } });
  } catch {
    toast(t(searchWords.noPicture, { name: file.name }), { kind: 'error' });
  }
}

// Suggestions while a person types: earlier searches, and the names of people, things and other facets of the
// library.

interface Suggestion {
  readonly kind: 'earlier' | 'person' | 'facet';
  readonly label: string;
  /** Facet of the value. */
  readonly of: string;
  take(): void;
}

const MOST_EARLIER = 4;
const MOST_NAMES = 6;
/** Facets that nobody searches for by typing, or that every search has. */
const ignoredFacets = [
  'file.modified_date',
  'time.creation_date',
  'file.size_class',
  'technical.duration_class',
];

const icons: Readonly<Record<Suggestion['kind'], IconName>> = {
  earlier: 'clock',
  person: 'person',
  facet: 'filter',
};

interface Known {
  readonly people: readonly PersonChoice[];
  readonly facets: readonly Facet[];
}

/** `isAsked`: somebody is at the box; nothing is read before. */
function useSuggestions(text: string, isAsked: boolean): readonly Suggestion[] {
  const cache_dir = useStore(({ folder }) => (folder.state === 'ready' ? folder.cache_dir : null));
  const loaded = useStore(({ folder }) => folder.loaded);
  const knownNames = useAsk(cache_dir === null || !isAsked ? null : (signal) => askKnown(cache_dir, signal), [
    cache_dir,
    loaded,
    isAsked,
  ]).value;
  return isAsked ? suggestionsFor(text, knownNames ?? { people: [], facets: [] }) : [];
}

async function askKnown(cache_dir: string, signal: AbortSignal): Promise<Known> {
  const [{ facets }, { jobs }] = await Promise.all([
    api.metadataFacets({ cache_dir, search_all: true, filters: [] }, { signal }),
    api.faceClusters({ cache_dir }, { signal }),
  ]);
  return { facets, people: peopleOf(jobs) };
}

/**
 * Suggests the latest searches for an empty box, else names in which a word begins with the last typed word.
 */
export function suggestionsFor(text: string, { people, facets }: Known): Suggestion[] {
  const typed = text.trim().toLowerCase();
  const [, start = '', word = ''] = /^(.*?)(\S*)$/s.exec(text) ?? [];
  const titles = new Set([typed]);
  const before = earlier()
    .filter(({ title }) => {
      const isNew = title.toLowerCase().includes(typed) && !titles.has(title.toLowerCase());
      titles.add(title.toLowerCase());
      return isNew;
    })
    .slice(0, typed === '' ? MOST_EARLIER * 2 : MOST_EARLIER)
    .map(({ title: label, address }): Suggestion => {
      return { kind: 'earlier', label, of: '', take: () => go('search', '', address) };
    });
  if (word.length < 2) return before;
  const fits = (label: string) =>
    ` ${label}`.toLowerCase().includes(` ${word.toLowerCase()}`) || label.toLowerCase().startsWith(typed);
  const named = people
    .filter(({ name }) => fits(name))
    .map((person): Suggestion => {
      const take = () => change({ text: start, people: [...search.get().query.people, person] });
      return { kind: 'person', label: person.name, of: t(searchWords.person), take };
    });
  const options = facets
    .filter(({ id, kind }) => !ignoredFacets.includes(id) && (kind === 'single' || kind === 'multi'))
    .flatMap((facet) =>
      facet.options
        .map((option) => ({ ...option, facet, shown: optionLabel(facet, option.value, option.label) }))
        // Also by the name that the service gives it, in English.
        .filter(({ shown, label, count }) => count > 0 && (fits(shown) || fits(label))),
    )
    .toSorted((a, b) => b.count - a.count)
    .map(({ facet, shown: label, value }): Suggestion => {
      const filters = () => withOption(search.get().query.filters, facet.id, value);
      return {
        kind: 'facet',
        label,
        of: labelOf(facet),
        take: () => change({ text: start, filters: filters() }),
      };
    });
  return [...before, ...[...named, ...options].slice(0, MOST_NAMES)];
}

interface SuggestionListProps {
  readonly id: string;
  readonly all: readonly Suggestion[];
  /** Number of the one that Enter takes; -1: none. */
  readonly active: number;
  take(suggestion: Suggestion): void;
}

const optionId = (at: number) => `suggestion-${at}`;

function SuggestionList({ id, all, active, take }: SuggestionListProps) {
  return html`<ul id=${id} class="suggestions" role="listbox" aria-label=${t(searchWords.suggestions)}>${all.map(
    (suggestion, at) =>
      html`<li id=${optionId(at)} role="option" aria-selected=${at === active} onPointerDown=${(
        event: Event,
      ) => {
        // The box keeps the focus.
        event.preventDefault();
        take(suggestion);
      }}><${Icon} name=${icons[suggestion.kind]} /><span class="cut grow">${suggestion.label}</span><span class="quiet">${suggestion.of}</span></li>`,
  )}</ul>`;
}

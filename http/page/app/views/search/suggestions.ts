// What is offered while a person types: earlier searches, and the names of people, things and other facets
// that there are in the library.
import { html } from 'htm/preact';
import { api, useAsk } from '../../api.ts';
import { go } from '../../navigation.ts';
import { Icon, type IconName } from '../../parts.ts';
import { useStore } from '../../store.ts';
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import { earlier } from './address.ts';
import { type Facet, labelOf, optionLabel, peopleOf, withOption } from './filters.ts';
import { change, type Person, search } from './state.ts';

export interface Suggestion {
  readonly kind: 'earlier' | 'person' | 'facet';
  readonly label: string;
  /** What it is a value of. */
  readonly of: string;
  take(): void;
}

const MOST_EARLIER = 4;
const MOST_NAMES = 6;
/** Facets that nobody searches for by typing, or that every search has. */
const left = ['file.modified_date', 'time.creation_date', 'file.size_class', 'technical.duration_class'];

const icons: Readonly<Record<Suggestion['kind'], IconName>> = {
  earlier: 'clock',
  person: 'person',
  facet: 'filter',
};

interface Known {
  readonly people: readonly Person[];
  readonly facets: readonly Facet[];
}

/** `isAsked`: somebody is at the box; nothing is read before. */
export function useSuggestions(text: string, isAsked: boolean): readonly Suggestion[] {
  const cache_dir = useStore(({ folder }) => (folder.state === 'ready' ? folder.cache_dir : null));
  const loaded = useStore(({ folder }) => folder.loaded);
  const known = useAsk(cache_dir === null || !isAsked ? null : (signal) => askKnown(cache_dir, signal), [
    cache_dir,
    loaded,
    isAsked,
  ]).value;
  return isAsked ? suggestionsFor(text, known ?? { people: [], facets: [] }) : [];
}

async function askKnown(cache_dir: string, signal: AbortSignal): Promise<Known> {
  const [{ facets }, { jobs }] = await Promise.all([
    api.metadataFacets({ cache_dir, search_all: true, filters: [] }, { signal }),
    api.faceClusters({ cache_dir }, { signal }),
  ]);
  return { facets, people: peopleOf(jobs) };
}

/**
 * Of an empty box the latest searches; names begin, at any of their words, with the last word that is typed.
 */
export function suggestionsFor(text: string, { people, facets }: Known): Suggestion[] {
  const typed = text.trim().toLowerCase();
  const [, rest = '', word = ''] = /^(.*?)(\S*)$/s.exec(text) ?? [];
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
      const take = () => change({ text: rest, people: [...search.get().query.people, person] });
      return { kind: 'person', label: person.name, of: t(searchWords.person), take };
    });
  const options = facets
    .filter(({ id, kind }) => !left.includes(id) && (kind === 'single' || kind === 'multi'))
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
        take: () => change({ text: rest, filters: filters() }),
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

export const optionId = (at: number) => `suggestion-${at}`;

export function SuggestionList({ id, all, active, take }: SuggestionListProps) {
  return html`<ul id=${id} class="suggestions" role="listbox" aria-label=${t(searchWords.suggestions)}>${all.map(
    (one, at) =>
      html`<li id=${optionId(at)} role="option" aria-selected=${at === active} onPointerDown=${(
        event: Event,
      ) => {
        // The box keeps the focus.
        event.preventDefault();
        take(one);
      }}><${Icon} name=${icons[one.kind]} /><span class="cut grow">${one.label}</span><span class="quiet">${one.of}</span></li>`,
  )}</ul>`;
}

// The empty search: on a first visit the steps that lead to matches, later three proposed searches.
import { html } from 'htm/preact';
import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import type { Facet } from '../../../../../actors/index/facets/contract.ts';
import { api, useAsk } from '../../api.ts';
import { Empty, Icon, type IconName } from '../../parts.ts';
import { typedPath } from '../../paths.ts';
import { useStore } from '../../store.ts';
import { nameOf } from '../../times.ts';
import { attempt } from '../../toasts.ts';
import { thingWords } from '../../words/facets.ts';
import { library } from '../../words/library.ts';
import { searchWords } from '../../words/search.ts';
import { named, t } from '../../words.ts';
import { ModelSets, Samples } from '../settings/set-up.ts';
import { searchFor } from './address.ts';
import { peopleOf } from './filters.ts';
import { Newest } from './newest.ts';
import type { PersonChoice, SearchFields } from './state.ts';

/** A folder, what is downloaded for it, and the analysis. */
export function FirstVisit() {
  const cache_dir = useStore(({ folder }) => folder.cache_dir!);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const [Asked, setAsked] = useState<ComponentType | null>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    setProblem('');
    await attempt(async () => {
      const [{ AnalyseDialog }, { lookUp }] = await Promise.all([
        import('../library/analyse-dialog.ts'),
        import('../library/listing.ts'),
      ]);
      const path = await typedPath(text, cache_dir);
      if (path === null) return setProblem(t(library.badPath));
      const rows = [await lookUp(path, cache_dir)];
      setAsked(() => () => html`<${AnalyseDialog} rows=${rows} close=${() => setAsked(null)} />`);
    });
  };
  return html`<section class="first-visit column"><h2>${t(searchWords.noLibrary)}</h2>
    <form class="column panel" onSubmit=${submit}><h3>${t(searchWords.firstFolder)}</h3>
      <div class="row wrap"><input class="grow" required aria-label=${t(library.path)} placeholder=${t(library.pathHint)} spellcheck=${false} autocomplete="off"
        value=${text} onInput=${(event: Event) => setText((event.target as HTMLInputElement).value)} />
      <button class="primary" type="submit">${t(library.analyse)}</button></div>
      <p class="problem" role="alert">${problem}</p></form>
    <div class="column panel"><h3>${t(searchWords.firstModels)}</h3><${ModelSets} /></div>
    <${Samples} />
    ${Asked && html`<${Asked} />`}
  </section>`;
}

interface StartProps {
  readonly facets: readonly Facet[] | null;
}

export function Start({ facets }: StartProps) {
  const { media, seconds } = useStore(({ folder }) => folder.loaded);
  const values = { media: t(searchWords.films, { n: media }), length: lengthText(seconds) };
  // A still counts as one second.
  const title = t(seconds > media ? searchWords.start : searchWords.startFiles, values);
  const examples = useExamples(facets);
  return html`<div class="start"><${Empty} icon="search" title=${title}><p class="quiet">${t(searchWords.startHow)}</p>
    ${examples.length > 0 && html`<p>${t(searchWords.examples)}</p>`}
    <div class="row wrap examples">${examples.map(
      ({ icon, label, query }) =>
        html`<button onClick=${() => searchFor(query)}><${Icon} name=${icon} />${label}</button>`,
    )}</div><//><${Newest} /></div>`;
}

/** In the unit that a person would choose. */
function lengthText(seconds: number): string {
  if (seconds < 60) return t(searchWords.seconds, { n: seconds });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return t(searchWords.minutes, { n: minutes });
  const hours = minutes / 60;
  return t(searchWords.hours, { n: hours < 10 ? Math.round(hours * 10) / 10 : Math.round(hours) });
}

interface Example {
  readonly icon: IconName;
  readonly label: string;
  readonly query: Partial<SearchFields>;
}

const MOST = 3;

function useExamples(facets: readonly Facet[] | null): readonly Example[] {
  const cache_dir = useStore(({ folder }) => (folder.state === 'ready' ? folder.cache_dir : null));
  const loaded = useStore(({ folder }) => folder.loaded);
  const ask = async (signal: AbortSignal) => {
    const [{ jobs }, { media }] = await Promise.all([
      api.faceClusters({ cache_dir: cache_dir! }, { signal }),
      api.listLibrary({ cache_dir: cache_dir!, limit: 50 }, { signal }),
    ]);
    return { people: peopleOf(jobs), media: media.filter(({ visual }) => visual.length > 0) };
  };
  const { value } = useAsk(cache_dir === null ? null : ask, [cache_dir, loaded]);
  return value ? examplesOf(facets ?? [], value.people, value.media) : [];
}

interface Medium {
  readonly hash_str: string;
  readonly media_path: string;
  readonly duration_seconds: number | null;
}

/** Somebody, the things that were recognised most surely, and for the rest what looks like some media. */
function examplesOf(
  facets: readonly Facet[],
  people: readonly PersonChoice[],
  media: readonly Medium[],
): Example[] {
  const things = facets.find(({ id }) => id === 'things.seen')?.options ?? [];
  const somebody = people
    .slice(0, 1)
    .map((person): Example => ({ icon: 'person', label: person.name, query: { people: [person] } }));
  const sureness = ({ meta }: (typeof things)[number]) =>
    typeof meta['suggested'] === 'number' ? meta['suggested'] : 0;
  const shownThings = things
    .filter(
      (thing) => thing.count > 0 && sureness(thing) > 0 && !(thing.value === 'person' && somebody.length > 0),
    )
    .toSorted((a, b) => sureness(b) - sureness(a))
    .slice(0, MOST - somebody.length)
    .map(({ value }): Example => {
      return { icon: 'eye', label: named(thingWords, value), query: { text: value } };
    });
  const alike = media.slice(0, MOST).map(({ hash_str, media_path, duration_seconds }): Example => {
    const label = t(searchWords.ownPicture, { name: nameOf(media_path) });
    const seconds = Math.floor((duration_seconds ?? 0) / 2);
    return { icon: 'like', label, query: { picture: { kind: 'like', hash_str, media_path, seconds } } };
  });
  return [...somebody, ...shownThings, ...alike].slice(0, MOST);
}

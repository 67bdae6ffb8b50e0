// The people that matches have to show, of all clusterings, by name.
import { html } from 'htm/preact';
import { api } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { useStore } from '../../store.ts';
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import type { Person } from './moment.ts';
import { change, search } from './state.ts';

export function PeopleFilter() {
  const cache_dir = useStore(({ folder }) => (folder.state === 'ready' ? folder.cache_dir : null));
  const people = search.use(({ query }) => query.people);
  const mode = search.use(({ query }) => query.peopleMode);
  const asked = useAsk(cache_dir === null ? null : (signal) => api.faceClusters({ cache_dir }, { signal }), [
    cache_dir,
  ]);
  const jobs = asked.value?.jobs ?? [];
  if (jobs.length === 0) return null;
  const named = jobs.flatMap(({ name: cluster_job_name, names }) =>
    [...new Set(Object.values(names))]
      .filter((name) => name !== '')
      .map((name): Person => ({ name, cluster_job_name })),
  );
  const isSame = (a: Person, b: Person) => a.name === b.name && a.cluster_job_name === b.cluster_job_name;
  const toggle = (person: Person) => {
    const others = people.filter((one) => !isSame(one, person));
    change({ people: others.length < people.length ? others : [...people, person] });
  };
  return html`<details class="facet" open=${people.length > 0}>
    <summary><span class="grow">${t(searchWords.people)}</span>${people.length > 0 && html`<span class="count">${people.length}</span>`}</summary>
    ${named.length === 0 && html`<p class="quiet">${t(searchWords.noPeople)}</p>`}
    ${named.map(
      (person) => html`<label class="option" title=${person.cluster_job_name}>
        <input type="checkbox" checked=${people.some((one) => isSame(one, person))} onChange=${() => toggle(person)} />
        <span class="grow cut">${person.name}</span>${jobs.length > 1 && html`<span class="quiet cut">${person.cluster_job_name}</span>`}</label>`,
    )}
    ${
      people.length > 1 &&
      html`<label class="option"><input type="checkbox" checked=${mode === 'and'}
      onChange=${() => change({ peopleMode: mode === 'and' ? 'or' : 'and' })} />${t(searchWords.together)}</label>`
    }
  </details>`;
}

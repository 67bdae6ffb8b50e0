// The view of people: clusters of faces, pairs that may be one person, and voices.
import { html } from 'htm/preact';
import { Failed, Loading } from '../../parts/states.ts';
import { routeHash } from '../../route.ts';
import type { View } from '../../view.ts';
import { people } from '../../words/people.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { Alike } from './alike.ts';
import { undo } from './change.ts';
import { Person } from './cluster.ts';
import { Clusters } from './clusters.ts';
import { NoFaces } from './no-faces.ts';
import { Recluster } from './recluster.ts';
import { type Job, slice, useJobs } from './state.ts';
import { Voices } from './voices.ts';

export const view: View = { title: shell.people, render: People };

const parts = ['faces', 'alike', 'voices'] as const;
type Part = (typeof parts)[number];

function People({ argument }: { readonly argument: string }) {
  const part: Part = argument === 'voices' || argument === 'alike' ? argument : 'faces';
  const [, opened = ''] = /^face\/(.+)$/.exec(argument) ?? [];
  return html`<div class="people sheet column">
    <h1 class="unseen">${t(shell.people)}</h1>
    <nav class="row people-parts" aria-label=${t(people.parts)}>${parts.map(
      (
        one,
      ) => html`<a class="button" href=${routeHash({ view: 'people', argument: one === 'faces' ? '' : one })}
        aria-current=${one === part ? 'page' : undefined}>${t(people[one])}</a>`,
    )}</nav>
    ${part === 'voices' ? html`<${Voices} />` : html`<${OfFaces} part=${part} opened=${opened} />`}
  </div>`;
}

interface OfFacesProps {
  readonly part: 'faces' | 'alike';
  /** Id of a cluster; empty: none. */
  readonly opened: string;
}

function OfFaces({ part, opened }: OfFacesProps) {
  const { jobs, job, state, error, again, value } = useJobs();
  if (state === 'failed') return html`<${Failed} error=${error} again=${again} />`;
  if (value === null) return html`<${Loading} />`;
  if (job === null) return html`<${NoFaces} />`;
  if (opened !== '') return html`<${Person} key=${opened} job=${job} cluster_id=${opened} />`;
  return html`<${Head} jobs=${jobs} job=${job} />
    ${value.warning && html`<p class="problem">${value.warning}</p>`}
    ${part === 'alike' ? html`<${Alike} key=${job.name} job=${job} />` : html`<${Clusters} key=${job.name} job=${job} />`}`;
}

interface HeadProps {
  readonly jobs: readonly Job[];
  readonly job: Job;
}

function Head({ jobs, job }: HeadProps) {
  const { name, num_clusters: clusters, total_entries: n, noise_entries: loose, can_undo } = job;
  const choose = (event: Event) =>
    slice.update({ job: (event.target as HTMLSelectElement).value, chosen: [] });
  return html`<header class="row wrap">
    ${
      jobs.length > 1 &&
      html`<label>${t(people.clustering)}<select value=${name} onChange=${choose}>
        ${jobs.map((one) => html`<option value=${one.name}>${one.name}</option>`)}</select></label>`
    }
    <p class="quiet grow">${t(people.total, { clusters, n })}${loose > 0 && html` · ${t(people.loose, { n: loose })}`}</p>
    <button disabled=${!can_undo} onClick=${() => void undo(name)}>${t(people.undoLast)}</button>
    <${Recluster} job=${job} />
  </header>`;
}

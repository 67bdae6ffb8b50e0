// The view of people: clusters of faces, pairs that may be one person, and voices.
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../../api.ts';
import { Icon } from '../../parts/icon.ts';
import { SetUpButton, useLacking } from '../../parts/set-up.ts';
import { Empty, Failed, Loading } from '../../parts/states.ts';
import { routeHash } from '../../route.ts';
import type { View } from '../../view.ts';
import { people } from '../../words/people.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { calledOf, Faces } from './card.ts';
import { correct, type Job, merge, slice, undo, useCacheDir, useJobs } from './change.ts';
import { percent } from './choice.ts';
import { Person } from './cluster.ts';
import { Clusters, Recluster } from './clusters.ts';
import { useQuestions, Voices } from './voices.ts';

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

// What stands where no faces were grouped: how they are.

function NoFaces() {
  const isLacking = useLacking(['faces']);
  return html`<${Empty} icon="people" title=${t(people.noFaces)}>
    <p class="quiet">${t(people.noFacesHow)}</p>
    ${isLacking && html`<${SetUpButton} />`}
    <a class="button" href=${routeHash({ view: 'library', argument: '' })}>${t(people.toLibrary)}</a>
  <//>`;
}

// Pairs of clusters that may be one person, most alike first, each with a question.

type Pair = Awaited<ReturnType<typeof api.suggestClusters>>['suggestions'][number];
const PAIRS = 20;
const FACES = 4;

function Alike({ job }: { readonly job: Job }) {
  const cache_dir = useCacheDir();
  const list = useRef<HTMLOListElement>(null);
  const answered = useRef(false);
  const request = { cluster_job_name: job.name, limit: PAIRS, limit_per_cluster: FACES };
  const loaded = useQuestions(
    cache_dir === null ? null : (signal) => api.suggestClusters({ cache_dir, ...request }, { signal }),
    [cache_dir, job.name],
  );
  // The next question has the focus when one was answered: by keys it goes on at once.
  useEffect(() => {
    if (loaded.state !== 'ready' || !answered.current) return;
    answered.current = false;
    list.current?.querySelector('button')?.focus();
  }, [loaded.value]);
  if (loaded.state === 'failed') return html`<${Failed} error=${loaded.error} again=${loaded.again} />`;
  if (loaded.value === null) return html`<${Loading} />`;
  const { suggestions, warning } = loaded.value;
  if (suggestions.length === 0)
    return html`<${Empty} icon="check" title=${t(people.noPairs)}><p class="quiet">${warning ?? t(people.noPairsHow)}</p><//>`;
  const { isBusy } = loaded;
  const onAnswer = (pair: Pair, isSame: boolean) =>
    loaded.answer(async () => {
      answered.current = await answer(job.name, pair, isSame);
      return answered.current;
    });
  return html`<p class="quiet">${t(people.pairs)}</p>${warning && html`<p class="quiet">${warning}</p>`}
    <ol ref=${list} class="pairs" aria-busy=${isBusy}>${suggestions.map(
      (pair) =>
        html`<${Question} key=${pair.cluster_ids.join()} pair=${pair} isBusy=${isBusy} onAnswer=${onAnswer} />`,
    )}</ol>`;
}

function answer(job: string, { cluster_ids }: Pair, isSame: boolean): Promise<boolean> {
  if (isSame) return merge(job, cluster_ids);
  return correct(job, { apart: [{ cluster_ids: [...cluster_ids] }] }, t(people.heldApart));
}

interface QuestionProps {
  readonly pair: Pair;
  readonly isBusy: boolean;
  onAnswer(pair: Pair, isSame: boolean): void;
}

function Question({ pair, isBusy, onAnswer }: QuestionProps) {
  const [one, other] = pair.samples;
  if (!one || !other) return null;
  const values = { one: calledOf(one), other: calledOf(other) };
  const side = (sample: typeof one) => html`<div class="column grow"><${Faces} faces=${sample.sample_faces} />
    <p class="cut">${sample.name || html`<span class="quiet">${t(people.who)}</span>`} <span class="quiet">${t(people.size, { n: sample.size })}</span></p></div>`;
  return html`<li class="pair">
    <div class="row sides">${side(one)}${side(other)}</div>
    <div class="row answers"><span class="quiet">${t(people.likeness, { n: percent(pair.similarity) })}</span>
      <button class="primary" aria-disabled=${isBusy} aria-label=${t(people.ofPair, { answer: t(people.same), ...values })} onClick=${() => onAnswer(pair, true)}><${Icon} name="check" />${t(people.same)}</button>
      <button aria-disabled=${isBusy} aria-label=${t(people.ofPair, { answer: t(people.notSame), ...values })} onClick=${() => onAnswer(pair, false)}><${Icon} name="close" />${t(people.notSame)}</button></div>
  </li>`;
}

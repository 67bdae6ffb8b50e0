// The view of people: clusters of faces, pairs that may be one person, and voices.
import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, ServiceError, useAsk } from '../../api.ts';
import { go, type View } from '../../navigation.ts';
import { Empty, Failed, Icon, Loading } from '../../parts.ts';
import { Picture } from '../../pictures.ts';
import { momentArgument, routeHash } from '../../route.ts';
import { clock, nameOf } from '../../times.ts';
import { CopyLink } from '../../toasts.ts';
import { people } from '../../words/people.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { searchFor } from '../search/address.ts';
import { SetUpButton, useLacking } from '../settings/set-up.ts';
import {
  type ClusteringJob,
  correct,
  FEWEST,
  looseArgument,
  merge,
  moveFaces,
  nameCluster,
  percent,
  placeOfCluster,
  placeOfLoose,
  slice,
  toggled,
  undo,
  useCacheDir,
  useClusters,
  useJobs,
} from './change.ts';
import { Clusters, calledOf, Faces, faceAddress, Name, Recluster } from './clusters.ts';
import { useQuestions, Voices } from './voices.ts';

// One person, or the faces in no group: all of them to look through and to move elsewhere, and where a
// person is seen.

const PAGE = 120;
/** People that faces can be moved to. */
const MOST = 1000;

/** `cluster_id` null: the faces in no group. */
function useFaces(job: ClusteringJob, cluster_id: string | null, limit: number) {
  const cache_dir = useCacheDir();
  const changes = slice.use((state) => state.changes);
  const which = cluster_id === null ? { include_noise: true } : { cluster_id };
  const request = { cluster_job_name: job.name, limit, include_entry_ids: true, include_places: true };
  const question = async (signal: AbortSignal) => {
    const answer = await api.clusterFaces({ cache_dir: cache_dir!, ...request, ...which }, { signal });
    return answer.clusters[0] ?? (answer.noise && { ...answer.noise, name: '' }) ?? null;
  };
  return useAsk(cache_dir === null ? null : question, [cache_dir, job.name, cluster_id, limit, changes]);
}

interface ClusterProps {
  readonly job: ClusteringJob;
  readonly cluster_id: string;
}

function Person({ job, cluster_id }: ClusterProps) {
  const [limit, setLimit] = useState(PAGE);
  const { value, state, error, again } = useFaces(job, cluster_id, limit);
  const isUnknown = error instanceof ServiceError && error.status >= 400 && error.status < 405;
  const isGone = state === 'failed' ? isUnknown : state === 'ready' && value === null;
  if (isGone)
    return html`<${Empty} icon="person" title=${t(people.gone)}><p class="quiet">${t(people.goneHow)}</p><${Back} /><//>`;
  if (state === 'failed') return html`<${Failed} error=${error} again=${again} />`;
  if (value === null) return html`<${Loading} />`;
  const { name, size } = value;
  const search = () => searchFor({ people: [{ name, cluster_job_name: job.name }] });
  return html`<header class="row wrap"><${Back} />
      <${Name} key=${cluster_id} label=${t(people.nameOf, { n: size })} hint=${t(people.who)} name=${name} save=${(text: string) => nameCluster(job.name, cluster_id, text, name)} />
      <span class="quiet grow">${t(people.size, { n: size })}</span>
      <button disabled=${name === ''} title=${name === '' ? t(people.searchNeedsName) : ''} onClick=${search}>${t(people.searchWith)}</button>
      <${CopyLink} to=${() => placeOfCluster(job.name, cluster_id)} />
    </header>
    <h1 class="unseen">${calledOf(value)}</h1>
    <${AllFaces} job=${job} cluster_id=${cluster_id} shown=${value} showMore=${() => setLimit(limit + PAGE)} />
    <${Appearances} job=${job} cluster_id=${cluster_id} />`;
}

function Loose({ job }: { readonly job: ClusteringJob }) {
  const [limit, setLimit] = useState(PAGE);
  const { value, state, error, again } = useFaces(job, null, limit);
  if (state === 'failed') return html`<${Failed} error=${error} again=${again} />`;
  if (value === null) return html`<${Loading} />`;
  const { min_samples: n } = job;
  return html`<header class="row wrap"><${Back} />
      <h1 class="grow">${t(people.loose, { n: value.size })}</h1>
      <${Recluster} job=${job} /></header>
    <p class="quiet">${t(people.looseWhy)} ${n > FEWEST && t(people.looseFewest, { n })}</p>
    ${
      value.size === 0
        ? html`<${Empty} icon="check" title=${t(people.noLoose)} />`
        : html`<${AllFaces} job=${job} cluster_id=${null} shown=${value} showMore=${() => setLimit(limit + PAGE)} />`
    }`;
}

function Back() {
  return html`<button onClick=${() => go('people')}>${t(people.back)}</button>`;
}

type ShownFaces = NonNullable<Awaited<ReturnType<typeof api.clusterFaces>>['noise']>;

interface FaceGroupProps {
  readonly job: ClusteringJob;
  /** Null: the faces in no group. */
  readonly cluster_id: string | null;
}

interface AllFacesProps extends FaceGroupProps {
  readonly shown: ShownFaces;
  showMore(): void;
}

function AllFaces({ job, cluster_id, shown, showMore }: AllFacesProps) {
  const { size, faces, available_faces, entry_ids = [], places = [] } = shown;
  const [marked, setChosen] = useState<readonly string[]>([]);
  const chosen = marked.filter((id) => entry_ids.includes(id));
  const toggle = (id: string) => setChosen(toggled(chosen, id));
  const remaining = available_faces - faces.length;
  const place = chosen.length === 1 ? places[entry_ids.indexOf(chosen[0]!)] : undefined;
  return html`<section class="column" aria-label=${t(people.allFaces)}>
    ${cluster_id !== null && html`<h2>${t(people.allFaces)}</h2>`}
    <${Move} job=${job} cluster_id=${cluster_id} entry_ids=${chosen} size=${size} place=${place} done=${() => setChosen([])} />
    <div class="all-faces">${faces.map((face, at) => {
      const id = entry_ids[at] ?? '';
      const isChosen = chosen.includes(id);
      return html`<button key=${id || at} class="face" aria-pressed=${isChosen} aria-label=${t(people.face, { n: at + 1 })} onClick=${() => toggle(id)}>
        <img src=${faceAddress(face)} alt="" draggable=${false} loading="lazy" /></button>`;
    })}</div>
    ${remaining > 0 && html`<button class="more" onClick=${showMore}>${t(people.more, { n: Math.min(PAGE, remaining) })}</button>`}
  </section>`;
}

interface MoveProps extends FaceGroupProps {
  readonly entry_ids: readonly string[];
  readonly size: number;
  /** Where the only chosen face was found. */
  readonly place: NonNullable<ShownFaces['places']>[number] | undefined;
  done(): void;
}

/** The value of the choice that means somebody who has no cluster yet. */
const SOMEBODY = '';

function Move({ job, cluster_id, entry_ids, size, place, done }: MoveProps) {
  const answer = useClusters(job, MOST, 0);
  const [targetId, setTo] = useState(SOMEBODY);
  const [name, setName] = useState('');
  const others = (answer.value?.clusters ?? []).filter((cluster) => cluster.cluster_id !== cluster_id);
  const to_cluster_id = others.find((cluster) => cluster.cluster_id === targetId)?.cluster_id ?? null;
  const n = entry_ids.length;
  if (n === 0)
    return html`<p class="quiet">${t(cluster_id === null ? people.looseHow : people.facesHow)}</p>`;
  // A cluster cannot lose all of its faces.
  const isWhole = cluster_id !== null && to_cluster_id === null && n === size;
  const move = async (event: Event) => {
    event.preventDefault();
    const moveRequest = {
      from_cluster_id: cluster_id,
      to_cluster_id,
      entry_ids: [...entry_ids],
      name: name.trim(),
    };
    if (!(await moveFaces(job.name, moveRequest))) return;
    setName('');
    done();
  };
  return html`<form class="row wrap choosing" onSubmit=${move}>
    <span role="status">${t(people.facesChosen, { n })}</span>
    <label>${t(people.moveTo)}<select value=${to_cluster_id ?? SOMEBODY} onChange=${(event: Event) => setTo((event.target as HTMLSelectElement).value)}>
      <option value=${SOMEBODY}>${t(people.somebody)}</option>
      ${others.map((cluster) => html`<option value=${cluster.cluster_id}>${calledOf(cluster)}</option>`)}
    </select></label>
    ${
      to_cluster_id === null &&
      html`<input aria-label=${t(people.nameOfNew)} placeholder=${t(people.who)} maxlength="200" autocomplete="off" value=${name}
        onInput=${(event: Event) => setName((event.target as HTMLInputElement).value)} />`
    }
    <button class="primary" type="submit" disabled=${isWhole} title=${isWhole ? t(people.allOfThem) : ''}>${t(people.move)}</button>
    ${place && html`<button type="button" onClick=${() => go('player', momentArgument(place))}><${Icon} name="play" />${t(people.openPlace)}</button>`}
    <button class="quiet" type="button" onClick=${done}>${t(people.clear)}</button>
  </form>`;
}

// Where a person is seen: the files, and in each the ranges of time; a click plays from there.

const FEW = 12;

interface AppearancesProps {
  readonly job: ClusteringJob;
  readonly cluster_id: string;
}

function Appearances({ job, cluster_id }: AppearancesProps) {
  const cache_dir = useCacheDir();
  const changes = slice.use((state) => state.changes);
  const request = { cluster_job_name: job.name, people: [cluster_id] };
  const answer = useAsk(
    cache_dir === null ? null : (signal) => api.appearances({ cache_dir, ...request }, { signal }),
    [cache_dir, job.name, cluster_id, changes],
  );
  const media = answer.value?.people.flatMap((person) => person.media) ?? null;
  return html`<section class="column" aria-label=${t(people.seenIn)}><h2>${t(people.seenIn)}</h2>
    ${media === null && (answer.state === 'failed' ? html`<${Failed} error=${answer.error} again=${answer.again} />` : html`<${Loading} />`)}
    <ul class="seen-in">${media?.map((medium) => html`<${SeenIn} key=${medium.hash_str} media=${medium} />`)}</ul>
  </section>`;
}

interface SeenInProps {
  readonly media: {
    readonly media_path: string;
    readonly hash_str: string;
    readonly faces: number;
    readonly ranges: readonly (readonly [number, number])[];
  };
}

function SeenIn({ media: { media_path, hash_str, faces, ranges } }: SeenInProps) {
  const [showsAll, setShowsAll] = useState(false);
  const name = nameOf(media_path);
  const shown = showsAll ? ranges : ranges.slice(0, FEW);
  const open = (seconds: number) => go('player', momentArgument({ hash_str, seconds }));
  return html`<li class="row">
    <${Picture} media_path=${media_path} seconds=${ranges[0]?.[0] ?? 0} icon="picture" />
    <div class="column grow"><p class="cut" title=${media_path}>${name} <span class="quiet">${t(people.size, { n: faces })}</span></p>
      <div class="row wrap">${shown.map(
        ([
          start,
          end,
        ]) => html`<button aria-label=${t(people.playAt, { name, time: timeOf([start, end]) })} onClick=${() => open(start)}>
          <${Icon} name="play" />${timeOf([start, end])}</button>`,
      )}
      ${shown.length < ranges.length && html`<button class="quiet" onClick=${() => setShowsAll(true)}>${t(people.more, { n: ranges.length - shown.length })}</button>`}</div>
    </div>
  </li>`;
}

function timeOf([start, end]: readonly [number, number]): string {
  return end - start > 1 ? `${clock(start)}–${clock(end)}` : clock(start);
}

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
        partName,
      ) => html`<a class="button" href=${routeHash({ view: 'people', argument: partName === 'faces' ? '' : partName })}
        aria-current=${partName === part ? 'page' : undefined}>${t(people[partName])}</a>`,
    )}</nav>
    ${part === 'voices' ? html`<${Voices} />` : html`<${OfFaces} part=${part} opened=${opened} isLoose=${argument === looseArgument} />`}
  </div>`;
}

interface OfFacesProps {
  readonly part: 'faces' | 'alike';
  /** Id of a cluster; empty: none. */
  readonly opened: string;
  /** The faces in no group are shown. */
  readonly isLoose: boolean;
}

function OfFaces({ part, opened, isLoose }: OfFacesProps) {
  const { jobs, job, state, error, again, value } = useJobs();
  if (state === 'failed') return html`<${Failed} error=${error} again=${again} />`;
  if (value === null) return html`<${Loading} />`;
  if (job === null) return html`<${NoFaces} />`;
  if (opened !== '') return html`<${Person} key=${opened} job=${job} cluster_id=${opened} />`;
  if (isLoose) return html`<${Loose} key=${job.name} job=${job} />`;
  return html`<${Head} jobs=${jobs} job=${job} />
    ${value.warning && html`<p class="problem">${value.warning}</p>`}
    ${part === 'alike' ? html`<${Alike} key=${job.name} job=${job} />` : html`<${Clusters} key=${job.name} job=${job} />`}`;
}

interface HeadProps {
  readonly jobs: readonly ClusteringJob[];
  readonly job: ClusteringJob;
}

function Head({ jobs, job }: HeadProps) {
  const { name, num_clusters: clusters, total_entries: n, noise_entries: loose, can_undo } = job;
  const choose = (event: Event) =>
    slice.update({ job: (event.target as HTMLSelectElement).value, chosen: [] });
  return html`<header class="row wrap">
    ${
      jobs.length > 1 &&
      html`<label>${t(people.clustering)}<select value=${name} onChange=${choose}>
        ${jobs.map((entry) => html`<option value=${entry.name}>${entry.name}</option>`)}</select></label>`
    }
    <p class="quiet grow">${t(people.groups, { n: clusters })} ${t(people.ofFaces, { n })}${loose > 0 && html` · <a href=${routeHash(placeOfLoose(name))}>${t(people.loose, { n: loose })}</a>`}</p>
    <button disabled=${!can_undo} onClick=${() => void undo(name)}>${t(people.undoLast)}</button>
    <${Recluster} job=${job} />
  </header>`;
}

// Shown where no faces were grouped: how to group them.

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

function Alike({ job }: { readonly job: ClusteringJob }) {
  const cache_dir = useCacheDir();
  const list = useRef<HTMLOListElement>(null);
  const answered = useRef(false);
  const hasAnswered = useRef(false);
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
  if (suggestions.length === 0) {
    const isDone = hasAnswered.current;
    const why = isDone ? people.pairsDoneHow : job.num_clusters < 2 ? people.noPairsFew : people.noPairsHow;
    return html`<${Empty} icon="check" title=${t(isDone ? people.pairsDone : people.noPairs)}><p class="quiet">${warning ?? t(why)}</p><//>`;
  }
  const { isBusy } = loaded;
  const onAnswer = (pair: Pair, isSame: boolean) =>
    loaded.answer(async () => {
      answered.current = await answer(job.name, pair, isSame);
      hasAnswered.current ||= answered.current;
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
  const [first, second] = pair.samples;
  if (!first || !second) return null;
  const ofPair = (text: string) => `${text}: ${calledOf(first)}, ${calledOf(second)}`;
  const side = (
    sample: typeof first,
  ) => html`<div class="column grow"><${Faces} faces=${sample.sample_faces} />
    <p class="cut">${sample.name || html`<span class="quiet">${t(people.who)}</span>`} <span class="quiet">${t(people.size, { n: sample.size })}</span></p></div>`;
  return html`<li class="pair">
    <div class="row sides">${side(first)}${side(second)}</div>
    <div class="row answers"><span class="quiet">${t(people.likeness, { n: percent(pair.similarity) })}</span>
      <button class="primary" aria-disabled=${isBusy} aria-label=${ofPair(t(people.same))} onClick=${() => onAnswer(pair, true)}><${Icon} name="check" />${t(people.same)}</button>
      <button aria-disabled=${isBusy} aria-label=${ofPair(t(people.notSame))} onClick=${() => onAnswer(pair, false)}><${Icon} name="close" />${t(people.notSame)}</button></div>
  </li>`;
}

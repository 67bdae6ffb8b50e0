// One person: all its faces to look through and to move elsewhere, and where it is seen.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { ApiError, api } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { go } from '../../navigation.ts';
import { Icon } from '../../parts/icon.ts';
import { Picture } from '../../parts/picture.ts';
import { Empty, Failed, Loading } from '../../parts/states.ts';
import { momentArgument } from '../../route.ts';
import { clock, nameOf } from '../../times.ts';
import { people } from '../../words/people.ts';
import { t } from '../../words.ts';
import { change } from '../search/state.ts';
import { calledOf, faceAddress } from './card.ts';
import { correct, type Job, nameCluster, slice, useCacheDir, useClusters } from './change.ts';
import { toggled } from './choice.ts';
import { Name } from './name.ts';

const PAGE = 120;
/** People that faces can be moved to. */
const MOST = 1000;

function useFaces(job: Job, cluster_id: string, limit: number) {
  const cache_dir = useCacheDir();
  const changes = slice.use((state) => state.changes);
  const request = { cluster_job_name: job.name, cluster_id, limit, include_entry_ids: true };
  const question = async (signal: AbortSignal) => {
    const { clusters } = await api.clusterFaces({ cache_dir: cache_dir!, ...request }, { signal });
    return clusters[0] ?? null;
  };
  return useAsk(cache_dir === null ? null : question, [cache_dir, job.name, cluster_id, limit, changes]);
}

interface ClusterProps {
  readonly job: Job;
  readonly cluster_id: string;
}

export function Person({ job, cluster_id }: ClusterProps) {
  const [limit, setLimit] = useState(PAGE);
  const { value, state, error, again } = useFaces(job, cluster_id, limit);
  const isUnknown = error instanceof ApiError && error.status >= 400 && error.status < 405;
  const isGone = state === 'failed' ? isUnknown : state === 'ready' && value === null;
  if (isGone)
    return html`<${Empty} icon="person" title=${t(people.gone)}><p class="quiet">${t(people.goneHow)}</p><${Back} /><//>`;
  if (state === 'failed') return html`<${Failed} error=${error} again=${again} />`;
  if (value === null) return html`<${Loading} />`;
  const { name, size, faces, entry_ids = [], available_faces } = value;
  const search = () => {
    change({ people: [{ name, cluster_job_name: job.name }] });
    go('search');
  };
  const left = available_faces - faces.length;
  return html`<header class="row wrap"><${Back} />
      <${Name} key=${cluster_id} label=${t(people.nameOf, { n: size })} hint=${t(people.who)} name=${name} save=${(text: string) => nameCluster(job.name, cluster_id, text, name)} />
      <span class="quiet grow">${t(people.size, { n: size })}</span>
      <button disabled=${name === ''} title=${name === '' ? t(people.searchNeedsName) : ''} onClick=${search}>${t(people.searchWith)}</button>
    </header>
    <h1 class="unseen">${calledOf(value)}</h1>
    <${AllFaces} job=${job} cluster_id=${cluster_id} size=${size} faces=${faces} entry_ids=${entry_ids} />
    ${left > 0 && html`<button class="more" onClick=${() => setLimit(limit + PAGE)}>${t(people.more, { n: Math.min(PAGE, left) })}</button>`}
    <${Appearances} job=${job} cluster_id=${cluster_id} />`;
}

function Back() {
  return html`<button onClick=${() => go('people')}>${t(people.back)}</button>`;
}

interface AllFacesProps extends ClusterProps {
  readonly size: number;
  readonly faces: readonly string[];
  readonly entry_ids: readonly string[];
}

function AllFaces({ job, cluster_id, size, faces, entry_ids }: AllFacesProps) {
  const [marked, setChosen] = useState<readonly string[]>([]);
  const chosen = marked.filter((id) => entry_ids.includes(id));
  const toggle = (id: string) => setChosen(toggled(chosen, id));
  return html`<section class="column" aria-label=${t(people.allFaces)}>
    <h2>${t(people.allFaces)}</h2>
    <${Move} job=${job} cluster_id=${cluster_id} entry_ids=${chosen} size=${size} done=${() => setChosen([])} />
    <div class="all-faces">${faces.map((face, at) => {
      const id = entry_ids[at] ?? '';
      const isChosen = chosen.includes(id);
      return html`<button key=${id || at} class="face" aria-pressed=${isChosen} aria-label=${t(people.face, { n: at + 1 })} onClick=${() => toggle(id)}>
        <img src=${faceAddress(face)} alt="" draggable=${false} loading="lazy" /></button>`;
    })}</div>
  </section>`;
}

interface MoveProps extends ClusterProps {
  readonly entry_ids: readonly string[];
  /** Faces of the whole cluster. */
  readonly size: number;
  done(): void;
}

/** The value of the choice that means somebody who has no cluster yet. */
const SOMEBODY = '';

function Move({ job, cluster_id, entry_ids, size, done }: MoveProps) {
  const answer = useClusters(job, MOST, 0);
  const [wanted, setTo] = useState(SOMEBODY);
  const others = (answer.value?.clusters ?? []).filter((one) => one.cluster_id !== cluster_id);
  const to_cluster_id = others.find((one) => one.cluster_id === wanted)?.cluster_id ?? null;
  const n = entry_ids.length;
  if (n === 0) return html`<p class="quiet">${t(people.facesHow)}</p>`;
  // Of everybody nobody would be left.
  const isWhole = to_cluster_id === null && n === size;
  const move = async (event: Event) => {
    event.preventDefault();
    const moves = [{ from_cluster_id: cluster_id, to_cluster_id, entry_ids: [...entry_ids] }];
    if (await correct(job.name, { moves }, t(people.moved, { n }))) done();
  };
  return html`<form class="row wrap choosing" onSubmit=${move}>
    <span role="status">${t(people.facesChosen, { n })}</span>
    <label>${t(people.moveTo)}<select value=${to_cluster_id ?? SOMEBODY} onChange=${(event: Event) => setTo((event.target as HTMLSelectElement).value)}>
      <option value=${SOMEBODY}>${t(people.somebody)}</option>
      ${others.map((one) => html`<option value=${one.cluster_id}>${calledOf(one)}</option>`)}
    </select></label>
    <button class="primary" type="submit" disabled=${isWhole} title=${isWhole ? t(people.allOfThem) : ''}>${t(people.move)}</button>
    <button class="quiet" type="button" onClick=${done}>${t(people.clear)}</button>
  </form>`;
}

// Where a person is seen: the files, and in each the ranges of time; a click plays from there.

const FEW = 12;

interface AppearancesProps {
  readonly job: Job;
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
  const media = answer.value?.people.flatMap((one) => one.media) ?? null;
  return html`<section class="column" aria-label=${t(people.seenIn)}><h2>${t(people.seenIn)}</h2>
    ${media === null && (answer.state === 'failed' ? html`<${Failed} error=${answer.error} again=${answer.again} />` : html`<${Loading} />`)}
    <ul class="seen-in">${media?.map((one) => html`<${SeenIn} key=${one.hash_str} media=${one} />`)}</ul>
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

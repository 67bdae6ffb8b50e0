// The clusters as cards, largest first. Dragging one onto another merges them; so does choosing several.
import { html } from 'htm/preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { api, messageOf } from '../../api.ts';
import { goTo } from '../../navigation.ts';
import { Dialog, Empty, Failed, Icon, Loading } from '../../parts.ts';
import { routeHash } from '../../route.ts';
import { get } from '../../store.ts';
import { type TaskEnd, TaskProgress } from '../../tasks.ts';
import { toast } from '../../toasts.ts';
import { people } from '../../words/people.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import {
  type ClusteringJob,
  changed,
  FEWEST,
  merge,
  nameCluster,
  namesAmong,
  placeOfCluster,
  placeOfLoose,
  present,
  type SampledCluster,
  slice,
  targetOf,
  toggled,
  useClusters,
} from './change.ts';

// A name that is written in place: Enter or leaving the field stores it, Escape puts the old one back. A
// field that goes while somebody writes in it stores what is written, too.

interface NameProps {
  readonly label: string;
  readonly name: string;
  readonly hint: string;
  /** False: it was not stored. */
  save(name: string): Promise<boolean>;
}

export function Name({ label, name, hint, save }: NameProps) {
  const field = useRef<HTMLInputElement>(null);
  const [isRefused, setRefused] = useState(false);
  /** The stored name, or the one being stored. */
  const stored = useRef(name);
  const saving = useRef(save);
  saving.current = save;
  // Not while a person writes in it.
  useEffect(() => {
    stored.current = name;
    if (document.activeElement !== field.current) field.current!.value = name;
  }, [name]);
  const store = async (input: HTMLInputElement) => {
    const [text, before] = [input.value.trim(), stored.current];
    if (text === before) return;
    stored.current = text;
    const isStored = await saving.current(text);
    if (!isStored && stored.current === text) stored.current = before;
    setRefused(!isStored);
  };
  // The browser may say so when the field is no longer there.
  const onBlur = async (event: FocusEvent) => {
    await store(event.target as HTMLInputElement);
    slice.update({ isWriting: false });
  };
  useLayoutEffect(() => {
    const input = field.current!;
    return () => {
      if (input.value.trim() === stored.current) return;
      slice.update({ isWriting: false });
      void store(input);
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') field.current!.value = stored.current;
    if (event.key === 'Enter' || event.key === 'Escape') field.current!.blur();
  };
  return html`<input ref=${field} class="name" aria-label=${label} placeholder=${hint} maxlength="200" autocomplete="off" spellcheck=${false}
    aria-invalid=${isRefused} defaultValue=${name} onInput=${() => slice.update({ isWriting: true })} onBlur=${onBlur} onKeyDown=${onKeyDown} />`;
}

// One cluster as a card: its best faces, its name to be written in place, and a box to choose it by.

export const calledOf = ({ name, size }: { readonly name: string; readonly size: number }) =>
  name || t(people.unnamed, { n: size });

interface CardProps {
  readonly job: string;
  readonly cluster: SampledCluster;
}

function Card({ job, cluster }: CardProps) {
  const { cluster_id, name, size, sample_faces } = cluster;
  const isChosen = slice.use(({ chosen }) => chosen.includes(cluster_id));
  const called = calledOf(cluster);
  const choose = () => slice.update(({ chosen }) => ({ chosen: toggled(chosen, cluster_id) }));
  const save = (text: string) => nameCluster(job, cluster_id, text, name);
  const open = () => goTo(placeOfCluster(job, cluster_id));
  return html`<button class="quiet open" aria-label=${t(people.open, { name: called })} onClick=${open}>
      <${Faces} faces=${sample_faces} /></button>
    <div class="row">
      <input type="checkbox" aria-label=${t(people.choose, { name: called })} checked=${isChosen} onChange=${choose} />
      <${Name} label=${t(people.nameOf, { n: size })} hint=${t(people.who)} name=${name} save=${save} />
    </div>
    <p class="quiet">${t(people.size, { n: size })}</p>`;
}

// Pictures of faces, as they come from the service.

export const faceAddress = (jpeg: string) => `data:image/jpeg;base64,${jpeg}`;

export function Faces({ faces }: { readonly faces: readonly string[] }) {
  return html`<span class="faces">${faces.map((face) => html`<img src=${faceAddress(face)} alt="" draggable=${false} />`)}</span>`;
}

const PAGE = 100;
const FACES = 4;

export function Clusters({ job }: { readonly job: ClusteringJob }) {
  const [most, setMost] = useState(PAGE);
  const answer = useUnwritten(useClusters(job, most, FACES));
  const [merging, setMerging] = useState<readonly SampledCluster[] | null>(null);
  const clusters = answer.value?.clusters ?? [];
  const start = (chosen: readonly SampledCluster[], target?: string) => {
    if (namesAmong(chosen).length > 1) setMerging(chosen);
    else void merge(job.name, idsOf(chosen), namesAmong(chosen)[0]?.cluster_id ?? target);
  };
  if (answer.state === 'failed') return html`<${Failed} error=${answer.error} again=${answer.again} />`;
  if (answer.value === null && answer.state === 'loading') return html`<${Loading} />`;
  if (clusters.length === 0)
    return html`<${Empty} icon="people" title=${t(people.noGroups)}>
      ${job.min_samples > FEWEST && html`<p class="quiet">${t(people.noGroupsHow, { n: job.min_samples })}</p><${Recluster} job=${job} />`}
      ${job.noise_entries > 0 && html`<a class="button" href=${routeHash(placeOfLoose(job.name))}>${t(people.showLoose, { n: job.noise_entries })}</a>`}<//>`;
  const all = answer.value?.num_clusters_after_filter ?? 0;
  return html`<${Choosing} clusters=${clusters} start=${start} />
    <${Cards} job=${job.name} clusters=${clusters} start=${start} />
    ${all > clusters.length && html`<button class="more" onClick=${() => setMost(most + PAGE)}>${t(people.morePeople)}</button>`}
    ${merging && html`<${WhichName} job=${job.name} clusters=${merging} close=${() => setMerging(null)} />`}`;
}

/**
 * Holds back changes while a name is being typed: with other cards, or in another order, the field would lose
 * its text.
 */
function useUnwritten<T>(answer: T): T {
  const isWriting = slice.use((state) => state.isWriting);
  const shown = useRef(answer);
  if (!isWriting) shown.current = answer;
  return shown.current;
}

const idsOf = (clusters: readonly SampledCluster[]) => clusters.map(({ cluster_id }) => cluster_id);

interface CardsProps {
  readonly job: string;
  readonly clusters: readonly SampledCluster[];
  start(clusters: readonly SampledCluster[], target?: string): void;
}

function Cards({ job, clusters, start }: CardsProps) {
  /** The dragged card, and the card under it. */
  const [drag, setDrag] = useState<{ from: string; to: string | null } | null>(null);
  const drop = (event: Event) => {
    event.preventDefault();
    if (drag?.to) start(present([drag.to, drag.from], clusters), drag.to);
    setDrag(null);
  };
  const over = (event: Event, to: string) => {
    if (drag === null) return;
    event.preventDefault();
    const target = to === drag.from ? null : to;
    if (drag.to !== target) setDrag({ ...drag, to: target });
  };
  return html`<ul class="cards">${clusters.map((cluster) => {
    const { cluster_id: id } = cluster;
    const state = drag?.from === id ? 'dragged' : drag?.to === id ? 'target' : '';
    return html`<li key=${id} class=${`person-card ${state}`} draggable=${true} onDragStart=${() => setDrag({ from: id, to: null })}
      onDragEnd=${() => setDrag(null)} onDragOver=${(event: Event) => over(event, id)} onDrop=${drop}><${Card} job=${job} cluster=${cluster} /></li>`;
  })}</ul>`;
}

function Choosing({ clusters, start }: Pick<CardsProps, 'clusters' | 'start'>) {
  const chosen = present(
    slice.use((state) => state.chosen),
    clusters,
  );
  if (chosen.length === 0) return html`<p class="quiet">${t(people.chooseTwo)}</p>`;
  return html`<div class="row choosing" role="status"><span>${t(people.chosen, { n: chosen.length })}</span>
    <button class="primary" disabled=${chosen.length < 2} onClick=${() => start(chosen, targetOf(chosen))}><${Icon} name="people" />${t(people.merge)}</button>
    <button class="quiet" onClick=${() => slice.update({ chosen: [] })}>${t(people.clear)}</button>
  </div>`;
}

interface WhichNameProps {
  readonly job: string;
  readonly clusters: readonly SampledCluster[];
  close(): void;
}

function WhichName({ job, clusters, close }: WhichNameProps) {
  const choose = (target: string) => {
    close();
    void merge(job, idsOf(clusters), target);
  };
  return html`<${Dialog} title=${t(people.whichName)} onClose=${close}>
    <p class="quiet">${t(people.whichNameHow)}</p>
    <div class="row wrap">${namesAmong(clusters).map(
      ({ cluster_id, name }) => html`<button onClick=${() => choose(cluster_id)}>${name}</button>`,
    )}<button class="quiet" onClick=${close}>${t(shell.cancel)}</button></div>
  <//>`;
}

// Clusters again: how strictly, and how far it is.

export function Recluster({ job }: { readonly job: ClusteringJob }) {
  const [asks, setAsks] = useState(false);
  const task_id = slice.use((state) => state.task_id);
  const onEnd = ({ error, isCancelled }: TaskEnd) => {
    slice.update({ task_id: null });
    changed();
    if (error !== null) toast(error, { kind: 'error' });
    else if (!isCancelled) toast(t(people.grouped));
  };
  if (task_id !== null)
    return html`<${TaskProgress} key=${task_id} task_id=${task_id} label=${t(people.grouping)} onEnd=${onEnd} />`;
  return html`<button onClick=${() => setAsks(true)}>${t(people.recluster)}</button>
    ${asks && html`<${Question} job=${job} close=${() => setAsks(false)} />`}`;
}

function Question({ job, close }: { readonly job: ClusteringJob; close(): void }) {
  const [eps, setEps] = useState(job.eps);
  const [least, setLeast] = useState(job.min_samples);
  const [problem, setProblem] = useState('');
  const start = async (event: Event) => {
    event.preventDefault();
    try {
      const cache_dir = get().folder.cache_dir!;
      const request = { eps, min_samples: least };
      const { task_id } = await api.recluster({ cache_dir, cluster_job_name: job.name, ...request });
      slice.update({ task_id, chosen: [] });
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const numberOf = (event: Event) => (event.target as HTMLInputElement).valueAsNumber;
  return html`<${Dialog} title=${t(people.recluster)} onClose=${close}>
    <form class="column group-again" onSubmit=${start}>
      <p class="quiet">${t(people.reclusterHow)}</p>
      <label>${t(people.distance)}<input type="number" required min="0" max="2" step="0.01" value=${eps} onInput=${(event: Event) => setEps(numberOf(event))} /></label>
      <label>${t(people.least)}<input type="number" required min="1" step="1" value=${least} onInput=${(event: Event) => setLeast(numberOf(event))} /></label>
      <p class="problem" role="alert">${problem}</p>
      <div class="row"><button class="primary" type="submit">${t(people.start)}</button>
        <button type="button" onClick=${close}>${t(shell.cancel)}</button></div>
    </form>
  <//>`;
}

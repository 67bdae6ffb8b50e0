// The tasks: those that run, as they go on, and those that ended.
import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { type Api, api, useAsk } from '../../api.ts';
import { Empty, Failed, Loading } from '../../parts.ts';
import { routeHash } from '../../route.ts';
import { get, useStore } from '../../store.ts';
import { isAnalysis, readTasks, subjectOf, typeText, waitingText } from '../../tasks.ts';
import { clock, dateText, nameOf } from '../../times.ts';
import { attempt, toast } from '../../toasts.ts';
import { failureText } from '../../words/errors.ts';
import { tasks as words } from '../../words/library.ts';
import { t } from '../../words.ts';
import { crumbsOf, folderOf, reasonOf } from './listing.ts';

// Names of tasks, and the task that an analysis would stop.

export type ListedTask = Awaited<ReturnType<Api['listTasks']>>['tasks'][number];

/** It runs, or waits its turn. */
function isActive({ state }: Pick<ListedTask, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'stopping';
}

export function runningAnalysis(tasks: readonly ListedTask[]): ListedTask | null {
  return tasks.find((task) => isActive(task) && isAnalysis(task.request.types)) ?? null;
}

/** A task that ended otherwise than it should can go on; so can one of which files failed. */
export function canResume({ state, counts }: Pick<ListedTask, 'state' | 'counts'>): boolean {
  return !isActive({ state }) && (state !== 'completed' || counts.failed + counts.jobs_failed > 0);
}

const FEW = 30;

export function TaskList() {
  const active = useStore(({ tasks }) => tasks.map(({ task_id, state }) => task_id + state).join());
  const answer = useAsk((signal) => api.listTasks({}, { signal }), [active]);
  const [shown, setShown] = useState(FEW);
  useEffect(() => void readTasks().catch(() => {}), []);
  const all = answer.value?.tasks ?? null;
  if (all === null)
    return answer.state === 'failed'
      ? html`<${Failed} error=${answer.error} again=${answer.again} />`
      : html`<${Loading} />`;
  if (all.length === 0)
    return html`<${Empty} icon="clock" title=${t(words.none)}><p class="quiet">${t(words.noneHow)}</p>
      <a class="button" href=${routeHash({ view: 'library', argument: '' })}>${t(words.toFiles)}</a><//>`;
  const running = runningAnalysis(all);
  return html`<div class="part"><ol class="cards">${all
    .slice(0, shown)
    .map(
      (task) =>
        html`<li key=${task.task_id} class="panel"><${Task} task=${task} again=${answer.again} stops=${running !== null && isAnalysis(task.request.types)} /></li>`,
    )}</ol>
    ${all.length > shown && html`<button onClick=${() => setShown(shown + 100)}>${t(words.earlier)}</button>`}</div>`;
}

interface TaskProps {
  readonly task: ListedTask;
  /** To go on with it, another one would have to stop. */
  readonly stops: boolean;
  again(): void;
}

function Task({ task, stops, again }: TaskProps) {
  const { task_id, state, request, counts, error, source, started } = task;
  const [isBusy, setBusy] = useState(false);
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true);
    await attempt(async () => {
      await work();
      await readTasks();
    });
    setBusy(false);
    again();
  };
  const cancel = async () => {
    const answer = await api.cancelTask({ task_id });
    if ('still_stopping' in answer) toast(t(words.cancelled202));
  };
  const resume = async () => {
    await api.resumeTask({ task_id });
    toast(t(words.resumed));
  };
  const failed = counts.failed + counts.jobs_failed;
  const isOn = isActive(task);
  const subject = subjectOf(request);
  return html`<div class="row wrap">
      <h2>${request.types.map((type) => typeText(type)).join(', ')}</h2>
      <span class=${`state ${state}`}>${t(words[state])}</span>
      ${subject !== '' && html`<span class="cut" title=${subject}>${subject}</span>`}
      <p class="quiet grow">${dateText(started, get().language)}${source === 'watch_folder' && ` · ${t(words.watched)}`}</p>
      ${isOn && html`<button disabled=${isBusy || state === 'stopping'} onClick=${() => act(cancel)}>${t(words.cancel)}</button>`}
      ${canResume(task) && html`<button disabled=${isBusy} onClick=${() => act(resume)}>${t(stops ? words.resumeStops : words.resume)}</button>`}
    </div>
    ${isAnalysis(request.types) && html`<${Place} task=${task} />`}
    ${isOn ? html`<${Live} task=${task} />` : html`<p>${endText(task)}</p>`}
    ${error && html`<p class="problem">${failureText(error.message, error.code)}</p>`}
    ${failed > 0 && html`<${TaskFiles} task_id=${task_id} isFailed count=${failed} total=${counts.files + counts.jobs} areSteps=${false} />`}
    ${counts.done > 0 && html`<${TaskFiles} task_id=${task_id} isFailed=${false} count=${counts.done} total=${counts.done} areSteps=${request.types.length > 1} />`}`;
}

/** State by the task's events, which come more often than the list is read. */
function Live({ task }: { readonly task: ListedTask }) {
  const now = useStore(({ tasks }) => tasks.find(({ task_id }) => task_id === task.task_id) ?? null);
  const waiting = useStore(({ tasks }) => waitingText(tasks, task.task_id));
  if (waiting !== null) return html`<p role="status">${waiting}</p>`;
  const progress = now?.progress ?? task.progress;
  const remaining = now ? now.remaining_seconds : task.estimated_remaining_seconds;
  const parts = [
    `${Math.floor(progress)} %`,
    ...countTexts(task, { ...task.counts, ...(now && { files: now.files, done: now.files_done }) }),
    ...(remaining !== null ? [t(words.remaining, { time: clock(remaining) })] : []),
  ];
  const path = now?.path ?? null;
  return html`<div class="row wrap live"><progress class="grow" max="100" value=${progress} aria-label=${t(words.progressOf)}></progress><p class="figures">${parts.join(' · ')}</p></div>
    ${path !== null && html`<p class="quiet cut" title=${path}>${nameOf(path)}</p>`}`;
}

function endText(task: ListedTask): string {
  const { counts, elapsed_seconds } = task;
  const failed = counts.failed + counts.jobs_failed;
  return [
    ...countTexts(task, counts),
    ...(counts.stored > 0 ? [t(words.stored, { n: counts.stored })] : []),
    ...(failed > 0 ? [t(words.failures, { n: failed })] : []),
    t(words.took, { time: clock(elapsed_seconds) }),
  ].join(' · ');
}

/** A file is a step of each kind of work on it. */
function countTexts(
  { request }: ListedTask,
  { files, done, jobs, jobs_done }: ListedTask['counts'],
): string[] {
  const word = request.types.length > 1 ? words.ofSteps : words.ofFiles;
  return [
    ...(files > 0 ? [t(word, { n: files, done })] : []),
    ...(jobs > 0 ? [t(words.ofJobs, { n: jobs, done: jobs_done })] : []),
  ];
}

/** Which folder and files a task is about: by its results, or by the file that it works on. */
function Place({ task }: { readonly task: ListedTask }) {
  const { task_id, counts } = task;
  const now = useStore(({ tasks }) => tasks.find((task) => task.task_id === task_id)?.path ?? null);
  const hasEnded = counts.done > 0;
  const answer = useAsk((signal) => api.getTask({ task_id, limit: FEW }, { signal }), [task_id, hasEnded]);
  const paths = [...(answer.value?.results ?? []).map(({ path }) => path), ...(now === null ? [] : [now])];
  const { folder, names } = placeOfPaths(paths);
  if (folder === '') return null;
  return html`<p class="cut" title=${[folder, ...names].join('\n')}>${folder}<span class="quiet"> · ${names.slice(0, 3).join(', ')}${counts.files > 3 && ' …'}</span></p>`;
}

/** The folder that has all of them, and their names, each once. */
function placeOfPaths(paths: readonly string[]): { folder: string; names: string[] } {
  const whole = [...new Set(paths)].filter((path) => folderOf(path) !== null);
  let folder = whole.length === 0 ? '' : (folderOf(whole[0]!) ?? '');
  const holds = (path: string) => crumbsOf(path).some((crumb) => crumb.path === folder);
  while (folder !== '' && !whole.every(holds)) folder = folderOf(folder) ?? '';
  return { folder, names: [...new Set(whole.map(nameOf))] };
}

// The files of a task, each with how it ended; read when a person wants to see them.

const PAGE = 1000;
const SHOWN = 200;

type Result = Awaited<ReturnType<typeof api.getTask>>['results'][number];

interface TaskFilesProps {
  readonly task_id: string;
  readonly isFailed: boolean;
  /** Number of these results, and of all. */
  readonly count: number;
  readonly total: number;
  /** Several results are of one file, so that their number is not that of the files. */
  readonly areSteps: boolean;
}

function TaskFiles(props: TaskFilesProps) {
  const [isOpen, setOpen] = useState(false);
  const { isFailed, count, areSteps } = props;
  return html`<details class="failures" onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
    <summary>${t(isFailed ? words.what : words.files)}${!areSteps && ` (${count})`}</summary>
    ${isOpen && html`<${List} ...${props} />`}
  </details>`;
}

function List(props: TaskFilesProps) {
  const { task_id, count } = props;
  const answer = useAsk((signal) => resultsOf(props, signal), [task_id, count]);
  if (answer.value === null)
    return answer.state === 'failed'
      ? html`<${Failed} error=${answer.error} again=${answer.again} />`
      : html`<${Loading} />`;
  const remaining = count - answer.value.length;
  return html`<ul>${eachFile(answer.value).map(
    ({
      path,
      kinds,
      error,
    }) => html`<li><span class="whole-path">${path}</span> <span class="quiet">${kinds}</span>
      ${error && html`<p class="problem">${reasonOf(error, path)}</p>`}</li>`,
  )}
    ${remaining > 0 && html`<li class="quiet">${t(words.moreFailures, { n: remaining })}</li>`}</ul>`;
}

/** A file stands once for all work on it that ended alike; `kinds` is empty where there is only one kind. */
function eachFile(results: readonly Result[]) {
  const isOne = new Set(results.map(({ type }) => type)).size === 1;
  const files = Map.groupBy(results, ({ path, error }) => JSON.stringify([path, error?.message]));
  return [...files.values()].map((fileResults) => ({
    path: fileResults[0]!.path,
    error: fileResults[0]!.error,
    kinds: isOne ? '' : fileResults.map(({ type }) => typeText(type)).join(', '),
  }));
}

/** Results come in the order in which they ended: they are gone through until enough are found. */
async function resultsOf({ task_id, isFailed, count, total }: TaskFilesProps, signal: AbortSignal) {
  const limit = Math.min(count, SHOWN);
  const matches: Result[] = [];
  for (let offset = 0; offset < Math.max(total, 1) && matches.length < limit; offset += PAGE) {
    const { results } = await api.getTask({ task_id, offset, limit: PAGE }, { signal });
    matches.push(...results.filter(({ outcome }) => !isFailed || outcome === 'failed'));
    if (results.length === 0) break;
  }
  return matches.slice(0, limit);
}

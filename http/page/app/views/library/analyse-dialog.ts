// Dialog for the chosen files and folders: the media in them, the kinds of work, and a warning if a running
// analysis would have to stop.
import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Api, api, messageOf, ServiceError, useAsk } from '../../api.ts';
import { go } from '../../navigation.ts';
import { Dialog, Failed, Loading } from '../../parts.ts';
import { routeHash } from '../../route.ts';
import { get, useStore } from '../../store.ts';
import { readTasks } from '../../tasks.ts';
import { toast } from '../../toasts.ts';
import { library } from '../../words/library.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { type ClusteringJob, FEWEST } from '../people/change.ts';
import { SetUpButton } from '../settings/set-up.ts';
import { type FolderFile, type ListingRow, MOST_FILES, type Walked, walk } from './listing.ts';
import { runningAnalysis } from './task-list.ts';

interface AnalyseDialogProps {
  readonly rows: readonly ListingRow[];
  close(): void;
}

export function AnalyseDialog({ rows, close }: AnalyseDialogProps) {
  const [count, setCount] = useState(0);
  const cache_dir = get().folder.cache_dir!;
  const listing = useAsk((signal) => walk(rows, { cache_dir, signal, onCount: setCount }), [rows]);
  return html`<${Dialog} title=${t(library.analyseTitle)} onClose=${close}>
    ${
      listing.value !== null
        ? html`<${Choices} listing=${listing.value} cache_dir=${cache_dir} close=${close} />`
        : listing.state === 'failed'
          ? html`<${Failed} error=${listing.error} again=${listing.again} />`
          : html`<${Loading} label=${t(library.looking, { n: count })} />`
    }
  <//>`;
}

interface ChoicesProps {
  readonly listing: Walked;
  readonly cache_dir: string;
  close(): void;
}

function Choices({ listing, cache_dir, close }: ChoicesProps) {
  const [savedOptions, setOptions] = useState<Partial<WorkOptions>>(savedWork);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const tasks = useAsk((signal) => api.listTasks({}, { signal }), []);
  const isSettingUp = useStore((state) => state.showsSetUp);
  const models = useAsk((signal) => api.availableModels({}, { signal }), [isSettingUp]).value;
  // A library that does not exist yet has none.
  const isReady = useStore(({ folder }) => folder.state === 'ready');
  const clusterings = useAsk(isReady ? (signal) => api.faceClusters({ cache_dir }, { signal }) : null, [
    cache_dir,
    isReady,
  ]).value;
  const options = workOptions(savedOptions, models, clusterings?.jobs[0]?.name);
  const running = runningAnalysis(tasks.value?.tasks ?? []);
  useEffect(() => saveWork(savedOptions), [savedOptions]);
  const submit = async (event: Event) => {
    event.preventDefault();
    const body = requestOf(listing.files, options, cache_dir, clusterings?.jobs);
    if (isEmptyRequest(body)) return setProblem(t(library.nothingToDo));
    setBusy(true);
    setProblem(null);
    try {
      await api.analyze(body);
      close();
      const action = { label: t(library.showTasks), run: () => go('library', 'tasks') };
      toast(t(library.started), { action });
      void readTasks().catch(() => {});
    } catch (error) {
      // Somebody else began one meanwhile.
      if (error instanceof ServiceError && error.status === 409) tasks.again();
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  if (listing.files.length === 0)
    return html`<${Told} listing=${listing} /><div class="row"><button autofocus onClick=${close}>${t(shell.close)}</button></div>`;
  return html`<form class="column" onSubmit=${submit}>
    <${Told} listing=${listing} />
    <${WorkFields} options=${options} models=${models} kinds=${countKinds(listing.files)} set=${(some: Partial<WorkOptions>) => setOptions((before) => ({ ...before, ...some }))} />
    ${running && html`<p class="caution" role="status">${t(library.willStop, { progress: Math.floor(running.progress) })}</p>`}
    <p class="problem" role="alert">${problem}</p>
    <div class="row wrap">
      <button class="primary" type="submit" disabled=${isBusy || tasks.value === null}>${t(isBusy ? library.starting : running ? library.stopAndStart : library.start)}</button>
      <button type="button" onClick=${close}>${t(shell.cancel)}</button>
    </div>
  </form>`;
}

function Told({ listing: { files, unreadable, isCut } }: { readonly listing: Walked }) {
  const counts = countKinds(files);
  const kinds = (['video', 'audio', 'image'] as const).filter((kind) => counts[kind] > 0);
  const [path = ''] = unreadable;
  return html`<p><strong>${files.length === 0 ? t(library.noMedia) : kinds.map((kind) => t(library[kind], { n: counts[kind] })).join(', ')}</strong></p>
    ${files.length === 1 && html`<p class="quiet whole-path">${files[0]!.media_path}</p>`}
    ${isCut && html`<p class="problem">${t(library.cut, { n: MOST_FILES })}</p>`}
    ${unreadable.length > 0 && html`<p class="problem">${t(library.unreadable, { n: unreadable.length, path })}</p>`}`;
}

// Fields to choose kinds of work, and what each of them needs on this machine.

const KEPT = 'framehound.wishes';

type Models = Awaited<ReturnType<Api['availableModels']>>;
interface WorkModels {
  readonly speech: Pick<Models['speech'], 'model_key'>;
  readonly faces: Pick<Models['faces'], 'command'>;
}

/** The last choices; a repeated analysis of stored results is never remembered. */
function savedWork(): Partial<WorkOptions> {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Partial<WorkOptions>;
  } catch {
    return {};
  }
}

function saveWork({ again: _, ...options }: Partial<WorkOptions>): void {
  localStorage.setItem(KEPT, JSON.stringify(options));
}

/**
 * Where nothing was chosen: all that the models on this machine can do but summaries. What was chosen before
 * waits until its models are there again. `usualPeople`: clustering that faces join without a name.
 */
export function workOptions(
  savedOptions: Partial<WorkOptions>,
  models: WorkModels | null,
  usualPeople = defaultWork.people,
): WorkOptions {
  const canSpeech = models !== null && models.speech.model_key !== null;
  const options = { ...defaultWork, people: usualPeople, ...savedOptions };
  return {
    ...options,
    speech: options.speech && canSpeech,
    faces: options.faces && canFindFaces(models),
  };
}

function canFindFaces(models: WorkModels | null): boolean {
  return models === null || models.faces.command === null;
}

interface WorkFieldsProps {
  readonly options: WorkOptions;
  /** Null while they are asked for. */
  readonly models: Models | null;
  readonly kinds: KindCounts;
  set(options: Partial<WorkOptions>): void;
}

function WorkFields({ options, models, kinds, set }: WorkFieldsProps) {
  const hasPicture = kinds.video + kinds.image > 0;
  const hasSound = kinds.video + kinds.audio > 0;
  const canFaces = canFindFaces(models);
  const canSpeech = models === null || models.speech.model_key !== null;
  const canSee = models === null || (models.sight.things_key !== null && models.sight.words_key !== null);
  const text = (name: 'language' | 'people', label: string, how: string, isNeeded: boolean) =>
    html`<label class="wish-detail">${label}<input required=${isNeeded} maxlength="200" value=${options[name]} placeholder=${how}
      onInput=${(event: Event) => set({ [name]: (event.target as HTMLInputElement).value })} /></label>`;
  const wish = (name: WishName, label: string, isAble: boolean, more: ComponentChildren) =>
    html`<div class="wish"><label><input type="checkbox" checked=${options[name] && isAble} disabled=${!isAble}
      onChange=${() => set({ [name]: !options[name] })} />${label}</label>${options[name] && isAble ? more : null}</div>`;
  return html`<fieldset class="wishes"><legend class="unseen">${t(library.analyseTitle)}</legend>
    ${wish('picture', t(library.wishPicture, { model: models?.loaded_model ?? '…' }), hasPicture, !canSee && html`<${Lacking} text=${t(library.noSight)} />`)}
    ${wish('subtitles', t(library.wishSubtitles), hasSound, null)}
    ${wish('speech', t(library.wishSpeech), hasSound && canSpeech, text('language', t(library.language), t(library.languageHow), true))}
    ${!canSpeech && html`<${Lacking} text=${t(library.noSpeechModel)} />`}
    ${wish('faces', t(library.wishFaces), hasPicture && canFaces, text('people', t(library.people), t(library.peopleHow), true))}
    ${!canFaces && html`<${Lacking} text=${t(library.noFaceModel)} />`}
    ${wish('summary', t(library.wishSummary), hasSound, models?.summaries.recommended_key === null && html`<${Lacking} text=${t(library.templates)} isOfSettings />`)}
    <label><input type="checkbox" checked=${options.again} onChange=${() => set({ again: !options.again })} />${t(library.again)}</label>
  </fieldset>`;
}

type WishName = 'picture' | 'subtitles' | 'speech' | 'faces' | 'summary';

function Lacking({ text, isOfSettings }: { readonly text: string; readonly isOfSettings?: boolean }) {
  const link = html`<a href=${routeHash({ view: 'settings', argument: '' })}>${t(library.toSettings)}</a>`;
  return html`<p class="wish-detail quiet">${text} ${isOfSettings ? link : html`<${SetUpButton} />`}</p>`;
}

// The work that a person has chosen for files, as the request of an analysis.

type AnalyzeBody = Parameters<Api['analyze']>[0];

interface WorkOptions {
  readonly picture: boolean;
  /** Where speech is not transcribed. */
  readonly subtitles: boolean;
  readonly speech: boolean;
  readonly faces: boolean;
  readonly summary: boolean;
  /** Spoken language: a name, a code, or `auto`. */
  readonly language: string;
  /** Name of the clustering that faces join. */
  readonly people: string;
  /** Also what is stored already. */
  readonly again: boolean;
}

export const defaultWork: WorkOptions = {
  picture: true,
  subtitles: true,
  speech: true,
  faces: true,
  summary: false,
  language: 'auto',
  people: 'people',
  again: false,
};

type WorkFile = Pick<FolderFile, 'media_path' | 'kind' | 'summaries'>;

interface KindCounts {
  readonly video: number;
  readonly audio: number;
  readonly image: number;
}

export function countKinds(files: readonly Pick<WorkFile, 'kind'>[]): KindCounts {
  const counts = { video: 0, audio: 0, image: 0 };
  for (const { kind } of files) counts[kind]++;
  return counts;
}

/** Pictures of films and stills, speech of films and sound, summaries of films and sound that have none. */
export function requestOf(
  files: readonly WorkFile[],
  options: WorkOptions,
  cache_dir: string,
  clusterings: readonly Clustering[] = [],
): AnalyzeBody {
  const { picture, subtitles, speech, faces, summary, language, people, again } = options;
  const visualPaths = files.filter(({ kind }) => kind !== 'audio').map(({ media_path }) => media_path);
  const lasting = files.filter(({ kind }) => kind !== 'image');
  const summed = lasting.filter(({ summaries }) => again || summaries === 0);
  return {
    cache_dir,
    ...(picture && visualPaths.length > 0 && { visual_media_paths: visualPaths }),
    ...(speech &&
      lasting.length > 0 && {
        transcription_jobs: lasting.map(({ media_path: path }) => ({ path, language })),
      }),
    ...(subtitles && !speech && lasting.length > 0 && { transcription_jobs: lasting.map(subtitlesOf) }),
    ...(faces &&
      visualPaths.length > 0 && {
        face_clustering_jobs: [
          { ...clusteringOf(people.trim(), clusterings), face_media_paths: visualPaths },
        ],
      }),
    ...(summary &&
      summed.length > 0 && {
        summary_requests: summed.map(({ media_path: path }) => ({ path, replace_existing: again })),
      }),
    force: again,
  };
}

type Clustering = Pick<ClusteringJob, 'name' | 'eps' | 'min_samples'>;

/** New faces join a clustering as it is. */
function clusteringOf(cluster_job_name: string, clusterings: readonly Clustering[]) {
  const before = clusterings.find(({ name }) => name === cluster_job_name);
  if (before === undefined) return { cluster_job_name, face_min_samples: FEWEST };
  return { cluster_job_name, face_eps: before.eps, face_min_samples: before.min_samples };
}

/** To tell speakers apart the sound would have to be heard. */
function subtitlesOf({ media_path: path }: WorkFile) {
  return {
    ...{ path, language: 'auto', detect_speakers: false },
    preferred_x_model_key: 'subtitles if any' as const,
  };
}

export function isEmptyRequest(body: AnalyzeBody): boolean {
  const { visual_media_paths, transcription_jobs, face_clustering_jobs, summary_requests } = body;
  return !(visual_media_paths || transcription_jobs || face_clustering_jobs || summary_requests);
}

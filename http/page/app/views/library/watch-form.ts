// Form of a watch folder and its work, new or changed.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { type Api, api, messageOf, useAsk } from '../../api.ts';
import { go } from '../../navigation.ts';
import { Dialog } from '../../parts.ts';
import { typedPath } from '../../paths.ts';
import { get } from '../../store.ts';
import { attempt, toast } from '../../toasts.ts';
import { library, tasks, watching } from '../../words/library.ts';
import { shell } from '../../words/shell.ts';
import { t, type Words } from '../../words.ts';
import { FEWEST } from '../people/change.ts';

type WatchFolder = Awaited<ReturnType<Api['listWatchFolders']>>['watch_folders'][number];

const works = ['enable_visual_analysis', 'enable_audio_analysis', 'enable_face_analysis'] as const;

interface WatchFormProps {
  /** The one that is changed; null for a new one. */
  readonly folder: WatchFolder | null;
  readonly path: string;
  close(): void;
}

export function WatchForm({ folder, path, close }: WatchFormProps) {
  const [values, setValues] = useState(() => valuesOf(folder, path));
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const models = useAsk((signal) => api.availableModels({}, { signal }), []).value;
  const canSpeech = models === null || models.speech.model_key !== null;
  const canFaces = models === null || models.faces.command === null;
  const set = (some: Partial<Values>) => setValues((before) => ({ ...before, ...some }));
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!works.some((name) => values[name])) return setProblem(t(watching.needsWork));
    setBusy(true);
    setProblem(null);
    try {
      await save(folder, values);
      if (folder === null) await begin();
      close();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  const field = (name: TextName, label: string, more: object = {}) =>
    html`<label class="column">${label}<input value=${values[name]} spellcheck=${false} ...${more} onInput=${(event: Event) => set({ [name]: (event.target as HTMLInputElement).value })} /></label>`;
  const check = (name: CheckName, label: string, isAble = true) =>
    html`<label><input type="checkbox" checked=${values[name]} disabled=${!isAble} onChange=${() => set({ [name]: !values[name] })} />${label}</label>`;
  const lacking = (words: Words) => html`<p class="quiet wish-detail">${t(words)}</p>`;
  return html`<${Dialog} title=${t(folder === null ? watching.addTitle : watching.changeTitle)} onClose=${close}>
    <form class="column" onSubmit=${submit}>
      ${field('folder_path', t(watching.folder), { required: true, readOnly: folder !== null, placeholder: t(library.pathHint) })}
      <fieldset class="wishes"><legend>${t(watching.works)}</legend>
        ${check('enable_visual_analysis', t(tasks.video))}
        ${check('enable_audio_analysis', t(canSpeech ? tasks.speech : library.wishSubtitles))}
        ${!canSpeech && html`<label class="off"><input type="checkbox" disabled />${t(library.wishSpeech)}</label>${lacking(library.noSpeechModel)}`}
        ${check('enable_face_analysis', t(tasks.faces), values.enable_face_analysis || canFaces)}
        ${!canFaces && lacking(library.noFaceModel)}
      </fieldset>
      ${values.enable_audio_analysis && field('audio_language', t(library.language), { required: true, placeholder: t(library.languageHow) })}
      ${values.enable_face_analysis && field('cluster_job_name', t(library.people), { required: true })}
      <label class="column">${t(watching.excluded)}<textarea rows="3" spellcheck=${false} placeholder=${t(watching.excludedHow)} value=${values.excluded}
        onInput=${(event: Event) => set({ excluded: (event.target as HTMLTextAreaElement).value })}></textarea></label>
      ${folder !== null && check('enabled', t(watching.enabled))}
      <p class="problem" role="alert">${problem}</p>
      <div class="row"><button class="primary" type="submit" disabled=${isBusy}>${t(watching.save)}</button><button type="button" onClick=${close}>${t(shell.cancel)}</button></div>
    </form>
  <//>`;
}

interface Values {
  readonly folder_path: string;
  readonly enabled: boolean;
  readonly enable_visual_analysis: boolean;
  readonly enable_audio_analysis: boolean;
  readonly enable_face_analysis: boolean;
  readonly audio_language: string;
  readonly cluster_job_name: string;
  /** Names and globs, one a line. */
  readonly excluded: string;
}
type TextName = 'folder_path' | 'audio_language' | 'cluster_job_name';
type CheckName = 'enabled' | (typeof works)[number];

function valuesOf(folder: WatchFolder | null, path: string): Values {
  return {
    folder_path: folder?.folder_path ?? path,
    enabled: folder?.enabled ?? true,
    enable_visual_analysis: folder?.enable_visual_analysis ?? true,
    enable_audio_analysis: folder?.enable_audio_analysis ?? false,
    enable_face_analysis: folder?.enable_face_analysis ?? false,
    audio_language: folder?.audio_language ?? 'auto',
    cluster_job_name: folder?.cluster_job_name ?? '',
    excluded: (folder?.excluded_folder_globs ?? []).join('\n'),
  };
}

async function save(folder: WatchFolder | null, { folder_path, excluded, ...values }: Values): Promise<void> {
  const excluded_folder_globs = excluded
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const before = folder?.excluded_folder_globs ?? [];
  const names = folder?.excluded_filename_globs ?? [];
  // A name is left out whether it is that of a folder or of a file.
  const excluded_filename_globs = [
    ...names.filter((name) => !before.includes(name)),
    ...excluded_folder_globs.filter((name) => !/[\\/]/.test(name)),
  ];
  const body = {
    ...values,
    // Text in a hidden field is ignored.
    audio_language: values.enable_audio_analysis ? values.audio_language : 'auto',
    cluster_job_name: values.enable_face_analysis ? values.cluster_job_name : null,
    excluded_folder_globs,
    excluded_filename_globs,
  };
  if (folder !== null) await api.changeWatchFolder({ id: folder.id, ...body });
  else {
    const path = await typedPath(folder_path, get().folder.cache_dir!);
    if (path === null) throw new Error(t(library.badPath));
    await api.addWatchFolder({
      folder_path: path,
      cache_dir: await ownCacheDir(),
      face_min_samples: FEWEST,
      ...body,
    });
  }
}

/** The folder is stored, whether or not it can be watched now. */
async function begin(): Promise<void> {
  const action = { label: t(library.showTasks), run: () => go('library', 'watch') };
  if (await attempt(() => api.startWatching())) toast(t(watching.added), { action });
}

/** Null for the folder that is analysed into anyway: one that is named has to be there already. */
async function ownCacheDir(): Promise<string | null> {
  const { cache_dir } = get().folder;
  const { settings } = await api.getSettings();
  const of = (name: string) => String(settings.find((setting) => setting.name === name)?.value ?? '');
  const usual = of('cache_dir') || `${of('home')}/analysis`;
  return cache_dir?.replaceAll('\\', '/') === usual.replaceAll('\\', '/') ? null : cache_dir;
}

// What is to be done with the chosen files and folders: which media lie there, which kinds of work, and whether an analysis
// that runs would have to stop for it.
import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, api, messageOf } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { readTasks } from '../../live.ts';
import { go } from '../../navigation.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Failed, Loading } from '../../parts/states.ts';
import { get, useStore } from '../../store.ts';
import { toast } from '../../toasts.ts';
import { library } from '../../words/library.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { countKinds, isEmptyRequest, requestOf, type WorkOptions } from './request.ts';
import type { Row } from './rows.ts';
import { runningAnalysis } from './task-text.ts';
import { MOST_FILES, type Walked, walk } from './walk.ts';
import { savedWork, saveWork, WorkFields, workOptions } from './work-fields.ts';

export interface AnalyseDialogProps {
  readonly rows: readonly Row[];
  close(): void;
}

export function AnalyseDialog({ rows, close }: AnalyseDialogProps) {
  const [count, setCount] = useState(0);
  const cache_dir = get().folder.cache_dir!;
  const found = useAsk((signal) => walk(rows, { cache_dir, signal, onCount: setCount }), [rows]);
  return html`<${Dialog} title=${t(library.analyseTitle)} onClose=${close}>
    ${
      found.value !== null
        ? html`<${Choices} found=${found.value} cache_dir=${cache_dir} close=${close} />`
        : found.state === 'failed'
          ? html`<${Failed} error=${found.error} again=${found.again} />`
          : html`<${Loading} label=${t(library.looking, { n: count })} />`
    }
  <//>`;
}

interface ChoicesProps {
  readonly found: Walked;
  readonly cache_dir: string;
  close(): void;
}

function Choices({ found, cache_dir, close }: ChoicesProps) {
  const [kept, setOptions] = useState<Partial<WorkOptions>>(savedWork);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const tasks = useAsk((signal) => api.listTasks({}, { signal }), []);
  const isSettingUp = useStore((state) => state.showsSetUp);
  const models = useAsk((signal) => api.availableModels({}, { signal }), [isSettingUp]).value;
  const options = workOptions(kept, models);
  const running = runningAnalysis(tasks.value?.tasks ?? []);
  useEffect(() => saveWork(kept), [kept]);
  const submit = async (event: Event) => {
    event.preventDefault();
    const body = requestOf(found.files, options, cache_dir);
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
      if (error instanceof ApiError && error.status === 409) tasks.again();
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  if (found.files.length === 0)
    return html`<${Told} found=${found} /><div class="row"><button autofocus onClick=${close}>${t(shell.close)}</button></div>`;
  return html`<form class="column" onSubmit=${submit}>
    <${Told} found=${found} />
    <${WorkFields} options=${options} models=${models} kinds=${countKinds(found.files)} set=${(some: Partial<WorkOptions>) => setOptions((before) => ({ ...before, ...some }))} />
    ${running && html`<p class="caution" role="status">${t(library.willStop, { progress: Math.floor(running.progress) })}</p>`}
    <p class="problem" role="alert">${problem}</p>
    <div class="row wrap">
      <button class="primary" type="submit" disabled=${isBusy || tasks.value === null}>${t(isBusy ? library.starting : running ? library.stopAndStart : library.start)}</button>
      <button type="button" onClick=${close}>${t(shell.cancel)}</button>
    </div>
  </form>`;
}

function Told({ found: { files, unreadable, isCut } }: { readonly found: Walked }) {
  const counts = countKinds(files);
  const kinds = (['video', 'audio', 'image'] as const).filter((kind) => counts[kind] > 0);
  const [path = ''] = unreadable;
  return html`<p><strong>${files.length === 0 ? t(library.noMedia) : kinds.map((kind) => t(library[kind], { n: counts[kind] })).join(', ')}</strong></p>
    ${files.length === 1 && html`<p class="quiet whole-path">${files[0]!.media_path}</p>`}
    ${isCut && html`<p class="problem">${t(library.cut, { n: MOST_FILES })}</p>`}
    ${unreadable.length > 0 && html`<p class="problem">${t(library.unreadable, { n: unreadable.length, path })}</p>`}`;
}

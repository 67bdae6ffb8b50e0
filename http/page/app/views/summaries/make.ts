// Has a summary made of a file: of which, for what, and how far it is.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api, messageOf } from '../../api.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Failed, Loading } from '../../parts/states.ts';
import { type TaskEnd, TaskProgress } from '../../parts/task.ts';
import { get } from '../../store.ts';
import { nameOf } from '../../times.ts';
import { toast } from '../../toasts.ts';
import { shell } from '../../words/shell.ts';
import { summaries, uses } from '../../words/summaries.ts';
import { t } from '../../words.ts';
import { askMedia, changed, slice, useSummariesAsk } from './state.ts';

/** Files to choose from. */
const MEDIA = 5000;
type Use = keyof typeof uses;

export function Make() {
  const [asks, setAsks] = useState(false);
  const making = slice.use((state) => state.making);
  if (making !== null) {
    const { task_id, name } = making;
    const onEnd = ({ error, isCancelled }: TaskEnd) => {
      slice.update({ making: null });
      changed();
      if (error !== null) toast(error, { kind: 'error' });
      else if (!isCancelled) toast(t(summaries.made, { name }));
    };
    return html`<${TaskProgress} key=${task_id} task_id=${task_id} label=${t(summaries.making, { name })} onEnd=${onEnd} />`;
  }
  return html`<button class="primary" onClick=${() => setAsks(true)}>${t(summaries.make)}</button>
    ${asks && html`<${Question} close=${() => setAsks(false)} />`}`;
}

function Question({ close }: { close(): void }) {
  const answer = useSummariesAsk((cache_dir, signal) => askMedia(cache_dir, MEDIA, signal), []);
  const paths = (answer.value?.media ?? [])
    .filter(({ visual, transcript }) => visual.length > 0 || transcript !== null)
    .map(({ media_path }) => media_path);
  return html`<${Dialog} title=${t(summaries.make)} onClose=${close}>
    <p class="quiet">${t(summaries.makeHow)}</p>
    ${answer.state === 'failed' && html`<${Failed} error=${answer.error} again=${answer.again} />`}
    ${answer.state === 'loading' && html`<${Loading} />`}
    ${answer.state === 'ready' && (paths.length > 0 ? html`<${Form} paths=${paths} close=${close} />` : html`<p>${t(summaries.noFiles)}</p>`)}
  <//>`;
}

interface FormProps {
  readonly paths: readonly string[];
  close(): void;
}

function Form({ paths, close }: FormProps) {
  const [use, setUse] = useState<Use>('general_understanding');
  const [problem, setProblem] = useState('');
  const submit = async (event: Event) => {
    event.preventDefault();
    const data = new FormData(event.target as HTMLFormElement);
    const text = (field: string) => String(data.get(field) ?? '').trim();
    const [name, collection, custom_instructions] = [text('name'), text('collection'), text('instructions')];
    const request = {
      path: String(data.get('path')),
      ...(name !== '' && { analysis_name: name }),
      ...(collection !== '' && { collection }),
      summary_objective: { preset: use, ...(custom_instructions !== '' && { custom_instructions }) },
    };
    try {
      const { task_id } = await api.analyze({
        cache_dir: get().folder.cache_dir!,
        summary_requests: [request],
      });
      slice.update({ making: { task_id, name: nameOf(request.path) } });
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return html`<form class="column" onSubmit=${submit}>
    <label class="column">${t(summaries.file)}<select name="path" required>
      ${paths.map((path) => html`<option value=${path} title=${path}>${nameOf(path)}</option>`)}</select></label>
    <label class="column">${t(summaries.use)}<select value=${use} onChange=${(event: Event) => setUse((event.target as HTMLSelectElement).value as Use)}>
      ${Object.entries(uses).map(([one, words]) => html`<option value=${one}>${t(words)}</option>`)}</select></label>
    ${use === 'custom' && html`<label class="column">${t(summaries.instructions)}<textarea name="instructions" required rows="3" maxlength="20000"></textarea></label>`}
    <label class="column">${t(summaries.name)}<input name="name" maxlength="500" autocomplete="off" placeholder=${t(summaries.nameHint)} /></label>
    <label class="column">${t(summaries.into)}<input name="collection" maxlength="500" autocomplete="off" /></label>
    <p class="problem" role="alert">${problem}</p>
    <div class="row"><button class="primary" type="submit">${t(summaries.start)}</button>
      <button type="button" onClick=${close}>${t(shell.cancel)}</button></div>
  </form>`;
}

// What can be done with a summary as a whole: downloaded as a document, deleted after a question.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api, messageOf } from '../../api.ts';
import { attempt } from '../../attempt.ts';
import { bytesOf, download } from '../../download.ts';
import { go } from '../../navigation.ts';
import { Dialog } from '../../parts/dialog.ts';
import { get } from '../../store.ts';
import { nameOf } from '../../times.ts';
import { toast } from '../../toasts.ts';
import { shell } from '../../words/shell.ts';
import { summaries } from '../../words/summaries.ts';
import { t } from '../../words.ts';
import { changed, type Summary } from './state.ts';
import { titleOf } from './title.ts';

const formats = ['markdown', 'txt', 'json', 'vtt'] as const;
type Format = (typeof formats)[number];

interface ActionsProps {
  readonly summary: Pick<Summary, 'summary_ref' | 'analysis_name' | 'media_path'>;
}

export function Actions({ summary }: ActionsProps) {
  const [format, setFormat] = useState<Format>('markdown');
  const [removes, setRemoves] = useState(false);
  const make = async (event: Event) => {
    event.preventDefault();
    await attempt(async () => {
      const { summary_ref } = summary;
      const answer = await api.exportSummary({ cache_dir: get().folder.cache_dir!, summary_ref, format });
      download(answer.filename, bytesOf(answer.content_base64 ?? ''), answer.mime_type);
      toast(t(summaries.downloaded, { name: answer.filename }));
      for (const warning of answer.warnings ?? []) toast(warning);
    });
  };
  const choose = (event: Event) => setFormat((event.target as HTMLSelectElement).value as Format);
  return html`<form class="row" onSubmit=${make}>
    <select aria-label=${t(summaries.format)} value=${format} onChange=${choose}>
      ${formats.map((one) => html`<option value=${one}>${t(summaries[one])}</option>`)}</select>
    <button type="submit">${t(summaries.download)}</button>
    <button type="button" onClick=${() => setRemoves(true)}>${t(summaries.remove)}</button>
    ${removes && html`<${Remove} summary=${summary} close=${() => setRemoves(false)} />`}
  </form>`;
}

function Remove({ summary, close }: ActionsProps & { close(): void }) {
  const { summary_ref, analysis_name: name, media_path } = summary;
  const [problem, setProblem] = useState('');
  const remove = async () => {
    try {
      await api.deleteSummaries({ cache_dir: get().folder.cache_dir!, summary_refs: [summary_ref] });
      close();
      go('summaries');
      changed();
      toast(t(summaries.removed));
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return html`<${Dialog} title=${t(summaries.remove)} onClose=${close}>
    <div class="column"><p>${t(summaries.removeSure, { name: titleOf(name), file: nameOf(media_path) })}</p>
      <p class="problem" role="alert">${problem}</p>
      <div class="row"><button type="button" class="primary" onClick=${remove}>${t(summaries.remove)}</button>
        <button type="button" autofocus onClick=${close}>${t(shell.cancel)}</button></div></div>
  <//>`;
}

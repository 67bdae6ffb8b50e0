// What the basket is made into: a timeline to download, clips, or text to paste elsewhere.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api, messageOf } from '../../api.ts';
import type { BasketItem } from '../../basket-item.ts';
import { readTasks } from '../../live.ts';
import { toast } from '../../toasts.ts';
import { lists } from '../../words/lists.ts';
import { t } from '../../words.ts';
import { textOf, timelineItems } from './order.ts';

const timelines = ['xmeml', 'fcpxml', 'edl', 'otio'] as const;
type Timeline = (typeof timelines)[number];
const formats = [...timelines, 'clips', 'text'] as const;
type Format = (typeof formats)[number];

const suffixes: Readonly<Record<Timeline, string>> = {
  xmeml: 'xml',
  fcpxml: 'fcpxml',
  edl: 'edl',
  otio: 'otio',
};
const KEPT_FORMAT = 'framehound.export';
const KEPT_FOLDER = 'framehound.clips';

export interface ExportProps {
  readonly items: readonly BasketItem[];
  /** Of the list. */
  readonly name: string;
}

export function Export({ items, name }: ExportProps) {
  const kept = localStorage.getItem(KEPT_FORMAT) as Format | null;
  const [format, setFormat] = useState<Format>(kept !== null && formats.includes(kept) ? kept : 'xmeml');
  const [folder, setFolder] = useState(localStorage.getItem(KEPT_FOLDER) ?? '');
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState<{ readonly isProblem: boolean; readonly texts: readonly string[] } | null>(
    null,
  );
  const choose = (event: Event) => {
    const chosen = (event.target as HTMLSelectElement).value as Format;
    localStorage.setItem(KEPT_FORMAT, chosen);
    setFormat(chosen);
    setTold(null);
  };
  const make = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setTold(null);
    try {
      setTold({ isProblem: false, texts: await made(format, items, name, folder) });
    } catch (error) {
      setTold({ isProblem: true, texts: [`${t(lists.exportFailed)}: ${messageOf(error)}`] });
    } finally {
      setBusy(false);
    }
  };
  const words = format === 'clips' ? lists.cut : format === 'text' ? lists.copy : lists.download;
  return html`<form class="export row wrap" onSubmit=${make}>
    <label>${t(lists.exportAs)}<select value=${format} onChange=${choose}>
      ${formats.map((one) => html`<option value=${one}>${t(lists[one])}</option>`)}
    </select></label>
    ${
      format === 'clips' &&
      html`<input class="grow" required aria-label=${t(lists.folder)} placeholder=${t(lists.folder)} value=${folder}
        onInput=${(event: Event) => setFolder((event.target as HTMLInputElement).value)} />`
    }
    <button class="primary" type="submit" disabled=${isBusy}>${t(words)}</button>
    <div role="status">${told?.texts.map((text) => html`<p class=${told.isProblem ? 'problem' : 'quiet'}>${text}</p>`)}</div>
  </form>`;
}

/** What a person should know of it. */
async function made(
  format: Format,
  items: readonly BasketItem[],
  name: string,
  folder: string,
): Promise<readonly string[]> {
  if (format === 'text') {
    await navigator.clipboard.writeText(textOf(items));
    return [t(lists.copied)];
  }
  if (format === 'clips') {
    const clips = items.map(({ media_path, start_seconds, end_seconds }) => ({
      media_path,
      start_seconds,
      end_seconds,
    }));
    await api.exportClips({ output_dir: folder, clips, mode: 'smart', task: true });
    localStorage.setItem(KEPT_FOLDER, folder);
    void readTasks().catch(() => {});
    return [t(lists.started)];
  }
  const answer = await api.exportTimeline({ format, sequence_name: name, items: timelineItems(items) });
  const file = `${name.replace(/[^\p{L}\p{N} ._-]/gu, '_')}.${suffixes[format]}`;
  download(file, answer.content ?? '', answer.mime_type);
  toast(t(lists.done, { name: file }));
  return answer.warnings ?? [];
}

function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

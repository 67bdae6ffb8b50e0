// What the basket is made into: a timeline to download, clips, or text to paste elsewhere.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api, messageOf } from '../../api.ts';
import type { BasketItem } from '../../basket-item.ts';
import { download } from '../../download.ts';
import { readTasks } from '../../live.ts';
import { toast } from '../../toasts.ts';
import { lists } from '../../words/lists.ts';
import { t } from '../../words.ts';

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

// The order of a list, and its moments as lines of text.

/** The one at `from` stands before the one that is at `to` now; at the end when there is none. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const item = items[from];
  if (item === undefined) return [...items];
  const rest = items.filter((_, at) => at !== from);
  const place = Math.max(0, Math.min(to > from ? to - 1 : to, rest.length));
  return [...rest.slice(0, place), item, ...rest.slice(place)];
}

interface Part {
  readonly media_path: string;
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly name?: string;
}

/** A line each: path, in, out, `HH:MM:SS.mmm`, and the name, with tabs between them. */
export function textOf(items: readonly Part[]): string {
  return items
    .map(({ media_path, start_seconds, end_seconds, name = '' }) =>
      [media_path, exact(start_seconds), exact(end_seconds), name].map(plain).join('\t').trimEnd(),
    )
    .join('\n');
}

function exact(seconds: number): string {
  const thousandths = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const whole = thousandths / 1000;
  const clock = `${two(whole / 3600)}:${two((whole / 60) % 60)}:${two(whole % 60)}`;
  return `${clock}.${String(thousandths % 1000).padStart(3, '0')}`;
}

/** Names may hold anything; a line and a column stay one. */
function plain(text: string): string {
  return text.replace(/[\t\n\r]/g, ' ');
}

/** Items of a timeline: of each what its file has of picture and sound, one after the other. */
export function timelineItems(items: readonly Part[]) {
  return items.map(({ media_path, start_seconds, end_seconds, name }) => ({
    media_path,
    source_start_seconds: start_seconds,
    source_end_seconds: end_seconds,
    track: 'both' as const,
    ...(name ? { name } : {}),
  }));
}

// One summary: its tree beside the node that is looked at.
import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, api, isAbort, messageOf } from '../../api.ts';
import { attempt } from '../../attempt.ts';
import { bytesOf, download } from '../../download.ts';
import { useKeys } from '../../keys.ts';
import { go } from '../../navigation.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Icon } from '../../parts/icon.ts';
import { Picture } from '../../parts/picture.ts';
import { Empty, Failed, Loading } from '../../parts/states.ts';
import { get } from '../../store.ts';
import { clock, nameOf } from '../../times.ts';
import { toast } from '../../toasts.ts';
import { shell } from '../../words/shell.ts';
import { summaries } from '../../words/summaries.ts';
import { t } from '../../words.ts';
import { NodeDetail, playNode, searchInside } from './node.ts';
import { changed, type Node, type Overview, type Summary, slice, useSummariesAsk } from './state.ts';
import { titleOf } from './title.ts';
import { type Row, rowsOf, type Step, stepped } from './tree.ts';

export function OpenedSummary({ summary_ref }: { readonly summary_ref: string }) {
  const answer = useSummariesAsk(
    (cache_dir, signal) => api.summaryOverview({ cache_dir, summary_ref }, { signal }),
    [summary_ref],
  );
  const { error, value } = answer;
  if (error instanceof ApiError && (error.status === 404 || error.status === 400))
    return html`<${Empty} icon="summaries" title=${error.message}><button onClick=${() => go('summaries')}>${t(summaries.back)}</button><//>`;
  if (answer.state === 'failed') return html`<${Failed} error=${error} again=${answer.again} />`;
  if (value === null) return html`<${Loading} />`;
  return html`<${Read} key=${value.summary_ref} overview=${value} />`;
}

function Read({ overview }: { readonly overview: Overview }) {
  const at = useRef(slice.get().at);
  useEffect(() => slice.update({ at: null }), []);
  const reading = useReading(overview, at.current);
  const { rows, selected, node, step } = reading;
  const {
    media_path,
    hash_str,
    analysis_name,
    summary_objective,
    node_count: n,
    summary_model_key: model,
  } = overview;
  const row = rows.find(({ node_id }) => node_id === selected);
  useKeys({
    nodeUp: () => step('up'),
    nodeDown: () => step('down'),
    nodeOpen: () => step('open'),
    nodeClose: () => step('close'),
    nodeFirst: () => step('first'),
    nodeLast: () => step('last'),
    nodeSearch: () => row && searchInside(media_path, row.range),
    nodePlay: () => row && playNode(hash_str, row.range),
  });
  const use = titleOf(summary_objective.preset);
  return html`<header class="row wrap"><button onClick=${() => go('summaries')}>${t(summaries.back)}</button>
      <div class="grow"><h1 class="cut" title=${media_path}>${nameOf(media_path)} · ${titleOf(analysis_name)}</h1>
        <p class="quiet">${t(summaries.about, { use, n, model })}</p></div>
      <${Actions} summary=${overview} />
    </header>
    <p>${overview.short_summary}</p>
    <p class="quiet">${t(summaries.proves)}</p>
    <${Quality} overview=${overview} />
    <div class="reading">
      <ul class="tree" role="tree" aria-label=${t(summaries.tree, { name: nameOf(media_path) })}>${rows.map(
        (one) =>
          html`<${TreeRow} key=${one.node_id} row=${one} media_path=${media_path} isSelected=${one.node_id === selected} reading=${reading} />`,
      )}</ul>
      ${node ? html`<${NodeDetail} key=${node.node_id} overview=${overview} node=${node} />` : html`<${Loading} />`}
    </div>`;
}

interface TreeRowProps {
  readonly row: Row;
  readonly media_path: string;
  readonly isSelected: boolean;
  readonly reading: ReturnType<typeof useReading>;
}

function TreeRow({ row, media_path, isSelected, reading }: TreeRowProps) {
  const { node_id, level, text, isLeaf, isOpen, range, place, siblings } = row;
  const [start, end] = range;
  const element = useRef<HTMLLIElement>(null);
  // Keys move the focus with what is selected, once it is in the tree.
  useEffect(() => {
    if (isSelected && element.current?.parentElement?.contains(document.activeElement))
      element.current.focus();
  }, [isSelected]);
  const onClick = () => {
    if (isSelected && !isLeaf) reading.toggle(node_id);
    else if (!isLeaf && !isOpen) reading.toggle(node_id);
    reading.select(node_id);
    element.current?.focus();
  };
  return html`<li ref=${element} role="treeitem" tabindex=${isSelected ? 0 : -1} aria-level=${level} aria-setsize=${siblings} aria-posinset=${place}
    aria-selected=${isSelected} aria-expanded=${isLeaf ? undefined : isOpen} style=${{ paddingInlineStart: `${(level - 1) * 18 + 4}px` }} onClick=${onClick}>
    <span class=${isOpen ? 'turn open' : 'turn'}>${!isLeaf && html`<${Icon} name="play" />`}</span>
    <${Picture} media_path=${media_path} seconds=${start + Math.floor((end - start) / 2)} icon="speech" />
    <span class="column grow"><span class="quiet">${clock(start)} – ${clock(end)}</span><span class="text">${text}</span></span>
  </li>`;
}

function Quality({ overview: { quality } }: { readonly overview: Overview }) {
  const { warnings, uncovered_ranges } = quality;
  if (warnings.length + uncovered_ranges.length === 0) return null;
  return html`<details class="panel"><summary>${t(summaries.quality)}</summary><ul>
    ${warnings.map((one) => html`<li>${one}</li>`)}
    ${uncovered_ranges.map(({ start_seconds, end_seconds }) => html`<li>${t(summaries.uncovered, { from: clock(start_seconds), to: clock(end_seconds) })}</li>`)}
  </ul></details>`;
}

// What can be done with a summary as a whole: downloaded as a document, deleted after a question.

const formats = ['markdown', 'txt', 'json', 'vtt'] as const;
type Format = (typeof formats)[number];

interface ActionsProps {
  readonly summary: Pick<Summary, 'summary_ref' | 'analysis_name' | 'media_path'>;
}

function Actions({ summary }: ActionsProps) {
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

// Reads a summary as far as it is looked at: nodes when they are opened, and all those above one that was
// found.

interface Reading {
  readonly known: ReadonlyMap<string, Node>;
  readonly open: ReadonlySet<string>;
  readonly selected: string;
}

/** `at`: the node to begin with; null for the root. */
function useReading({ summary_ref, root }: Overview, at: string | null) {
  const [reading, setReading] = useState<Reading>({
    known: new Map([[root.node_id, root]]),
    open: new Set([root.node_id]),
    selected: root.node_id,
  });
  const { known, open, selected } = reading;
  const aborter = useRef(new AbortController());
  useEffect(() => () => aborter.current.abort(), []);
  const read = async (node_id: string): Promise<Node> => {
    const had = known.get(node_id);
    if (had) return had;
    const { signal } = aborter.current;
    const { node } = await api.summaryNode(
      { cache_dir: get().folder.cache_dir!, summary_ref, node_id },
      { signal },
    );
    setReading((before) => ({ ...before, known: new Map(before.known).set(node_id, node) }));
    return node;
  };
  const tell = (error: unknown) => {
    if (!isAbort(error)) toast(messageOf(error), { kind: 'error' });
  };
  const select = (node_id: string) => {
    setReading((before) => ({ ...before, selected: node_id }));
    read(node_id).catch(tell);
  };
  const toggle = (node_id: string) => {
    setReading((before) => {
      const next = new Set(before.open);
      if (!next.delete(node_id)) next.add(node_id);
      return { ...before, open: next };
    });
  };
  useEffect(() => {
    if (at === null) return;
    const reveal = async () => {
      const above: string[] = [];
      for (let id: string | null = at; id !== null; ) {
        const { parent_id }: Node = await read(id);
        if (parent_id !== null) above.push(parent_id);
        id = parent_id;
      }
      setReading((before) => ({ ...before, open: new Set([...before.open, ...above]), selected: at }));
    };
    reveal().catch(tell);
  }, [at]);
  const rows = rowsOf(root, known, open);
  const step = (way: Step) => {
    const { select: to, toggle: isToggled } = stepped(rows, selected, way);
    select(to);
    if (isToggled) toggle(to);
  };
  return { rows, selected, node: known.get(selected) ?? null, select, toggle, step };
}

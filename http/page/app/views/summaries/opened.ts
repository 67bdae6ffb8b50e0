// One summary: its tree beside the node that is looked at.
import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, isAbort, messageOf, ServiceError } from '../../api.ts';
import { useKeys } from '../../keys.ts';
import { go } from '../../navigation.ts';
import { bytesOf, Dialog, download, Empty, Failed, Icon, Loading } from '../../parts.ts';
import { Picture, usePicture } from '../../pictures.ts';
import { momentArgument } from '../../route.ts';
import { get } from '../../store.ts';
import { clock, nameOf } from '../../times.ts';
import { attempt, toast } from '../../toasts.ts';
import { shell, speakerText } from '../../words/shell.ts';
import { summaries } from '../../words/summaries.ts';
import { t } from '../../words.ts';
import { searchFor } from '../search/address.ts';
import {
  changed,
  type ListedSummary,
  type Overview,
  type OverviewNode,
  rowsOf,
  secondsIn,
  slice,
  stepped,
  type TreeLine,
  type TreeStep,
  titleOf,
  useSummariesAsk,
} from './state.ts';

// The node that is looked at: all of its text, pictures of its range, what is to be checked, and its evidence
// on demand.

/** Pictures of a range. */
const PICTURES = 6;
type Range = readonly [number, number];
type Evidence = NonNullable<Awaited<ReturnType<typeof api.summaryNode>>['evidence']>;

function searchInside(
  { hash_str, media_path }: Pick<Overview, 'hash_str' | 'media_path'>,
  [start, end]: Range,
): void {
  searchFor({ film: { hash_str, media_path, start, end } });
}

function playNode(hash_str: string, [start]: Range): void {
  go('player', momentArgument({ hash_str, seconds: start }));
}

interface NodeDetailProps {
  readonly overview: Overview;
  readonly node: OverviewNode;
}

function NodeDetail({ overview, node }: NodeDetailProps) {
  const { hash_str, media_path } = overview;
  const { text, search_range: range, is_leaf, failed, verification_hints: hints } = node;
  const [start, end] = range;
  const [shows, setShows] = useState(false);
  const title = t(summaries.part, { from: clock(start), to: clock(end) });
  return html`<section class="node column panel" aria-label=${title} aria-live="polite">
    <h2>${title}</h2>
    <div class="row wrap">
      <button class="primary" onClick=${() => searchInside(overview, range)}><${Icon} name="search" />${t(summaries.searchInside)}</button>
      <button onClick=${() => playNode(hash_str, range)}><${Icon} name="play" />${t(summaries.play)}</button>
      ${is_leaf && html`<button aria-expanded=${shows} onClick=${() => setShows(!shows)}>${t(shows ? summaries.evidenceHide : summaries.evidenceShow)}</button>`}
    </div>
    <div class="pictures">${secondsIn(range, PICTURES).map(
      (seconds) =>
        html`<${Frame} key=${seconds} media_path=${media_path} hash_str=${hash_str} seconds=${seconds} />`,
    )}</div>
    ${failed && html`<p class="problem">${t(summaries.failed)}</p>`}
    <p class="whole">${text}</p>
    ${
      hints.length > 0 &&
      html`<details><summary>${t(summaries.hints)} (${hints.length})</summary><ul>${hints.map(
        (hint) =>
          html`<li><p>${hint.limitation}</p><p class="quiet">${clock(hint.affected_range[0])} – ${clock(hint.affected_range[1])}: ${hint.suggested_follow_up}</p></li>`,
      )}</ul></details>`
    }
    ${shows && html`<${OfLeaf} overview=${overview} node_id=${node.node_id} />`}
  </section>`;
}

interface FrameProps {
  readonly media_path: string;
  readonly hash_str: string;
  readonly seconds: number;
}

function Frame({ media_path, hash_str, seconds }: FrameProps) {
  const picture = usePicture(media_path, seconds, 160);
  if (picture === null) return null;
  const label = t(summaries.frameAt, { time: clock(seconds) });
  return html`<button aria-label=${label} title=${label} onClick=${() => playNode(hash_str, [seconds, seconds])}>
    ${picture && html`<img src=${picture} alt="" draggable=${false} />`}</button>`;
}

interface OfLeafProps {
  readonly overview: Overview;
  readonly node_id: string;
}

function OfLeaf({ overview: { summary_ref, media_path, hash_str }, node_id }: OfLeafProps) {
  const answer = useSummariesAsk(
    (cache_dir, signal) =>
      api.summaryNode({ cache_dir, summary_ref, node_id, include_evidence: true }, { signal }),
    [summary_ref, node_id],
  );
  if (answer.state === 'failed') return html`<${Failed} error=${answer.error} again=${answer.again} />`;
  if (answer.value === null) return html`<${Loading} />`;
  const { evidence } = answer.value;
  return html`<div class="column"><h3>${t(summaries.evidence)}</h3>
    ${evidence ? html`<${Told} evidence=${evidence} media_path=${media_path} hash_str=${hash_str} />` : html`<p class="quiet">${t(summaries.noEvidence)}</p>`}
  </div>`;
}

interface ToldProps {
  readonly evidence: Evidence;
  readonly media_path: string;
  readonly hash_str: string;
}

function Told({ evidence, media_path, hash_str }: ToldProps) {
  const { frames, transcript, speakers, people, attribution_hints } = evidence;
  const seconds = [...new Set(frames.map(({ frame_idx }) => frame_idx))];
  return html`<div class="pictures">${seconds.map(
    (second) =>
      html`<${Frame} key=${second} media_path=${media_path} hash_str=${hash_str} seconds=${second} />`,
  )}</div>
  ${people.length > 0 && html`<p>${t(summaries.people, { names: people.join(', ') })}</p>`}
  ${speakers.length > 0 && html`<p>${t(summaries.speakers, { names: speakers.map(speakerText).join(', ') })}</p>`}
  ${attribution_hints.map((hint) => html`<p class="quiet">${hint}</p>`)}
  <ul class="said">${transcript.map(
    ({
      start_seconds,
      text,
      speaker,
    }) => html`<li><button class="quiet" onClick=${() => playNode(hash_str, [start_seconds, start_seconds])}>
      <span class="quiet">${clock(start_seconds)}</span><span>${speaker ? `${speakerText(speaker)}: ` : ''}${text.trim()}</span></button></li>`,
  )}</ul>`;
}

export function OpenedSummary({ summary_ref }: { readonly summary_ref: string }) {
  const answer = useSummariesAsk(
    (cache_dir, signal) => api.summaryOverview({ cache_dir, summary_ref }, { signal }),
    [summary_ref],
  );
  const { error, value } = answer;
  if (error instanceof ServiceError && (error.status === 404 || error.status === 400))
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
    nodeSearch: () => row && searchInside(overview, row.range),
    nodePlay: () => row && playNode(hash_str, row.range),
  });
  const use = titleOf(summary_objective.preset);
  return html`<header class="row wrap"><button onClick=${() => go('summaries')}>${t(summaries.back)}</button>
      <div class="grow"><h1 class="cut" title=${media_path}>${nameOf(media_path)} · ${titleOf(analysis_name)}</h1>
        <p class="quiet">${t(summaries.about, { use, n, model: model === 'templates' ? t(summaries.templates) : model })}</p></div>
      <${Actions} summary=${overview} />
    </header>
    <p>${overview.short_summary}</p>
    <p class="quiet">${t(summaries.proves)}</p>
    <${Quality} overview=${overview} />
    <div class="reading">
      <ul class="tree" role="tree" aria-label=${t(summaries.tree, { name: nameOf(media_path) })}>${rows.map(
        (row) =>
          html`<${TreeRow} key=${row.node_id} row=${row} media_path=${media_path} isSelected=${row.node_id === selected} reading=${reading} />`,
      )}</ul>
      ${node ? html`<${NodeDetail} key=${node.node_id} overview=${overview} node=${node} />` : html`<${Loading} />`}
    </div>`;
}

interface TreeRowProps {
  readonly row: TreeLine;
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
    ${warnings.map((warning) => html`<li lang="en">${warning}</li>`)}
    ${uncovered_ranges.map(({ start_seconds, end_seconds }) => html`<li>${t(summaries.uncovered, { from: clock(start_seconds), to: clock(end_seconds) })}</li>`)}
  </ul></details>`;
}

// Actions on a whole summary: download as a document, deletion after a question.

const formats = ['markdown', 'txt', 'json', 'vtt'] as const;
type Format = (typeof formats)[number];

interface ActionsProps {
  readonly summary: Pick<ListedSummary, 'summary_ref' | 'analysis_name' | 'media_path'>;
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
      ${formats.map((choice) => html`<option value=${choice}>${t(summaries[choice])}</option>`)}</select>
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
  readonly nodes: ReadonlyMap<string, OverviewNode>;
  readonly open: ReadonlySet<string>;
  readonly selected: string;
}

/** `at`: the node to begin with; null for the root. */
function useReading({ summary_ref, root }: Overview, at: string | null) {
  const [reading, setReading] = useState<Reading>({
    nodes: new Map([[root.node_id, root]]),
    open: new Set([root.node_id]),
    selected: root.node_id,
  });
  const { nodes, open, selected } = reading;
  const aborter = useRef(new AbortController());
  useEffect(() => () => aborter.current.abort(), []);
  const read = async (node_id: string): Promise<OverviewNode> => {
    const loadedNode = nodes.get(node_id);
    if (loadedNode) return loadedNode;
    const { signal } = aborter.current;
    const { node } = await api.summaryNode(
      { cache_dir: get().folder.cache_dir!, summary_ref, node_id },
      { signal },
    );
    setReading((before) => ({ ...before, nodes: new Map(before.nodes).set(node_id, node) }));
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
        const { parent_id }: OverviewNode = await read(id);
        if (parent_id !== null) above.push(parent_id);
        id = parent_id;
      }
      setReading((before) => ({ ...before, open: new Set([...before.open, ...above]), selected: at }));
    };
    reveal().catch(tell);
  }, [at]);
  const rows = rowsOf(root, nodes, open);
  const step = (way: TreeStep) => {
    const { select: to, toggle: isToggled } = stepped(rows, selected, way);
    select(to);
    if (isToggled) toggle(to);
  };
  return { rows, selected, node: nodes.get(selected) ?? null, select, toggle, step };
}

// One summary: its tree beside the node that is looked at.
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, api } from '../../api.ts';
import { useKeys } from '../../keys.ts';
import { go } from '../../navigation.ts';
import { Icon } from '../../parts/icon.ts';
import { Picture } from '../../parts/picture.ts';
import { Empty, Failed, Loading } from '../../parts/states.ts';
import { clock, nameOf } from '../../times.ts';
import { summaries } from '../../words/summaries.ts';
import { t } from '../../words.ts';
import { Actions } from './actions.ts';
import { NodeDetail, playNode, searchInside } from './node.ts';
import { useReading } from './reading.ts';
import { type Overview, slice, useSummariesAsk } from './state.ts';
import { titleOf } from './title.ts';
import type { Row } from './tree.ts';

export function OpenedSummary({ summary_ref }: { readonly summary_ref: string }) {
  const asked = useSummariesAsk(
    (cache_dir, signal) => api.summaryOverview({ cache_dir, summary_ref }, { signal }),
    [summary_ref],
  );
  const { error, value } = asked;
  if (error instanceof ApiError && (error.status === 404 || error.status === 400))
    return html`<${Empty} icon="summaries" title=${error.message}><button onClick=${() => go('summaries')}>${t(summaries.back)}</button><//>`;
  if (asked.state === 'failed') return html`<${Failed} error=${error} again=${asked.again} />`;
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

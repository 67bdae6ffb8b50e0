// The node that is looked at: all of its text, pictures of its range, what is to be checked, and its evidence
// on demand.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api } from '../../api.ts';
import { go } from '../../navigation.ts';
import { Icon } from '../../parts/icon.ts';
import { Failed, Loading } from '../../parts/states.ts';
import { usePicture } from '../../pictures.ts';
import { momentArgument } from '../../route.ts';
import { clock } from '../../times.ts';
import { summaries } from '../../words/summaries.ts';
import { t } from '../../words.ts';
import { change } from '../search/state.ts';
import { type Node, type Overview, useSummariesAsk } from './state.ts';
import { secondsIn } from './tree.ts';

/** Pictures of a range. */
const PICTURES = 6;
type Range = readonly [number, number];
type Evidence = NonNullable<Awaited<ReturnType<typeof api.summaryNode>>['evidence']>;

export function searchInside(media_path: string, [start, end]: Range): void {
  change({ film: { media_path, start, end } });
  go('search');
}

export function playNode(hash_str: string, [start]: Range): void {
  go('player', momentArgument({ hash_str, seconds: start }));
}

export interface NodeDetailProps {
  readonly overview: Overview;
  readonly node: Node;
}

export function NodeDetail({ overview, node }: NodeDetailProps) {
  const { hash_str, media_path } = overview;
  const { text, search_range: range, is_leaf, failed, verification_hints: hints } = node;
  const [start, end] = range;
  const [shows, setShows] = useState(false);
  const title = t(summaries.part, { from: clock(start), to: clock(end) });
  return html`<section class="node column panel" aria-label=${title} aria-live="polite">
    <h2>${title}</h2>
    <div class="row wrap">
      <button class="primary" onClick=${() => searchInside(media_path, range)}><${Icon} name="search" />${t(summaries.searchInside)}</button>
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
        (one) =>
          html`<li><p>${one.limitation}</p><p class="quiet">${clock(one.affected_range[0])} – ${clock(one.affected_range[1])}: ${one.suggested_follow_up}</p></li>`,
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
    (one) => html`<${Frame} key=${one} media_path=${media_path} hash_str=${hash_str} seconds=${one} />`,
  )}</div>
  ${people.length > 0 && html`<p>${t(summaries.people, { names: people.join(', ') })}</p>`}
  ${speakers.length > 0 && html`<p>${t(summaries.speakers, { names: speakers.join(', ') })}</p>`}
  ${attribution_hints.map((one) => html`<p class="quiet">${one}</p>`)}
  <ul class="said">${transcript.map(
    ({
      start_seconds,
      text,
      speaker,
    }) => html`<li><button class="quiet" onClick=${() => playNode(hash_str, [start_seconds, start_seconds])}>
      <span class="quiet">${clock(start_seconds)}</span><span>${speaker ? `${speaker}: ` : ''}${text.trim()}</span></button></li>`,
  )}</ul>`;
}

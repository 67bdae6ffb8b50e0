// The line above the matches of a film: its name, how many there are, and the bar of relevance along it.
import { html } from 'htm/preact';
import { nameOf } from '../../times.ts';
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import type { Group, Ordered } from './groups.ts';
import { RelevanceBar } from './relevance.ts';
import { change, search } from './state.ts';

export interface GroupHeadProps {
  readonly group: Group;
  readonly ordered: Ordered;
}

export function GroupHead({ group, ordered }: GroupHeadProps) {
  const { hash_str, media_path, from, to } = group;
  const isOnly = search.use(({ query }) => query.film?.media_path === media_path);
  const moments = ordered.moments.slice(from, to);
  const isFilm = moments[0]?.kind === 'video';
  const only = () => change({ film: isOnly ? null : { media_path, start: null, end: null } });
  return html`<div class="group-head" role="gridcell">
    <h3 class="cut" title=${media_path}>${nameOf(media_path)}</h3>
    <span class="quiet">${t(searchWords.found, { n: to - from })}</span>
    ${isFilm ? html`<${RelevanceBar} hash_str=${hash_str} marks=${moments.map((one) => one.time_seconds)} />` : html`<span class="grow"></span>`}
    ${isFilm && html`<button class="quiet" aria-pressed=${isOnly} onClick=${only}>${t(searchWords.onlyFilm)}</button>`}
  </div>`;
}

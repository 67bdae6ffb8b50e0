// The line above the matches of a film: its name, how many there are, and the bar of relevance along it.
import { html } from 'htm/preact';
import { Icon } from '../../parts/icon.ts';
import { nameOf } from '../../times.ts';
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import { copiesText } from './copies.ts';
import type { Group, Ordered } from './groups.ts';
import { RelevanceBar } from './relevance.ts';
import { change, search, toggleWeaker } from './state.ts';

export interface GroupHeadProps {
  readonly group: Group;
  readonly ordered: Ordered;
}

export function Head(props: GroupHeadProps) {
  return props.group.kind === 'weaker'
    ? html`<${WeakerHead} ordered=${props.ordered} />`
    : html`<${GroupHead} ...${props} />`;
}

/** What is folded below it, and a button that opens and closes that. */
function WeakerHead({ ordered }: Pick<GroupHeadProps, 'ordered'>) {
  return html`<div class="group-head" role="gridcell"><${WeakerButton} n=${ordered.weaker} /></div>`;
}

export function WeakerButton({ n }: { readonly n: number }) {
  const isOpen = search.use((state) => state.showsWeaker);
  return html`<button class="weaker" aria-expanded=${isOpen} onClick=${toggleWeaker}>
    <${Icon} name=${isOpen ? 'up' : 'down'} />${t(searchWords.weaker, { n })}</button>`;
}

function GroupHead({ group, ordered }: GroupHeadProps) {
  const { kind, hash_str, media_path, from, to } = group;
  const isOnly = search.use(({ query }) => query.film?.media_path === media_path);
  const moments = ordered.moments.slice(from, to);
  const isFilm = kind === 'film' && moments[0]?.kind === 'video';
  const only = () => change({ film: isOnly ? null : { media_path, start: null, end: null } });
  const copies = isFilm ? (moments[0]?.other_paths?.length ?? 0) : 0;
  const marks = moments.map((one) => one.time_seconds);
  return html`<div class="group-head" role="gridcell">
    <h2 class="cut" title=${media_path}>${kind === 'stills' ? t(searchWords.stills) : nameOf(media_path)}</h2>
    <span class="quiet group-count">${t(searchWords.found, { n: to - from })}</span>
    ${copies > 0 && html`<span class="quiet group-count" title=${copiesText(moments[0]!)}>${t(searchWords.copies, { n: copies })}</span>`}
    ${
      isFilm &&
      html`<button class="quiet icon-only" aria-pressed=${isOnly} aria-label=${t(searchWords.onlyFilm)}
      title=${t(searchWords.onlyFilm)} onClick=${only}><${Icon} name="filter" /></button>`
    }
    ${isFilm && html`<${RelevanceBar} hash_str=${hash_str} marks=${marks} />`}
  </div>`;
}

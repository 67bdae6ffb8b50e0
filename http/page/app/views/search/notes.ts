// What a person should know of an answer, and what stands where nothing was found: what would help, and the way to it.
import { html } from 'htm/preact';
import { Icon } from '../../parts/icon.ts';
import { SetUpButton, useLacking } from '../../parts/set-up.ts';
import { Empty } from '../../parts/states.ts';
import { routeHash } from '../../route.ts';
import { searchWords } from '../../words/search.ts';
import { setup } from '../../words/setup.ts';
import { t } from '../../words.ts';
import { setsOf } from '../settings/sets.ts';
import { WeakerButton } from './group-head.ts';
import { search } from './state.ts';

/** The first says most; the others on demand. Commands are left out: a button does the same. */
export function Warnings() {
  const answer = search.use((state) => state.answer);
  const { warnings = none, not_understood: lacking } = answer ?? {};
  const [first, ...others] = warnings.filter((one) => one !== lacking?.advice);
  const more = others.length > 0 && t(searchWords.moreWarnings, { n: others.length });
  return html`<div class="warnings" role="status">${
    first !== undefined &&
    html`<details>
    <summary><${Icon} name="warning" /><span class="cut">${first}</span>${more && html`<span class="more-warnings">${more}</span>`}</summary>
    ${others.map((one) => html`<p>${one}</p>`)}
    <${Help} />
  </details>`
  }</div>`;
}
const none: readonly string[] = [];

/** What makes words understood that are not: a download, or an analysis by what is there. */
function Help() {
  const { model_keys = none, advice = null } = search.use(({ answer }) => answer?.not_understood) ?? {};
  const isLacking = useLacking(setsOf(model_keys));
  if (advice === null || isLacking === null) return null;
  return isLacking
    ? html`<p class="quiet">${t(setup.model)}</p><${SetUpButton} />`
    : html`<p class="quiet">${t(setup.analysis)}</p>
      <a class="button" href=${routeHash({ view: 'library', argument: '' })}>${t(setup.toLibrary)}</a>`;
}

export function NoResults({ weaker }: { readonly weaker: number }) {
  const words = search.use(({ answer }) => answer?.not_understood?.words ?? none);
  const isLacking = useLacking(['sight', 'faces', 'speech']);
  const title = t(weaker > 0 ? searchWords.nothingLike : searchWords.nothing);
  if (words.length > 0)
    return html`<${Empty} icon="search" title=${title}><p>${t(searchWords.notUnderstood, { words: words.join(', ') })}</p>
      <${Help} />${weaker > 0 && html`<${WeakerButton} n=${weaker} />`}<//>`;
  return html`<${Empty} icon="search" title=${title}><p>${t(weaker > 0 ? searchWords.nothingLikeHow : searchWords.nothingHow)}</p>
    ${weaker > 0 && html`<${WeakerButton} n=${weaker} />`}
    ${isLacking && html`<p class="quiet">${t(setup.lacking)}</p><${SetUpButton} />`}<//>`;
}

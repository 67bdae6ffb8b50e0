// What stands where no faces were grouped: how they are.
import { html } from 'htm/preact';
import { SetUpButton, useLacking } from '../../parts/set-up.ts';
import { Empty } from '../../parts/states.ts';
import { routeHash } from '../../route.ts';
import { people } from '../../words/people.ts';
import { t } from '../../words.ts';

export function NoFaces() {
  const isLacking = useLacking(['faces']);
  return html`<${Empty} icon="people" title=${t(people.noFaces)}>
    <p class="quiet">${t(people.noFacesHow)}</p>
    ${isLacking && html`<${SetUpButton} />`}
    <a class="button" href=${routeHash({ view: 'library', argument: '' })}>${t(people.toLibrary)}</a>
  <//>`;
}

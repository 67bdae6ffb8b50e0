// What a person does first: shown until something is analysed.
import { html } from 'htm/preact';
import { SetUpButton } from '../../parts/set-up.ts';
import { routeHash } from '../../route.ts';
import { useStore } from '../../store.ts';
import { library } from '../../words/library.ts';
import { t } from '../../words.ts';

export function Guide() {
  const isEmpty = useStore(
    ({ folder, tasks }) =>
      folder.state === 'ready' && folder.loaded.media + folder.loaded.transcripts === 0 && tasks.length === 0,
  );
  if (!isEmpty) return null;
  const steps = [library.guideOpen, library.guideChoose, library.guideSearch];
  return html`<section class="guide panel">
    <h2>${t(library.guide)}</h2>
    <ol>${steps.map((words) => html`<li>${t(words)}</li>`)}</ol>
    <p><${SetUpButton} /> <a href=${routeHash({ view: 'settings', argument: '' })}>${t(library.guideModels)}</a></p>
    <p class="quiet">${t(library.guideSamples)}</p>
    <pre tabindex="0">npx framehound tour
npx framehound open --cache-dir ~/.framehound/samples-analysis</pre>
  </section>`;
}

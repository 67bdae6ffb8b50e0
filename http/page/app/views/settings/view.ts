// First run and settings: what the models can, which there are, how the page looks, and how the service is set.
import { html } from 'htm/preact';
import { SetUpButton } from '../../parts/set-up.ts';
import { leave } from '../../session.ts';
import { type Language, type Theme, useStore } from '../../store.ts';
import { setTheme } from '../../theme.ts';
import type { View } from '../../view.ts';
import { settings } from '../../words/settings.ts';
import { shell } from '../../words/shell.ts';
import { setLanguage, t } from '../../words.ts';
import { Models } from './models.ts';
import { ServiceSettings } from './service-settings.ts';

export const view: View = { title: shell.settings, render: Settings };

function Settings() {
  return html`<div class="settings-page">
    <h1 class="unseen">${t(shell.settings)}</h1>
    <${Starter} /><${Models} /><${ThisPage} /><${ServiceSettings} />
  </div>`;
}

const can = [settings.canColours, settings.canWords, settings.canLike, settings.canVoices];
const cannot = [
  settings.cannotObjects,
  settings.cannotSpeech,
  settings.cannotFaces,
  settings.cannotTexts,
  settings.cannotSounds,
];

function Starter() {
  const list = (texts: typeof can | typeof cannot) =>
    html`<ul>${texts.map((words) => html`<li>${t(words)}</li>`)}</ul>`;
  return html`<section class="panel column"><h2>${t(settings.starter)}</h2><p>${t(settings.starterHow)}</p>
    <div class="row"><${SetUpButton} /></div>
    <div class="can"><div><h3>${t(settings.can)}</h3>${list(can)}</div><div><h3>${t(settings.cannot)}</h3>${list(cannot)}</div></div>
  </section>`;
}

const languages: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['de', 'Deutsch'],
];
const themes = ['system', 'dark', 'light'] as const satisfies Theme[];

function ThisPage() {
  const language = useStore((state) => state.language);
  const theme = useStore((state) => state.theme);
  const session = useStore((state) => state.session);
  const signedIn = session?.shared
    ? settings.signedInBrowser
    : session?.kind === 'key'
      ? settings.signedInKey
      : settings.signedInTicket;
  const chosen = (event: Event) => (event.target as HTMLSelectElement).value;
  return html`<section class="panel column"><h2>${t(settings.page)}</h2>
    <div class="row wrap">
      <label>${t(settings.language)}<select value=${language} onChange=${(event: Event) => setLanguage(chosen(event) as Language)}>
        ${languages.map(([one, name]) => html`<option value=${one} lang=${one}>${name}</option>`)}</select></label>
      <label>${t(settings.theme)}<select value=${theme} onChange=${(event: Event) => setTheme(chosen(event) as Theme)}>
        ${themes.map((one) => html`<option value=${one}>${t(settings[one])}</option>`)}</select></label>
    </div>
    <div class="row wrap"><p class="quiet">${t(signedIn)}</p>
      <button onClick=${() => void leave()}>${t(settings.signOut)}</button></div>
  </section>`;
}

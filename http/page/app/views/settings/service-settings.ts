// The settings of the service, each with where it comes from; its version, and the way to its interface.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { Failed, Loading } from '../../parts/states.ts';
import { settings } from '../../words/settings.ts';
import { t } from '../../words.ts';

export function ServiceSettings() {
  const asked = useAsk((signal) => api.getSettings({}, { signal }), []);
  const [isShort, setShort] = useState(true);
  if (asked.value === null)
    return asked.state === 'failed'
      ? html`<${Failed} error=${asked.error} again=${asked.again} />`
      : html`<${Loading} />`;
  const { version, cache_dir, settings: all } = asked.value;
  const shown = all.filter(({ source }) => !isShort || source !== 'default');
  return html`<section class="panel column"><h2>${t(settings.settings)}</h2><p class="quiet">${t(settings.settingsHow)}</p>
    <p>${t(settings.folder)}: <span class="whole-path">${cache_dir}</span></p>
    <label><input type="checkbox" checked=${isShort} onChange=${() => setShort(!isShort)} />${t(settings.onlyChanged)}</label>
    ${
      shown.length === 0
        ? html`<p class="quiet">${t(settings.noneChanged)}</p>`
        : html`<table><thead><tr><th scope="col">${t(settings.setting)}</th><th scope="col">${t(settings.value)}</th><th scope="col">${t(settings.source)}</th></tr></thead>
          <tbody>${shown.map(
            ({
              name,
              value,
              source,
              description,
            }) => html`<tr><th scope="row">${name}<p class="quiet">${description}</p></th>
              <td class="whole-path">${valueText(value)}</td><td>${t(settings[source])}</td></tr>`,
          )}</tbody></table>`
    }
  </section>
  <p class="about">${t(settings.about, { version })} · <a href="/docs">${t(settings.docs)}</a></p>`;
}

function valueText(value: unknown): string {
  if (typeof value === 'boolean') return t(value ? settings.yes : settings.no);
  if (Array.isArray(value)) return value.length === 0 ? t(settings.unset) : value.join(', ');
  return value === null || value === undefined || value === '' ? t(settings.unset) : String(value);
}

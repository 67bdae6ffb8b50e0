// The list of all keys.
import { html } from 'htm/preact';
import { type Key, keyLabel, keyTable } from '../key-table.ts';
import { update } from '../store.ts';
import { shell } from '../words/shell.ts';
import { t } from '../words.ts';
import { Dialog } from './dialog.ts';

export function KeysDialog() {
  const places = Map.groupBy(Object.values<Key>(keyTable), ({ where }) => where);
  return html`<${Dialog} title=${t(shell.keys)} onClose=${() => update({ showsKeys: false })}>
    <div class="key-lists">${[...places].map(
      ([where, keys]) => html`<section>
        <h3>${t(where === 'everywhere' ? shell.keysEverywhere : shell[where])}</h3>
        <dl>${keys.map(
          (one) =>
            html`<div><dt>${one.keys.map((name) => html`<kbd>${keyLabel(name)}</kbd>`)}</dt><dd>${t(one.words)}</dd></div>`,
        )}</dl>
      </section>`,
    )}</div>
  <//>`;
}

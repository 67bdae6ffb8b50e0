// The view of lists.
import { html } from 'htm/preact';
import { Empty } from '../../parts/states.ts';
import type { View } from '../../view.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';

export const view: View = { title: shell.lists, render: Placeholder };

function Placeholder() {
  return html`<${Empty} title=${t(shell.lists)} />`;
}

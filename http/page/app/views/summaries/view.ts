// The view of summaries: a list to search in, and one of them as a tree.
import { html } from 'htm/preact';
import type { View } from '../../view.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { List } from './list.ts';
import { OpenedSummary } from './opened.ts';

export const view: View = { title: shell.summaries, render: Summaries };

/** `argument`: the `summary_ref` of the one that is open, which holds no path. */
function Summaries({ argument }: { readonly argument: string }) {
  if (argument !== '')
    return html`<div class="summaries sheet column"><${OpenedSummary} summary_ref=${argument} /></div>`;
  return html`<div class="summaries sheet column"><h1 class="unseen">${t(shell.summaries)}</h1><${List} /></div>`;
}

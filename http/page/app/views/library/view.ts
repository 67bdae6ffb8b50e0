// The library: folders and files with what is analysed of them, the tasks, the watch folders, and the space they take.
import { html } from 'htm/preact';
import { useEffect } from 'preact/hooks';
import { loadFolder } from '../../folder.ts';
import { onProgress } from '../../live.ts';
import { routeHash } from '../../route.ts';
import { useStore } from '../../store.ts';
import { isAnalysis } from '../../task-kinds.ts';
import type { View } from '../../view.ts';
import { library } from '../../words/library.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { Disk } from './disk.ts';
import { Files } from './files.ts';
import { refresh } from './listing.ts';
import { TaskList } from './task-list.ts';
import { WatchFolders } from './watch.ts';

export const view: View = { title: shell.library, render: Library };

const parts = { files: Files, tasks: TaskList, watch: WatchFolders, disk: Disk } as const;
type Part = keyof typeof parts;
const names = Object.keys(parts) as Part[];

function Library({ argument }: { readonly argument: string }) {
  const part = names.find((name) => name === argument) ?? 'files';
  const running = useStore((state) => state.tasks.length);
  useEffect(() => onProgress(({ done, type }) => done && isAnalysis([type]) && follow()), []);
  return html`<div class="library-page">
    <h1 class="unseen">${t(shell.library)}</h1>
    <nav class="parts" aria-label=${t(library.parts)}>${names.map(
      (
        name,
      ) => html`<a href=${routeHash({ view: 'library', argument: name === 'files' ? '' : name })} aria-current=${name === part ? 'page' : undefined}>
        ${t(library[name])}${name === 'tasks' && running > 0 && html` <span class="count">${running}</span>`}</a>`,
    )}</nav>
    <${parts[part]} />
  </div>`;
}

/** What was analysed is found by searches, and shown here. */
function follow(): void {
  void loadFolder();
  refresh();
}

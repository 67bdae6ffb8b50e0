// Above the list: the way to the folder, a field for a path, and what is done with what is chosen.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../../api.ts';
import { Icon } from '../../parts/icon.ts';
import { get } from '../../store.ts';
import { library } from '../../words/library.ts';
import { t } from '../../words.ts';
import { listing, nothing, openFolder, refresh } from './listing.ts';
import { crumbsOf, folderOf, pastedPath, type Row } from './rows.ts';
import { lookUp } from './walk.ts';

export interface PathAction {
  readonly kind: 'analyse' | 'forget' | 'watch';
  readonly rows: readonly Row[];
}

export interface PathBarProps {
  readonly folder: string | null;
  /** What is chosen, or the row in question. */
  readonly meant: readonly Row[];
  start(doing: PathAction): void;
}

export function PathBar({ folder, meant, start }: PathBarProps) {
  const total = listing.use((state) => state.total);
  const chosen = listing.use((state) => state.chosen.size);
  return html`<div class="path-bar">
    <div class="row">
      <nav class="crumbs grow" aria-label=${t(library.where)}>
        <button class="quiet" aria-current=${folder === null ? 'location' : undefined} onClick=${() => openFolder(null)}>${t(library.roots)}</button>
        ${folder !== null && crumbsOf(folder).map(({ name, path }) => html`<span aria-hidden="true">›</span><button class="quiet" aria-current=${path === folder ? 'location' : undefined} onClick=${() => openFolder(path)}>${name}</button>`)}
      </nav>
      <button class="quiet" onClick=${refresh}>${t(library.refresh)}</button>
    </div>
    <${PathField} start=${start} />
    <div class="row wrap">
      <button class="primary" disabled=${meant.length === 0} onClick=${() => start({ kind: 'analyse', rows: meant })}>${t(library.analyse)}</button>
      <button disabled=${meant.length === 0} onClick=${() => start({ kind: 'forget', rows: meant })}>${t(library.forget)}</button>
      <p class="quiet grow" role="status">${chosen > 0 ? t(library.chosen, { n: chosen }) : total !== null ? t(library.total, { n: total }) : ''}</p>
      ${chosen > 0 && html`<button class="quiet" onClick=${() => listing.update({ chosen: nothing })}>${t(library.clear)}</button>`}
    </div>
  </div>`;
}

export interface PathFieldProps {
  readonly isFocused?: boolean;
  start(doing: PathAction): void;
  /** After something was done with the path. */
  done?(): void;
}

export function PathField({ start, done, isFocused = false }: PathFieldProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const run = async (work: (row: Row) => void) => {
    const path = pastedPath(text);
    const { cache_dir } = get().folder;
    if (path === null || cache_dir === null) return setProblem(t(library.badPath));
    try {
      work(await lookUp(path, cache_dir));
      setProblem(null);
      setText('');
      done?.();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const show = (row: Row) => openFolder(row.kind === 'folder' ? row.path : folderOf(row.path));
  const begin = (kind: PathAction['kind']) => () => void run((row) => start({ kind, rows: [row] }));
  const submit = (event: Event) => {
    event.preventDefault();
    void run(show);
  };
  return html`<form class="path-field" onSubmit=${submit}>
    <div class="row wrap">
      <${Icon} name="library" />
      <input class="grow" aria-label=${t(library.path)} placeholder=${t(library.pathHint)} autofocus=${isFocused} spellcheck=${false} autocomplete="off"
        aria-invalid=${problem !== null} value=${text} onInput=${(event: Event) => setText((event.target as HTMLInputElement).value)} />
      <div class="row"><button type="submit" disabled=${text === ''}>${t(library.show)}</button>
        <button type="button" disabled=${text === ''} onClick=${begin('analyse')}>${t(library.analyse)}</button>
        <button type="button" disabled=${text === ''} onClick=${begin('watch')}>${t(library.watchThis)}</button></div>
    </div>
    <p class="problem" role="alert">${problem}</p>
  </form>`;
}

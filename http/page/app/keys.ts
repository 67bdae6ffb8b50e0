// The keyboard: hands a key to whoever took it last, but not while a person types or a dialog is open.

import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import { Dialog } from './parts.ts';
import type { ViewName } from './route.ts';
import { update } from './store.ts';
import { shell } from './words/shell.ts';
import { t, type Words } from './words.ts';

// Every key of the page: what it does and where. One table, so that it can be listed and no key means two
// things in one place.

export interface Key {
  /** Values of `KeyboardEvent.key`, letters in lower case; any of them. */
  readonly keys: readonly string[];
  readonly where: 'everywhere' | ViewName;
  readonly words: Words;
}

const key = (where: Key['where'], keys: readonly string[], english: string, german: string): Key => ({
  keys,
  where,
  words: [english, german],
});

export const keyTable = {
  search: key('everywhere', ['/'], 'Go to the search box', 'Zum Suchfeld'),
  keys: key('everywhere', ['?'], 'Show this list', 'Diese Liste zeigen'),

  tileLeft: key(
    'search',
    ['ArrowLeft'],
    'Previous match; with ⇧ extend the selection',
    'Voriger Treffer; mit ⇧ Auswahl erweitern',
  ),
  tileRight: key(
    'search',
    ['ArrowRight'],
    'Next match; with ⇧ extend the selection',
    'Nächster Treffer; mit ⇧ Auswahl erweitern',
  ),
  tileUp: key('search', ['ArrowUp'], 'Match above', 'Treffer darüber'),
  tileDown: key('search', ['ArrowDown'], 'Match below', 'Treffer darunter'),
  tileFirst: key('search', ['Home'], 'First match', 'Erster Treffer'),
  tileLast: key('search', ['End'], 'Last match', 'Letzter Treffer'),
  tileOpen: key('search', ['Enter'], 'Open in the player', 'Im Player öffnen'),
  tileBasket: key('search', ['b'], 'Add to the basket, or remove', 'In den Korb legen oder entfernen'),
  tileChoose: key('search', [' '], 'Select the match', 'Treffer auswählen'),
  tileAll: key('search', ['a'], 'Select all, or none', 'Alle auswählen oder keine'),
  tileLike: key('search', ['m'], 'More like this moment', 'Mehr wie dieser Moment'),
  smaller: key('search', ['-'], 'Smaller pictures', 'Kleinere Bilder'),
  larger: key('search', ['+', '='], 'Larger pictures', 'Größere Bilder'),
  leaveTile: key('search', ['Escape'], 'Back to the search box', 'Zurück zum Suchfeld'),

  play: key('player', [' ', 'k'], 'Play or stop', 'Abspielen oder anhalten'),
  faster: key('player', ['l'], 'Forward, again: faster', 'Vorwärts, noch einmal: schneller'),
  backward: key('player', ['j'], 'Backward, again: faster', 'Rückwärts, noch einmal: schneller'),
  frameBack: key('player', ['ArrowLeft', ','], 'One frame back', 'Ein Bild zurück'),
  frameOn: key('player', ['ArrowRight', '.'], 'One frame forward', 'Ein Bild weiter'),
  shotBack: key('player', ['ArrowUp'], 'Previous shot', 'Vorige Einstellung'),
  shotOn: key('player', ['ArrowDown'], 'Next shot', 'Nächste Einstellung'),
  setIn: key('player', ['i'], 'Set the in point', 'Anfang setzen'),
  setOut: key('player', ['o'], 'Set the out point', 'Ende setzen'),
  mute: key('player', ['m'], 'Sound on or off', 'Ton an oder aus'),
  fullScreen: key('player', ['f'], 'Full screen', 'Vollbild'),
  savePicture: key('player', ['s'], 'Save this frame as a picture', 'Dieses Bild speichern'),
  playerBasket: key('player', ['b'], 'Add in to out to the basket', 'Anfang bis Ende in den Korb'),
  leavePlayer: key('player', ['Escape'], 'Back to the matches', 'Zurück zu den Treffern'),

  nodeUp: key('summaries', ['ArrowUp'], 'Part above', 'Abschnitt darüber'),
  nodeDown: key('summaries', ['ArrowDown'], 'Part below', 'Abschnitt darunter'),
  nodeOpen: key('summaries', ['ArrowRight'], 'Open the part', 'Abschnitt aufklappen'),
  nodeClose: key('summaries', ['ArrowLeft'], 'Close the part', 'Abschnitt zuklappen'),
  nodeFirst: key('summaries', ['Home'], 'First part', 'Erster Abschnitt'),
  nodeLast: key('summaries', ['End'], 'Last part', 'Letzter Abschnitt'),
  nodeSearch: key('summaries', ['Enter'], 'Search inside the part', 'Im Abschnitt suchen'),
  nodePlay: key('summaries', [' ', 'k'], 'Play from there', 'Ab dort abspielen'),
  rowUp: key(
    'library',
    ['ArrowUp'],
    'Row above; with ⇧ extend the selection',
    'Zeile darüber; mit ⇧ Auswahl erweitern',
  ),
  rowDown: key(
    'library',
    ['ArrowDown'],
    'Row below; with ⇧ extend the selection',
    'Zeile darunter; mit ⇧ Auswahl erweitern',
  ),
  rowPageUp: key('library', ['PageUp'], 'Rows up', 'Zeilen nach oben'),
  rowPageDown: key('library', ['PageDown'], 'Rows down', 'Zeilen nach unten'),
  rowFirst: key('library', ['Home'], 'First row', 'Erste Zeile'),
  rowLast: key('library', ['End'], 'Last row', 'Letzte Zeile'),
  rowOpen: key(
    'library',
    ['Enter', 'ArrowRight'],
    'Open the folder or the player',
    'Ordner oder Player öffnen',
  ),
  rowAbove: key('library', ['ArrowLeft', 'Backspace'], 'Folder above', 'Ordner darüber'),
  rowChoose: key('library', [' '], 'Select the row; with ⇧ up to it', 'Zeile auswählen; mit ⇧ bis dorthin'),
  rowAll: key('library', ['a'], 'Select all, or none', 'Alle auswählen oder keine'),
  rowAnalyse: key('library', ['n'], 'Analyse the selection', 'Auswahl analysieren'),
  rowForget: key('library', ['Delete'], 'Forget the selection', 'Auswahl vergessen'),
} as const satisfies Record<string, Key>;

type KeyName = keyof typeof keyTable;

function keyLabel(name: string): string {
  const labels: Readonly<Record<string, string>> = {
    ArrowLeft: '←',
    ArrowRight: '→',
    ArrowUp: '↑',
    ArrowDown: '↓',
    Escape: 'Esc',
    PageUp: '⇞',
    PageDown: '⇟',
    Backspace: '⌫',
    Delete: '⌦',
    ' ': '␣',
  };
  return labels[name] ?? (name.length === 1 ? name.toUpperCase() : name);
}

/** False: it was not for this one. */
type Handler = (event: KeyboardEvent) => unknown;
type Handlers = Partial<Record<KeyName, Handler>>;

const takers: { readonly handlers: () => Handlers }[] = [];

/** Takes these keys of the table while the component is shown. */
export function useKeys(handlers: Handlers): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const entry = { handlers: () => latest.current };
    takers.push(entry);
    return () => {
      takers.splice(takers.indexOf(entry), 1);
    };
  }, []);
}

export function startKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTyping(event) || document.querySelector('dialog[open]') !== null) return;
    const pressedKey = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    for (const { handlers } of takers.toReversed()) {
      for (const [name, handler] of Object.entries(handlers()) as [KeyName, Handler][]) {
        const { keys }: { keys: readonly string[] } = keyTable[name];
        if (!keys.includes(pressedKey) || handler(event) === false) continue;
        event.preventDefault();
        return;
      }
    }
  });
}

const pressed = 'button, a, summary, input, select, [role="button"]';

function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // Nobody begins a text with it, and a view begins with the focus in a field.
  if (key === '?') return target instanceof HTMLTextAreaElement || isFilled(target);
  // A button in focus takes its own keys.
  if ((key === 'Enter' || key === ' ') && target.matches(pressed)) return true;
  if (target.isContentEditable || target.matches('textarea, select')) return true;
  if (!(target instanceof HTMLInputElement)) return false;
  return isOfText(target) || (target.type === 'range' && key.startsWith('Arrow'));
}

function isOfText({ type }: HTMLInputElement): boolean {
  return !['checkbox', 'radio', 'button', 'range', 'file', 'color'].includes(type);
}

function isFilled(target: HTMLElement): boolean {
  return target instanceof HTMLInputElement && isOfText(target) && target.value !== '';
}

// The list of all keys.

export function KeysDialog() {
  const places = Map.groupBy(Object.values<Key>(keyTable), ({ where }) => where);
  return html`<${Dialog} title=${t(shell.keys)} onClose=${() => update({ showsKeys: false })}>
    <div class="key-lists">${[...places].map(
      ([where, keys]) => html`<section>
        <h3>${t(where === 'everywhere' ? shell.keysEverywhere : shell[where])}</h3>
        <dl>${keys.map(
          (entry) =>
            html`<div><dt>${entry.keys.map((name) => html`<kbd>${keyLabel(name)}</kbd>`)}</dt><dd>${t(entry.words)}</dd></div>`,
        )}</dl>
      </section>`,
    )}</div>
  <//>`;
}

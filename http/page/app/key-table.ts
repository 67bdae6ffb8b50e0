// Every key of the page: what it does and where. One table, so that it can be listed and no key means two
// things in one place.
import type { ViewName } from './route.ts';
import type { Words } from './words/pair.ts';

export interface Key {
  /** As `KeyboardEvent.key` says them, letters small; any of them. */
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

  tileLeft: key('search', ['ArrowLeft'], 'Previous match', 'Voriger Treffer'),
  tileRight: key('search', ['ArrowRight'], 'Next match', 'Nächster Treffer'),
  tileUp: key('search', ['ArrowUp'], 'Match above', 'Treffer darüber'),
  tileDown: key('search', ['ArrowDown'], 'Match below', 'Treffer darunter'),
  tileFirst: key('search', ['Home'], 'First match', 'Erster Treffer'),
  tileLast: key('search', ['End'], 'Last match', 'Letzter Treffer'),
  tileOpen: key('search', ['Enter'], 'Open in the player', 'Im Player öffnen'),
  tileBasket: key('search', ['b'], 'Add to the basket, or remove', 'In den Korb legen oder entfernen'),
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

export type KeyName = keyof typeof keyTable;

/** As a person reads it. */
export function keyLabel(name: string): string {
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

// Words of the frame around the views, and those that several views say.
import { t, type Words } from '../words.ts';

export const shell = {
  views: ['Views', 'Ansichten'],
  search: ['Search', 'Suche'],
  library: ['Library', 'Bestand'],
  people: ['People', 'Personen'],
  summaries: ['Summaries', 'Zusammen\u00adfassungen'],
  lists: ['Basket', 'Korb'],
  settings: ['Settings', 'Einstel\u00adlungen'],
  player: ['Player', 'Player'],
  keys: ['Keyboard shortcuts', 'Tastenkürzel'],
  keysEverywhere: ['Everywhere', 'Überall'],
  skip: ['Skip to content', 'Zum Inhalt springen'],
  copyLink: ['Copy link', 'Link kopieren'],
  copied: ['Copied: {text}', 'Kopiert: {text}'],
  close: ['Close', 'Schließen'],
  cancel: ['Cancel', 'Abbrechen'],
  again: ['Try again', 'Erneut versuchen'],
  loading: ['Loading …', 'Lädt …'],
  failed: ['Something went wrong', 'Etwas ist schiefgegangen'],
  away: [
    'The service is not responding. The page goes on by itself when it is back.',
    'Der Dienst antwortet nicht. Die Seite macht von selbst weiter, sobald er wieder da ist.',
  ],
  startAgain: ['Start it again', 'Wieder starten'],
  startAgainHow: [
    'Run this command on the machine of the service:',
    'Führen Sie diesen Befehl auf dem Rechner des Dienstes aus:',
  ],
  copyCommand: ['Copy', 'Kopieren'],
  viewAway: [
    'This view is shown when the service is back',
    'Diese Ansicht erscheint, sobald der Dienst wieder da ist',
  ],
  viewFailed: ['This view could not be loaded', 'Diese Ansicht konnte nicht geladen werden'],
  refused: [
    'The service does not accept the key of this session: {why}',
    'Der Dienst nimmt den Schlüssel dieser Sitzung nicht an: {why}',
  ],
  otherKey: ['Sign in again', 'Neu anmelden'],
  task: ['{n} task running|{n} tasks running', '{n} Aufgabe läuft|{n} Aufgaben laufen'],
  taskFile: ['{path} – {n} of {files} files done', '{path} – {n} von {files} Dateien fertig'],
  newHits: [
    '{n} new hit of saved searches|{n} new hits of saved searches',
    '{n} neuer Treffer gespeicherter Suchen|{n} neue Treffer gespeicherter Suchen',
  ],
  inBasket: ['{n} moment in the basket|{n} moments in the basket', '{n} Moment im Korb|{n} Momente im Korb'],
} as const satisfies Record<string, Words>;

export const signIn = {
  how: [
    'Run the command below on the machine of the service to open this page, or paste a license key.',
    'Öffnen Sie diese Seite mit dem Befehl unten auf dem Rechner des Dienstes, oder fügen Sie einen Lizenzschlüssel ein.',
  ],
  key: ['License key', 'Lizenzschlüssel'],
  enter: ['Sign in', 'Anmelden'],
  entering: ['Signing in …', 'Anmeldung …'],
  ended: [
    'The session has ended. Sign in again to continue where you were.',
    'Die Sitzung ist beendet. Melden Sie sich neu an; es geht dort weiter, wo Sie waren.',
  ],
  ticket: [
    'This link has already been used or has expired. Run the command to get a new one.',
    'Dieser Link wurde schon benutzt oder ist abgelaufen. Der Befehl erzeugt einen neuen.',
  ],
  refused: ['The service does not accept this key.', 'Der Dienst nimmt diesen Schlüssel nicht an.'],
  kept: [
    'The key stays in this tab and is sent only to this service.',
    'Der Schlüssel bleibt in diesem Tab und geht nur an diesen Dienst.',
  ],
} as const satisfies Record<string, Words>;

const unnamedSpeaker: Words = ['Speaker {n}', 'Sprecher {n}'];

/** `SPEAKER_00`, which the service calls a voice without a name, as a person counts: `Speaker 1`. */
export function speakerText(name: string): string {
  const [, number] = /^SPEAKER_(\d+)$/.exec(name) ?? [];
  return number === undefined ? name : t(unnamedSpeaker, { n: Number(number) + 1 });
}

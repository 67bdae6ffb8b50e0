// Words of the frame around the views, and those that several views say.
import type { Words } from './pair.ts';

export const shell = {
  views: ['Views', 'Ansichten'],
  search: ['Search', 'Suche'],
  library: ['Library', 'Bestand'],
  people: ['People', 'Personen'],
  summaries: ['Summaries', 'Zusammenfassungen'],
  lists: ['Basket', 'Korb'],
  settings: ['Settings', 'Einstellungen'],
  player: ['Player', 'Player'],
  keys: ['Keys', 'Tasten'],
  keysEverywhere: ['Everywhere', 'Überall'],
  interface: ['Interface for programs', 'Schnittstelle für Programme'],
  skip: ['Skip to the content', 'Zum Inhalt springen'],
  close: ['Close', 'Schließen'],
  cancel: ['Cancel', 'Abbrechen'],
  again: ['Try again', 'Noch einmal'],
  loading: ['Loading …', 'Lädt …'],
  failed: ['That did not work', 'Das hat nicht geklappt'],
  away: ['The service does not answer. Trying again …', 'Der Dienst antwortet nicht. Neuer Versuch …'],
  refused: [
    'The service does not accept the key of this session: {why}',
    'Der Dienst nimmt den Schlüssel dieser Sitzung nicht an: {why}',
  ],
  otherKey: ['Sign in again', 'Neu anmelden'],
  task: ['{n} task runs|{n} tasks run', '{n} Aufgabe läuft|{n} Aufgaben laufen'],
  taskFile: ['{path} – {n} of {files} files done', '{path} – {n} von {files} Dateien fertig'],
  inBasket: ['{n} moment in the basket|{n} moments in the basket', '{n} Moment im Korb|{n} Momente im Korb'],
} as const satisfies Record<string, Words>;

export const signIn = {
  how: [
    'Open this page by running the command below on the machine of the service, or paste a license key.',
    'Öffnen Sie diese Seite mit dem Befehl unten auf dem Rechner des Dienstes, oder fügen Sie einen Lizenzschlüssel ein.',
  ],
  key: ['License key', 'Lizenzschlüssel'],
  enter: ['Sign in', 'Anmelden'],
  entering: ['Signing in …', 'Anmeldung …'],
  ended: [
    'The session has ended. Sign in again; you will be where you were.',
    'Die Sitzung ist beendet. Melden Sie sich neu an; es geht dort weiter, wo Sie waren.',
  ],
  ticket: [
    'This address has been used already or is too old. Make a new one with the command.',
    'Diese Adresse wurde schon benutzt oder ist zu alt. Der Befehl macht eine neue.',
  ],
  refused: ['The service does not accept this key.', 'Der Dienst nimmt diesen Schlüssel nicht an.'],
  kept: [
    'The key stays in this tab and is sent only to this service.',
    'Der Schlüssel bleibt in diesem Tab und geht nur an diesen Dienst.',
  ],
} as const satisfies Record<string, Words>;

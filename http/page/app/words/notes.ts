// Remarks of a search beside its matches, by their code. The service itself writes the English ones.
import type { Note, NoteCode, SearchedKind } from '../../../../actors/search/notes/contract.ts';
import { get } from '../store.ts';
import { filled, named, t, type Words } from '../words.ts';
import { errorWords } from './errors.ts';
import { searchWords } from './search.ts';

/** German. `{words}` are the names of the note in quotation marks, `{others}` the words beside them. */
const noteWords: Readonly<Record<NoteCode, string>> = {
  PARTLY_UNDERSTOOD: 'Unsicher: Bilder nur nach {words} durchsucht; nicht verstanden: {others}',
  NOT_UNDERSTOOD: 'In Bildern nicht verstanden: {words}',
  FOUND_ROUGHLY: 'Nur ungefähr zu finden, mit vielen falschen Treffern: {words}',
  PEOPLE_NOT_TOLD_APART:
    'Gefunden werden alle Personen, ohne Frauen von Männern oder Kinder von Erwachsenen zu unterscheiden: {words}',
  KINDS_NOT_TOLD_APART: 'Gefunden werden auch andere der gleichen Art: {words}',
  OTHER_MODEL: 'Das Modell {model_key} ließ sich nicht laden; gesucht wurde mit dem Standardmodell',
  FILTER_IGNORED: 'Nicht gefiltert wurde nach Merkmalen, die es nicht mehr gibt: {names}',
  NOTHING_TO_LOOK_FOR: 'Die Suche enthält nichts, wonach das Bildmodell suchen kann',
  NOTHING_ANALYSED: 'Noch sind keine Bilder analysiert',
  NOTHING_LEFT: 'Filter, Personen, Dateien und Zeiten dieser Suche lassen kein analysiertes Bild übrig',
  NOTHING_SEEN: 'Keine der {count} nach Dingen durchsuchten Dateien zeigt {words}',
  NOTHING_FOUND: 'Durchsucht: {kinds}',
  ONLY_WEAKER:
    'Kein Treffer ist sicher genug; {count} schwächerer wurde weggelassen|Kein Treffer ist sicher genug; {count} schwächere wurden weggelassen',
  SAME_PERSON_TWICE: 'Dieselbe Person wird zweimal in einem Bild verlangt, deshalb passt nichts: {names}',
  NOT_ANALYSED: 'Noch nicht analysiert: {names}',
  NOT_LOADED: 'Nicht analysiert oder nicht geladen: {names}',
  PICTURES_NOT_LOADED: 'Bilder nicht analysiert oder nicht geladen: {names}',
  TRANSCRIPT_NOT_LOADED: 'Nicht transkribiert, oder das Transkript ist nicht geladen: {names}',
  FILE_GONE: 'Nicht mehr am bekannten Ort: {names}',
  FILE_CHANGED: 'Seit der Analyse geändert und neu zu analysieren: {names}',
  ANALYSIS_DAMAGED: 'Die Analyse ist beschädigt; bitte neu analysieren: {names}',
  TRANSCRIPT_DAMAGED: 'Das Transkript ist beschädigt; bitte neu transkribieren: {names}',
  TEXT_DAMAGED: 'Der erkannte Text ist beschädigt; bitte neu analysieren: {names}',
  OLDER_MODEL: 'Mit einer älteren Version des Modells analysiert; bitte neu analysieren: {names}',
  NO_PREVIEW: '{count} Treffer ohne Vorschaubild',
  PREVIEWS_LEFT_OUT:
    '{count} Vorschaubild passte nicht in die Antwort|{count} Vorschaubilder passten nicht in die Antwort',
  NOTHING_TRANSCRIBED: 'Noch ist nichts transkribiert',
  NOTHING_READ: 'In den Bildern wurde noch kein Text erkannt',
  PICTURES_NOT_SEARCHED: 'Bilder wurden nicht durchsucht: {reason}',
  SPEECH_NOT_SEARCHED: 'Gesagtes wurde nicht durchsucht: {reason}',
  PEOPLE_NOT_SEARCHED: 'Personen wurden nicht durchsucht: {reason}',
  TEXT_NOT_SEARCHED: 'Gedruckte Wörter wurden nicht durchsucht: {reason}',
};

/** English of the page: a button does what commands do, and a heading says that nothing was found. */
const englishWords: Partial<Readonly<Record<NoteCode, string>>> = {
  PARTLY_UNDERSTOOD: 'Weak: pictures were searched for {words} alone; not understood: {others}',
  NOT_UNDERSTOOD: 'Not understood in pictures: {words}',
  FOUND_ROUGHLY: 'Found only roughly, along with many false matches: {words}',
  NOTHING_FOUND: 'Searched: {kinds}',
};

const kindWords: Readonly<Record<SearchedKind, Words>> = {
  seen: ['pictures', 'Bilder'],
  said: ['what is said', 'Gesagtes'],
  person: ['the people who have names', 'benannte Personen'],
  name: ['names', 'Namen'],
  written: ['printed words', 'gedruckte Wörter'],
};

/** False for a note on files that are away, none of which is among the `paths` that are shown. */
export function concerns({ code, values: { names = [] } }: Note, paths: ReadonlySet<string>): boolean {
  return code !== 'FILE_GONE' || names.some((path) => paths.has(path));
}

export function noteText({ code, text, values }: Note): string {
  const { language } = get();
  const template = language === 'en' ? englishWords[code] : noteWords[code];
  if (template === undefined) return text;
  const { names = [], count = names.length, reason = '', message = '' } = values;
  const more = language === 'en' ? 'more' : 'weitere';
  const and = language === 'en' ? 'and' : 'und';
  const remainder = count > names.length ? ` ${and} ${count - names.length} ${more}` : '';
  const quoted = (all: readonly string[]) =>
    all.map((word) => t(searchWords.quoted, { text: word })).join(', ');
  const said = {
    ...{ total: values.total ?? 0, model_key: values.model_key ?? '' },
    ...{ count, n: count, reason: named(errorWords, reason, message) },
    names: names.join(', ') + remainder,
    words: quoted(names) + (code === 'PARTLY_UNDERSTOOD' || code === 'NOTHING_SEEN' ? '' : remainder),
    others: quoted(values.words ?? []),
    kinds: listText(names.map((kind) => named(kindWords, kind))),
  };
  return filled(template, said, language);
}

/** Joins the parts in the style of the language: "a, b and c". */
export function listText(parts: readonly string[]): string {
  return new Intl.ListFormat(get().language, { type: 'conjunction' }).format(parts);
}

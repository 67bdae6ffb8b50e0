// What a search tells beside its matches, by its code. English is said by the service itself.
import type { Note, NoteCode } from '../../../../actors/search/notes/contract.ts';
import { get } from '../store.ts';
import { clock } from '../times.ts';
import { filled, named } from '../words.ts';
import { errorWords } from './errors.ts';

/** German. `{words}` are the names of the note in quotation marks. */
const noteWords: Readonly<Record<NoteCode, string>> = {
  PARTLY_UNDERSTOOD: 'Unsicher: nur nach {words} geordnet, {count} von {total} Wörtern der Suche',
  NOT_UNDERSTOOD: '{model_key} versteht nicht: {words}',
  SMALL_VOCABULARY:
    '{model_key} erkennt Farben und wo im Bild sie sind, Licht, Strukturen, Bildaufteilung und einfache Szenen, aber keine Gegenstände, Personen oder Handlungen',
  FOUND_ROUGHLY: '{model_key} findet das nur ungefähr, mit vielen falschen Treffern: {words}',
  HOW_TO_FIND: 'So wird es gefunden: {names}',
  OTHER_MODEL: 'Das Modell {model_key} ließ sich nicht laden; gesucht wurde mit dem Standardmodell',
  PARTS_AWAY:
    'Filmmaterial von {time} Länge wurde nicht durchsucht: die Rechner, auf denen es liegt, antworten nicht',
  FILTER_IGNORED: 'Nicht gefiltert wurde nach Merkmalen, die es nicht mehr gibt: {names}',
  NOTHING_TO_LOOK_FOR: 'Die Suche enthält nichts, wonach das Bildmodell suchen kann',
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

export function noteText({ code, text, values }: Note): string {
  if (get().language === 'en') return text;
  const { names = [], count = names.length, seconds = 0, reason = '', message = '', ...others } = values;
  const rest = count > names.length ? ` und ${count - names.length} weitere` : '';
  const said = {
    ...{ ...others, count, n: count, time: clock(seconds), reason: named(errorWords, reason, message) },
    names: names.join(', ') + rest,
    words: names.map((word) => `„${word}“`).join(', ') + rest,
  };
  return filled(noteWords[code], said, 'de');
}

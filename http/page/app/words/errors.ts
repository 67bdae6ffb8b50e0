// Messages for errors of the service by their code; the English phrases are those of the service.
import { get } from '../store.ts';
import { t, type Words } from '../words.ts';

export const errorWords: Readonly<Record<string, Words>> = {
  INTERNAL: ['Internal error', 'Interner Fehler'],
  BUSY: ['The mailbox of the actor is full', 'Der Dienst ist ausgelastet'],
  STOPPING: ['The engine is stopping', 'Der Dienst wird beendet'],
  INVALID_REQUEST: ['Invalid request', 'Ungültige Anfrage'],

  FILE_NOT_FOUND: ['File not found', 'Datei nicht gefunden'],
  FILE_EMPTY: ['The file is empty', 'Die Datei ist leer'],
  FILE_UNREADABLE: ['The file cannot be opened', 'Die Datei lässt sich nicht öffnen'],
  FILE_CHANGED: [
    'The file changed while it was being read',
    'Die Datei wurde geändert, während sie gelesen wurde',
  ],
  NOT_MEDIA: ['The file is not a film, picture or sound', 'Die Datei ist weder Film noch Bild noch Ton'],
  NO_PICTURE: ['The file has no picture', 'Die Datei hat kein Bild'],
  NO_SOUND: ['The file has no sound', 'Die Datei hat keinen Ton'],
  UNSUPPORTED_CODEC: ['The codec of the file is not supported', 'Der Codec der Datei wird nicht unterstützt'],
  DECODE_FAILED: ['The pictures cannot be decoded', 'Die Bilder lassen sich nicht decodieren'],
  SUBTITLES_INVALID: ['The subtitles cannot be read', 'Die Untertitel lassen sich nicht lesen'],
  TOO_LARGE: [
    'The picture, the index of the film, or the number of its streams is too large',
    'Das Bild, der Index des Films oder die Zahl seiner Spuren ist zu groß',
  ],
  TOO_SLOW: ['The file cannot be opened in time', 'Die Datei lässt sich nicht rechtzeitig öffnen'],
  INCOMPLETE: ['Most of the file is missing', 'Der größte Teil der Datei fehlt'],
  QUARANTINED: [
    'The file crashed or hung the engine twice and is now skipped',
    'An der Datei ist der Dienst zweimal gescheitert; sie wird ausgelassen',
  ],
  MEDIA_GONE: ['The media file is not at its known path', 'Die Datei ist nicht mehr dort, wo sie war'],
  MEDIA_UNKNOWN: ['The media is not in the analysis folder', 'Die Datei ist nicht im Bestand'],
  MEDIA_IN_WORK: ['The media is being analysed', 'Die Datei wird gerade analysiert'],
  IN_WORK: ['A task is working on this media', 'Eine Aufgabe arbeitet an dieser Datei'],
  NO_VALID_MEDIA: ['No valid media supplied', 'Keine der Dateien ist brauchbar'],
  NO_FILES: ['No media files were found', 'Keine Medien gefunden'],
  ALL_FAILED: ['Every file of the task failed', 'Keine Datei der Aufgabe ist gelungen'],

  FOLDER_GONE: ['Folder not found', 'Ordner nicht gefunden'],
  FOLDER_UNREADABLE: ['The folder cannot be read', 'Der Ordner lässt sich nicht lesen'],
  FOLDER_NOT_LISTED: ['The folder cannot be listed', 'Der Ordner lässt sich nicht auflisten'],
  FOLDER_AWAY: ['The watched folder cannot be reached', 'Der beobachtete Ordner ist nicht erreichbar'],
  ALREADY_WATCHED: ['The folder is already being watched', 'Der Ordner wird schon beobachtet'],
  WATCHED_ELSEWHERE: [
    'Another process is already watching the folders',
    'Ein anderer Prozess beobachtet die Ordner schon',
  ],
  STORE_FULL: ['The disk of the analysis folder is full', 'Der Datenträger des Analyseordners ist voll'],
  STORE_READ_ONLY: [
    'The analysis folder cannot be written',
    'In den Analyseordner lässt sich nicht schreiben',
  ],
  STORE_IN_USE: [
    'Another process is writing this analysis folder',
    'Ein anderer Prozess schreibt in diesen Analyseordner',
  ],
  STORE_UNAVAILABLE: ['The analysis folder cannot be opened', 'Der Analyseordner lässt sich nicht öffnen'],
  STORE_DAMAGED: ['The analysis folder is damaged', 'Der Analyseordner ist beschädigt'],

  TASK_UNKNOWN: ['Task not found', 'Aufgabe nicht gefunden'],
  TASK_RUNNING: ['The task is running', 'Die Aufgabe läuft'],
  TASK_RUNS: ['Another task is running', 'Eine andere Aufgabe läuft'],
  ANOTHER_TASK: ['Another task is active', 'Eine andere Aufgabe ist im Gange'],
  LINE_FULL: ['Too many tasks are queued', 'Zu viele Aufgaben warten'],
  SUMMARY_RUNNING: ['A summary is being generated', 'Eine Zusammenfassung entsteht gerade'],
  SUMMARY_NAME_TAKEN: [
    'The file already has a summary with this name',
    'Die Datei hat schon eine Zusammenfassung mit diesem Namen',
  ],
  UNKNOWN_SUMMARY: ['Summary not found', 'Zusammenfassung nicht gefunden'],

  NOT_LOADED: ['No analysis data is loaded', 'Es sind keine Analysedaten geladen'],
  NO_VISUAL_MODEL: ['No visual model is loaded', 'Es ist kein Bildmodell geladen'],
  MODELS_LOADING: ['Models are still loading', 'Die Modelle werden noch geladen'],
  MODEL_LOAD_FAILED: ['The model cannot be loaded', 'Das Modell lässt sich nicht laden'],
  MODEL_NOT_DOWNLOADED: ['The model is not downloaded', 'Das Modell ist nicht heruntergeladen'],
  MODELS_FOLDER_FULL: ['The disk of the models folder is full', 'Der Datenträger des Modellordners ist voll'],
  DOWNLOAD_FAILED: ['The file could not be downloaded', 'Die Datei konnte nicht heruntergeladen werden'],
  DOWNLOAD_REFUSED: ['The server refused to send the file', 'Der Server gibt die Datei nicht heraus'],
  NO_SPEECH_MODEL: [
    'No speech model is downloaded, and the file has no subtitles',
    'Es ist kein Sprachmodell heruntergeladen, und die Datei hat keine Untertitel',
  ],
  NO_FACE_MODEL: ['No face models are downloaded', 'Es sind keine Gesichtsmodelle heruntergeladen'],

  NOBODY_NAMED: ['The query names no known person', 'Die Suche nennt keine bekannte Person'],
  NOTHING_READ: ['No text has been recognized in pictures', 'In den Bildern wurde kein Text erkannt'],
  BAD_PICTURE: ['The picture cannot be read', 'Das Bild lässt sich nicht lesen'],
  NOTHING_TO_UNDO: ['There is no change to undo', 'Es gibt nichts zurückzunehmen'],
  UNKNOWN_PERSON: ['Person not found in the clustering', 'Person nicht gefunden'],
  NAME_OF_STRANGERS: [
    'Voices of different people cannot have the same name',
    'Stimmen verschiedener Personen können nicht denselben Namen haben',
  ],
  SEARCHES_FULL: ['There are too many saved searches', 'Es gibt zu viele gespeicherte Suchen'],
  LIST_UNKNOWN: ['List not found', 'Liste nicht gefunden'],
  LIST_CHANGED: [
    'The list has been changed since it was read',
    'Die Liste wurde geändert, nachdem sie gelesen wurde',
  ],
  LISTS_FULL: ['There are too many lists', 'Es gibt zu viele Listen'],
  CLIP_UNWRITABLE: ['The clip cannot be written', 'Der Clip lässt sich nicht schreiben'],
  OUTPUT_UNWRITABLE: ['The document cannot be written', 'Das Dokument lässt sich nicht schreiben'],
};

/** The phrase names the field: `Invalid folder_path`. */
const invalidValue: Words = ['Invalid value', 'Ungültige Angabe'];

/**
 * Message of the service about a failure, in English. In another language it follows the kind of failure, if
 * a code or phrase of the table has it.
 */
export function failureText(said: string, kind: string): string {
  const message = withoutField(said);
  const translation =
    errorWords[kind] ??
    Object.values(errorWords).find(([phrase]) => phrase === kind) ??
    (/^Invalid \w+$/.test(kind) ? invalidValue : undefined);
  return translation && get().language !== 'en' ? `${t(translation)} (${message})` : message;
}

/**
 * Without the field of a request that it begins with, `output_dir: …`, which a person on the page did not
 * fill in.
 */
function withoutField(message: string): string {
  const [start = ''] =
    /^([a-z_]+(\[\d+\])?\.)?[a-z]+(_[a-z]+)+(\[\d+\])?(: | (?=[/\\]|[a-z]:))/i.exec(message) ?? [];
  if (start === '') return message;
  const detail = message.slice(start.length);
  return detail.slice(0, 1).toUpperCase() + detail.slice(1);
}

// Words of the library: folders, files, and what is done with them.
import type { Words } from './pair.ts';

export const library = {
  parts: ['Sections of the library', 'Bereiche des Bestands'],
  files: ['Files', 'Dateien'],
  tasks: ['Tasks', 'Aufgaben'],
  watch: ['Watch folders', 'Beobachtete Ordner'],
  disk: ['Disk', 'Speicher'],

  roots: ['Start', 'Start'],
  where: ['Current folder', 'Aktueller Ordner'],
  list: ['Folders and files', 'Ordner und Dateien'],
  name: ['Name', 'Name'],
  picture: ['Pictures', 'Bild'],
  speech: ['Speech', 'Sprache'],
  faces: ['Faces', 'Gesichter'],
  facesDone: ['searched', 'gesucht'],
  summaries: ['Summaries', 'Texte'],
  size: ['Size', 'Größe'],
  none: ['–', '–'],
  analysed: ['{n} file analysed|{n} files analysed', '{n} Datei analysiert|{n} Dateien analysiert'],
  notAnalysed: ['Not analysed yet', 'Noch nicht analysiert'],
  failed: ['Failed: {error}', 'Fehlgeschlagen: {error}'],
  choose: ['Select {name}', '{name} auswählen'],
  chooseAll: ['Select all', 'Alle auswählen'],
  chosen: ['{n} selected', '{n} ausgewählt'],
  total: ['{n} entry|{n} entries', '{n} Eintrag|{n} Einträge'],
  clear: ['Clear selection', 'Auswahl aufheben'],
  open: ['Open in the player', 'Im Player öffnen'],
  openFolder: ['Open the folder', 'Ordner öffnen'],
  up: ['Folder above', 'Ordner darüber'],
  refresh: ['Refresh', 'Neu lesen'],
  forget: ['Forget …', 'Vergessen …'],
  gone: [
    '{n} analysed file is no longer here|{n} analysed files are no longer here',
    '{n} analysierte Datei ist nicht mehr hier|{n} analysierte Dateien sind nicht mehr hier',
  ],
  goneHow: [
    'Deleted, moved, or on a drive that is not connected. Their analyses can still be searched, and their previews are shown.',
    'Gelöscht, verschoben oder auf einem nicht angeschlossenen Laufwerk. Ihre Analysen lassen sich weiter durchsuchen, gezeigt werden Vorschaubilder.',
  ],
  toGone: ['Forget missing files …', 'Fehlende Dateien vergessen …'],
  openGone: ['Open in the player: {name}', 'Im Player öffnen: {name}'],
  analyse: ['Analyse …', 'Analysieren …'],
  emptyFolder: [
    'This folder has no subfolders and no media',
    'Dieser Ordner enthält keine Unterordner und keine Medien',
  ],
  emptyFolderHow: [
    'Hidden files and files that are not video, audio or pictures are not listed.',
    'Versteckte Dateien und Dateien, die weder Film noch Ton noch Bild sind, werden nicht aufgeführt.',
  ],

  path: [
    'Path of a file or folder, on the machine of the service',
    'Pfad einer Datei oder eines Ordners, auf dem Rechner des Dienstes',
  ],
  pathHint: ['Paste the path of a file or folder', 'Pfad einer Datei oder eines Ordners einfügen'],
  show: ['Show', 'Zeigen'],
  watchThis: ['Watch …', 'Beobachten …'],
  badPath: [
    'Enter a full path, such as /media/films or D:\\Films.',
    'Geben Sie einen vollständigen Pfad ein, etwa /media/filme oder D:\\Filme.',
  ],
  dropHere: ['Drop it to see how its path is found', 'Ablegen, um zu sehen, wie ihr Pfad gefunden wird'],
  dropped: ['“{name}” stays where it is', '„{name}“ bleibt, wo es ist'],
  droppedWhy: [
    'Browsers do not reveal the path of a dropped file, and framehound reads files in place instead of copying them. Copy the path and paste it here:',
    'Browser verraten den Pfad einer abgelegten Datei nicht, und framehound liest Dateien dort, wo sie liegen, statt sie zu kopieren. Kopieren Sie den Pfad und fügen Sie ihn hier ein:',
  ],
  droppedMac: [
    'macOS: choose it in the Finder and press ⌥ ⌘ C',
    'macOS: im Finder auswählen und ⌥ ⌘ C drücken',
  ],
  droppedWindows: [
    'Windows: choose it in the Explorer and press Ctrl Shift C',
    'Windows: im Explorer auswählen und Strg Umschalt C drücken',
  ],
  droppedLinux: [
    'Linux: choose it in the file manager, press Ctrl C, then Ctrl V here',
    'Linux: im Dateimanager auswählen, Strg C drücken, dann hier Strg V',
  ],

  guide: ['Nothing has been analysed yet. To get started:', 'Noch ist nichts analysiert. So fangen Sie an:'],
  guideOpen: [
    'Open a folder with films, sound or stills below, or paste its path above.',
    'Öffnen Sie unten einen Ordner mit Filmen, Ton oder Bildern, oder fügen Sie oben seinen Pfad ein.',
  ],
  guideChoose: [
    'Select files or whole folders and choose “Analyse”. A few minutes of film are enough for a first impression.',
    'Wählen Sie Dateien oder ganze Ordner aus und klicken Sie auf „Analysieren“. Ein paar Minuten Film reichen für einen ersten Eindruck.',
  ],
  guideSearch: [
    'You can search while the analysis runs; finished files are found.',
    'Sie können schon während der Analyse suchen; fertige Dateien werden gefunden.',
  ],
  guideModels: [
    'What the built-in models can and cannot do',
    'Was die mitgelieferten Modelle können und was nicht',
  ],
  guideSamples: [
    'No footage at hand? This command creates a small sample library and opens the page on it:',
    'Kein Material zur Hand? Dieser Befehl legt einen kleinen Beispielbestand an und öffnet die Seite darauf:',
  ],

  analyseTitle: ['Analyse', 'Analysieren'],
  looking: ['Looking for media: {n} so far …', 'Medien werden gesucht: bisher {n} …'],
  video: ['{n} film|{n} films', '{n} Film|{n} Filme'],
  audio: ['{n} sound file|{n} sound files', '{n} Tondatei|{n} Tondateien'],
  image: ['{n} still|{n} stills', '{n} Bild|{n} Bilder'],
  noMedia: ['No media were found there.', 'Dort wurden keine Medien gefunden.'],
  cut: ['Only the first {n} are taken in one go.', 'Auf einmal werden nur die ersten {n} genommen.'],
  unreadable: [
    '{n} folder cannot be read: {path}|{n} folders cannot be read, {path} among them',
    '{n} Ordner kann nicht gelesen werden: {path}|{n} Ordner können nicht gelesen werden, darunter {path}',
  ],
  wishPicture: [
    'Pictures: find moments by what is seen, by {model}',
    'Bild: Momente nach dem finden, was zu sehen ist, mit {model}',
  ],
  wishSpeech: ['Speech: transcribe who says what', 'Sprache: aufschreiben, wer was sagt'],
  wishFaces: [
    'Faces: find faces and group them into people',
    'Gesichter: Gesichter finden und nach Personen gruppieren',
  ],
  wishSummary: [
    'Summaries: chapters and texts of films and sound',
    'Zusammenfassungen: Kapitel und Texte von Filmen und Ton',
  ],
  language: ['Spoken language', 'Gesprochene Sprache'],
  languageHow: ['A name or code; “auto” detects it', 'Name oder Kürzel; „auto“ erkennt sie'],
  onlySubtitles: [
    'No speech model is downloaded: only subtitles in or beside the files are read.',
    'Kein Sprachmodell ist geladen: nur Untertitel in oder neben den Dateien werden gelesen.',
  ],
  people: ['Name of the group of people', 'Name der Personengruppe'],
  peopleHow: [
    'Faces of one name are compared with each other',
    'Gesichter unter einem Namen werden miteinander verglichen',
  ],
  noFaceModel: ['Faces need two models.', 'Für Gesichter sind zwei Modelle nötig.'],
  noSight: [
    'Things and printed words are not searched for: their models are not downloaded.',
    'Nach Dingen und gedruckten Wörtern wird nicht gesucht: ihre Modelle sind nicht geladen.',
  ],
  templates: [
    'Without a language model, texts are made from templates.',
    'Ohne Textmodell entstehen die Texte aus Vorlagen.',
  ],
  again: ['Repeat work that is already stored', 'Bereits Gespeichertes wiederholen'],
  toSettings: ['Models in the settings', 'Modelle in den Einstellungen'],
  willStop: [
    'An analysis is running ({progress} %). Only one can run at a time, so this one would stop it. Finished work is kept, and it can be resumed afterwards.',
    'Eine Analyse läuft ({progress} %). Es kann nur eine zugleich laufen; diese würde sie anhalten. Was fertig ist, bleibt erhalten, und sie lässt sich danach fortsetzen.',
  ],
  start: ['Analyse', 'Analysieren'],
  stopAndStart: ['Stop it and analyse', 'Anhalten und analysieren'],
  starting: ['Checking …', 'Wird geprüft …'],
  started: ['The analysis has started', 'Die Analyse hat begonnen'],
  showTasks: ['Show', 'Zeigen'],
  nothingToDo: [
    'None of the selected work applies to these files.',
    'Nichts von der Auswahl passt zu diesen Dateien.',
  ],

  forgetTitle: ['Forget analyses', 'Analysen vergessen'],
  forgetLooking: ['Checking what is stored …', 'Gespeichertes wird ermittelt …'],
  forgetSure: [
    'The analysis of {n} file will be deleted. The file itself is not touched.|The analyses of {n} files will be deleted. The files themselves are not touched.',
    'Die Analyse von {n} Datei wird gelöscht. Die Datei selbst bleibt unberührt.|Die Analysen von {n} Dateien werden gelöscht. Die Dateien selbst bleiben unberührt.',
  ],
  forgetFrames: ['{n} second of pictures|{n} seconds of pictures', '{n} Sekunde Bild|{n} Sekunden Bild'],
  forgetTranscripts: ['{n} transcript|{n} transcripts', '{n} Transkript|{n} Transkripte'],
  forgetFaces: ['{n} face|{n} faces', '{n} Gesicht|{n} Gesichter'],
  forgetSummaries: ['{n} summary|{n} summaries', '{n} Zusammenfassung|{n} Zusammenfassungen'],
  forgetPreviews: ['{size} of previews', '{size} Vorschaubilder'],
  forgetCopies: [
    'Copies with the same content are forgotten too.',
    'Kopien mit demselben Inhalt werden ebenfalls vergessen.',
  ],
  clusteringsGone: ['People groups that will be empty: {names}', 'Personengruppen, die leer werden: {names}'],
  moreMedia: ['and {n} more', 'und {n} weitere'],
  forgetDo: ['Forget', 'Vergessen'],
  forgotten: [
    '{n} analysis forgotten|{n} analyses forgotten',
    '{n} Analyse vergessen|{n} Analysen vergessen',
  ],
  nothingToForget: ['Nothing is stored for these files.', 'Für diese Dateien ist nichts gespeichert.'],
} as const satisfies Record<string, Words>;

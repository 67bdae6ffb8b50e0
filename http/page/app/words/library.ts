// Words of the library: folders, files, and what is done with them.
import type { Words } from './pair.ts';

export const library = {
  parts: ['Parts of the library', 'Teile des Bestands'],
  files: ['Files', 'Dateien'],
  tasks: ['Tasks', 'Aufgaben'],
  watch: ['Watch folders', 'Beobachtete Ordner'],
  disk: ['Disk', 'Speicher'],

  roots: ['Start', 'Start'],
  where: ['Where you are', 'Wo Sie sind'],
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
  notAnalysed: ['Nothing of it is analysed yet', 'Noch nichts davon ist analysiert'],
  failed: ['Failed: {error}', 'Fehlgeschlagen: {error}'],
  choose: ['Choose {name}', '{name} auswählen'],
  chooseAll: ['Choose all', 'Alle auswählen'],
  chosen: ['{n} chosen', '{n} ausgewählt'],
  total: ['{n} entry|{n} entries', '{n} Eintrag|{n} Einträge'],
  clear: ['Choose none', 'Auswahl aufheben'],
  open: ['Open in the player', 'Im Player öffnen'],
  openFolder: ['Open the folder', 'Ordner öffnen'],
  up: ['Folder above', 'Ordner darüber'],
  refresh: ['Read again', 'Neu lesen'],
  forget: ['Forget …', 'Vergessen …'],
  gone: [
    '{n} known file does not lie here any more|{n} known files do not lie here any more',
    '{n} bekannte Datei liegt nicht mehr hier|{n} bekannte Dateien liegen nicht mehr hier',
  ],
  goneHow: [
    'Deleted, moved, or on a drive that is away. What is stored of them is still found, and seen by its previews.',
    'Gelöscht, verschoben oder auf einem Laufwerk, das fehlt. Was von ihnen gespeichert ist, wird noch gefunden und mit Vorschaubildern gezeigt.',
  ],
  toGone: ['Forget what is gone …', 'Verschwundenes vergessen …'],
  openGone: ['Open in the player: {name}', 'Im Player öffnen: {name}'],
  analyse: ['Analyse …', 'Analysieren …'],
  emptyFolder: ['No folders and no media lie here', 'Hier liegen keine Ordner und keine Medien'],
  emptyFolderHow: [
    'Hidden names and files that are no film, sound or picture are left out.',
    'Verborgene Namen und Dateien, die kein Film, Ton oder Bild sind, fehlen hier.',
  ],

  path: [
    'Path of a file or folder, on the machine of the service',
    'Pfad einer Datei oder eines Ordners, auf dem Rechner des Dienstes',
  ],
  pathHint: ['Paste the path of a file or folder', 'Pfad einer Datei oder eines Ordners einfügen'],
  show: ['Show', 'Zeigen'],
  watchThis: ['Watch …', 'Beobachten …'],
  badPath: [
    'A whole path is needed, such as /media/films or D:\\Films.',
    'Ein vollständiger Pfad ist nötig, etwa /media/filme oder D:\\Filme.',
  ],
  dropHere: ['Drop it to see how its path is found', 'Ablegen, um zu sehen, wie ihr Pfad gefunden wird'],
  dropped: ['“{name}” stays where it is', '„{name}“ bleibt, wo es ist'],
  droppedWhy: [
    'A browser tells no page where a dropped file lies, and framehound reads files where they are instead of copying them. Copy the path and paste it here:',
    'Ein Browser sagt keiner Seite, wo eine abgelegte Datei liegt, und framehound liest Dateien an ihrem Ort, statt sie zu kopieren. Kopieren Sie den Pfad und fügen Sie ihn hier ein:',
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

  guide: ['Nothing is analysed yet. This is how to begin:', 'Noch ist nichts analysiert. So fangen Sie an:'],
  guideOpen: [
    'Open a folder with films, sound or stills below, or paste its path above.',
    'Öffnen Sie unten einen Ordner mit Filmen, Ton oder Bildern, oder fügen Sie oben seinen Pfad ein.',
  ],
  guideChoose: [
    'Choose files or whole folders, and press “Analyse”. A few minutes of film are enough to see what it does.',
    'Wählen Sie Dateien oder ganze Ordner und drücken Sie „Analysieren“. Ein paar Minuten Film reichen, um zu sehen, was geschieht.',
  ],
  guideSearch: [
    'Search while it goes on; what is finished is found.',
    'Suchen Sie schon währenddessen; was fertig ist, wird gefunden.',
  ],
  guideModels: [
    'What the models that came with it can and cannot see',
    'Was die mitgelieferten Modelle sehen und was nicht',
  ],
  guideSamples: [
    'No footage at hand? This command draws a small sample library, and the page opens on it:',
    'Kein Material zur Hand? Dieser Befehl zeichnet einen kleinen Beispielbestand, und die Seite öffnet sich darauf:',
  ],

  analyseTitle: ['Analyse', 'Analysieren'],
  looking: ['Looking for media: {n} so far …', 'Medien werden gesucht: bisher {n} …'],
  video: ['{n} film|{n} films', '{n} Film|{n} Filme'],
  audio: ['{n} sound file|{n} sound files', '{n} Tondatei|{n} Tondateien'],
  image: ['{n} still|{n} stills', '{n} Bild|{n} Bilder'],
  noMedia: ['No film, sound or picture lies there.', 'Dort liegt kein Film, kein Ton und kein Bild.'],
  cut: ['Only the first {n} are taken at once.', 'Auf einmal werden nur die ersten {n} genommen.'],
  unreadable: [
    '{n} folder cannot be read: {path}|{n} folders cannot be read, {path} among them',
    '{n} Ordner kann nicht gelesen werden: {path}|{n} Ordner können nicht gelesen werden, darunter {path}',
  ],
  wishPicture: [
    'Pictures: find moments by what is seen, by {model}',
    'Bild: Momente nach dem finden, was zu sehen ist, mit {model}',
  ],
  wishSpeech: ['Speech: write down who says what', 'Sprache: aufschreiben, wer was sagt'],
  wishFaces: ['Faces: find people, and group them', 'Gesichter: Personen finden und gruppieren'],
  wishSummary: [
    'Summaries: chapters and texts of films and sound',
    'Zusammenfassungen: Kapitel und Texte von Filmen und Ton',
  ],
  language: ['Spoken language', 'Gesprochene Sprache'],
  languageHow: ['A name or a code; “auto” finds out', 'Ein Name oder Kürzel; „auto“ findet es heraus'],
  onlySubtitles: [
    'No speech model is downloaded: only subtitles in or beside the files are read.',
    'Kein Sprachmodell ist geladen: nur Untertitel in oder neben den Dateien werden gelesen.',
  ],
  people: ['Name of the group of people', 'Name der Personengruppe'],
  peopleHow: [
    'Faces of one name are compared with each other',
    'Gesichter unter einem Namen werden miteinander verglichen',
  ],
  noFaceModel: ['Two models are needed for faces.', 'Für Gesichter sind zwei Modelle nötig.'],
  noSight: [
    'Things and printed words are not looked for: their models are not downloaded.',
    'Nach Dingen und gedruckten Wörtern wird nicht gesucht: ihre Modelle sind nicht geladen.',
  ],
  templates: [
    'Without a language model the texts come from templates.',
    'Ohne Sprachmodell für Texte kommen sie aus Vorlagen.',
  ],
  again: ['Do what is stored already once more', 'Auch Gespeichertes noch einmal machen'],
  toSettings: ['Models in the settings', 'Modelle in den Einstellungen'],
  willStop: [
    'An analysis is running ({progress} %). Only one runs at a time: this one would stop it. What it has finished is kept, and it can be resumed afterwards.',
    'Eine Analyse läuft ({progress} %). Nur eine läuft zugleich: diese würde sie anhalten. Was fertig ist, bleibt, und sie kann danach fortgesetzt werden.',
  ],
  start: ['Analyse', 'Analysieren'],
  stopAndStart: ['Stop it and analyse', 'Anhalten und analysieren'],
  starting: ['Checking …', 'Wird geprüft …'],
  started: ['The analysis has started', 'Die Analyse hat begonnen'],
  showTasks: ['Show', 'Zeigen'],
  nothingToDo: [
    'Nothing of what is chosen fits these files.',
    'Nichts vom Gewählten passt zu diesen Dateien.',
  ],

  forgetTitle: ['Forget analyses', 'Analysen vergessen'],
  forgetLooking: ['Looking up what is stored …', 'Es wird nachgesehen, was gespeichert ist …'],
  forgetSure: [
    'The analysis of {n} medium would go. The file itself is not touched.|The analyses of {n} media would go. The files themselves are not touched.',
    'Die Analyse von {n} Medium würde gelöscht. Die Datei selbst bleibt unberührt.|Die Analysen von {n} Medien würden gelöscht. Die Dateien selbst bleiben unberührt.',
  ],
  forgetFrames: ['{n} second of pictures|{n} seconds of pictures', '{n} Sekunde Bild|{n} Sekunden Bild'],
  forgetTranscripts: ['{n} transcript|{n} transcripts', '{n} Transkript|{n} Transkripte'],
  forgetFaces: ['{n} face|{n} faces', '{n} Gesicht|{n} Gesichter'],
  forgetSummaries: ['{n} summary|{n} summaries', '{n} Zusammenfassung|{n} Zusammenfassungen'],
  forgetPreviews: ['{size} of previews', '{size} Vorschaubilder'],
  forgetCopies: ['Copies of the same content go with them.', 'Kopien desselben Inhalts gehen mit.'],
  clusteringsGone: [
    'Groups of people of which nothing is left: {names}',
    'Personengruppen, von denen nichts bleibt: {names}',
  ],
  moreMedia: ['and {n} more', 'und {n} weitere'],
  forgetDo: ['Forget', 'Vergessen'],
  forgotten: [
    '{n} analysis is forgotten|{n} analyses are forgotten',
    '{n} Analyse ist vergessen|{n} Analysen sind vergessen',
  ],
  nothingToForget: ['Nothing is stored of these.', 'Davon ist nichts gespeichert.'],
} as const satisfies Record<string, Words>;

// Words of the settings.
import type { Words } from '../words.ts';

export const settings = {
  starter: ['What works without a download', 'Was ohne Download geht'],
  starterHow: [
    'framehound comes with small models of its own. They are fast, run offline, and say which words they do not understand.',
    'framehound bringt kleine eigene Modelle mit. Sie sind schnell, laufen ohne Netz und melden Wörter, die sie nicht verstehen.',
  ],
  can: ['They can', 'Sie können'],
  cannot: ['They cannot', 'Sie können nicht'],
  canColours: [
    'Colours and where they are in the picture, light, texture, layout, simple scenes: “sunset”, “red, not blue”',
    'Farben und ihren Ort im Bild, Licht, Struktur, Aufbau, einfache Szenen: „Sonnenuntergang“, „rot, nicht blau“',
  ],
  canLike: [
    'Find a picture again, also cropped, recoloured or mirrored (first in 91 of 100 tries)',
    'Ein Bild wiederfinden, auch beschnitten, umgefärbt oder gespiegelt (in 91 von 100 Versuchen an erster Stelle)',
  ],
  canWords: [
    'Words it knows: the first match is right for 92 of 100 questions, for 68 among photographs alone',
    'Wörter, die es kennt: der erste Treffer stimmt bei 92 von 100 Fragen, bei 68 nur unter Fotos',
  ],
  canVoices: [
    'Read subtitles, and tell voices apart: in talks of 2 to 6 people the number is right in 80 of 100, and who speaks is wrong for 6 % of the time',
    'Untertitel lesen und Stimmen unterscheiden: in Gesprächen von 2 bis 6 Personen stimmt die Zahl in 80 von 100, und 6 % der Zeit ist falsch zugeordnet',
  ],
  cannotObjects: [
    'Things and printed words: these come with “Set up”. Actions and free descriptions: these need a visual model',
    'Dinge und gedruckte Wörter: die kommen mit „Einrichten“. Handlungen und freie Beschreibungen: dafür ist ein Bildmodell nötig',
  ],
  cannotSpeech: [
    'Transcribe speech: this needs a speech model',
    'Gesprochenes transkribieren: dafür ist ein Sprachmodell nötig',
  ],
  cannotFaces: [
    'Find faces: this needs two face models',
    'Gesichter finden: dafür sind zwei Gesichtsmodelle nötig',
  ],
  cannotTexts: [
    'Write free text: summaries are made from templates until a language model is downloaded',
    'Frei formulieren: Zusammenfassungen entstehen aus Vorlagen, bis ein Textmodell heruntergeladen ist',
  ],
  cannotSounds: [
    'Tell every sound from speech: 3.5 % of barking and 2.6 % of traffic is taken for speech',
    'Jedes Geräusch von Sprache unterscheiden: 3,5 % von Hundegebell und 2,6 % von Verkehr werden für Sprache gehalten',
  ],

  models: ['Models', 'Modelle'],
  modelsHow: [
    'Each model is downloaded once and verified. Everything runs on this machine.',
    'Jedes Modell wird einmal heruntergeladen und geprüft. Alles läuft auf diesem Rechner.',
  ],
  runsOn: ['{name} runs on {device}.', '{name} läuft auf {device}.'],
  processor: ['the processor', 'dem Prozessor'],
  visual: ['What is seen', 'Was zu sehen ist'],
  speech: ['What is said', 'Was gesagt wird'],
  faces: ['Faces', 'Gesichter'],
  sight: ['Things and printed words', 'Dinge und gedruckte Wörter'],
  summary: ['Summaries', 'Zusammenfassungen'],
  kindVoice: ['where somebody speaks', 'wo jemand spricht'],
  kindTurns: ['whose turn it is', 'wer an der Reihe ist'],
  kindSpeaker: ['whose voice', 'wessen Stimme'],
  kindDetector: ['where faces are', 'wo Gesichter sind'],
  kindEmbedder: ['whose faces', 'wessen Gesichter'],
  kindThings: ['things', 'Dinge'],
  kindWords: ['printed words', 'gedruckte Wörter'],
  kindSounds: ['music and singing', 'Musik und Gesang'],
  advised: ['Recommended', 'Empfohlen'],
  inUse: ['In use', 'In Gebrauch'],
  downloaded: ['Downloaded', 'Heruntergeladen'],
  partOfIt: ['Built in', 'Eingebaut'],
  multilingual: ['multilingual', 'mehrsprachig'],
  figures: [
    'speed {speed} of 5, accuracy {accuracy} of 5',
    'Tempo {speed} von 5, Genauigkeit {accuracy} von 5',
  ],
  license: ['licence {license}', 'Lizenz {license}'],
  testPassed: ['Self-test passed: {result}', 'Selbsttest bestanden: {result}'],
  testFailed: ['Self-test failed: {result}', 'Selbsttest nicht bestanden: {result}'],
  testNone: ['Not tested: {result}', 'Nicht getestet: {result}'],
  download: ['Download', 'Herunterladen'],
  downloadOf: ['Download {name}', '{name} herunterladen'],
  downloading: ['{got} of {all}', '{got} von {all}'],
  checking: ['Checking …', 'Wird geprüft …'],
  connecting: ['Connecting …', 'Verbindet …'],
  waiting: ['Waiting for the server …', 'Wartet auf den Server …'],
  cancelDownload: ['Cancel the download', 'Download abbrechen'],
  downloadFailed: ['{name} could not be downloaded', '{name} konnte nicht heruntergeladen werden'],
  byHand: [
    'You can put these files into {folder} yourself:',
    'Sie können diese Dateien selbst nach {folder} legen:',
  ],
  downloadDone: [
    '{name} is downloaded|{name} are downloaded',
    '{name} ist heruntergeladen|{name} sind heruntergeladen',
  ],
  use: ['Use', 'Verwenden'],
  useOf: ['Use {name}', '{name} verwenden'],
  loading: ['Loading {name} …', '{name} wird geladen …'],
  used: [
    '{name} is now in use. Footage has to be analysed again with it.',
    '{name} ist jetzt in Gebrauch. Das Material muss damit neu analysiert werden.',
  ],
  fellBack: ['{wanted} could not be loaded: {error}', '{wanted} konnte nicht geladen werden: {error}'],

  page: ['This page', 'Diese Seite'],
  language: ['Language', 'Sprache'],
  theme: ['Appearance', 'Darstellung'],
  system: ['System', 'Wie das System'],
  dark: ['Dark', 'Dunkel'],
  light: ['Light', 'Hell'],
  signedInKey: [
    'Signed in with a license key, in this tab only.',
    'Mit einem Lizenzschlüssel angemeldet, nur in diesem Tab.',
  ],
  signedInTicket: [
    'Signed in with a ticket, in this tab only.',
    'Mit einem Ticket angemeldet, nur in diesem Tab.',
  ],
  signedInBrowser: ['Signed in, in every tab of this browser.', 'Angemeldet, in jedem Tab dieses Browsers.'],
  signOut: ['Sign out', 'Abmelden'],

  settings: ['Settings of the service', 'Einstellungen des Dienstes'],
  settingsHow: [
    'Change them in config.json in the home folder, with environment variables or with command-line options; see npx framehound config.',
    'Ändern lassen sie sich in config.json im Heimordner, mit Umgebungsvariablen oder mit Optionen des Befehls; siehe npx framehound config.',
  ],
  setting: ['Setting', 'Einstellung'],
  value: ['Value', 'Wert'],
  source: ['From', 'Aus'],
  flag: ['option', 'Option'],
  environment: ['environment', 'Umgebung'],
  file: ['config.json', 'config.json'],
  default: ['default', 'Vorgabe'],
  yes: ['yes', 'ja'],
  no: ['no', 'nein'],
  unset: ['not set', 'nicht gesetzt'],
  onlyChanged: ['Only changed settings', 'Nur geänderte'],
  noneChanged: ['All settings have their defaults.', 'Alle Einstellungen haben ihre Vorgaben.'],
  folder: ['Analysis folder', 'Analyseordner'],
  machines: ['Machines of the cluster', 'Rechner des Verbunds'],
  machinesHow: [
    'Every machine has its own copy of the library. Jobs: {queued} waiting, {active} at work, {failed} given up.',
    'Jeder Rechner hat eine eigene Kopie der Bibliothek. Aufträge: {queued} warten, {active} in Arbeit, {failed} aufgegeben.',
  ],
  machine: ['Machine', 'Rechner'],
  machineRoles: ['Roles', 'Rollen'],
  machineState: ['State', 'Zustand'],
  machineWork: ['Working on', 'Arbeitet an'],
  machineUpToDate: ['up to date', 'auf dem neuesten Stand'],
  machineBehind: ['{n} change behind|{n} changes behind', '{n} Änderung zurück|{n} Änderungen zurück'],
  machineSilent: [
    'not seen for {n} second|not seen for {n} seconds',
    'seit {n} Sekunde nicht gesehen|seit {n} Sekunden nicht gesehen',
  ],
  machineDraining: ['takes no files', 'nimmt keine Dateien'],
} as const satisfies Record<string, Words>;

// Words of what is set up by a download.

export const setup = {
  open: ['Set up …', 'Einrichten …'],
  title: ['Set up', 'Einrichten'],
  how: [
    'Each is downloaded once and runs on this machine. It applies to everything analysed afterwards.',
    'Jedes Paket wird einmal heruntergeladen und läuft auf diesem Rechner. Es wirkt bei allem, was danach analysiert wird.',
  ],
  things: ['Things', 'Dinge'],
  thingsHow: [
    'Finds 80 kinds of things, such as cars, dogs and chairs.',
    'Findet 80 Arten von Dingen, etwa Autos, Hunde und Stühle.',
  ],
  words: ['Printed words', 'Gedruckte Wörter'],
  wordsHow: ['Reads text in pictures.', 'Liest Text in Bildern.'],
  'voice-detection': ['Voice detection', 'Stimmerkennung'],
  'voice-detectionHow': ['Finds where somebody speaks.', 'Findet, wo jemand spricht.'],
  faces: ['Faces', 'Gesichter'],
  facesHow: ['Finds faces and groups them into people.', 'Findet Gesichter und ordnet sie Personen zu.'],
  voices: ['Voices', 'Stimmen'],
  voicesHow: ['Tells speakers apart.', 'Unterscheidet, wer spricht.'],
  speech: ['Speech', 'Sprache'],
  speechHow: ['Transcribes what is said.', 'Transkribiert, was gesagt wird.'],
  descriptions: ['Any description', 'Beliebige Beschreibungen'],
  descriptionsHow: [
    'Finds pictures by free descriptions. Footage has to be analysed again with it.',
    'Findet Bilder nach freien Beschreibungen. Das Material muss damit neu analysiert werden.',
  ],
  larger: ['{name}, larger model', '{name}, größeres Modell'],
  unmeasured: ['not measured by this project', 'von diesem Projekt nicht gemessen'],
  licenses: ['Licence: {names}|Licences: {names}', 'Lizenz: {names}|Lizenzen: {names}'],
  download: ['Download {size}', '{size} herunterladen'],
  progress: ['Download', 'Download'],
  rate: ['{size}/s', '{size}/s'],
  remaining: ['{time} left', 'noch {time}'],
  more: ['All models', 'Alle Modelle'],
  toLibrary: ['Analyse in the library', 'Im Bestand analysieren'],
  model: ['Another model can find more.', 'Ein weiteres Modell kann mehr finden.'],
  analysis: [
    'A downloaded model can find it once the footage is analysed again.',
    'Ein heruntergeladenes Modell kann es finden, sobald das Material erneut analysiert ist.',
  ],
  samples: [
    'No footage at hand? These commands create a small sample library and open the page on it:',
    'Kein Material zur Hand? Diese Befehle legen einen kleinen Beispielbestand an und öffnen die Seite darauf:',
  ],
  lacking: [
    'Not set up yet: {what}. They can be searched once they are set up and the footage is analysed again.',
    'Noch nicht eingerichtet: {what}. Suchen lässt sich das, sobald es eingerichtet und das Material erneut analysiert ist.',
  ],
} as const satisfies Record<string, Words>;

/** Kinds of search that each set of models adds. */
export const searchable = {
  things: ['things', 'Dinge'],
  words: ['printed words', 'gedruckte Wörter'],
  faces: ['faces', 'Gesichter'],
  speech: ['what is said', 'Gesagtes'],
} as const satisfies Record<string, Words>;

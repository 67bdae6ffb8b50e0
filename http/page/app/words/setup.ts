// Words of what is set up by a download.
import type { Words } from './pair.ts';

export const setup = {
  open: ['Set up …', 'Einrichten …'],
  title: ['Set up', 'Einrichten'],
  how: [
    'Each is downloaded once and runs on this machine. What is analysed after that has it.',
    'Jedes Paket wird einmal heruntergeladen und läuft auf diesem Rechner. Es wirkt bei allem, was danach analysiert wird.',
  ],
  sight: ['Things and printed words', 'Dinge und gedruckte Wörter'],
  sightHow: [
    'Finds 80 kinds of things, such as cars, dogs and chairs, and reads what is written in pictures.',
    'Findet 80 Arten von Dingen, etwa Autos, Hunde und Stühle, und liest, was in Bildern geschrieben steht.',
  ],
  faces: ['Faces', 'Gesichter'],
  facesHow: ['Finds faces and groups them into people.', 'Findet Gesichter und ordnet sie Personen zu.'],
  speech: ['Speech', 'Sprache'],
  speechHow: ['Writes down what is said.', 'Schreibt auf, was gesagt wird.'],
  visual: ['Any description', 'Beliebige Beschreibungen'],
  visualHow: [
    'Finds pictures by free descriptions. The footage has to be analysed again by it.',
    'Findet Bilder nach freien Beschreibungen. Das Material muss damit neu analysiert werden.',
  ],
  licenses: ['Licence: {names}|Licences: {names}', 'Lizenz: {names}|Lizenzen: {names}'],
  download: ['Download {size}', '{size} herunterladen'],
  downloadOf: ['Download {size}: {name}', '{size} herunterladen: {name}'],
  more: ['All models', 'Alle Modelle'],
  toLibrary: ['Analyse in the library', 'Im Bestand analysieren'],
  model: ['Another model finds more.', 'Ein weiteres Modell findet mehr.'],
  analysis: [
    'A model that is there finds it once the footage is analysed again.',
    'Ein vorhandenes Modell findet es, sobald das Material noch einmal analysiert ist.',
  ],
  lacking: [
    'Things, printed words, faces or what is said can be searched once they are set up and the footage is analysed.',
    'Dinge, gedruckte Wörter, Gesichter oder Gesagtes lassen sich suchen, sobald sie eingerichtet sind und das Material analysiert ist.',
  ],
} as const satisfies Record<string, Words>;

// Words of what is set up by a download.
import type { Words } from './pair.ts';

export const setup = {
  open: ['Set up …', 'Einrichten …'],
  title: ['Set up', 'Einrichten'],
  how: [
    'Each is downloaded once and runs on this machine. It applies to everything analysed afterwards.',
    'Jedes Paket wird einmal heruntergeladen und läuft auf diesem Rechner. Es wirkt bei allem, was danach analysiert wird.',
  ],
  sight: ['Things and printed words', 'Dinge und gedruckte Wörter'],
  sightHow: [
    'Finds 80 kinds of things, such as cars, dogs and chairs, and reads text in pictures.',
    'Findet 80 Arten von Dingen, etwa Autos, Hunde und Stühle, und liest Text in Bildern.',
  ],
  faces: ['Faces', 'Gesichter'],
  facesHow: ['Finds faces and groups them into people.', 'Findet Gesichter und ordnet sie Personen zu.'],
  speech: ['Speech', 'Sprache'],
  speechHow: ['Transcribes what is said.', 'Transkribiert, was gesagt wird.'],
  visual: ['Any description', 'Beliebige Beschreibungen'],
  visualHow: [
    'Finds pictures by free descriptions. Footage has to be analysed again with it.',
    'Findet Bilder nach freien Beschreibungen. Das Material muss damit neu analysiert werden.',
  ],
  licenses: ['Licence: {names}|Licences: {names}', 'Lizenz: {names}|Lizenzen: {names}'],
  download: ['Download {size}', '{size} herunterladen'],
  downloadOf: ['Download {size}: {name}', '{size} herunterladen: {name}'],
  more: ['All models', 'Alle Modelle'],
  toLibrary: ['Analyse in the library', 'Im Bestand analysieren'],
  model: ['Another model can find more.', 'Ein weiteres Modell kann mehr finden.'],
  analysis: [
    'A downloaded model can find it once the footage is analysed again.',
    'Ein geladenes Modell kann es finden, sobald das Material erneut analysiert ist.',
  ],
  lacking: [
    'Things, printed words, faces or what is said can be searched once they are set up and the footage is analysed.',
    'Dinge, gedruckte Wörter, Gesichter oder Gesagtes lassen sich suchen, sobald sie eingerichtet sind und das Material analysiert ist.',
  ],
} as const satisfies Record<string, Words>;

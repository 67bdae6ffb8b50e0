// Films with texts for tests: vectors that show concepts of the lexicon in a made-up space, and all that is
// told of them.

import { knownConceptsSteps, lexicon } from '../../../../actors/summarizer/concepts/concepts.ts';
import { type FilmOptions, outlinedFilmSteps } from '../../../../actors/summarizer/facts/film.ts';
import { objectiveOf } from '../../../../actors/summarizer/objective.ts';
import type { PictureVectors, SummaryInputs } from '../../../../actors/summarizer/outline/summary-inputs.ts';
import { FilmTexts } from '../../../../actors/summarizer/statements/film-texts.ts';
import { atOnce } from '../../../../runtime/sync/checkpoint.ts';
import { seeded } from '../../../seeded.ts';
import { blend, direction } from '../outline/composed.ts';
import { withCuts } from '../outline/with-cuts.ts';

const outlinedFilm = (...request: Parameters<typeof outlinedFilmSteps>) =>
  atOnce(outlinedFilmSteps(...request));

const knownConcepts = (...request: Parameters<typeof knownConceptsSteps>) =>
  atOnce(knownConceptsSteps(...request));

/** Wide enough that concepts are nearly at right angles. */
const dimensions = 256;

function space() {
  const random = seeded(71);
  const concepts = lexicon.map(() => direction(dimensions, random));
  const film = direction(dimensions, random);
  const rows = (vectors: readonly Float64Array[]) => {
    const all = new Float32Array(vectors.length * dimensions);
    for (const [i, vector] of vectors.entries()) all.set(vector, i * dimensions);
    return all;
  };
  const phrases = lexicon.flatMap((concept, i) => concept.phrases.map(() => concepts[i]!));
  // Of a library most pictures show nothing of a concept.
  const library = Array.from({ length: 400 }, () =>
    blend([
      [film, 0.3],
      [direction(dimensions, random), 0.7],
    ]),
  );
  const made = { phrases: rows(phrases), pictures: rows(library) };
  return { concepts, film, rows, known: knownConcepts('some-model', dimensions, made, null) };
}
const { concepts, film, rows, known } = space();
export const someConcepts = known;

/** The vector of a concept. */
export function conceptVector(name: string): Float32Array {
  return Float32Array.from(concepts[numberOf(name)]!);
}

function numberOf(name: string): number {
  const number = lexicon.findIndex((concept) => concept.name === name);
  if (number < 0) throw new Error(`no concept "${name}"`);
  return number;
}

/** Pictures that show some concepts for some seconds each; without any, something that has no name. */
export function painted(
  shots: readonly (readonly [seconds: number, ...concepts: string[]])[],
): PictureVectors {
  const random = seeded(shots.length);
  const vectors = shots.flatMap(([seconds, ...names]) => {
    const shot = direction(dimensions, random);
    return Array.from({ length: seconds }, () =>
      blend([
        [film, 0.2],
        [shot, 0.2],
        [direction(dimensions, random), 0.1],
        ...names.map((name) => [concepts[numberOf(name)]!, 0.5 / names.length] as const),
      ]),
    );
  });
  return withCuts({ vectors: rows(vectors), dimensions, frames: vectors.map((_, i) => i) });
}

export function told(material: SummaryInputs, request: Partial<FilmOptions> = {}): FilmTexts {
  const whole: FilmOptions = {
    kind: material.pictures ? 'video' : 'audio',
    duration: material.seconds,
    hasSound: request.kind !== 'image',
    language: 'en',
    objective: objectiveOf('general_understanding'),
    instructions: '',
    instructionsVector: null,
    sights: { things: [], lines: [] },
    concepts: material.pictures?.dimensions === dimensions ? known : null,
    named: new Set(material.people.flatMap(({ person }) => (/^\d/.test(person) ? [] : [person]))),
    ...request,
  };
  return new FilmTexts(outlinedFilm(material, whole));
}

export const textsOf = (film: FilmTexts): string[] =>
  film.film.outline.nodes.map((node) => film.statementsOf(node).text);
export const rootText = (film: FilmTexts): string => film.statementsOf(film.film.root).text;

/** One segment after the other. `line`: `speaker: text`, or only text where nobody knows who speaks. */
export function spoken(lines: readonly string[], from = 0.5, each = 4) {
  return lines.map((line, i) => {
    const [, speaker, text] = /^(?:([\w ]+): )?(.*)$/su.exec(line)!;
    const start_seconds = from + i * each;
    return { start_seconds, end_seconds: start_seconds + each - 0.5, text: text!, speaker: speaker ?? null };
  });
}

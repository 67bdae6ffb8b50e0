import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { conceptPhrases, knownConcepts } from '../../../../actors/summarizer/concepts/known-concepts.ts';
import { lexicon } from '../../../../actors/summarizer/concepts/lexicon.ts';
import { openStarter, type Starter } from '../../models/starter/starter-model.ts';
import type { ComposedFilm } from '../outline/composed.ts';
import { drawnFilm, drawnFilms } from '../outline/drawn.ts';
import { rootText, textsOf, told } from './told.ts';

let starter: Starter;
let films: ComposedFilm[] = [];
before(async () => {
  starter = await openStarter();
  films = [];
  for (const film of drawnFilms) films.push(await drawnFilm(starter, film));
});
after(() => starter.close());

async function starterConcepts() {
  const { dimensions } = films[0]!.material.pictures!;
  const phrases = new Float32Array(conceptPhrases.length * dimensions);
  for (const [i, phrase] of conceptPhrases.entries()) phrases.set(await starter.text(phrase), i * dimensions);
  const pictures = Float32Array.from(films.flatMap(({ material }) => [...material.pictures!.vectors]));
  return knownConcepts('starter-visual-3', dimensions, { phrases, pictures }, null);
}

test('with the starter model drawn chapters are told by their places, colours and light, and by no things', async () => {
  const concepts = await starterConcepts();
  const made = films.map(({ material }) => told({ ...material, segments: null }, { concepts }));
  const chapters = made.map((film) =>
    film.film.outline.nodes.filter(({ level }) => level === 1).map((node) => film.told(node).text),
  );
  const [first] = chapters;
  assert.match(first![0]!, /a beach|the sea/i);
  assert.ok(
    first!.some((text) => /at night/i.test(text)),
    first!.join('\n'),
  );
  assert.ok(
    first!.some((text) => /a forest|green/i.test(text)),
    first!.join('\n'),
  );
  const all = made.flatMap(textsOf).join('\n');
  const things = lexicon.filter(({ group }) => ['people', 'actions', 'animals', 'vehicles'].includes(group));
  for (const name of ['mud', 'a rainbow', 'snow on the ground', 'a desert', ...things.map((own) => own.name)])
    assert.ok(!new RegExp(`(?<![\\w ])${name}(?!\\w)`).test(all), `${name} in ${all}`);
  const { hints } = made[0]!.told(made[0]!.film.root);
  assert.ok(hints.some(({ limitation }) => limitation.startsWith('starter-visual-3 tells colours')));
});

test('where the library is too small, nothing of pictures is named', async () => {
  const { vectors, background, model_key } = await starterConcepts();
  const concepts = { model_key, vectors, background: { ...background, pictures: 99 } };
  const film = told({ ...films[0]!.material, segments: null }, { concepts });
  assert.match(rootText(film), /What the pictures show is not named\./);
  const { hints } = film.told(film.film.root);
  assert.ok(hints.some(({ limitation }) => /not named: of 99 pictures in the library/.test(limitation)));
});

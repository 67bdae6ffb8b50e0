import assert from 'node:assert/strict';
import test from 'node:test';
import { presets, priorityHints } from '../../../actors/summarizer/contract.ts';
import {
  type Hint,
  highestScores,
  hintWeights,
  lookScore,
  type Objective,
  objectiveOf,
  type Preset,
  presetWeights,
  type Weights,
} from '../../../actors/summarizer/objective.ts';
import { type LookName, type LookValues, lookNames } from '../../../actors/summarizer/outline/looks.ts';
import {
  keySentences,
  type Sign,
  signNames,
  signsOf,
} from '../../../actors/summarizer/text/key-sentences.ts';

/** A sentence that bears one sign, has as many words as the others, and shares none with them. */
const said: Readonly<Record<Sign, string>> = {
  number: 'Plain marble tables cost 900 crowns',
  question: 'Whose wooden ladder stood behind barns?',
  name: 'Clever barbers visited Ottokar beside fountains',
  claim: 'Cheap curtains prove useful during breakfast',
  conflict: 'Angry bakers burned seven loaves carelessly',
  feeling: 'Lonely gardeners water purple tulips silently',
  humor: 'Funny teachers wear orange slippers outside',
  reveal: 'Suddenly copper kettles whistle under carpets',
  process: 'Press soft clay between warm fingers',
  outcome: 'Results arrive with slow brown envelopes',
  danger: 'Explosions shook grey chimneys before dawn',
  place: 'Quiet villages sleep below green hillsides',
  bond: 'Brothers carry heavy baskets towards noon',
  cheer: 'Crowds throw paper hats into puddles',
  rare: 'Unknown copies gather dust inside shelves',
};
const texts = signNames.map((sign) => said[sign]);
const sentences = texts.map((text, i) => ({
  text,
  start_seconds: i,
  end_seconds: i + 1,
  speaker: null,
  first: i,
  end: i + 1,
}));
const signsChosen = ({ signs }: Objective, count = 2): Sign[] =>
  keySentences(sentences, { count, language: 'en', signs }).map(({ sentence }) => signNames[sentence]!);

/** Ranges of which each has more of one look. */
const ranges: readonly LookValues[] = lookNames.map(
  (own) => Object.fromEntries(lookNames.map((look) => [look, look === own ? 0.95 : 0.45])) as LookValues,
);
/** Positions of the ranges that are wanted most. */
const wanted = (objective: Objective, count: number): number[] =>
  highestScores(
    ranges.map((looks) => lookScore(looks, objective)),
    count,
  );
const looksChosen = (objective: Objective, count = 2): LookName[] =>
  wanted(objective, count).map((range) => lookNames[range]!);

const strongest = <K extends string>(weights: Readonly<Partial<Record<K, number>>>): K | undefined =>
  (Object.entries(weights) as [K, number][]).sort(([, a], [, b]) => b - a)[0]?.[0];

/** The choice moves to what the weights want most, and away from what it was. */
function assertMoved(before: Objective, after: Objective, { signs, looks }: Weights, name: string): void {
  const [sign, look] = [strongest(signs), strongest(looks)];
  if (sign) {
    assert.ok(signsChosen(after).includes(sign), `${name}: ${signsChosen(after)} without ${sign}`);
    assert.notDeepEqual(signsChosen(after), signsChosen(before), name);
  }
  if (look) {
    assert.ok(looksChosen(after).includes(look), `${name}: ${looksChosen(after)} without ${look}`);
    assert.notDeepEqual(looksChosen(after), looksChosen(before), name);
  }
  assert.ok(sign || look, name);
}

test('each sentence bears its own sign and no other', () => {
  for (const sign of signNames) assert.deepEqual([...signsOf(said[sign], 'en')], [sign], said[sign]);
});

const general = objectiveOf('general_understanding');
for (const [name, own] of Object.entries(presetWeights)) {
  if (name === 'general_understanding' || name === 'custom') continue;
  test(`the preset ${name} moves the choice`, () => {
    assertMoved(general, objectiveOf(name as Preset), own, name);
  });
}
for (const [name, own] of Object.entries(hintWeights)) {
  test(`the hint ${name} moves the choice`, () => {
    assertMoved(general, objectiveOf('general_understanding', [name as Hint]), own, name);
    assertMoved(objectiveOf('custom'), objectiveOf('custom', [name as Hint]), own, `custom with ${name}`);
  });
}

test('the preset general_understanding chooses what is usual: figures and names', () => {
  assert.deepEqual(signsChosen(general), ['number', 'name']);
  assert.deepEqual(looksChosen(general), lookNames.slice(0, 2));
});

test('the preset custom chooses what its instruction names', () => {
  const { signs } = objectiveOf('custom');
  const about = (words: string) =>
    keySentences(sentences, { count: 1, language: 'en', signs, about: words }).map(
      ({ sentence }) => texts[sentence],
    );
  assert.deepEqual(about('find the tulips'), [said.feeling]);
  assert.deepEqual(about('where are hats?'), [said.cheer]);
});

test('no two presets want the same', () => {
  const wanted = Object.keys(presetWeights)
    .filter((name) => name !== 'custom')
    .map((name) => JSON.stringify(objectiveOf(name as Preset)));
  assert.equal(new Set(wanted).size, wanted.length);
});

test('a hint that is named twice counts once', () => {
  assert.deepEqual(objectiveOf('custom', ['humor', 'humor']), objectiveOf('custom', ['humor']));
});

test('there are weights for every preset and hint that a request may name, and for no other', () => {
  assert.deepEqual(Object.keys(presetWeights), [...presets]);
  assert.deepEqual(Object.keys(hintWeights), [...priorityHints]);
});

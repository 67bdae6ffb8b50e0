import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import {
  DIMENSIONS,
  type Feature,
  featureIndex,
  NEUTRAL,
  scales,
} from '../../../../../actors/models/starter/layout.ts';
import { queryVector } from '../../../../../actors/models/starter/query/vector.ts';
import { Canvas, Dice, ellipse, hsl, type Shape } from '../drawings/canvas.ts';
import * as places from '../drawings/places.ts';
import { colour } from '../drawings/things.ts';
import { dot, openStarter, type Starter } from '../starter-model.ts';

test('any text gives a vector of length 1 and unknown words that are in it', () => {
  const words = fc.constantFrom(
    'red',
    'dark',
    'not',
    'on a',
    'left',
    'mostly',
    'sea',
    'and',
    ',',
    'blue',
    'zebra',
    '',
  );
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(words).map((list) => list.join(' ')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const { vector, unknownWords } = queryVector(text);
      assert.equal(vector.length, DIMENSIONS);
      assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
      const lower = text.normalize('NFKC').toLowerCase();
      for (const word of unknownWords) assert.ok(lower.includes(word));
    }),
  );
});

test('a text that says nothing known points away from every picture', () => {
  for (const text of ['', 'zebra', 'the of a', 'on the left'])
    assert.equal(queryVector(text).vector[NEUTRAL], 1);
});

test('a negated query is the opposite of the query', () => {
  const [plain, negated] = [queryVector('snow').vector, queryVector('no snow').vector];
  assert.ok(plain.every((value, i) => Math.abs(value + negated[i]!) < 1e-6));
});

const weightIn = (text: string, unit: Feature) =>
  queryVector(text).vector[featureIndex(unit)]! * scales[featureIndex(unit)]!;

test('half a likeness of what is not to be there counts less than what is', () => {
  const [snow, sky] = ['unit snow', 'unit blue sky'] as const;
  const [wanted, unwanted] = [weightIn('snow, no blue sky', snow), weightIn('snow, no blue sky', sky)];
  assert.ok(wanted > 0);
  assert.ok(Math.abs(unwanted + 0.4 * wanted) < 1e-6);
  // A rule says plainly whether a thing is there.
  const grid = weightIn('brick wall, no grid', 'unit grid');
  assert.ok(Math.abs(grid + weightIn('brick wall, no grid', 'unit brickwork')) < 1e-6);
});

test('of several things each is asked for by itself, alone a word is helped by what goes with it', () => {
  const foliage = 'unit foliage';
  assert.ok(weightIn('forest', foliage) > 0);
  assert.ok(weightIn('forest, no snow', foliage) > 0);
  assert.equal(weightIn('forest and blue sky', foliage), 0);
  assert.ok(weightIn('foliage and blue sky', foliage) > 0);
  assert.ok(weightIn('blurred grass', 'unit sharp') < 0, 'what speaks against a word is no hint');
});

test('some black or white is never sure, a picture full of it is', () => {
  const sure = (text: string) => queryVector(text).parts.map(({ isSure }) => isSure);
  assert.deepEqual(['black', 'a white thing', 'some black'].map(sure), [[false], [false], [false]]);
  assert.deepEqual(['all black', 'mostly white', 'red'].map(sure), [[true], [true], [true]]);
});

type Draw = (canvas: Canvas) => Canvas;
const spot =
  (name: string, shape: Shape): Draw =>
  (canvas) =>
    canvas.paint(colour(canvas, name), shape);
const low = ellipse(0.45, 0.7, 0.2, 0.14);

/** Pictures that differ in what the queries below ask for. */
const pictures: Readonly<Record<string, readonly Draw[]>> = {
  'night with a red thing': [places.night, spot('red', low)],
  'night with a blue thing': [places.night, spot('blue', low)],
  night: [places.night],
  'snow with a red thing': [places.snow, spot('red', low)],
  snow: [places.snow],
  'grass with a red thing': [places.grass, spot('red', low)],
  grass: [places.grass],
  sea: [places.sea],
  street: [places.street],
  'red over blue': [spot('red', (_, y) => y < 0.5), spot('blue', (_, y) => y >= 0.5)],
  'blue over red': [spot('blue', (_, y) => y < 0.5), spot('red', (_, y) => y >= 0.5)],
  'red beside green': [spot('red', (x) => x < 0.5), spot('green', (x) => x >= 0.5)],
  'green beside red': [spot('green', (x) => x < 0.5), spot('red', (x) => x >= 0.5)],
  'a red dot on grey': [spot('grey', () => true), spot('red', ellipse(0.6, 0.4, 0.1, 0.1))],
  'red all over': [spot('red', () => true)],
  'light above dark': [
    (canvas) =>
      canvas.gradient([
        [0.9, 0.9, 0.9],
        [0.85, 0.85, 0.85],
        [0.1, 0.1, 0.1],
        [0.05, 0.05, 0.05],
      ]),
  ],
  'dark above light': [
    (canvas) =>
      canvas.gradient([
        [0.05, 0.05, 0.05],
        [0.1, 0.1, 0.1],
        [0.85, 0.85, 0.85],
        [0.9, 0.9, 0.9],
      ]),
  ],
  'bright thing before dark': [
    (canvas) => canvas.paint(hsl(30, 0.1, 0.06)),
    (canvas) => canvas.paint(hsl(30, 0.1, 0.9), ellipse(0.5, 0.5, 0.22, 0.22)),
  ],
};
type Name = string;

const seeds = [1, 2, 3];
const vectors = new Map<Name, Float32Array[]>();
let starter: Starter;

before(async () => {
  starter = await openStarter();
  for (const [name, steps] of Object.entries(pictures)) {
    const drawn = seeds.map((seed) =>
      steps
        .reduce((canvas, step) => step(canvas), new Canvas(new Dice(seed)))
        .sensor(0.01)
        .bytes(),
    );
    vectors.set(name, await starter.pictures(drawn));
  }
});
after(() => starter.close());

const orders: readonly (readonly [query: string, first: readonly Name[], after: readonly Name[]])[] = [
  [
    'red car at night',
    ['night with a red thing'],
    ['night', 'night with a blue thing', 'snow with a red thing', 'grass with a red thing', 'sea'],
  ],
  ['red at night', ['night with a red thing'], ['night', 'snow with a red thing', 'red all over', 'sea']],
  [
    'red on snow',
    ['snow with a red thing'],
    ['snow', 'night with a red thing', 'grass with a red thing', 'sea'],
  ],
  [
    'red but not night',
    ['snow with a red thing', 'grass with a red thing', 'red all over'],
    ['night with a red thing', 'night', 'sea'],
  ],
  ['night without red', ['night', 'night with a blue thing'], ['night with a red thing', 'snow', 'sea']],
  ['no snow', ['grass', 'night', 'sea', 'street'], ['snow', 'snow with a red thing']],
  ['not blue', ['red all over', 'a red dot on grey'], ['red over blue', 'blue over red', 'sea']],
  ['grass, not red', ['grass'], ['grass with a red thing', 'snow', 'sea']],
  ['blue at the top', ['blue over red'], ['red over blue', 'night', 'red all over']],
  ['red above blue', ['red over blue'], ['blue over red', 'red all over', 'sea']],
  ['blue over red', ['blue over red'], ['red over blue', 'red all over', 'sea']],
  [
    'red on the left and green on the right',
    ['red beside green'],
    ['green beside red', 'red all over', 'grass'],
  ],
  ['red to the right of green', ['green beside red'], ['red beside green', 'red all over', 'grass']],
  ['a little red', ['a red dot on grey'], ['red all over', 'red beside green', 'sea', 'street']],
  ['mostly red', ['red all over'], ['a red dot on grey', 'red beside green', 'red over blue']],
  ['bright at the top', ['light above dark'], ['dark above light', 'night']],
  ['dark bottom', ['light above dark'], ['dark above light', 'snow']],
  [
    'dark background',
    ['bright thing before dark'],
    ['snow', 'street', 'light above dark', 'dark above light'],
  ],
];

for (const [query, first, later] of orders) {
  test(`"${query}" puts ${first.join(', ')} before ${later.join(', ')}`, async () => {
    const asked = await starter.text(query);
    const scores = (names: readonly Name[]) =>
      names.flatMap((name) => vectors.get(name)!.map((vector) => ({ name, score: dot(vector, asked) })));
    const weakest = scores(first).toSorted((a, b) => a.score - b.score)[0]!;
    const strongest = scores(later).toSorted((a, b) => b.score - a.score)[0]!;
    assert.ok(
      weakest.score > strongest.score,
      `${weakest.name} ${weakest.score.toFixed(3)}, ${strongest.name} ${strongest.score.toFixed(3)}`,
    );
  });
}

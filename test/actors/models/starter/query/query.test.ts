import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DIMENSIONS, NEUTRAL } from '../../../../../actors/models/starter/layout.ts';
import { parseQuery, type Term } from '../../../../../actors/models/starter/query/query.ts';
import { queryVector } from '../../../../../actors/models/starter/query/vector.ts';

/** A term in short: "-dark blue@012 (little)". */
function short(term: Term): string {
  const name = (term.colour ?? term.look)!.words.split(',')[0]!;
  const place = term.place ? `@${term.place.join('')}` : '';
  const amount = term.amount ? ` (${term.amount})` : '';
  return `${term.negated ? '-' : ''}${term.tone ? `${term.tone} ` : ''}${name}${place}${amount}`;
}

const cases: readonly [text: string, terms: readonly string[], unknown?: readonly string[]][] = [
  ['red car at night', ['red', 'night'], ['car']],
  ['a picture of the blue sky', ['blue sky']],
  ['not blue', ['-blue']],
  ['no snow', ['-snow']],
  ['without people', [], ['people']],
  ['red but not night', ['red', '-night']],
  ['night without blue or green', ['night', '-blue', '-green']],
  ['no red and green', ['-red', '-green']],
  ['no snow and red', ['-snow', 'red']],
  ['not a red car, but a blue one', ['-red', 'blue'], ['car']],
  ['blue at the top', ['blue@012']],
  ['red on the left and green on the right', ['red@036', 'green@258']],
  ['top left yellow', ['yellow@0']],
  ['on the left, red', ['red@036']],
  ['dark background', ['dark@0123568']],
  ['blue background', ['blue@0123568']],
  ['red on a blue background', ['red@4', 'blue@0123568']],
  ['blue above green', ['blue@012', 'green@678']],
  ['dark blue', ['dark blue']],
  ['light green leaves', ['light green', 'foliage']],
  ['pale pink', ['light pink']],
  ['bright red', ['vivid red']],
  ['bright', ['bright']],
  ['light', ['bright']],
  ['a little red', ['red (little)']],
  ['a bit of orange in the middle', ['orange@4 (little)']],
  ['mostly green', ['green (most)']],
  ['black and white', ['black and white']],
  ['black-and-white', ['black and white']],
  ['black, and white', ['black', 'white']],
  ['out of focus', ['blurred']],
  ['close-up', ['close up']],
  ['city at night', ['city lights']],
  ['reddish flowers in the fields', ['red', 'grass'], ['flowers']],
  ['BLUE Skies!', ['blue sky']],
  ['navy', ['navy']],
  ['grey/gray', ['grey', 'grey']],
  ['', []],
  ['the of a', []],
  ['zebra zebra quux', [], ['zebra', 'quux']],
  ['сини', [], ['сини']],
];

for (const [text, terms, unknown = []] of cases) {
  test(`"${text}" is read as [${terms.join(', ')}]`, () => {
    const query = parseQuery(text);
    assert.deepEqual(query.terms.map(short), terms);
    assert.deepEqual(query.unknownWords, unknown);
  });
}

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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery, type Term } from '../../../../../actors/models/starter/query/query.ts';

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

test('what is not to be there is known as such', () => {
  assert.deepEqual(parseQuery('rainy street, not at night').knownWords, ['not at night']);
  assert.deepEqual(parseQuery('red car on the left, no snow').knownWords, ['red', 'on the left', 'not snow']);
});

test('known words that are seen badly are told apart, each once', () => {
  assert.deepEqual(parseQuery('red face, a blue face').weakWords, ['face']);
  assert.deepEqual(parseQuery('page of text').weakWords, ['page', 'text']);
  assert.deepEqual(parseQuery('sunset over the sea').weakWords, ['sea']);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { queryWords } from '../../../../actors/index/text/query.ts';
import { phrasesOf, spokenForm, spokenRows } from '../../../../actors/index/text/spoken.ts';

const told = (text: string) => phrasesOf(text).map(({ needle }) => Buffer.from(needle).toString());

test('punctuation, hyphens, accents and the kind of apostrophe do not count', () => {
  const same: [said: string, form: string][] = [
    [' Mr. Thornton', 'mr thornton'],
    ['season of Light, it was', 'season of light it was'],
    ['post-mortem — “well‑known”', 'post mortem well known'],
    ['I don’t KNOW', "i don't know"],
    ["'twas the girls' night", 'twas the girls night'],
    ['München, Straße, Łódź, Ærø', 'munchen strasse lodz aero'],
    ['100 % of AT&T, C#', '100 % of at&t c#'],
    ['だが、か', 'だが か'],
    ['…!?', ''],
  ];
  for (const [said, form] of same) assert.equal(spokenForm(said), form);
});

test('rows have the form of their texts, in ASCII and beyond', () => {
  const texts = [
    ' Mr. Thornton',
    "don't 'quote' it",
    '',
    '...',
    ' Grüße — aus  Köln',
    "a'",
    "5' 6",
    'x_y\tz',
    'ｆｕｌｌ',
  ];
  const ends: number[] = [];
  for (const text of texts) ends.push((ends.at(-1) ?? 0) + Buffer.byteLength(text));
  const rows = spokenRows(Buffer.from(texts.join('')), Uint32Array.from(ends));
  const forms = [...rows.ends].map((end, i) =>
    Buffer.from(rows.bytes.subarray(i === 0 ? 0 : rows.ends[i - 1], end)).toString(),
  );
  assert.deepEqual(forms, texts.map(spokenForm));
});

test('numbers are looked for as digits and as words, in English and German', () => {
  assert.deepEqual(told('Twenty people'), ['twenty people', '20 people', 'zwanzig people']);
  assert.deepEqual(told('20'), ['20', 'twenty', 'zwanzig']);
  assert.deepEqual(told('twenty-one'), ['twenty one', '21', 'einundzwanzig']);
  assert.deepEqual(told('fünfunddreißig'), ['funfunddreissig', '35', 'thirty five']);
  assert.deepEqual(told('one'), ['one'], 'mostly a pronoun');
  assert.deepEqual(told('no number'), ['no number']);
  assert.deepEqual(told('?'), []);
});

test('a contraction of a question is one word, and an article before an apostrophe is not part of it', () => {
  assert.deepEqual(queryWords('who said I don’t know'), ["don't", 'know']);
  assert.deepEqual(queryWords("l'homme d'état"), ['l', 'homme', 'd', 'état']);
  assert.deepEqual(queryWords("Thornton's mill"), ['thornton', 's', 'mill']);
});

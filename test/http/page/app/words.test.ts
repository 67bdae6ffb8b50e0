import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { facets } from '../../../../actors/index/facets/list.ts';
import { thingWords as wordsOfSearch } from '../../../../actors/search/things/vocabulary.ts';
import { classNames } from '../../../../actors/things/contract.ts';
import { type Key, keyTable } from '../../../../http/page/app/keys.ts';
import { facetWords, thingWords } from '../../../../http/page/app/words/facets.ts';
import { filled } from '../../../../http/page/app/words.ts';

const folder = join(import.meta.dirname, '../../../../http/page/app/words');
const placeholders = (text: string) =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();

test('every text is there in both languages, with the same values', async () => {
  const files = readdirSync(folder).filter((name) => name !== 'pair.ts');
  assert.ok(files.length > 0);
  for (const file of files) {
    const tables = Object.values(await import(join(folder, file))) as Record<string, readonly string[]>[];
    for (const [name, words] of tables.flatMap((table) => Object.entries(table))) {
      assert.equal(words.length, 2, `${file} ${name}`);
      for (const text of words) assert.notEqual(text.trim(), '', `${file} ${name}`);
      assert.deepEqual(placeholders(words[0]!), placeholders(words[1]!), `${file} ${name}`);
    }
  }
});

test('every facet has a German name, and every thing one that a search for it understands', () => {
  for (const { id } of facets) assert.ok(id in facetWords, id);
  assert.deepEqual(Object.keys(thingWords), [...classNames]);
  for (const [name, [, german]] of Object.entries(thingWords)) {
    const meant = wordsOfSearch.filter(([, words]) => words.split(', ').includes(german.toLowerCase()));
    assert.ok(
      meant.some(([classes]) => classes.length === 1 && classes.join() === name),
      `${german} is ${name}`,
    );
  }
});

test('a value is put in, numbers as the language writes them, and one is not many', () => {
  assert.equal(filled('{n} match|{n} matches', { n: 1 }, 'en'), '1 match');
  assert.equal(filled('{n} match|{n} matches', { n: 12_345 }, 'en'), '12,345 matches');
  assert.equal(filled('{n} Treffer', { n: 12_345 }, 'de'), '12.345 Treffer');
  assert.equal(filled('Like {name}', { name: 'a|b {n}' }, 'en'), 'Like a|b {n}');
  assert.equal(filled('{other}', {}, 'en'), '{other}');
});

test('no key means two things in one place', () => {
  const all = Object.values<Key>(keyTable);
  for (const place of new Set(all.map(({ where }) => where))) {
    const keys = all
      .filter(({ where }) => where === place || where === 'everywhere')
      .flatMap((one) => one.keys);
    assert.equal(new Set(keys).size, keys.length, place);
  }
});

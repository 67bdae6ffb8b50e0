import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { type Key, keyTable } from '../../../../http/page/app/keys.ts';
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

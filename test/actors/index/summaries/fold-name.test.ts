import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foldName, plainName } from '../../../../actors/index/summaries/fold-name.ts';

test('names that differ in case, composition or blanks around them are the same', () => {
  const same = [
    ['Dailies', ' dailies ', 'DAILIES'],
    ['Caf\u00e9', 'CAFE\u0301', 'cafe\u0301'],
    ['Straße', 'STRASSE', 'strasse', 'STRAẞE'],
    ['Οδός', 'ΟΔΌΣ'],
    ['ﬁlm', 'FILM'],
  ];
  for (const names of same) assert.equal(new Set(names.map(foldName)).size, 1, names.join(', '));
  const others = ['a', 'b', 'a b', 'ab', 'ä', 'é', '片', 'فيلم'];
  assert.equal(new Set(others.map(foldName)).size, others.length);
});

test('property: to fold twice changes nothing, and what is kept is the name as it was given', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      assert.equal(foldName(foldName(name)), foldName(name));
      assert.equal(foldName(plainName(name)), foldName(name));
      assert.equal(plainName(name), name.toWellFormed().normalize('NFC').trim());
    }),
  );
});

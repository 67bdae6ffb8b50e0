import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foldName } from '../../../actors/watcher/exclusions.ts';

test('names that differ in case or normal form are one', () => {
  const same = [
    ['Müller', 'MU\u0308LLER'],
    ['ΟΔΟΣ', 'οδος'],
    ['straße', 'STRAẞE'],
    ['\u212b', 'å'],
    ['\u212a', 'k'],
    ['ſ', 's'],
    ['Ǆ', 'ǅ'],
    ['Ж', 'ж'],
    ['각', '\u1100\u1161\u11a8'],
  ];
  for (const [one, other] of same) assert.equal(foldName(one!), foldName(other!), `${one} ${other}`);
});

test('letters of their own stay so', () => {
  const different = [
    ['ß', 'ss'],
    ['ı', 'i'],
    ['İ', 'i'],
    ['é', 'e'],
    ['ﬁ', 'fi'],
  ];
  for (const [one, other] of different) assert.notEqual(foldName(one!), foldName(other!), `${one} ${other}`);
});

test("each character is folded as Unicode's simple folding has it", () => {
  for (let code = 0; code <= 0x1ffff; code++) {
    const character = String.fromCodePoint(code);
    if (!character.isWellFormed() || character.normalize('NFC') !== character) continue;
    const others = [character.toUpperCase(), character.toLowerCase(), foldName(character)];
    for (const other of others.filter((text) => text !== character && [...text].length === 1)) {
      const same = new RegExp(`^${character}$`, 'iu').test(other);
      assert.equal(foldName(other) === foldName(character), same, `${code.toString(16)} ${other}`);
    }
  }
});

test('a folded name stays as it is, and both ways to write ASCII agree', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      assert.equal(foldName(foldName(name)), foldName(name));
      assert.equal(foldName(name.normalize('NFD')), foldName(name));
      assert.equal(foldName(`${name}é`), `${foldName(name)}é`);
    }),
  );
});

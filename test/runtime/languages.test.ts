import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { baseLanguage, languageCode, languageName, offeredLanguage } from '../../runtime/languages.ts';

test('a language is understood as a name in English or its own, as a code of two or three letters, with region', () => {
  const table: [string, string | null][] = [
    ['english', 'en'],
    ['English', 'en'],
    [' GERMAN ', 'de'],
    ['Deutsch', 'de'],
    ['español', 'es'],
    ['日本語', 'ja'],
    ['русский', 'ru'],
    ['mandarin', 'zh'],
    ['Cantonese', 'yue'],
    ['norwegian', 'no'],
    ['nb-NO', 'no-NO'],
    ['filipino', 'fil'],
    ['tagalog', 'fil'],
    ['tl', 'fil'],
    ['haitian creole', 'ht'],
    ['en', 'en'],
    ['eng', 'en'],
    ['ger', 'de'],
    ['deu', 'de'],
    ['fre', 'fr'],
    ['chi', 'zh'],
    ['pt-BR', 'pt-BR'],
    ['pt_br', 'pt-BR'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['gsw', 'gsw'],
    ['auto', 'auto'],
    ['Auto', 'auto'],
    ['', null],
    ['und', null],
    ['mul', null],
    ['xx', null],
    ['klingonisch', null],
    ['english please', null],
    ['e', null],
    ['../etc', null],
  ];
  for (const [text, code] of table) assert.equal(languageCode(text), code, text);
});

test('no text makes it throw, and a code that comes out goes in again unchanged', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^[a-zA-Z]{1,4}([-_][a-zA-Z0-9]{1,9}){0,2}$/)),
      (text) => {
        const code = languageCode(text);
        if (code !== null) assert.equal(languageCode(code), code);
      },
    ),
  );
});

test('a language has an English name and a base', () => {
  assert.equal(languageName('pt-BR'), 'Portuguese');
  assert.equal(languageName('yue'), 'Cantonese');
  assert.equal(baseLanguage('zh-Hant-TW'), 'zh');
  assert.equal(baseLanguage('tl'), 'fil');
});

test('a model that offers a language offers it with every region, and one for everything offers all', () => {
  assert.equal(offeredLanguage(['en', 'pt'], 'pt-BR'), 'pt');
  assert.equal(offeredLanguage(['pt', 'pt-BR'], 'pt-br'), 'pt-BR');
  assert.equal(offeredLanguage(['en-US'], 'en'), 'en-US');
  assert.equal(offeredLanguage(['zh'], 'yue'), null);
  assert.equal(offeredLanguage(['en', '*'], 'is-IS'), 'is');
  assert.equal(offeredLanguage([], 'en'), null);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import {
  identifySpeakers,
  languageChanges,
  namesOfVoices,
  otherLanguage,
} from '../../../../../actors/analysis/stages/speech/session.ts';

const said = (who: readonly (string | null)[], seconds = 1) =>
  who.map((speaker, i) => ({ start_seconds: i, end_seconds: i + seconds, text: ' so', speaker }));

test('named speakers get ids in the order of appearance, and ids that stand for names stay', () => {
  for (const [who, ids, names] of [
    [
      ['Ann', null, 'Bob', 'Ann'],
      ['SPEAKER_00', null, 'SPEAKER_01', 'SPEAKER_00'],
      ['Ann', 'Bob'],
    ],
    [['SPEAKER_01', 'SPEAKER_00'], ['SPEAKER_01', 'SPEAKER_00'], []],
    [
      ['SPEAKER_00', 'Ann', '__proto__'],
      ['SPEAKER_00', 'SPEAKER_01', 'SPEAKER_02'],
      ['Ann', '__proto__'],
    ],
    [[null], [null], []],
  ] as const) {
    const { segments, names: given, count } = identifySpeakers(said(who));
    assert.deepEqual([segments.map(({ speaker }) => speaker), Object.values(given)], [ids, names]);
    assert.equal(count, new Set(who.filter((name) => name !== null)).size);
  }
});

test('a voice gets the name of most of its words, and no name two voices', () => {
  const segments = said(['Ann', 'Ann', 'Bob', 'Ann', null, 'Cy']);
  assert.deepEqual(namesOfVoices(segments, ['a', 'a', 'a', 'b', 'b', null]), { a: 'Ann' });
  assert.deepEqual(namesOfVoices(segments, ['a', 'a', 'b', 'b', 'b', 'c']), { a: 'Ann', b: 'Bob', c: 'Cy' });
});

test('a transcript in several languages says where they begin, and one in another language than asked is a warning', () => {
  const spoken = (...languages: (string | null)[]) =>
    said(languages.map(() => null)).map((one, i) => ({ ...one, language: languages[i] ?? null }));
  assert.deepEqual(languageChanges(spoken('en', 'en', 'de', null, 'de')), [
    { from: 0, language: 'en' },
    { from: 2, language: 'de' },
    { from: 3, language: null },
    { from: 4, language: 'de' },
  ]);
  assert.equal(languageChanges(spoken('en', 'en')), undefined);
  assert.equal(languageChanges(said([null, null])), undefined);
  assert.match(otherLanguage('en', 'de') ?? '', /^German is heard, but English was expected/);
  assert.equal(otherLanguage('en', undefined), undefined);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { soundTerms, soundText, withoutSounds } from '../../../../actors/search/sounds/sounds.ts';

const told = (text: string) => {
  const terms = soundTerms(text);
  return terms && soundText(terms);
};

test('a text that names sounds alone is understood, in English and German', () => {
  const texts = ['music', 'Music and singing', 'without music', 'singing without music', 'a song'];
  assert.deepEqual(texts.map(told), [
    'music',
    'music, singing',
    'without music',
    'singing, without music',
    'singing',
  ]);
  assert.deepEqual(['Musik', 'ohne Gesang', 'kein Lied'].map(told), [
    'music',
    'without singing',
    'without singing',
  ]);
  assert.deepEqual(
    ['musical', 'a beach with music', 'music video', '', 'songbird'].map(told),
    Array(5).fill(null),
  );
});

test('what a text excludes is taken out of it', () => {
  assert.deepEqual(withoutSounds('a beach, without music'), { remainder: 'a beach', sounds: ['music'] });
  assert.deepEqual(withoutSounds('Hund ohne Musik'), { remainder: 'Hund', sounds: ['music'] });
  assert.deepEqual(withoutSounds('beach without music and no singing'), {
    remainder: 'beach',
    sounds: ['music', 'singing'],
  });
  assert.equal(withoutSounds('without music'), null);
  assert.equal(withoutSounds('beach with music'), null);
});

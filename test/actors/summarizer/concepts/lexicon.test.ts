import assert from 'node:assert/strict';
import test from 'node:test';
import { groups, lexicon } from '../../../../actors/summarizer/concepts/concepts.ts';

test('there are some 400 concepts, each once, with phrases that name it', () => {
  assert.ok(lexicon.length >= 380 && lexicon.length <= 480, `${lexicon.length}`);
  assert.equal(new Set(lexicon.map(({ name }) => name)).size, lexicon.length);
  for (const { name, phrases } of lexicon) {
    assert.match(name, /^[a-zé -]+$/);
    assert.ok(
      phrases.length >= 2 && phrases.every((phrase) => phrase.includes(name) && !phrase.includes('*')),
    );
    assert.equal(new Set(phrases).size, phrases.length);
  }
});

test('only sizes of shots and times of day exclude each other', () => {
  const excluding = Object.entries(groups).flatMap(([name, { excludes }]) => (excludes ? [name] : []));
  assert.deepEqual(excluding, ['shot_size', 'time_of_day']);
});

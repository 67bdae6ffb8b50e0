import assert from 'node:assert/strict';
import test from 'node:test';
import { identifySpeakers, namesOfVoices } from '../../../../../actors/analysis/stages/speech/session.ts';

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

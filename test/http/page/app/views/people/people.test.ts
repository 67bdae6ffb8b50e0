import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  namesAmong,
  percent,
  present,
  speakersOf,
  targetOf,
  toggled,
} from '../../../../../../http/page/app/views/people/change.ts';

import { people } from '../../../../../../http/page/app/words/people.ts';
import { filled } from '../../../../../../http/page/app/words.ts';

const cluster = (cluster_id: string, size: number, name = '') => ({ cluster_id, size, name });

test('what is chosen is toggled, and what is gone is not chosen any more', () => {
  assert.deepEqual(toggled(['a'], 'b'), ['a', 'b']);
  assert.deepEqual(toggled(['a', 'b'], 'a'), ['b']);
  assert.deepEqual(present(['b', 'gone', 'a'], [cluster('a', 1), cluster('b', 2)]), [
    cluster('b', 2),
    cluster('a', 1),
  ]);
});

test('a merge keeps the one with a name, else the largest; two names are a question', () => {
  const [small, large] = [cluster('s', 2), cluster('l', 9)];
  assert.equal(targetOf([small, large]), 'l');
  assert.equal(targetOf([cluster('n', 1, 'Ann'), large]), 'n');
  assert.equal(targetOf([]), undefined);
  const named = [cluster('a', 2, 'Ann'), cluster('b', 3, 'Bob'), cluster('c', 5, 'Ann'), large];
  assert.deepEqual(
    namesAmong(named).map(({ cluster_id }) => cluster_id),
    ['c', 'b'],
  );
});

test('groups and faces are counted each by itself', () => {
  const head = (clusters: number, n: number, at: 0 | 1) =>
    `${filled(people.groups[at], { n: clusters }, 'en')} ${filled(people.ofFaces[at], { n }, 'en')}`;
  assert.deepEqual(
    [head(1, 2, 0), head(0, 1, 0), head(1, 2, 1), head(3, 1, 1)],
    ['1 group of 2 faces', '0 groups of 1 face', '1 Gruppe aus 2 Gesichtern', '3 Gruppen aus 1 Gesicht'],
  );
});

test('a likeness is a whole percentage, and 100 only when it is all', () => {
  assert.deepEqual([0, 0.504, 0.999, 1, 1.2].map(percent), [0, 50, 99, 100, 100]);
});

test('speakers come with what they say longest, those who speak most first', () => {
  const line = (start: number, end: number) => [start, ' text', end, '/media/talk.wav'] as const;
  const segments = [line(0, 2), line(2, 30), line(30, 32)];
  const found = speakersOf('/media/talk.wav', {
    hash_str: 'abc',
    segments,
    speakers: {
      S0: { segment_indices: [0, 2] },
      S1: { segment_indices: [1], display_name: 'Ann' },
      S2: { segment_indices: [9] },
    },
  });
  assert.deepEqual(
    found.map(({ speaker, name, seconds, sample }) => [speaker, name, seconds, sample]),
    [
      ['S1', 'Ann', 28, { start_seconds: 2, end_seconds: 12 }],
      ['S0', '', 4, { start_seconds: 0, end_seconds: 2 }],
    ],
  );
  assert.ok(found.every(({ isUncertain }) => !isUncertain));
  const speakers = { S0: { segment_indices: [0] } };
  const [uncertain] = speakersOf('/a.wav', { hash_str: 'abc', segments, speakers, speakers_uncertain: true });
  assert.equal(uncertain?.isUncertain, true);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { keySentences, type SentenceOptions } from '../../../../actors/summarizer/text/key-sentences.ts';
import { type Sentence, sentencesOf } from '../../../../actors/summarizer/text/sentences.ts';
import { type Talk, talks } from './talks.ts';

const sentence = (text: string, at = 0): Sentence => ({
  text,
  start_seconds: at,
  end_seconds: at + 1,
  speaker: null,
  first: at,
  end: at + 1,
});
const choice = (texts: readonly string[], options: SentenceOptions) =>
  keySentences(texts.map(sentence), options).map((key) => texts[key.sentence]!);

/** Share of the marked sentences that are found when as many are asked for. */
function recall(
  all: readonly Talk[],
  pick: (sentences: readonly Sentence[], count: number) => string[],
): number {
  const found = all.map(({ segments, keys }) => {
    const picked = pick(sentencesOf(segments, 'en'), keys.length);
    return keys.filter((key) => picked.includes(key)).length;
  });
  return found.reduce((sum, n) => sum + n, 0) / all.reduce((sum, { keys }) => sum + keys.length, 0);
}
const ours = (sentences: readonly Sentence[], count: number) =>
  keySentences(sentences, { count, language: 'en' }).map((key) => sentences[key.sentence]!.text);
const longest = (sentences: readonly Sentence[], count: number) =>
  sentences
    .toSorted((a, b) => b.text.length - a.text.length)
    .slice(0, count)
    .map(({ text }) => text);

test('at least 0.7 of the marked sentences are found in talks that nothing was tuned on', () => {
  const found = recall(talks.held, ours);
  assert.ok(found >= 0.7, `${found}`);
  const easy = recall(talks.held, longest);
  assert.ok(found > easy + 0.2, `${found}, the longest sentences alone ${easy}`);
});

test('what is chosen is in the order of time, no more than asked for, and no sentence twice', () => {
  const [talk] = talks.tuned;
  const sentences = sentencesOf(talk!.segments, 'en');
  for (const count of [0, 1, 5, 1000]) {
    const keys = keySentences(sentences, { count, language: 'en' }).map((key) => key.sentence);
    assert.deepEqual(
      keys,
      [...new Set(keys)].sort((a, b) => a - b),
    );
    assert.ok(keys.length <= count && (count === 0 || keys.length > 0));
  }
});

test('a transcript of one word has that word, an empty one nothing', () => {
  assert.deepEqual(choice(['Yes.'], { count: 3 }), ['Yes.']);
  assert.deepEqual(choice([], { count: 3 }), []);
  assert.deepEqual(choice(['橋は古い。'], { count: 1 }), ['橋は古い。']);
});

test('what was said is not said again', () => {
  const texts = [
    'The red boat sank near the lighthouse in 1950.',
    'The red boat sank near the lighthouse in 1950, yes.',
    'The harbour master keeps bees on his roof.',
  ];
  assert.deepEqual(choice(texts, { count: 2 }).at(-1), texts[2]);
});

test('signs that are asked for move the choice', () => {
  const texts = [
    'The old boat lies in the harbour below the church.',
    'Who painted the boat in the harbour below the church?',
    'The boat in the harbour below the church cost 900 crowns.',
    'My sister cried beside the boat in the harbour.',
  ];
  const one = (signs: SentenceOptions['signs']) =>
    choice(texts, { count: 1, language: 'en', ...(signs ? { signs } : {}) });
  assert.deepEqual(one({ question: 1 }), [texts[1]]);
  assert.deepEqual(one({ number: 1 }), [texts[2]]);
  assert.deepEqual(one({ feeling: 1 }), [texts[3]]);
});

test('an instruction brings what it names', () => {
  const texts = [
    'In 1987 the bridge over the Arno fell into the river.',
    'The cook bakes rye bread every morning.',
    'Four thousand bees were counted in the valley.',
  ];
  assert.deepEqual(choice(texts, { count: 1, about: 'everything about bread and baking' }), [texts[1]]);
});

test('fifty thousand sentences are ranked in pieces: what stands out among them is found', () => {
  const nouns = ['boat', 'tower', 'field', 'window', 'river', 'garden', 'horse', 'train', 'market', 'stone'];
  const texts = Array.from(
    { length: 50_000 },
    (_, i) => `so the ${nouns[i % 10]} and the ${nouns[(i * 7 + (i >> 5)) % 10]}`,
  );
  texts[31_007] = 'In 1950 the red whale swam 40 miles up the Arno, because nobody knew of the secret dam.';
  const keys = keySentences(texts.map(sentence), { count: 5, language: 'en' });
  assert.equal(keys.length, 5);
  assert.ok(keys.some((key) => key.sentence === 31_007));
});

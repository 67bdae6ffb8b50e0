import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  likeliest,
  phrasesOf,
  probabilityOf,
  sampleToken,
  seeded,
  TIMES,
} from '../../../../actors/transcriber/whisper/sampling.ts';

/**
 * Text 0 to 19, of which 3 is suppressed, and 4 as the first token; end 20; special 21 to 29; times from 30
 * on.
 */
const vocabulary = {
  start: 21,
  transcribe: 22,
  end: 20,
  firstTime: 30,
  noSpeech: 23,
  languages: new Map([
    ['en', 24],
    ['de', 25],
  ]),
  suppressed: [3, 21, 22, 23, 24, 25, 26, 27, 28, 29],
  suppressedFirst: [4],
  text: (tokens: readonly number[]) => tokens.map((token) => ` w${token}`).join(''),
};
const size = 30 + TIMES;
const at = (seconds: number) => 30 + Math.round(seconds * 50);
const greedy = { temperature: 0, random: () => 0 };
/** All but the named tokens are unlikely. */
const logits = (named: Readonly<Record<number, number>>) => {
  const row = new Float32Array(size).fill(-100);
  for (const [token, value] of Object.entries(named)) row[Number(token)] = value;
  return row;
};

const cases: [claim: string, written: number[], row: Record<number, number>, expected: number][] = [
  ['a time comes first, whatever word is likelier', [], { 5: 9, [at(0.4)]: 1 }, at(0.4)],
  ['the first time lies within a second', [], { [at(1.02)]: 9, [at(1)]: 1 }, at(1)],
  ['nothing ends before it has begun', [], { 20: 9, [at(0)]: 1 }, at(0)],
  ['after a start comes a word, not another time', [at(0)], { [at(2)]: 9, 5: 1 }, 5],
  ['a start may be followed by the end', [at(0)], { 20: 9, 5: 1 }, 20],
  ['after an end comes no word', [at(0), 5, at(2)], { 5: 9, [at(2)]: 1 }, at(2)],
  ['after an end may come the end of all', [at(0), 5, at(2)], { 20: 9, [at(2)]: 1 }, 20],
  ['a phrase never begins before the last one ended', [at(0), 5, at(2)], { [at(1)]: 9, [at(3)]: 1 }, at(3)],
  ['a phrase takes time', [at(0), 5, at(2), at(2), 6], { [at(2)]: 9, [at(2.02)]: 1 }, at(2.02)],
  ['suppressed tokens are never written', [at(0)], { 3: 9, 5: 1 }, 5],
  ['special tokens are never written', [at(0)], { 22: 9, 29: 8, 5: 1 }, 5],
  ['a word may be the likeliest', [at(0), 5], { 6: 9, [at(2)]: 1 }, 6],
  [
    'a time is written when all times together are likelier than any word',
    [at(0), 5],
    { 6: 2, [at(2)]: 1.5, [at(2.02)]: 1.6, [at(2.04)]: 1.5 },
    at(2.02),
  ],
];
for (const [claim, written, row, expected] of cases) {
  test(claim, () => assert.equal(sampleToken(logits(row), written, vocabulary, greedy).token, expected));
}

test('the last token is a time while no phrase has ended, and any token after that', () => {
  const row = () => logits({ 5: 9, [at(2)]: 1 });
  const last = (written: readonly number[]) => sampleToken(row(), written, vocabulary, greedy, true).token;
  assert.equal(last([at(0), 5]), at(2));
  assert.equal(last([at(0), 5, at(1), at(1), 6]), 5);
});

test('where no token is possible the text ends', () => {
  const nothing = new Float32Array(size).fill(Number.NEGATIVE_INFINITY);
  assert.deepEqual(sampleToken(nothing, [], vocabulary, greedy), { token: 20, logProbability: 0 });
});

test('the probability of a token is that among the allowed tokens', () => {
  const { logProbability } = sampleToken(logits({ 5: 2, 6: 1, 3: 50, 22: 50 }), [at(0)], vocabulary, greedy);
  assert(Math.abs(Math.exp(logProbability) - 1 / (1 + Math.exp(-1))) < 1e-6);
});

test('the probability of no speech counts all tokens', () => {
  const row = logits({ 23: 2, 5: 2 });
  assert(Math.abs(probabilityOf(row, 23) - 0.5) < 1e-6);
  assert.equal(probabilityOf(row, null), 0);
});

test('the language is the likeliest of those there are', () => {
  const likely = likeliest(logits({ 25: 3, 24: 1, 5: 9 }), vocabulary.languages);
  assert.equal(likely?.language, 'de');
  assert.ok(Math.abs(likely.probability - 1 / (1 + Math.exp(-2))) < 1e-6, 'among the languages alone');
  assert.equal(likeliest(logits({}), new Map()), null);
});

test('sampling at a temperature follows the probabilities, and is the same for the same seed', () => {
  const draw = (seed: number) => {
    const sampling = { temperature: 0.5, random: seeded(seed) };
    return Array.from(
      { length: 2000 },
      () => sampleToken(logits({ 5: 1, 6: 0.5 }), [at(0)], vocabulary, sampling).token,
    );
  };
  const tokens = draw(1);
  assert.deepEqual(tokens, draw(1));
  const share = tokens.filter((token) => token === 5).length / tokens.length;
  assert(Math.abs(share - 1 / (1 + Math.exp(-1))) < 0.04, `${share}`);
  assert(tokens.every((token) => token === 5 || token === 6));
});

const anyRow = fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 40, maxLength: 40 });
test('for any logits, times come in pairs and ascend, and no suppressed token is written', () => {
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 30 }), fc.boolean(), fc.nat(), (rows, random, seed) => {
      const written: number[] = [];
      const sampling = { temperature: random ? 0.7 : 0, random: seeded(seed) };
      for (const [step, values] of rows.entries()) {
        const row = new Float32Array(size).fill(-30);
        for (const [index, value] of values.entries())
          row[index < 30 ? index : 30 + (index - 30) * step] = value;
        const { token, logProbability } = sampleToken(row, written, vocabulary, sampling);
        assert(logProbability <= 1e-6);
        if (token === 20) break;
        written.push(token);
      }
      assert(written.every((token) => !vocabulary.suppressed.includes(token)));
      const times = written.filter((token) => token >= 30);
      assert(times.every((time, index) => index === 0 || time >= times[index - 1]!));
      if (written.length > 0) assert(written[0]! >= 30);
      for (const [index, token] of written.entries()) {
        const three = token >= 30 && written[index + 1]! >= 30 && written[index + 2]! >= 30;
        assert(!three, 'three times in a row');
      }
      let until = 0;
      for (const { start, end, text } of phrasesOf(written, { from: 0, to: 12 }, vocabulary)) {
        assert(start >= until && end >= start && end <= 12);
        assert.notEqual(text, '');
        until = start;
      }
    }),
  );
});

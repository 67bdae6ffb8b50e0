import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Standing } from '../../../../actors/index/visual/contract.ts';
import { type Explained, explanations, fewFrames } from '../../../../actors/search/visual/bands.ts';

const starter = 'starter-visual-3';
const words = {
  parts: [{ negated: false, is_sure: true, is_weak: false }],
  unknown: [],
  weak: [],
  understoodExcluded: [],
};
const request: Explained = { model_key: starter, words, exclude: [], things: null };
const usual = { centre: 0, deviation: 0.005 };

/** One match of words alone. `parts`: of each part of the words. */
function standing(text: number, more: { frames?: number; parts?: number[]; lost?: number } = {}): Standing {
  const { frames = 10_000, parts = [text], lost = 0 } = more;
  return {
    frames,
    background: { text: usual, picture: null, words: parts.map(() => usual) },
    scores: [{ text, picture: null, words: parts, lost, lowered: lost > 0 ? [true] : [] }],
  };
}
const bandOf = (what: Explained, of: Standing) => explanations(what, of)[0]!.band;
const withWords = (more: Partial<Explained['words']>): Explained => ({
  ...request,
  words: { ...words, ...more },
});
const order = ['weak', 'likely', 'strong'];

test('a score far above the background is strong, nearer likely, and at it weak', () => {
  assert.deepEqual(
    [0.15, 0.11, 0.05, 0, -1].map((score) => bandOf(request, standing(score))),
    ['strong', 'likely', 'weak', 'weak', 'weak'],
  );
});

test('a word that is not understood leaves every match weak, also one that shows the things or the picture', () => {
  const half = withWords({ unknown: ['xyzzy'] });
  const none = withWords({ unknown: ['xyzzy'], parts: [] });
  const things: Explained['things'] = { bands: ['strong'], isLimited: true };
  const alike: Standing = {
    frames: 10_000,
    background: { text: null, picture: { centre: 0.3, deviation: 0.2 }, words: [] },
    scores: [{ text: null, picture: 0.95, words: [], lost: 0, lowered: [] }],
  };
  assert.equal(bandOf(none, alike), 'weak');
  assert.equal(bandOf({ ...none, words: { ...words, parts: [] } }, alike), 'strong');
  assert.equal(bandOf(half, standing(0.9)), 'weak');
  assert.equal(bandOf({ ...half, things }, standing(0.9)), 'weak');
  assert.equal(bandOf({ ...none, things }, { ...alike, scores: [null] }), 'weak');
  const seen = { ...request, words: { ...words, parts: [] }, things };
  assert.equal(bandOf(seen, { ...alike, scores: [null] }), 'strong');
});

test('weak and unsure words are never strong', () => {
  const rows: Partial<Explained['words']>[] = [
    { weak: ['face'] },
    { parts: [{ negated: false, is_sure: false, is_weak: false }] },
    { parts: [{ negated: true, is_sure: true, is_weak: false }] },
  ];
  for (const row of rows)
    assert.notEqual(bandOf(withWords(row), standing(0.9)), 'strong', JSON.stringify(row));
});

test('a word that was measured to find other things claims nothing, unless it is what must not be there', () => {
  const weak = (negated: boolean) => ({ negated, is_sure: false, is_weak: true });
  assert.equal(bandOf(withWords({ parts: [weak(false)], weak: ['forest'] }), standing(0.9)), 'weak');
  const both = (negated: boolean) => withWords({ parts: [words.parts[0]!, weak(negated)], weak: ['forest'] });
  assert.equal(bandOf(both(false), standing(0.9, { parts: [0.9, 0.9] })), 'weak');
  assert.equal(bandOf(both(true), standing(0.9, { parts: [0.9, 0.01] })), 'likely');
});

test('an unsure word alone is likely only where another one were strong', () => {
  const unsure = { negated: false, is_sure: false, is_weak: false };
  const bandsOf = (...parts: Explained['words']['parts']) =>
    [0.9, 0.1].map((score) =>
      bandOf(withWords({ parts }), standing(score, { parts: parts.map(() => score) })),
    );
  assert.deepEqual(bandsOf(unsure), ['likely', 'weak']);
  assert.deepEqual(bandsOf(words.parts[0]!), ['strong', 'likely']);
  assert.deepEqual(bandsOf(words.parts[0]!, unsure), ['likely', 'likely']);
});

test('of several things each has to be there, and what is not to be there must not', () => {
  const both = withWords({ parts: [words.parts[0]!, words.parts[0]!] });
  assert.equal(bandOf(both, standing(0.2, { parts: [0.15, 0.15] })), 'strong');
  assert.equal(bandOf(both, standing(0.2, { parts: [0.25, 0.02] })), 'weak');
  const without = withWords({ parts: [words.parts[0]!, { negated: true, is_sure: true, is_weak: false }] });
  assert.equal(bandOf(without, standing(0.2, { parts: [0.15, 0.01] })), 'strong');
  assert.equal(bandOf(without, standing(0.2, { parts: [0.15, 0.12] })), 'likely');
});

test('few frames, frames all alike and a thing that fills the library make nothing strong', () => {
  assert.equal(bandOf(request, standing(0.9, { frames: fewFrames - 1 })), 'likely');
  assert.equal(bandOf(request, standing(0.9, { frames: fewFrames })), 'strong');
  // All alike: noise of a thousandth is many deviations of nothing.
  const flat = {
    ...standing(0.5),
    background: { text: { centre: 0.499, deviation: 0 }, picture: null, words: [] },
  };
  assert.equal(bandOf(withWords({ parts: [] }), flat), 'weak');
  const full = { ...flat, background: { text: { centre: 0.45, deviation: 0.1 }, picture: null, words: [] } };
  assert.equal(bandOf(withWords({ parts: [] }), full), 'weak');
});

test('chance alone makes nothing strong, in a library of any size', () => {
  // The largest of n normal values lies near √(2 ln n) deviations; of other models too.
  for (const frames of [100, 10_000, 360_000, 10_000_000]) {
    const largest = 0.02 * (Math.sqrt(2 * Math.log(frames)) + 2);
    for (const model_key of [starter, 'siglip2-base-patch16-512']) {
      const noisy = { centre: 0, deviation: 0.02 };
      const of = standing(largest, { frames });
      const background = { text: noisy, picture: null, words: [noisy] };
      assert.notEqual(bandOf({ ...request, model_key }, { ...of, background }), 'strong', `${frames}`);
    }
  }
});

test('a match of which nothing is known any more is weak, and says nothing of its parts', () => {
  const gone = { ...standing(0.9), scores: [null] };
  const excluding = { ...withWords({ understoodExcluded: [true] }), exclude: ['rain'] };
  assert.deepEqual(explanations(excluding, gone), [
    { band: 'weak', parts: [{ part: 'exclude', text: 'rain', effect: 'none' }] },
  ]);
});

test('words and a picture are as sure as the less sure of them', () => {
  const both = (text: number, picture: number): Standing => ({
    frames: 1000,
    background: { text: usual, picture: { centre: 0.3, deviation: 0.2 }, words: [usual] },
    scores: [{ text, picture, words: [text], lost: 0, lowered: [] }],
  });
  const of = (text: number, picture: number) => explanations(request, both(text, picture))[0];
  assert.deepEqual(of(0.15, 0.95), {
    band: 'strong',
    parts: [
      { part: 'text', band: 'strong' },
      { part: 'picture', band: 'strong' },
    ],
  });
  assert.equal(of(0.15, 0.85)?.band, 'likely');
  assert.equal(of(0.02, 0.95)?.band, 'weak');
});

test('property: what is excluded never makes a band rise, nor a lower score', () => {
  const score = fc.double({ min: -1, max: 1, noNaN: true });
  const frames = fc.integer({ min: 1, max: 1_000_000 });
  fc.assert(
    fc.property(score, fc.double({ min: 0, max: 1, noNaN: true }), frames, (text, lost, count) => {
      const plain = bandOf(request, standing(text, { frames: count }));
      const excluding = { ...withWords({ understoodExcluded: [true] }), exclude: ['rain'] };
      const lowered = bandOf(excluding, standing(text, { frames: count, lost }));
      const worse = bandOf(request, standing(text - lost, { frames: count }));
      assert.ok(order.indexOf(lowered) <= order.indexOf(plain));
      assert.equal(lowered, worse);
    }),
  );
});

test('a thing is as sure as its detector says, unless the picture shows what is excluded', () => {
  const not = withWords({ parts: [{ negated: true, is_sure: true, is_weak: false }] });
  const things: Explained['things'] = { bands: ['strong'], isLimited: true };
  const bands = [-0.05, 0.08, 0.15].map((red) =>
    bandOf({ ...not, things }, standing(-red, { parts: [red] })),
  );
  assert.deepEqual(bands, ['strong', 'likely', 'weak']);
});

test('a model that knows no things is weak where no detector has seen them, and any other may know better', () => {
  const found = standing(0.3);
  const bandOf = (band: 'likely' | 'strong' | null, isLimited: boolean) => {
    const [explained] = explanations({ ...request, things: { bands: [band], isLimited } }, found);
    return explained!.band;
  };
  assert.deepEqual(
    [bandOf('strong', true), bandOf('likely', true), bandOf(null, true)],
    ['strong', 'likely', 'weak'],
  );
  assert.deepEqual([bandOf('strong', false), bandOf(null, false)], ['strong', 'strong']);
});

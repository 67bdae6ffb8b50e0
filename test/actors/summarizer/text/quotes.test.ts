import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { quoteOf } from '../../../../actors/summarizer/text/quotes.ts';

const sentence = (text: string) => ({
  text,
  start_seconds: 3,
  end_seconds: 4.5,
  speaker: 'SPEAKER_01',
  first: 0,
  end: 1,
});

test('a quote has the words, the times and the speaker of its sentence', () => {
  assert.deepEqual(quoteOf(sentence('It is old.'), 80), {
    text: 'It is old.',
    start_seconds: 3,
    end_seconds: 4.5,
    speaker: 'SPEAKER_01',
    is_cut: false,
  });
});

test('a long one is cut between words, or between characters where there is no space', () => {
  assert.equal(quoteOf(sentence('The bridge, which is old, fell.'), 16).text, 'The bridge…');
  assert.equal(quoteOf(sentence('橋は古い、そして長い。'), 6).text, '橋は古い…');
  assert.equal(quoteOf(sentence('👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦'), 13).text, '👩‍👩‍👧‍👦…');
});

test('a quote begins as its sentence does, and is never longer than asked for', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
      fc.integer({ min: 2, max: 90 }),
      (text, longest) => {
        const quote = quoteOf(sentence(text), longest);
        assert.ok(quote.text.length <= longest);
        assert.ok(text.startsWith(quote.is_cut ? quote.text.slice(0, -1) : quote.text));
      },
    ),
  );
});

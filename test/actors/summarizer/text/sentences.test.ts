import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { SpokenLine } from '../../../../actors/summarizer/outline/summary-inputs.ts';
import { excerptOf, sentencesOf } from '../../../../actors/summarizer/text/sentences.ts';
import { draws } from '../../../shared.ts';

const said = (
  start_seconds: number,
  end_seconds: number,
  text: string,
  speaker: string | null = null,
): SpokenLine => ({
  start_seconds,
  end_seconds,
  text,
  speaker,
});
const texts = (segments: readonly SpokenLine[], language?: string) =>
  sentencesOf(segments, language).map(({ text }) => text);

test('a sentence goes over segments and a segment holds several, with times by their share of the characters', () => {
  const segments = [said(10, 12, ' The bridge is'), said(12, 16, ' old. It fell.'), said(16, 18, ' Twice!')];
  assert.deepEqual(sentencesOf(segments, 'en'), [
    {
      text: 'The bridge is old.',
      start_seconds: 10,
      end_seconds: 12 + (4 / 13) * 4,
      speaker: null,
      first: 0,
      end: 2,
    },
    { text: 'It fell.', start_seconds: 12 + (5 / 13) * 4, end_seconds: 16, speaker: null, first: 1, end: 2 },
    { text: 'Twice!', start_seconds: 16, end_seconds: 18, speaker: null, first: 2, end: 3 },
  ]);
});

test('another speaker and a silence end a sentence, without any punctuation', () => {
  const segments = [
    said(0, 2, ' we went', 'A'),
    said(2, 4, ' home', 'B'),
    said(4, 5, ' at', 'B'),
    said(9, 10, ' noon', 'B'),
  ];
  assert.deepEqual(texts(segments), ['we went', 'home at', 'noon']);
});

test('abbreviations and figures end no sentence', () => {
  assert.deepEqual(texts([said(0, 5, ' Dr. Ada Byron paid 3.50 to J. Smith. Then she left.')], 'en'), [
    'Dr. Ada Byron paid 3.50 to J. Smith.',
    'Then she left.',
  ]);
});

test('scripts without spaces are joined without spaces and divided where their sentences end', () => {
  assert.deepEqual(texts([said(0, 2, ' 橋は古い。今日は'), said(2, 4, ' 雨です。')], 'ja'), [
    '橋は古い。',
    '今日は雨です。',
  ]);
  assert.deepEqual(texts([said(0, 2, ' यह पुल है। वह नदी है।')], 'hi'), ['यह पुल है।', 'वह नदी है।']);
  assert.deepEqual(texts([said(0, 2, ' هل هذا جسر؟ نعم.')], 'ar'), ['هل هذا جسر؟', 'نعم.']);
});

test('speech without an end is cut where a segment ends, or a word', () => {
  const long = Array.from({ length: 60 }, (_, i) =>
    said(i * 3, i * 3 + 3, ` and so we went on to the next village ${i}`),
  );
  for (const { text } of sentencesOf(long, 'en')) {
    assert.ok(text.length <= 280 && text.startsWith('and') && /\d$/.test(text), text);
  }
  const word = sentencesOf([said(0, 9, ` ${'a'.repeat(999)}`)]);
  assert.deepEqual(
    word.map(({ text }) => text.length),
    [280, 280, 280, 159],
  );
});

test('one word is a sentence, nothing and blanks are none', () => {
  assert.deepEqual(texts([said(0, 1, ' Yes')]), ['Yes']);
  assert.deepEqual(texts([]), []);
  assert.deepEqual(texts([said(0, 1, ''), said(1, 2, ' \n\0')]), []);
});

test('no visible character is lost or moved, and times ascend within their segments', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc
      .array(fc.constantFrom('Dr.', 'ja', '橋は。', 'Who?', '…', 'a,', '42', 'สวัสดี', 'x'.repeat(300)), {
        maxLength: 20,
      })
      .map((w) => w.join(' ')),
  );
  const segments = fc
    .array(
      fc.record({
        text,
        gap: fc.constantFrom(0, 0.5, 4),
        length: fc.double({ min: 0, max: 9, noNaN: true }),
        speaker: fc.constantFrom('A', 'B', null),
      }),
      { maxLength: 12 },
    )
    .map((all) => {
      let at = 0;
      return all.map(({ text, gap, length, speaker }) => {
        const start = at + gap;
        at = start + length;
        return said(start, at, ` ${text}`, speaker);
      });
    });
  const bare = (all: readonly { text: string }[]) =>
    all
      .map((one) => one.text)
      .join('')
      .replace(/[\s\p{Cc}]+/gu, '');
  fc.assert(
    fc.property(segments, (segments) => {
      const sentences = sentencesOf(segments);
      assert.equal(bare(sentences), bare(segments));
      let before = 0;
      for (const { text, start_seconds, end_seconds, first, end } of sentences) {
        assert.ok(text.trim() === text && text.length > 0 && text.length <= 400);
        assert.ok(
          start_seconds >= segments[first]!.start_seconds - 1e-9 &&
            end_seconds <= segments[end - 1]!.end_seconds + 1e-9,
        );
        assert.ok(start_seconds >= before - 1e-9 && end_seconds >= start_seconds);
        before = start_seconds;
      }
    }),
    { numRuns: draws(300) },
  );
});

test('an excerpt is cut between words, or between characters where there is no space', () => {
  assert.equal(excerptOf('It is old.', 80), 'It is old.');
  assert.equal(excerptOf('The bridge, which is old, fell.', 16), 'The bridge…');
  assert.equal(excerptOf('橋は古い、そして長い。', 6), '橋は古い…');
  assert.equal(excerptOf('👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 13), '👩‍👩‍👧‍👦…');
});

test('an excerpt begins as its text does, and is never longer than asked for', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
      fc.integer({ min: 2, max: 90 }),
      (text, longest) => {
        const excerpt = excerptOf(text, longest);
        assert.ok(excerpt.length <= longest);
        assert.ok(text.startsWith(text.length > longest ? excerpt.slice(0, -1) : excerpt));
      },
    ),
  );
});

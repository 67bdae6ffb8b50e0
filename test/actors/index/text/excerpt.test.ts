import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { excerptOf } from '../../../../actors/index/text/excerpt.ts';
import { fold, foldRows } from '../../../../actors/index/text/fold.ts';
import { hasWholeWord, wordsOf } from '../../../../actors/index/text/query.ts';

const marked = ({ text, ranges }: ReturnType<typeof excerptOf>) =>
  ranges.map(([start, end]) => Array.from(text).slice(start, end).join(''));

test('words are told once, folded; what stands in quotation marks is one of them', () => {
  assert.deepEqual(wordsOf('Harbour  NIGHT harbour'), ['harbour', 'night']);
  assert.deepEqual(wordsOf('"At  Night" boats „die Straße“'), ['at night', 'boats', 'die strasse']);
  assert.deepEqual(wordsOf('a"b c"d "open end'), ['a', 'b c', 'd', 'open end']);
  assert.deepEqual(wordsOf(' \u3000\n "" “”'), []);
  assert.deepEqual(wordsOf('东京\u3000街'), ['东京', '街']);
  assert.deepEqual(wordsOf('.* (x)'), ['.*', '(x)']);
});

test('a whole word stands between signs that are no letters, whatever the script', () => {
  const has = (text: string, word: string) => {
    const bytes = Buffer.from(text);
    return hasWholeWord(foldRows(bytes, Uint32Array.of(bytes.length)), 0, Buffer.from(fold(word)));
  };
  assert.ok(has('The Harbour, at night', 'harbour'));
  assert.ok(has('harbour', 'harbour'));
  assert.ok(!has('harbourmaster', 'harbour'));
  assert.ok(!has('oldharbour', 'harbour'));
  assert.ok(has('harbourmaster of the harbour', 'harbour'), 'not the first place');
  assert.ok(has('«Straße»', 'strasse'));
  assert.ok(!has('Straßenbahn', 'strasse'));
  assert.ok(!has('éa', 'a') && has('é a', 'a'));
  assert.ok(has('في الشارع،', 'الشارع'));
  assert.ok(!has('东京街', '京') && has('东京。街', '东京'));
});

test('a short text is told whole with all places, a long one around the first that shows most words', () => {
  const short = excerptOf('Boats at night, boats', ['boats', 'night'], 200);
  assert.deepEqual(short.ranges, [
    [0, 5],
    [9, 14],
    [16, 21],
  ]);
  assert.deepEqual([short.text, short.isCut], ['Boats at night, boats', false]);
  const text = `boat ${'word '.repeat(100)}here a boat lies in the harbour ${'end '.repeat(100)}`;
  const long = excerptOf(text, ['boat', 'harbour'], 200);
  assert.deepEqual(marked(long), ['boat', 'harbour']);
  assert.ok(long.isCut && long.text.startsWith('word ') && long.text.length <= 200);
  const last = excerptOf(text.trimEnd(), ['end'], 30);
  assert.ok(last.ranges.length > 1 && last.text.length <= 30);
});

test('places are told in characters of the text as it was written', () => {
  const text = '😀😀 Die STRAẞE im Cafe\u0301 ﬁn';
  assert.deepEqual(marked(excerptOf(text, ['strasse'], 200)), ['STRAẞE']);
  assert.deepEqual(marked(excerptOf(text, [fold('café')], 200)), ['Cafe\u0301']);
  assert.deepEqual(
    marked(excerptOf(text, ['in'], 200)),
    ['ﬁn'],
    'a letter that stands for two is told whole',
  );
  assert.deepEqual(marked(excerptOf('각 가', [fold('각')], 200)), ['각']);
});

const letters = [...'abAB ßſiİı', ...'東京ｶ', ...'ΣσςÉé', 'e\u0301', '😀', '👩‍👩‍👧', 'ﬁ', '\n', '각'];

test('property: an excerpt is a part of the text, tears no letter, and shows what was found where it is', () => {
  const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...letters), maxLength: 120 }),
      fc.array(fc.constantFrom(...letters, 'ab', 'a b', '東京').map(fold), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 20, max: 60 }),
      (text, given, most) => {
        const words = given.filter((word) => word.trim() !== '');
        fc.pre(words.length > 0);
        const excerpt = excerptOf(text, words, most);
        assert.ok(Array.from(excerpt.text).length <= most);
        assert.equal(excerpt.isCut, excerpt.text !== text);
        const ends = [...graphemes.segment(text)].map(({ index, segment }) => index + segment.length);
        const at = text.indexOf(excerpt.text);
        assert.ok(at >= 0);
        if (excerpt.isCut) {
          const wanted = [0, ...ends];
          const isWhole = wanted.some(
            (from) => text.startsWith(excerpt.text, from) && wanted.includes(from + excerpt.text.length),
          );
          assert.ok(isWhole, JSON.stringify([text, excerpt]));
        }
        let before = -1;
        for (const [start, end] of excerpt.ranges) {
          assert.ok(start > before && end > start);
          before = end;
        }
        if (words.some((word) => fold(text).includes(word)) && !text.includes('각'))
          assert.ok(excerpt.ranges.length > 0, JSON.stringify([text, words, excerpt]));
        for (const part of marked(excerpt)) {
          const folded = fold(part);
          const touches = words.some((word) => folded.includes(word) || word.includes(folded));
          assert.ok(touches || part.length > 1, JSON.stringify([part, words]));
        }
      },
    ),
  );
});

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { subripDocument, webvttDocument } from '../../../actors/exporter/captions.ts';
import { type DocumentRow, mostOfSegment } from '../../../actors/exporter/contract.ts';
import { oneLine } from '../../../actors/exporter/rows.ts';
import { parseSubtitles } from '../../../actors/transcriber/text/subtitles/read.ts';
import { segmentsOfCues } from '../../../actors/transcriber/text/subtitles/segments.ts';
import { draws } from '../../shared.ts';
import { transcript } from './transcript.ts';

const texts = fc.string({
  maxLength: 60,
  unit: fc.oneof(
    fc.constantFrom(
      '<',
      '>',
      '&',
      ';',
      '{',
      '}',
      '\\',
      'N',
      'h',
      'b',
      '/',
      '-',
      ':',
      ' ',
      '1',
      'amp',
      '#',
      '→',
      '日',
      '　',
    ),
    fc.constantFrom('-->', '00:00:01,000 --> 00:00:02,000', '<i>', '&amp;', '{\\an8}', 'MARY: ', '\n'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2 }),
  ),
});
/** Normalised as the parser does, which is not the writer's concern. */
const plain = (text: string): string =>
  segmentsOfCues({
    cues: [{ start: 0, end: 1, text: oneLine(text), speaker: 'x' }],
    skipped: 0,
  }).segments[0]?.text.slice(1) ?? '';

for (const [name, write] of [
  ['SubRip', subripDocument],
  ['WebVTT', webvttDocument],
] as const) {
  test(`any text survives writing and parsing ${name}`, () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 6 }), (some) => {
        const said = some.map(plain).filter((text) => text !== '');
        const rows: DocumentRow[] = said.map((text, i) => ({
          kind: 'speech',
          start: i,
          end: i + 1,
          speaker: null,
          text,
        }));
        const { segments, skipped, repaired } = segmentsOfCues(
          parseSubtitles(write({ ...transcript([]), rows })),
        );
        assert.deepEqual({ skipped, repaired }, { skipped: 0, repaired: 0 });
        // A text that begins like a name in capitals and a colon is parsed as a speaker.
        if (segments.some(({ speaker }) => speaker !== null))
          assert.ok(said.some((text) => /[:：]/.test(text)));
        else
          assert.deepEqual(
            segments.map(({ text }) => text.slice(1)),
            said,
          );
      }),
      { numRuns: draws(300) },
    );
  });
}

test('speakers and times survive writing and parsing', () => {
  const segments = [
    [
      0,
      ' Hello there, this is a line that is longer than one line on a picture can be.',
      2.345,
      'SPEAKER_00',
    ],
    [3, ' 42', 4, 'ANN & <BOB>'],
    [360_000, ' late', 360_000, null],
  ];
  const rows = { ...transcript(segments) };
  const read = (text: string) => segmentsOfCues(parseSubtitles(text)).segments;
  const vtt = read(webvttDocument(rows));
  assert.deepEqual(
    vtt.map(({ speaker }) => speaker),
    ['SPEAKER_00', 'ANN & <BOB>', null],
  );
  for (const found of [vtt, read(subripDocument(rows))]) {
    assert.deepEqual(
      found.map(({ start_seconds, end_seconds }) => [start_seconds, end_seconds]),
      [
        [0, 2.345],
        [3, 4],
        [360_000, 360_000.001],
      ],
    );
    assert.equal(found[0]!.text, segments[0]![1]);
    assert.equal(found[0]!.speaker, 'SPEAKER_00');
  }
});

for (const [is, start, unit] of [
  ['arrows', '', '->'],
  ['arrows after a number', '10', '–>'],
  ['ideographs with spaces', '', 'あ '],
] as const) {
  test(`long segments of ${is} are written in one pass`, () => {
    const text = oneLine(start + unit.repeat((mostOfSegment - start.length) / unit.length));
    const rows = Array.from({ length: 30 }, (_, i): DocumentRow => {
      return { kind: 'speech', start: i, end: i + 1, speaker: null, text };
    });
    const began = performance.now();
    const written = subripDocument({ ...transcript([]), rows });
    assert.ok(performance.now() - began < 8_000);
    assert.ok(written.length > 30 * text.length);
    assert.doesNotMatch(written.replace(/^[\d:,]+ --> [\d:,]+$/gm, ''), /[-–—]\s?>/);
  });
}

test('arrows are written with entities where a line could be taken for times, and only there', () => {
  const lines = [
    ['1 – > 2', '1 – &gt; 2'],
    ['  −1 x — > y -> z > w', '−1 x — &gt; y -&gt; z > w'],
    ['a – > 2 -> b', 'a – > 2 -&gt; b'],
    ['> - 1', '> - 1'],
  ];
  for (const [text, written] of lines) {
    const row: DocumentRow = { kind: 'speech', start: 0, end: 1, speaker: null, text: oneLine(text!) };
    const document = subripDocument({ ...transcript([]), rows: [row] });
    assert.equal(document.split('\n')[2], written);
  }
});

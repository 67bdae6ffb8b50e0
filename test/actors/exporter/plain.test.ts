// Transcripts as text, values and subtitles; what a client may send, and how files are called.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { subripDocument, webvttDocument } from '../../../actors/exporter/captions.ts';
import { exportErrors, type Row, type Transcript } from '../../../actors/exporter/contract.ts';
import { fileName, safeName } from '../../../actors/exporter/filename.ts';
import { missingWarning } from '../../../actors/exporter/missing-glyphs.ts';
import { csvDocument, textDocument } from '../../../actors/exporter/plain.ts';
import { exactTime, oneLine, rowsOf, withSilence } from '../../../actors/exporter/rows.ts';
import { parseSubtitles } from '../../../actors/transcriber/text/subtitles/read.ts';
import { segmentsOfCues } from '../../../actors/transcriber/text/subtitles/segments.ts';
import type { EngineError } from '../../../runtime/errors.ts';

const transcript = (segments: readonly (readonly unknown[])[]): Transcript => ({
  format: 'txt',
  title: 'Film',
  rows: rowsOf(segments),
  createdMs: 0,
});

const refused: [what: string, segments: unknown[][], field: string][] = [
  ['a negative start', [[-1, 'a', 1]], 'segments[0][0]'],
  ['a start that is no number', [['0', 'a', 1]], 'segments[0][0]'],
  [
    'an end before the start',
    [
      [0, 'a', 1],
      [2, 'a', 1],
    ],
    'segments[1][2]',
  ],
  ['a time without end', [[0, 'a', Number.POSITIVE_INFINITY]], 'segments[0][2]'],
  ['a time that is no number', [[Number.NaN, 'a', 1]], 'segments[0][0]'],
  ['a time far too late', [[0, 'a', 1e300]], 'segments[0][2]'],
  ['a text that is none', [[0, 5, 1]], 'segments[0][1]'],
  ['text and end swapped', [[0, 1, 'a']], 'segments[0][1]'],
  ['a speaker that is a number', [[0, 'a', 1, 5]], 'segments[0][3]'],
  ['a text without end', [[0, 'a'.repeat(100_001), 1]], 'segments[0][1]'],
];
for (const [what, segments, field] of refused) {
  test(`${what} is refused, naming ${field}`, () => {
    const isNamed = (error: EngineError) =>
      exportErrors.SEGMENTS_INVALID.is(error) &&
      error.message.startsWith(field) &&
      error.details['field'] === field;
    assert.throws(() => rowsOf(segments), isNamed);
  });
}

test('more than a document holds is told at once', () => {
  const isTooLarge = (error: EngineError) => exportErrors.DOCUMENT_TOO_LARGE.is(error);
  assert.throws(() => rowsOf(Array.from({ length: 50_001 }, () => [0, 'a', 1])), isTooLarge);
  const long = 'a'.repeat(100_000);
  assert.throws(() => rowsOf(Array.from({ length: 101 }, () => [0, long, 1])), isTooLarge);
});

test('rows are in order of start, and a pause of two seconds or more is a row', () => {
  const rows = withSilence(
    rowsOf([
      [10, ' late', 12],
      [0, ' a', 5],
      [1, ' b', 2],
      [6.99, ' c', 8],
      [30, ' d', 30],
    ]),
  );
  assert.deepEqual(
    rows.map(({ kind, start, end }) => [kind, start, end]),
    [
      ['speech', 0, 5],
      ['speech', 1, 2],
      ['speech', 6.99, 8],
      ['silence', 8, 10],
      ['speech', 10, 12],
      ['silence', 12, 30],
      ['speech', 30, 30],
    ],
  );
});

test('plain text has a title, times, speakers and silence', () => {
  const text = textDocument(
    transcript([
      [0, ' Hi\nyou', 1.5, 'Ann'],
      [3600, ' Bye', 3601],
    ]),
  );
  assert.equal(
    text,
    'Film\n\n[00:00:00 - 00:00:01] Ann: Hi you\n[00:00:01 - 01:00:00] (silence)\n[01:00:00 - 01:00:01] Bye\n',
  );
});

/** RFC 4180, read by the letter. */
function csvRows(text: string): string[][] {
  assert.ok(text.startsWith('\ufeff'));
  const rows: string[][] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  field.lastIndex = 1;
  let row: string[] = [];
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    assert.ok(found, 'not a field');
    row.push(found[1]?.replaceAll('""', '"') ?? found[2]!);
    if (found[3] === '\r\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

test('csv of any texts is read back by the letter of RFC 4180, and no cell is a formula', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '"', ',', '\n', '\r', '=', '+', '-', '@', '\t', ' ', 'é', '＝'),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 8 }), (said) => {
      const rows = csvRows(csvDocument(transcript(said.map(([one, who], i) => [i, one, i + 1, who]))));
      assert.deepEqual(rows[0], ['start', 'end', 'start_seconds', 'end_seconds', 'speaker', 'text']);
      assert.equal(rows.length, said.length + 1);
      said.forEach(([one, who], i) => {
        const [, , start, end, speaker, cell] = rows[i + 1]!;
        assert.deepEqual([start, end], [String(i), String(i + 1)]);
        for (const [is, was] of [
          [cell!, oneLine(one)],
          [speaker!, oneLine(who)],
        ] as const) {
          assert.doesNotMatch(is, /^[=+\-@＝]/);
          assert.equal(is.replace(/^'(?=[=+\-@＝])/, ''), was);
        }
      });
    }),
  );
});

const signs = fc.string({
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
/** As the reader of subtitles brings any text into form: that is no matter of the writer. */
const plain = (text: string): string =>
  segmentsOfCues({
    cues: [{ start: 0, end: 1, text: oneLine(text), speaker: 'x' }],
    skipped: 0,
  }).segments[0]?.text.slice(1) ?? '';

for (const [name, write] of [
  ['SubRip', subripDocument],
  ['WebVTT', webvttDocument],
] as const) {
  test(`any text comes back from our own ${name}`, () => {
    fc.assert(
      fc.property(fc.array(signs, { minLength: 1, maxLength: 6 }), (texts) => {
        const said = texts.map(plain).filter((text) => text !== '');
        const rows: Row[] = said.map((text, i) => ({
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
        // What begins like a name in capitals and a colon is taken for a speaker, whatever was meant.
        if (segments.some(({ speaker }) => speaker !== null))
          assert.ok(said.some((text) => /[:：]/.test(text)));
        else
          assert.deepEqual(
            segments.map(({ text }) => text.slice(1)),
            said,
          );
      }),
      { numRuns: 300 },
    );
  });
}

test('speakers and times come back from our own subtitles', () => {
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

test('times are exact to the millisecond', () => {
  for (const [seconds, text] of [
    [0, '00:00:00.000'],
    [59.9996, '00:01:00.000'],
    [3599.999, '00:59:59.999'],
    [360_000.5, '100:00:00.500'],
  ] as const) {
    assert.equal(exactTime(seconds), text);
  }
});

const names: [string, string][] = [
  ['Interview', 'Interview'],
  ['a/b\\c:d*e?f"g<h>i|j', 'a_b_c_d_e_f_g_h_i_j'],
  ['../../etc/passwd', '_.._etc_passwd'],
  ['  .hidden. ', 'hidden'],
  ['CON', '_CON'],
  ['nul.txt', '_nul.txt'],
  ['\u202efdp.exe', 'fdp.exe'],
  ['a\0b\nc', 'a b c'],
  ['...', 'transcript'],
  ['', 'transcript'],
  ['日本', '日本'],
];
for (const [given, name] of names) {
  test(`a document called ${JSON.stringify(given)} is the file ${name}`, () =>
    assert.equal(safeName(given), name));
}

test('any name is safe, short, and keeps being so', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (given) => {
      const name = fileName(given, 'pdf');
      assert.ok(Buffer.byteLength(name) <= 210);
      assert.doesNotMatch(name, /[<>:"/\\|?*\p{Cc}]|^[. ]/u);
      assert.ok(name.endsWith('.pdf') || name.toLowerCase().endsWith('.pdf'));
      assert.equal(safeName(safeName(given)), safeName(given));
    }),
  );
  assert.equal(fileName('a.PDF', 'pdf'), 'a.PDF');
});

test('what is missing is told with what would help', () => {
  assert.equal(missingWarning([]), null);
  assert.match(missingWarning(['語'])!, /a character.*語.*fonts-noto-cjk/);
  assert.match(missingWarning(['ส', '🎬'])!, /2 characters.*fonts-noto-core.*symbola/);
});

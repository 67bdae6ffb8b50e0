// Names of speakers as authors write them, and texts that only look like names.
import assert from 'node:assert/strict';
import test from 'node:test';
import { segmentsOfCues } from '../../../../../actors/transcriber/text/subtitles/segments.ts';

/** One cue a text, in a file that is otherwise in small letters. */
function said(texts: readonly string[]): [string | null, string][] {
  const cues = texts.map((text, i) => ({ start: i, end: i + 1, text, speaker: null }));
  return segmentsOfCues({ cues, skipped: 0 }).segments.map(({ speaker, text }) => [speaker, text.slice(1)]);
}

const around = ['an ordinary line of small letters goes here', 'and here is another one of them'];

const table: [text: string, ...expected: [string | null, string][]][] = [
  ['MARY: Come in.', ['MARY', 'Come in.']],
  ['- MARY: Come in.', ['MARY', 'Come in.']],
  ['>> JOHN: Good evening.', ['JOHN', 'Good evening.']],
  ['DR. O’NEIL-SMITH: Sit down.', ['DR. O’NEIL-SMITH', 'Sit down.']],
  ['MAN 2: Run!', ['MAN 2', 'Run!']],
  ['SPEAKER_00: hello', ['SPEAKER_00', 'hello']],
  ['[MARY]: Come in.', ['MARY', 'Come in.']],
  ['MARY (whispering): Come in.', ['MARY', 'Come in.']],
  ['MARY:\nCome in.', ['MARY', 'Come in.']],
  ['ÉLISE: Entrez.', ['ÉLISE', 'Entrez.']],
  ['ИВАН: Привет.', ['ИВАН', 'Привет.']],
  ['MARY: Come in.\nJOHN: Thanks.', ['MARY', 'Come in.'], ['JOHN', 'Thanks.']],
  ['Before that,\nMARY: Come in.', [null, 'Before that,'], ['MARY', 'Come in.']],
  ['Note: bring a coat', [null, 'Note: bring a coat']],
  ['NOTE: bring a coat', [null, 'NOTE: bring a coat']],
  ['He said: go away', [null, 'He said: go away']],
  ['Mary: only once is no proof', [null, 'Mary: only once is no proof']],
  ['https://example.org is where', [null, 'https://example.org is where']],
  ['HTTPS://EXAMPLE.ORG is where', [null, 'HTTPS://EXAMPLE.ORG is where']],
  ['10:30 is late', [null, '10:30 is late']],
  ['AT 10:30 we meet', [null, 'AT 10:30 we meet']],
  ['THIS IS A VERY LONG SIGN: closed', [null, 'THIS IS A VERY LONG SIGN: closed']],
  ['I: me', [null, 'I: me']],
  [': nobody', [null, ': nobody']],
  ['ABC:DEF', [null, 'ABC:DEF']],
];
for (const [text, ...expected] of table) {
  test(`${JSON.stringify(text)} is said by ${expected.map(([speaker]) => speaker ?? 'nobody named').join(', ')}`, () => {
    assert.deepEqual(said([...around, text]).slice(2), expected);
  });
}

test('a name in mixed case is believed when it stands there several times', () => {
  const texts = ['Mary: come in', 'Tom: thanks', 'Mary: sit down', 'Mary: tea?', 'Tom: no'];
  assert.deepEqual(said([...around, ...texts]).slice(2), [
    ['Mary', 'come in'],
    [null, 'Tom: thanks'],
    ['Mary', 'sit down'],
    ['Mary', 'tea?'],
    [null, 'Tom: no'],
  ]);
});

test('a phrase that stands there several times is no name', () => {
  const texts = ['He said: go', 'He said: come', 'He said: stay', 'Note: a', 'Note: b', 'Note: c'];
  for (const [speaker] of said([...around, ...texts])) assert.equal(speaker, null);
});

test('names before the wide colon, when they stand there several times', () => {
  const texts = ['田中：こんにちは', '田中：はい', '田中：さようなら', '時間：十時'];
  assert.deepEqual(said(texts), [
    ['田中', 'こんにちは'],
    ['田中', 'はい'],
    ['田中', 'さようなら'],
    [null, '時間：十時'],
  ]);
});

test('where everything is in capitals, capitals are no sign of a name', () => {
  const texts = ['AND THEN HE SAID: GO', 'WE WENT HOME', 'BOB: YES', 'BOB: NO', 'BOB: MAYBE', 'FIRE: RUN'];
  assert.deepEqual(
    said(texts).map(([speaker]) => speaker),
    [null, null, 'BOB', 'BOB', 'BOB', null],
  );
});

test('what the format itself says goes before what the text looks like', () => {
  const cue = { start: 0, end: 1, text: 'MARY: Come in.', speaker: 'Ann' };
  assert.deepEqual(segmentsOfCues({ cues: [cue], skipped: 0 }).segments, [
    { start_seconds: 0, end_seconds: 1, text: ' MARY: Come in.', speaker: 'Ann' },
  ]);
});

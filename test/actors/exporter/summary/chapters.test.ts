import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import {
  chaptersDocument,
  chaptersOf,
  longestTitle,
  titleOf,
} from '../../../../actors/exporter/summary/summary-documents.ts';
import { parseSubtitles } from '../../../../actors/transcriber/text/subtitles/read.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

const folder = temporaryFolder();
const characters = (text: string) => [...text].length;

test('a title is the first sentence in one line, cut between words where it is long', () => {
  assert.equal(titleOf('Dr. Ada\nopens the door. She looks out.'), 'Dr. Ada opens the door.');
  assert.equal(titleOf('橋の上。水が流れる。'), '橋の上。');
  const long = `${'word '.repeat(60)}end.`;
  const cut = titleOf(long);
  assert.ok(characters(cut) <= longestTitle && cut.endsWith('word…'), cut);
  assert.equal(titleOf('x'.repeat(500)), `${'x'.repeat(longestTitle - 1)}…`);
  assert.equal(titleOf(' \n\u0000 '), '');
});

test('chapters lie on the grid, the last one ends where the film does, and none is without a title', () => {
  const nodes = [
    { text: 'First. More.', range: [0, 4] },
    { text: ' ', range: [4, 10] },
    { text: 'Last.', range: [10, 13] },
  ] as const;
  assert.deepEqual(chaptersOf(nodes, 12.48), [
    { title: 'First.', start_seconds: 0, end_seconds: 4 },
    { title: 'Chapter 2', start_seconds: 4, end_seconds: 10 },
    { title: 'Last.', start_seconds: 10, end_seconds: 12.48 },
  ]);
  // A film that nobody can say the length of, or whose record says another one than its grid.
  for (const seconds of [null, 9, 400]) assert.equal(chaptersOf(nodes, seconds)[2]!.end_seconds, 13);
});

const texts = fc.string({
  minLength: 1,
  maxLength: 60,
  unit: fc.oneof(
    fc.constantFrom(
      '-->',
      '<v Ada>',
      '<i>',
      '&amp;',
      '&',
      '<',
      '>',
      '\n\n',
      'NOTE ',
      ' ',
      '. ',
      'WEBVTT',
      '日',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2 }),
  ),
});

test('property: whatever texts say, as many cues are read back as there are chapters, at their times', () => {
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 8 }), (some) => {
      const nodes = some.map((text, i) => ({ text, range: [3600 * i, 3600 * (i + 1)] as const }));
      const chapters = chaptersOf(nodes, 3600 * some.length - 0.25);
      const written = chaptersDocument(chapters);
      assert.equal(written.split('-->').length - 1, chapters.length);
      const { cues, skipped } = parseSubtitles(written);
      assert.equal(skipped, 0);
      assert.deepEqual(
        cues.map(({ start, end }) => [start, end]),
        chapters.map(({ start_seconds, end_seconds }) => [start_seconds, end_seconds]),
      );
      assert.ok(chapters.every(({ title }) => title !== '' && characters(title) <= longestTitle));
    }),
  );
});

test('titles are read back letter by letter', () => {
  const titles = ['Tom & "Jerry" <run> --> away.', '&amp; is no ampersand.', 'Größe 日本 👍🏽.'];
  const nodes = titles.map((text, i) => ({ text, range: [i, i + 1] as const }));
  const { cues } = parseSubtitles(chaptersDocument(chaptersOf(nodes, null)));
  assert.deepEqual(
    cues.map(({ text }) => text),
    titles,
  );
});

const hasProbe = spawnSync('ffprobe', ['-version'], { stdio: 'ignore' }).status === 0;

test('another reader finds the cues at their times', {
  skip: !hasProbe && 'needs ffprobe, which is not here',
}, () => {
  const nodes = ['a --> b', 'c & <d>', 'e'].map((text, i) => ({ text, range: [i * 5, i * 5 + 5] as const }));
  const path = join(folder, 'chapters.vtt');
  writeFileSync(path, chaptersDocument(chaptersOf(nodes, 13.5)));
  const { stdout, stderr, status } = spawnSync(
    'ffprobe',
    ['-v', 'error', '-f', 'webvtt', '-show_entries', 'packet=pts_time,duration_time', '-of', 'json', path],
    { encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
  const { packets } = JSON.parse(stdout) as { packets: { pts_time: string; duration_time: string }[] };
  assert.deepEqual(
    packets.map(({ pts_time, duration_time }) => [Number(pts_time), Number(duration_time)]),
    [
      [0, 5],
      [5, 5],
      [10, 3.5],
    ],
  );
});

test('a chapter that begins with a shot begins at its edge, where that is exact', () => {
  const nodes = (
    [
      [0, 3],
      [3, 6],
      [6, 9],
    ] as const
  ).map((range) => ({ text: 'One.', range }));
  const shots = { seconds: Float64Array.of(2.48, 4.2), frames: Uint32Array.of(62, 105), end: 8.4 };
  assert.deepEqual(
    chaptersOf(nodes, 8.4, shots).map((one) => [one.start_seconds, one.end_seconds]),
    [
      [0, 2.48],
      [2.48, 6],
      [6, 8.4],
    ],
  );
});

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { facesFor, fontFolders, missingWarning } from '../../../actors/exporter/fonts.ts';
import { visualRuns, wrap } from '../../../actors/exporter/pdf.ts';
import { csvDocument, textDocument } from '../../../actors/exporter/plain.ts';
import { oneLine } from '../../../actors/exporter/rows.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { transcript } from './transcript.ts';

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

/** A strict parser of RFC 4180. */
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

test('csv of any texts parses as RFC 4180, and no cell is a formula', () => {
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

const folder = temporaryFolder();

test('characters that no font has are answered; the bundled font has those of Europe', () => {
  const own = new Set('aéßñŁžőαωЯжіңאب…—“€');
  assert.deepEqual(facesFor(own, []).missing, []);
  const { faces, missing, of } = facesFor(new Set('a語ส'), []);
  assert.deepEqual(missing, ['語', 'ส']);
  assert.equal(faces.length, 1);
  assert.equal(of('語'), 0);
});

test('files that are no fonts are skipped', async () => {
  const place = join(folder, 'fonts');
  await mkdir(place);
  await writeFile(join(place, 'NotoSansCJK-Regular.ttc'), 'ttcf no font at all');
  await writeFile(join(place, 'empty.ttf'), '');
  assert.deepEqual(facesFor(new Set('語'), [place, join(folder, 'nowhere')]).missing, ['語']);
});

test('every system has its font folders', () => {
  assert.ok(fontFolders({ HOME: '/home/a', XDG_DATA_DIRS: '/x/share' }, 'linux').includes('/x/share/fonts'));
  assert.ok(fontFolders({ HOME: '/Users/a' }, 'darwin').includes('/System/Library/Fonts'));
  assert.match(fontFolders({ WINDIR: 'C:/W', LOCALAPPDATA: 'C:/L' }, 'win32').join(), /C:.W.Fonts,C:.L/);
});

test('the warning names packages with the missing glyphs', () => {
  assert.equal(missingWarning([]), null);
  assert.match(missingWarning(['語'])!, /a character.*語.*fonts-noto-cjk/);
  assert.match(missingWarning(['ส', '🎬'])!, /2 characters.*fonts-noto-core.*symbola/);
});

test('lines fit the width, and longer words are broken', () => {
  const measure = (text: string) => [...text].length;
  assert.deepEqual(wrap('one two three', 7, measure), ['one two', 'three']);
  assert.deepEqual(wrap('abcdefghij kl', 4, measure), ['abcd', 'efgh', 'ij', 'kl']);
  assert.deepEqual(wrap('', 4, measure), ['']);
  assert.deepEqual(wrap('今日は、いい天気', 4, measure).join(''), '今日は、いい天気');
  for (const line of wrap('今日は、いい天気', 4, measure)) assert.doesNotMatch(line, /^、/);
});

test('words from right to left are in visual order', () => {
  const seen = (line: string) => visualRuns(line).map(({ text }) => text);
  assert.deepEqual(seen('plain text'), ['plain text']);
  assert.deepEqual(seen('אב גד'), ['גד', ' ', 'אב']);
  assert.equal(seen('אב 12 cd ef').join(''), 'cd ef 12 אב');
  assert.equal(seen('see אב גד now').join(''), 'see גד אב now');
  // Brackets are mirrored here; the word itself is reversed when it is shaped.
  assert.deepEqual(seen('אב (גד)'), [')גד(', ' ', 'אב']);
});

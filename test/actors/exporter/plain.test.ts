import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { csvDocument, textDocument } from '../../../actors/exporter/plain.ts';
import { oneLine } from '../../../actors/exporter/rows.ts';
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

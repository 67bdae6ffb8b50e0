import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { wordDocument, zipEntry } from '../../../actors/exporter/docx.ts';
import { untilRelease } from '../../shared.ts';

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    kind: 'speech' as const,
    start: i * 10,
    end: i * 10 + 1,
    speaker: i % 2 ? 'Ada </w:tr> & Bob' : null,
    text: `said ${i} <w:tr>`,
  }));

async function written(count: number): Promise<string> {
  const { bytes } = await wordDocument({ format: 'docx', title: 'T', rows: rowsOf(count), createdMs: 0 });
  return zipEntry(Buffer.from(bytes), 'word/document.xml').toString();
}

test('every row is there once and in order, whatever the number of batches', async () => {
  for (const count of [0, 1, 2, 251, 700]) {
    const xml = await written(count);
    const texts = [...xml.matchAll(/said (\d+) &lt;w:tr&gt;/g)].map(([, number]) => Number(number));
    assert.deepEqual(
      texts,
      Array.from({ length: count }, (_, i) => i),
    );
    // A head, a row each, and one of silence between two.
    const rows = xml.match(/<w:tr[ >]/g)?.length ?? 0;
    assert.equal(rows, count === 0 ? 0 : 1 + count + (count - 1));
    assert.equal(xml.match(/<\/w:tr>/g)?.length ?? 0, rows);
    assert.equal(xml.match(/<w:tblHeader\/>/g)?.length ?? 0, count === 0 ? 0 : 1);
    assert.match(xml, /<\/w:document>$/);
  }
});

test('a transcript of 3,000 rows is written in a heap of 100 MB', { skip: untilRelease }, () => {
  const program = `
    const { wordDocument } = await import(${JSON.stringify(new URL('../../../actors/exporter/docx.ts', import.meta.url).href)});
    const rows = Array.from({ length: 3000 }, (_, i) => ({ kind: 'speech', start: 10 * i, end: 10 * i + 1, speaker: 'A', text: 'said' }));
    await wordDocument({ format: 'docx', title: 'T', rows, createdMs: 0 });
  `;
  const args = ['--max-old-space-size=100', '--no-warnings', '--input-type=module', '-e', program];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr.slice(0, 2000));
});

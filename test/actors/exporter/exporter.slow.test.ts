// Documents out of the pool: what they hold, how they are put into folders, and how the work is ended.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { Check } from 'typebox/value';
import {
  type DocumentFormat,
  documentFormats,
  exportErrors,
  TranscriptAnswer,
} from '../../../actors/exporter/contract.ts';
import { wordDocument, zipEntry } from '../../../actors/exporter/docx.ts';
import { createExporter } from '../../../actors/exporter/exporter.ts';
import { fileName, safeName } from '../../../actors/exporter/output-path.ts';
import { type EngineError, engineErrors } from '../../../runtime/errors.ts';
import { untilRelease } from '../../shared.ts';

const folder = await mkdtemp(join(tmpdir(), 'framehound-export-'));
const exporter = createExporter(() => Date.UTC(2026, 0, 2));
after(async () => {
  await exporter.close();
  await rm(folder, { recursive: true, force: true });
});

const segments = [
  [0, ' Hello <there> & you', 1.5, 'Ann'],
  [4, ' Привет, καλημέρα', 5],
  [5, ' bad \u0001\ud800 signs', 6, 'Bob'],
];
const request = (format: DocumentFormat, output_dir?: string) => ({
  format,
  display_name: 'A film: part 1',
  segments,
  ...(output_dir !== undefined && { output_dir }),
});
const never = new AbortController().signal;

/** The text of one file of a zip archive. */
function unzipped(zip: Buffer, name: string): string {
  let at = zip.readUInt32LE(zip.lastIndexOf(Buffer.from('PK\x05\x06')) + 16);
  // Every entry moves on by at least its header, and reading past the end throws.
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const [size, length, extra, comment] = [20, 28, 30, 32].map((offset, i) =>
      i === 0 ? zip.readUInt32LE(at + offset) : zip.readUInt16LE(at + offset),
    ) as [number, number, number, number];
    if (zip.toString('utf8', at + 46, at + 46 + length) === name) {
      const local = zip.readUInt32LE(at + 42);
      const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      return inflateRawSync(zip.subarray(from, from + size)).toString();
    }
    at += 46 + length + extra + comment;
  }
  throw new Error(`no ${name}`);
}

for (const format of documentFormats) {
  test(`${format} is answered in base64, with its name and kind`, async () => {
    const answer = await exporter.transcript(request(format), never);
    assert.ok(Check(TranscriptAnswer, answer));
    assert.equal(answer.filename, `A film_ part 1.${format}`);
    assert.equal(answer.row_count, 3);
    assert.equal(answer.output_path, undefined);
    const bytes = Buffer.from(answer.content_base64!, 'base64');
    if (format === 'pdf') assert.match(bytes.toString('latin1'), /^%PDF-1[\s\S]*%%EOF\s*$/);
    else if (format === 'docx') {
      const xml = unzipped(bytes, 'word/document.xml');
      for (const text of [
        'A film: part 1',
        'Hello &lt;there&gt; &amp; you',
        'Привет',
        '(silence)',
        'Ann',
        'w:tblHeader',
      ])
        assert.ok(xml.includes(text), text);
      assert.equal(xml.match(/<w:tr[ >]/g)?.length, 5);
    } else assert.match(bytes.toString(), /Hello/);
  });
}

test('documents for people say below the title that the number of speakers is uncertain', async () => {
  const speaker_range = { least: 2, most: 4 };
  const bytesOf = async (format: DocumentFormat, range = {}) => {
    const { content_base64 = '' } = await exporter.transcript({ ...request(format), ...range }, never);
    return Buffer.from(content_base64, 'base64');
  };
  const range = { speaker_range };
  const note = '2 to 4 speakers: the number is uncertain';
  assert.ok((await bytesOf('txt', range)).toString().startsWith(`A film: part 1\n${note}\n\n`));
  assert.ok(unzipped(await bytesOf('docx', range), 'word/document.xml').includes(note));
  assert.ok((await bytesOf('pdf', range)).length > (await bytesOf('pdf')).length);
  for (const format of ['csv', 'srt', 'vtt'] as const)
    assert.deepEqual(await bytesOf(format, range), await bytesOf(format));
});

test('an empty transcript is a valid document', async () => {
  for (const format of documentFormats) {
    const answer = await exporter.transcript({ ...request(format), segments: [] }, never);
    assert.equal(answer.row_count, 0);
  }
});

test('a long transcript has many pages', async () => {
  const many = Array.from({ length: 400 }, (_, i) => [
    3 * i,
    ` line ${i} ${'word '.repeat(i % 60)}`,
    3 * i + 2,
    'Ann',
  ]);
  const { content_base64 } = await exporter.transcript({ ...request('pdf'), segments: many }, never);
  const pages = Buffer.from(content_base64!, 'base64')
    .toString('latin1')
    .match(/\/Type \/Page\b(?!s)/g);
  assert.ok(pages && pages.length > 15 && pages.length < 60, String(pages?.length));
});

test('a document is saved in a folder that is created, and never overwrites another', async () => {
  const place = join(folder, 'new', 'place');
  const paths: (string | undefined)[] = [];
  for (let i = 0; i < 3; i++) {
    const query = { ...request('csv', place), create_folders: true };
    const { output_path, filename } = await exporter.transcript(query, never);
    assert.equal(filename, basename(output_path!));
    paths.push(output_path);
  }
  assert.deepEqual(
    paths,
    ['A film_ part 1.csv', 'A film_ part 1-2.csv', 'A film_ part 1-3.csv'].map((name) => join(place, name)),
  );
  assert.equal((await readdir(place)).length, 3);
});

test('a folder that cannot be written is an error that names the field', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  await mkdir(join(folder, 'there'));
  const isUnwritable = (error: EngineError) =>
    exportErrors.OUTPUT_UNWRITABLE.is(error) && /^output_dir/.test(error.message);
  await assert.rejects(exporter.transcript(request('txt', file), never), isUnwritable);
  await assert.rejects(exporter.transcript(request('txt', join(file, 'below')), never), isUnwritable);
});

test('a cancelled document ends its thread, and the next one is rendered', async () => {
  const many = Array.from({ length: 20_000 }, (_, i) => [3 * i, ` line ${i}`, 3 * i + 2]);
  const gone = new AbortController();
  const made = exporter.transcript({ ...request('pdf'), segments: many }, gone.signal);
  gone.abort();
  await assert.rejects(made, (error: EngineError) => engineErrors.CANCELLED.is(error));
  assert.equal((await exporter.transcript(request('txt'), never)).row_count, 3);
});

test('closing ends a document that is being made', async () => {
  const closing = createExporter(() => 0);
  const made = closing.transcript(request('pdf'), never);
  await Promise.all([assert.rejects(made, engineErrors.CANCELLED.is), closing.close()]);
});

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

const names: [string, string][] = [
  ['Interview', 'Interview'],
  ['a/b\\c:d*e?f"g<h>i|j', 'a_b_c_d_e_f_g_h_i_j'],
  ['../../etc/passwd', '_.._etc_passwd'],
  ['  .hidden. ', 'hidden'],
  ['CON', '_CON'],
  ['nul.txt', '_nul.txt'],
  ['lpt9 .x', '_lpt9 .x'],
  ['conout$', '_conout$'],
  ['\u200b', 'transcript'],
  ['end.\u200b', 'end'],
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

test('any name becomes safe and short, and stays as it is a second time', () => {
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

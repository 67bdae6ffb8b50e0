// Writes transcripts as Word documents: a table whose head is repeated on every page, and page numbers.

import { inflateRawSync } from 'node:zlib';
import {
  AlignmentType,
  BorderStyle,
  Document,
  Footer,
  HeadingLevel,
  Packer,
  PageNumber,
  Paragraph,
  ShadingType,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  TextRun,
  WidthType,
} from 'docx';
import { clockTime } from '../decoder/contract.ts';
import type { DocumentRow, Rendered, TranscriptDocument } from './contract.ts';
import { isRightToLeft } from './direction.ts';
import { withSilence } from './rows.ts';

/** Twentieths of a point, of the 9,638 that an A4 page has between its margins. */
const TIME = 2100;
const SPEAKER = 1800;
const PAGE = 9638;

const hairline = { style: BorderStyle.SINGLE, size: 4, color: 'C8C8C8' };
const none = { style: BorderStyle.NONE, size: 0, color: 'auto' };
const margins = { top: 60, bottom: 60, left: 80, right: 80 };

/** Rows that are made into XML at a time: their objects take a hundred times what they say. */
const BATCH = 500;
const documentPart = 'word/document.xml';

/**
 * The package makes the document with a single row in its table, and the XML of the other rows some at a
 * time: of all of them at once it would hold gigabytes.
 */
export async function wordDocument({ title, note, rows }: TranscriptDocument): Promise<Rendered> {
  const all = withSilence(rows);
  const speakers = rows.some(({ speaker }) => speaker !== null);
  const first = all.slice(0, 1).map((row) => tableRow(row, widthsFor(speakers), speakers));
  const file = documentOf(
    { title, note },
    all.length > 0 ? tableOf([headRow(speakers), ...first], speakers) : null,
  );
  const packed = await Packer.toBuffer(file);
  if (all.length <= 1) return { bytes: packed, warning: null };
  const xml = zipEntry(packed, documentPart).toString();
  const end = xml.lastIndexOf(rowEnd) + rowEnd.length;
  const parts = [xml.slice(0, end)];
  for (let at = 1; at < all.length; at += BATCH) {
    parts.push(await rowsXml(all.slice(at, at + BATCH), speakers));
  }
  const data = [...parts, xml.slice(end)].join('');
  // A document can be packed once.
  const again = documentOf({ title, note }, null);
  return { bytes: await Packer.toBuffer(again, undefined, [{ path: documentPart, data }]), warning: null };
}

const rowEnd = '</w:tr>';

/** Rows as they stand in a table of the document. */
async function rowsXml(rows: readonly DocumentRow[], speakers: boolean): Promise<string> {
  const table = tableOf(
    rows.map((row) => tableRow(row, widthsFor(speakers), speakers)),
    speakers,
  );
  const xml = zipEntry(await Packer.toBuffer(documentOf({ title: '' }, table)), documentPart).toString();
  return xml.slice(xml.search(/<w:tr[ >]/), xml.lastIndexOf(rowEnd) + rowEnd.length);
}

function widthsFor(speakers: boolean): readonly number[] {
  return speakers ? [TIME, SPEAKER, PAGE - TIME - SPEAKER] : [TIME, PAGE - TIME];
}

function headRow(speakers: boolean): TableRow {
  const head = speakers ? ['Time', 'Speaker', 'Text'] : ['Time', 'Text'];
  const widths = widthsFor(speakers);
  return new TableRow({
    tableHeader: true,
    children: head.map((text, i) => cell([new TextRun({ text, bold: true })], widths[i]!, 'EEEEEE')),
  });
}

function tableOf(rows: TableRow[], speakers: boolean): Table {
  return new Table({
    layout: TableLayoutType.FIXED,
    width: { size: PAGE, type: WidthType.DXA },
    columnWidths: [...widthsFor(speakers)],
    borders: {
      top: none,
      bottom: hairline,
      left: none,
      right: none,
      insideVertical: none,
      insideHorizontal: hairline,
    },
    rows,
  });
}

/** `table`: null when nobody speaks. */
function documentOf(
  { title, note }: Pick<TranscriptDocument, 'title' | 'note'>,
  table: Table | null,
): Document {
  const below = note === undefined ? [] : [new Paragraph({ text: note, spacing: { after: 200 } })];
  return new Document({
    title,
    creator: 'framehound',
    description: 'Transcript',
    styles: { default: { document: { run: { size: 20 } } } },
    sections: [
      {
        properties: { page: { margin: { top: 1134, bottom: 1134, left: 1134, right: 1134 } } },
        footers: { default: footer() },
        children: [heading(title), ...below, table ?? new Paragraph('No speech.')],
      },
    ],
  });
}

function heading(title: string): Paragraph {
  const rtl = isRightToLeft(title);
  return new Paragraph({
    heading: HeadingLevel.HEADING_1,
    bidirectional: rtl,
    spacing: { after: 200 },
    children: [new TextRun({ text: title, rightToLeft: rtl })],
  });
}

function tableRow(
  { kind, start, end, speaker, text }: DocumentRow,
  widths: readonly number[],
  speakers: boolean,
) {
  const silent = kind === 'silence';
  const time = new TextRun({ text: `${clockTime(start)} – ${clockTime(end)}`, size: 16, color: '666666' });
  const said = silent
    ? [new TextRun({ text: '(silence)', italics: true, color: '808080' })]
    : [new TextRun({ text, rightToLeft: isRightToLeft(text) })];
  const name = new TextRun({ text: speaker ?? '', bold: true, rightToLeft: isRightToLeft(speaker ?? '') });
  const last = widths.length - 1;
  return new TableRow({
    cantSplit: text.length < 1000,
    children: [
      cell([time], widths[0]!),
      ...(speakers ? [cell([name], widths[1]!)] : []),
      cell(said, widths[last]!, undefined, !silent && isRightToLeft(text)),
    ],
  });
}

function cell(children: TextRun[], width: number, fill?: string, bidirectional = false): TableCell {
  return new TableCell({
    width: { size: width, type: WidthType.DXA },
    margins,
    ...(fill ? { shading: { type: ShadingType.CLEAR, fill, color: 'auto' } } : {}),
    children: [new Paragraph({ bidirectional, children })],
  });
}

function footer(): Footer {
  const number = new TextRun({ children: [PageNumber.CURRENT, ' / ', PageNumber.TOTAL_PAGES], size: 16 });
  return new Footer({ children: [new Paragraph({ alignment: AlignmentType.CENTER, children: [number] })] });
}

// Reads one file out of a ZIP archive that this program has just made: no encryption, no ZIP64.

const endMagic = 0x06054b50;
const entryMagic = 0x02014b50;
const endBytes = 22;

/** Throws when the archive has no such file. */
export function zipEntry(archive: Buffer, name: string): Buffer {
  const end = archive.byteLength - endBytes;
  if (end < 0 || archive.readUInt32LE(end) !== endMagic) throw new Error('the archive has no end');
  let at = archive.readUInt32LE(end + 16);
  for (let remaining = archive.readUInt16LE(end + 10); remaining > 0; remaining--) {
    if (archive.readUInt32LE(at) !== entryMagic) break;
    const method = archive.readUInt16LE(at + 10);
    const size = archive.readUInt32LE(at + 20);
    const lengths = [28, 30, 32].map((field) => archive.readUInt16LE(at + field)) as [number, number, number];
    const local = archive.readUInt32LE(at + 42);
    if (archive.toString('utf8', at + 46, at + 46 + lengths[0]) === name) {
      const data = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      const bytes = archive.subarray(data, data + size);
      return method === 0 ? bytes : inflateRawSync(bytes);
    }
    at += 46 + lengths[0] + lengths[1] + lengths[2];
  }
  throw new Error(`the archive has no ${name}`);
}
